package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/proposal"
)

// ingestCmd is `rig wiki ingest SOURCE...`.
func (a *app) ingestCmd() *cobra.Command {
	var note string
	var with []string
	var again bool
	var how batchFlags
	var web wiki.FetchJob
	c := &cobra.Command{Use: "ingest SOURCE...", Short: "Let an agent work a source of raw/ into the wiki", Args: args(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, names []string) error {
			if err := how.check(); err != nil {
				return err
			}
			return a.withHost(func(h *wiki.Host, w *wiki.Wiki) error {
				sources, err := a.sources(c.Context(), h, w, names, web)
				if err != nil {
					return err
				}
				if err := a.askBatch(h, w, sources); err != nil {
					return err
				}
				var jobs []wiki.Job
				for _, s := range sources {
					jobs = append(jobs, wiki.Job{Op: "ingest", Sources: []string{s}, Note: note, With: a.absAll(with), Again: again})
				}
				return a.runJobs(c.Context(), h, w, jobs, how)
			})
		}}
	c.Flags().StringVar(&note, "note", "", "what the agent should heed, in your words")
	c.Flags().StringArrayVar(&with, "with", nil, "give the agent this file too, to read")
	c.Flags().BoolVar(&again, "again", false, "also a source that is ingested and unchanged, or has a proposal waiting")
	c.Flags().BoolVar(&how.stacked, "stacked", false, "work each source in on top of what the ones before it propose")
	c.Flags().IntVar(&how.jobs, "jobs", 1, "work on so many sources at once, each in a sandbox of its own")
	c.Flags().BoolVar(&web.Private, "allow-private", false, "fetch an address also from this machine and private networks")
	return c
}

// withHost runs f with the host and the wiki of this command line.
func (a *app) withHost(f func(*wiki.Host, *wiki.Wiki) error) error { return a.onHost(a.findWiki, f) }

// withPages is withHost for verbs that need pages only: a folder of plain markdown will do.
func (a *app) withPages(f func(*wiki.Host, *wiki.Wiki) error) error { return a.onHost(a.findPages, f) }

// onHost runs f with a host and what find finds, where the configuration can be read. What it does not know is said.
func (a *app) onHost(find func() (*wiki.Wiki, error), f func(*wiki.Host, *wiki.Wiki) error) error {
	w, err := find()
	if err != nil {
		return err
	}
	h, err := a.host()
	if err != nil {
		return err
	}
	_, warnings, err := wiki.LoadConfig(h.RigHome(), w, nil)
	if err != nil {
		return errors.Join(err, h.Close())
	}
	for _, warning := range warnings {
		a.warn("warning: %s", warning)
	}
	return errors.Join(f(h, w), h.Close())
}

func (a *app) absAll(paths []string) []string {
	out := make([]string, len(paths))
	for i, p := range paths {
		out[i] = a.abs(p)
	}
	return out
}

// sources turns what the user named into files of raw/: relative to the working folder, else to the wiki. A file from elsewhere is copied into
// raw/ after a yes, an address is fetched.
func (a *app) sources(ctx context.Context, h *wiki.Host, w *wiki.Wiki, names []string, web wiki.FetchJob) ([]string, error) {
	var out []string
	for _, name := range names {
		if strings.Contains(name, "://") {
			web.URL = name
			rel, err := a.fetchSource(ctx, h, w, web)
			if err != nil {
				return nil, err
			}
			out = append(out, rel)
			continue
		}
		path, err := a.sourcePath(w, name)
		if err != nil {
			return nil, err
		}
		rel, inside := w.Rel(path)
		if !inside || !strings.HasPrefix(rel, "raw/") {
			if rel, err = a.bringIn(h, w, path); err != nil {
				return nil, err
			}
		}
		if err := wiki.CheckSource(w, rel); err != nil {
			return nil, notText(err)
		}
		out = append(out, rel)
	}
	return out, nil
}

func (a *app) sourcePath(w *wiki.Wiki, name string) (string, error) {
	if name == "" { // a variable that was not set; not the folder that it would mean
		return "", fail(wiki.ExitUsage, "give a file of "+filepath.Join(w.Root, "raw"), "the source's name is empty")
	}
	for _, path := range []string{a.abs(name), filepath.Join(w.Root, name)} {
		fi, err := os.Stat(path)
		if err == nil && fi.Mode().IsRegular() {
			return path, nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fail(wiki.ExitUsage, "", "source %s: %v", name, err)
		}
		if err == nil {
			return "", fail(wiki.ExitUsage, "name the files in it", "source %s is not a file", name)
		}
	}
	return "", fail(wiki.ExitUsage, "give a file of "+filepath.Join(w.Root, "raw"), "no source %s, in the working folder or in the wiki", name)
}

// bringIn copies a file into raw/, where nothing may be replaced.
func (a *app) bringIn(h *wiki.Host, w *wiki.Wiki, path string) (string, error) {
	if !a.flags.yes && !a.confirm(fmt.Sprintf("%s is not in raw/. Copy it there? [y/N] ", path)) {
		return "", fail(wiki.ExitUsage, "copy it into raw/ yourself, or say --yes", "%s is not in %s", path, filepath.Join(w.Root, "raw"))
	}
	if err := wiki.CheckText(path, path); err != nil { // before it lies in raw/, where nothing is taken away again
		return "", notText(err)
	}
	return h.AddSource(w, path)
}

func notText(err error) error {
	return fail(wiki.ExitUsage, "ingest text: markdown, plain text or source code", "%v", err)
}

// runJob runs one job and reports its end.
func (a *app) runJob(ctx context.Context, h *wiki.Host, w *wiki.Wiki, job wiki.Job) (proposal.Record, error) {
	rec := h.Run(ctx, a.flagged(w, job), a.progress())
	return rec, a.finishRun(ctx, h, w, &rec)
}

// flagged is a job with what the flags say.
func (a *app) flagged(w *wiki.Wiki, job wiki.Job) wiki.Job {
	job.Wiki, job.Agent, job.Model, job.Timeout, job.Layer, job.By = w, a.flags.agent, a.flags.model, a.flags.timeout, cmp.Or(a.flags.layer, a.getenv("RIG_SANDBOX_LAYER")), "cli"
	return job
}

// progress prints what a watcher sees: events as JSON lines, or one line a step on stderr.
func (a *app) progress() func(wiki.Update) {
	last := ""
	return func(u wiki.Update) {
		switch {
		case a.flags.json == "stream" && u.Event != nil:
			a.printJSON(u.Event)
		case u.Record != nil || u.Message == "" || u.Message == last:
		case a.bar.tell(u.Message):
		case u.State == proposal.Queued && u.Position > 1:
			a.warn("queued, place %d: %s", u.Position, u.Message)
		case u.Event == nil || a.flags.verbose || terminal(a.err):
			a.warn("%s", u.Message)
		}
		last = u.Message
	}
}

// finishRun shows a run's end and does what the flags or the user say about its proposal.
func (a *app) finishRun(ctx context.Context, h *wiki.Host, w *wiki.Wiki, rec *proposal.Record) error {
	for _, warning := range rec.Warnings {
		a.warn("warning: %s", warning)
	}
	a.showRefusals(*rec)
	a.showProposed(*rec)
	if len(rec.Stack) > 0 {
		a.warn("on top of %s", a.titles(h, w, rec.Stack))
	}
	a.warn("%s: %s", rec.State, rec.Message)
	if rec.Exit != wiki.ExitOK {
		return fail(rec.Exit, rec.Hint, "%s", rec.Message)
	}
	if rec.State != proposal.Proposed {
		if rec.Answer != "" {
			a.say("%s", a.printable(rec.Answer))
		}
		return nil
	}
	s, err := h.Store(w)
	if err != nil {
		return err
	}
	if a.flags.json == "" {
		if err := a.showDiff(s, rec.Run); err != nil {
			return err
		}
	}
	return a.decide(ctx, h, w, rec)
}

// opData is the envelope's data of an operation (design, section 6).
type opData struct {
	Run         string              `json:"run"`
	Wiki        string              `json:"wiki"`
	Op          string              `json:"op"`
	Agent       string              `json:"agent"`
	Model       string              `json:"model"`
	State       proposal.State      `json:"state"`
	Message     string              `json:"message"`
	Confinement string              `json:"confinement"`
	ExitCode    int                 `json:"exitCode"`
	DurationMs  int64               `json:"durationMs"`
	Files       []fileData          `json:"files"`
	Refused     []proposal.Refusal  `json:"refused"`
	Diff        string              `json:"diff,omitempty"`
	Answer      string              `json:"answer,omitempty"`
	Citations   []proposal.Citation `json:"citations,omitempty"`
	Cached      time.Time           `json:"cached,omitzero"` // when the answer was given first
	Findings    []proposal.Finding  `json:"findings,omitempty"`
	Markers     []string            `json:"markers,omitempty"`
	Stack       []string            `json:"stack,omitempty"`  // proposals that it was made on top of
	Branch      string              `json:"branch,omitempty"` // of a task: where its commits are
	Warnings    []string            `json:"warnings,omitempty"`
	Usage       any                 `json:"usage,omitempty"`
}

type fileData struct {
	Path    string   `json:"path"`
	Kind    string   `json:"kind"`
	From    string   `json:"from,omitempty"`
	Added   int      `json:"added"`
	Removed int      `json:"removed"`
	Flags   []string `json:"flags"`
}

// diffCap bounds the diff in an envelope, in bytes.
const diffCap = 1 << 20

func (a *app) opData(h *wiki.Host, w *wiki.Wiki, rec proposal.Record) opData {
	d := opData{Run: rec.Run, Wiki: rec.Wiki, Op: rec.Op, Agent: rec.Agent, Model: rec.Model, State: rec.State, Message: rec.Message, Confinement: rec.Confinement,
		ExitCode: rec.Exit, Files: []fileData{}, Refused: rec.Refused, Answer: rec.Answer, Citations: rec.Citations, Cached: rec.Cached, Findings: rec.Findings, Markers: rec.Markers, Stack: rec.Stack, Branch: rec.Branch, Warnings: rec.Warnings, Usage: rec.Usage}
	if !rec.Ended.IsZero() {
		d.DurationMs = rec.Ended.Sub(rec.Started).Milliseconds()
	}
	if d.Refused == nil {
		d.Refused = []proposal.Refusal{}
	}
	for _, f := range rec.Files {
		d.Files = append(d.Files, fileDataOf(f))
	}
	if s, err := h.Store(w); err == nil && len(rec.Files) > 0 {
		var b strings.Builder
		if err := s.Diff(rec.Run, &b); err == nil {
			d.Diff = b.String()[:min(b.Len(), diffCap)]
		}
	}
	return d
}

func fileDataOf(f proposal.File) fileData {
	return fileData{Path: f.Path, Kind: f.Kind, From: f.From, Added: f.Added, Removed: f.Removed, Flags: proposal.Rules(f.Flags)}
}

// runData is a line of `proposals list` and `runs list`.
type runData struct {
	Run     string         `json:"run"`
	Op      string         `json:"op"`
	Agent   string         `json:"agent"`
	State   proposal.State `json:"state"`
	Title   string         `json:"title"`
	Started time.Time      `json:"started"`
	Files   int            `json:"files"`
	Refused int            `json:"refused"`
}
