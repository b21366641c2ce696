package lsp

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/index"
	"github.com/rigwiki/rig/wiki/lint"
	"github.com/rigwiki/rig/wiki/proposal"
)

// fakeHost is a small real host: a queue of one, a real store, and a script in the place of an agent.
type fakeHost struct {
	t      testing.TB
	home   string
	script func(ctx context.Context, job wiki.Job, tell func(wiki.Update)) outcome

	mu        sync.Mutex
	turn      sync.Mutex
	cancels   map[string]context.CancelFunc
	wikis     map[string]*wiki.Wiki // run -> wiki
	jobs      []wiki.Job
	indexes   map[string]*index.Index
	published [][]string
	live      sync.WaitGroup
	building  func(index.Step) // told of a first build of an index that is kept; nil keeps none
}

// outcome is what a script made.
type outcome struct {
	state   proposal.State
	message string
	drafts  []proposal.Draft
	refused []proposal.RefusedText
}

func newFakeHost(t testing.TB, script func(context.Context, wiki.Job, func(wiki.Update)) outcome) *fakeHost {
	h := &fakeHost{t: t, home: t.TempDir(), script: script, cancels: map[string]context.CancelFunc{}, wikis: map[string]*wiki.Wiki{}, indexes: map[string]*index.Index{}}
	t.Cleanup(func() { // registered before an editor's own clean-up, so that it runs after the server has ended
		h.live.Wait()
		for _, x := range h.indexes {
			if err := x.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	return h
}

func (h *fakeHost) Start(job wiki.Job, watch func(wiki.Update)) (string, error) {
	if job.Op == "" {
		return "", errors.New("no operation")
	}
	store, err := h.Store(job.Wiki)
	if err != nil {
		return "", err
	}
	rec := proposal.Record{Run: proposal.NewRunID(time.Now(), job.Op), Wiki: job.Wiki.Root, Op: job.Op, Agent: "fake", State: proposal.Queued, Title: job.Op,
		Sources: job.Sources, Started: time.Now().UTC()}
	if len(job.Sources) > 0 {
		rec.Title += " " + job.Sources[0]
	}
	if err := store.Create(rec); err != nil {
		return "", err
	}
	ctx, cancel := context.WithCancel(context.Background())
	h.mu.Lock()
	h.cancels[rec.Run], h.wikis[rec.Run] = cancel, job.Wiki
	h.jobs = append(h.jobs, job)
	h.mu.Unlock()
	watch(wiki.Update{Run: rec.Run, State: proposal.Queued, Position: 1, Message: rec.Title})
	h.live.Go(func() {
		defer cancel()
		h.turn.Lock()
		defer h.turn.Unlock()
		rec.State = proposal.Running
		watch(wiki.Update{Run: rec.Run, State: proposal.Running, Message: "started", Record: &rec})
		o := h.script(ctx, job, watch)
		if ctx.Err() != nil {
			o = outcome{state: proposal.Cancelled, message: "cancelled"}
		}
		rec.State, rec.Message = o.state, o.message
		if err := store.Propose(&rec, o.drafts, o.refused); err != nil {
			h.t.Error(err)
		}
		done := rec
		watch(wiki.Update{Run: rec.Run, State: rec.State, Message: rec.Message, Record: &done})
	})
	return rec.Run, nil
}

func (h *fakeHost) Cancel(run string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	cancel, ok := h.cancels[run]
	if ok {
		cancel()
	}
	return ok
}

func (h *fakeHost) RigHome() string { return h.home }

func (h *fakeHost) Store(w *wiki.Wiki) (*proposal.Store, error) {
	return proposal.Open(filepath.Join(h.home, "runs", w.ID))
}

func (h *fakeHost) Locate(run string) (*wiki.Wiki, *proposal.Store, error) {
	h.mu.Lock()
	w, ok := h.wikis[run]
	h.mu.Unlock()
	if !ok {
		return nil, nil, proposal.ErrNoRun
	}
	s, err := h.Store(w)
	return w, s, err
}

func (h *fakeHost) LockApply(context.Context, *wiki.Wiki, *proposal.Store) (func(), error) {
	return func() {}, nil
}

func (h *fakeHost) Answered(context.Context, *wiki.Wiki, string) (wiki.Answer, bool) {
	return wiki.Answer{}, false
}

func (h *fakeHost) FileAnswer(_ context.Context, w *wiki.Wiki, run, by string) (proposal.Record, error) {
	store, err := h.Store(w)
	if err != nil {
		return proposal.Record{}, err
	}
	asked, err := store.Load(run)
	if err != nil {
		return proposal.Record{}, err
	}
	if asked.Answer == "" {
		return proposal.Record{}, wiki.ErrNoAnswer
	}
	rec := proposal.Record{Run: proposal.NewRunID(time.Now(), "file"), Wiki: w.Root, Op: "file", Agent: by, State: proposal.Proposed, Title: "file the answer", Started: time.Now().UTC()}
	if err := store.Create(rec); err != nil {
		return proposal.Record{}, err
	}
	return rec, store.Propose(&rec, []proposal.Draft{{File: proposal.File{Path: "queries/answer.md", Kind: proposal.Create}, NewText: []byte(asked.Answer)}}, nil)
}

func (h *fakeHost) UndoTask(context.Context, *wiki.Wiki, string) (proposal.Record, error) {
	return proposal.Record{}, proposal.ErrNothing
}

func (h *fakeHost) Publish(_ *wiki.Wiki, pages []string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.published = append(h.published, pages)
	return nil
}

func (h *fakeHost) Chosen(job wiki.Job) (string, string, error) {
	return "fake", job.Model, nil
}

func (h *fakeHost) OpenIndex(ctx context.Context, w *wiki.Wiki, tell func(index.Step, int, int)) (*index.Index, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if x := h.indexes[w.ID]; x != nil {
		return x, nil
	}
	o := index.Options{Root: w.Real, Progress: tell}
	if h.building != nil {
		o.Dir = filepath.Join(h.home, "index", w.ID)
		o.Progress = func(step index.Step, done, total int) {
			h.building(step)
			tell(step, done, total)
		}
	}
	x, err := index.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	h.indexes[w.ID] = x
	return x, nil
}

func (h *fakeHost) LintRules(w *wiki.Wiki) lint.Rules { return wiki.LintRules(w) }

func (h *fakeHost) Pause(*wiki.Wiki) error  { return nil }
func (h *fakeHost) Resume(*wiki.Wiki) error { return nil }
func (h *fakeHost) Paused(*wiki.Wiki) bool  { return false }

func (h *fakeHost) Sandbox(context.Context, *wiki.Wiki) (string, error) { return "fake", nil }

func (h *fakeHost) SourceSum(w *wiki.Wiki, source string) (string, bool) {
	text, err := os.ReadFile(filepath.Join(w.Real, source))
	return fmt.Sprintf("%x", sha256.Sum256(text)), err == nil
}

func (h *fakeHost) Agents(context.Context, *wiki.Wiki, *wiki.Settings) ([]wiki.AgentInfo, error) {
	return []wiki.AgentInfo{{Name: "fake", Installed: true, Usable: true, Default: true}}, nil
}

func (h *fakeHost) UseAgent(_ context.Context, _ *wiki.Wiki, _ *wiki.Settings, name string) (string, error) {
	if name != "fake" {
		return "", errors.New("agent not usable: " + name)
	}
	return "", nil
}

// edits makes the drafts that turn a wiki's pages into those given; a page given as deleted goes.
func drafts(w *wiki.Wiki, job wiki.Job, pages map[string]string, flags map[string]proposal.Flag) []proposal.Draft {
	var out []proposal.Draft
	for path, text := range pages {
		d := proposal.Draft{File: proposal.File{Path: path, Kind: proposal.Edited, Shared: path == "index.md" || path == "log.md"}, NewText: []byte(text)}
		base, err := os.ReadFile(filepath.Join(w.Root, path))
		if b, ok := job.Buffers[path]; ok {
			base, err = b.Text, nil
		}
		switch {
		case err != nil:
			d.Kind = proposal.Create
		case text == deleted:
			d.Kind, d.NewText, d.BaseText = proposal.Delete, nil, base
		default:
			d.BaseText = base
		}
		if f, ok := flags[path]; ok {
			d.Flags = []proposal.Flag{f}
		}
		out = append(out, d)
	}
	return out
}

const deleted = "\x00deleted"

// proposes is the script of an agent that makes pages.
func proposes(pages map[string]string, flags map[string]proposal.Flag) func(context.Context, wiki.Job, func(wiki.Update)) outcome {
	return func(_ context.Context, job wiki.Job, _ func(wiki.Update)) outcome {
		return outcome{state: proposal.Proposed, drafts: drafts(job.Wiki, job, pages, flags)}
	}
}

// renames is the script of an agent that moves a page, and edits others.
func renames(from, to, text string, pages map[string]string) func(context.Context, wiki.Job, func(wiki.Update)) outcome {
	return func(_ context.Context, job wiki.Job, _ func(wiki.Update)) outcome {
		base, err := os.ReadFile(filepath.Join(job.Wiki.Root, from))
		if err != nil {
			return outcome{state: proposal.Failed, message: err.Error()}
		}
		list := append(drafts(job.Wiki, job, pages, nil), proposal.Draft{File: proposal.File{Path: to, From: from, Kind: proposal.Rename}, BaseText: base, NewText: []byte(text)})
		return outcome{state: proposal.Proposed, drafts: list}
	}
}
