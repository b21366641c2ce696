package wiki

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/rigwiki/rig/wiki/fetch"
	"github.com/rigwiki/rig/wiki/index"
	"github.com/rigwiki/rig/wiki/proposal"
)

// ours is the fetcher's name in front matter and records where no agent fetched.
const ours = "rig"

// fetchPage is a whole fetch where no agent is asked for: it needs no sandbox and no lock, since raw/ only gains a file.
func (r *run) fetchPage(ctx context.Context) error {
	if r.op.Name != "fetch" {
		return nil
	}
	cfg, _, err := LoadConfig(r.host.rigHome, r.wiki, r.job.Settings)
	if err != nil {
		return &ending{State: proposal.Failed, Exit: ExitConfig, Message: err.Error(), Hint: "mend the file and run again"}
	}
	r.cfg = cfg
	if agent := cmp.Or(r.job.Agent, cfg.Agents["fetch"]); agent != "" && agent != extractive && agent != ours {
		r.job.Agent = agent
		if err := r.fetcher().Check(ctx, r.job.Fetch.URL); err != nil {
			return r.fetchEnding(err)
		}
		return nil
	}
	r.host.leaveQueue(r)
	return r.fetchOurselves(ctx)
}

// fetchOurselves fetches, writes the source and ends the run.
func (r *run) fetchOurselves(ctx context.Context) (err error) {
	r.rec.Agent, r.rec.Confinement = ours, ""
	r.tell(Update{State: proposal.Running, Message: r.rec.Title})
	p, err := r.fetcher().Fetch(ctx, r.job.Fetch.URL)
	if err != nil {
		if r.openRecord() == nil {
			r.rec.Fetched = nil
		}
		return r.fetchEnding(err)
	}
	if err := r.openRecord(); err != nil {
		return err
	}
	r.rec.Warnings = append(r.rec.Warnings, p.Notes...)
	return r.keep(p, ours)
}

func (r *run) fetcher() *fetch.Fetcher {
	f := r.job.Fetch
	return fetch.New(fetch.Options{Private: f.Private, Assets: f.Assets, Time: r.job.Timeout, PDF: r.host.readPDF, Allowed: r.cfg.Sandbox.Network["fetch"]})
}

// keep makes the source and names the end.
func (r *run) keep(p *fetch.Page, fetcher string) error {
	got, isNew, err := AddFetched(r.job.Wiki, p, Fetching{By: fetcher, At: r.rec.Started, Original: r.job.Fetch.Original})
	if err != nil {
		return err
	}
	r.rec.Fetched = &got
	if !isNew {
		return &ending{State: proposal.Empty, Exit: ExitNothing, Message: fmt.Sprintf("%s holds this already, unchanged", got.Path)}
	}
	return &ending{State: proposal.Done, Exit: ExitOK, Message: r.fetched()}
}

// fetched is the sentence that a fetch ends with.
func (r *run) fetched() string {
	return fmt.Sprintf("fetched %s into %s", r.rec.Fetched.URL, r.rec.Fetched.Path)
}

// fetchEnding gives a fetch that failed its exit code.
func (r *run) fetchEnding(err error) error {
	e := &ending{State: proposal.Failed, Exit: ExitFailed, Message: err.Error()}
	var known *fetch.Error
	if errors.As(err, &known) {
		e.Hint = known.Hint
		r.rec.Fetched = &proposal.Fetched{URL: known.URL, Status: known.Status}
	}
	switch {
	case errors.Is(err, fetch.ErrAddress):
		e.Exit, e.Hint = ExitUsage, cmp.Or(e.Hint, "give an address such as https://example.org/post")
	case errors.Is(err, fetch.ErrTimeout):
		e.State, e.Exit = proposal.TimedOut, ExitTimedOut
	case errors.Is(err, fetch.ErrEmpty):
		e.State, e.Exit = proposal.Empty, ExitNothing
	}
	return e
}

// webHosts are the hosts that a fetching agent may reach: that of the page.
func (r *run) webHosts() []string {
	if !r.op.Grant.Web {
		return nil
	}
	u, err := url.Parse(r.job.Fetch.URL)
	if err != nil {
		return nil
	}
	if u.Port() == "" && r.job.Fetch.Private {
		return []string{u.Hostname(), u.Hostname() + ":80"}
	}
	return []string{u.Host}
}

// emptyFolder gives a fetching agent a folder of its own in the wiki's stead: what it writes there is judged and moved in by the host.
func (r *run) emptyFolder(context.Context) error {
	if r.op.Name != "fetch" {
		return nil
	}
	dir := filepath.Join(r.host.rigHome, "cache", "fetch", r.wiki.ID, r.rec.Run)
	if err := makeBeside(dir); err != nil {
		return fmt.Errorf("make a folder for the fetch: %w", err)
	}
	r.release = append(r.release, func() {
		_ = os.RemoveAll(dir)
		_ = os.Remove(filepath.Dir(dir)) // not empty: other fetches
	})
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return fmt.Errorf("make a folder for the fetch: %w", err)
	}
	r.wiki = &Wiki{Root: real, Real: real, Name: r.wiki.Name, ID: r.wiki.ID, Layout: Links}
	clear(r.inject)
	return nil
}

// moveIn makes sources of the pages that a fetching agent wrote and policy kept. Its word is not taken for the front matter.
func (r *run) moveIn(context.Context) error {
	if r.op.Name != "fetch" || !r.finished() {
		return nil
	}
	files := r.verdict.Files
	r.verdict.Files = nil
	short := r.stoppedShort()
	var ends []error
	for _, f := range files {
		front := index.ParsePage(f.NewText).Front
		p := fetch.FromAgent(r.job.Fetch.URL, cmp.Or(front.Get("title"), strings.TrimSuffix(path.Base(f.Path), ".md")), f.NewText[front.End:])
		if short != "" || f.Kind != "create" || p == nil {
			r.verdict.Refused = append(r.verdict.Refused, proposal.Refusal{Path: f.Path, Rule: "unfinished-run", Reason: cmp.Or(short, "no readable text")})
			continue
		}
		ends = append(ends, r.keep(p, r.rec.Agent))
	}
	if len(ends) == 0 {
		return nil // the table of ends says why
	}
	return ends[0]
}
