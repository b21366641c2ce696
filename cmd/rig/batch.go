package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/proposal"
)

// batchFlags say how the sources of one command line go together.
type batchFlags struct {
	stacked bool // each on top of what the ones before it propose
	jobs    int  // how many at once
}

// check says which do not go together.
func (f batchFlags) check() error {
	switch {
	case f.jobs < 1:
		return fail(wiki.ExitUsage, "", "--jobs %d: at least one", f.jobs)
	case f.jobs > 1 && f.stacked:
		return fail(wiki.ExitUsage, "leave out one of them", "--stacked waits for the source before, so there is nothing for --jobs to do at once")
	}
	return nil
}

// askBatch says how many sources, which agent and model before several runs (design, section 6).
func (a *app) askBatch(h *wiki.Host, w *wiki.Wiki, sources []string) error {
	if len(sources) < 2 {
		return nil
	}
	agent, model, err := h.Chosen(wiki.Job{Wiki: w, Op: "ingest", Agent: a.flags.agent, Model: a.flags.model})
	if err != nil {
		return err
	}
	if model != "" {
		agent += ", model " + model
	}
	a.warn("%d sources with %s", len(sources), agent)
	if terminal(a.in) && !a.flags.yes && !a.confirm("go on? [y/N] ") {
		return fail(wiki.ExitCancelled, "", "cancelled")
	}
	return nil
}

// runJobs runs the jobs and reports each in their order; the first exit code that is not 0 is the command's. One that fails leaves the others as they are.
func (a *app) runJobs(ctx context.Context, h *wiki.Host, w *wiki.Wiki, jobs []wiki.Job, how batchFlags) error {
	b := &batch{app: a, host: h, wiki: w, count: map[proposal.State]int{}}
	a.bar = a.barFor(len(jobs))
	run := func(_ int, job wiki.Job) proposal.Record {
		defer b.step()
		return h.Run(ctx, a.flagged(w, job), a.progress())
	}
	if how.jobs > 1 && len(jobs) > 1 {
		ends, err := b.atOnce(ctx, jobs, how.jobs)
		if err != nil {
			return err
		}
		run = func(i int, _ wiki.Job) proposal.Record { return ends[i] }
	}
	var first error
	for i, job := range jobs {
		if how.stacked {
			job.Stack = slices.Clone(b.stack)
		}
		rec := run(i, job)
		a.bar.clear()
		err := a.finishRun(ctx, h, w, &rec)
		b.add(rec)
		if first == nil {
			first = err
		}
		if ctx.Err() != nil && how.jobs == 1 { // of several at once each has its end
			break
		}
	}
	if len(jobs) == 1 {
		a.bar, a.data = nil, b.data[0]
		return first
	}
	a.warn("%s", b.end())
	a.data = map[string]any{"runs": b.data}
	return first
}

// batch is several runs and what came of them.
type batch struct {
	app   *app
	host  *wiki.Host
	wiki  *wiki.Wiki
	stack []string   // runs of the batch whose proposals may wait
	mu    sync.Mutex // held by who tells of a run while others are on
	data  []opData
	count map[proposal.State]int
	bad   []string // sources that came to nothing
}

// atOnce runs the jobs, n at a time, while the wiki is held for all of them, and gives their ends in the order of the jobs. Nothing is applied while one is on:
// a page that changes under an agent can be told from what the agent was given only by luck.
func (b *batch) atOnce(ctx context.Context, jobs []wiki.Job, n int) ([]proposal.Record, error) {
	hold, err := b.host.Hold(ctx, b.wiki, fmt.Sprintf("ingest of %d sources", len(jobs)))
	if errors.Is(err, wiki.ErrHeld) {
		return nil, fail(wiki.ExitHeld, "wait for it, or cancel it where it was started", "%v", err)
	}
	if err != nil {
		return nil, err
	}
	defer hold.Release()
	settings := &wiki.Settings{}
	settings.Set("jobs", n)
	ends := make([]proposal.Record, len(jobs))
	slots := make(chan struct{}, n)
	var live sync.WaitGroup
	for i, job := range jobs {
		job.Hold, job.Settings = hold, settings
		slots <- struct{}{}
		live.Go(func() {
			ends[i] = b.host.Run(ctx, b.app.flagged(b.wiki, job), b.oneByOne(b.app.progress()))
			<-slots
			b.step()
		})
	}
	live.Wait()
	return ends, nil
}

// oneByOne passes on what a run tells when no other is telling.
func (b *batch) oneByOne(watch func(wiki.Update)) func(wiki.Update) {
	return func(u wiki.Update) {
		b.mu.Lock()
		defer b.mu.Unlock()
		watch(u)
	}
}

// step moves the bar on.
func (b *batch) step() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.app.bar != nil {
		_ = b.app.bar.Add(1)
	}
}

// add books the end of one.
func (b *batch) add(rec proposal.Record) {
	b.data = append(b.data, b.app.opData(b.host, b.wiki, rec))
	b.count[rec.State]++
	if rec.Exit != 0 {
		b.bad = append(b.bad, rec.Sources...)
	}
	b.stack = append(b.stack, b.standing(rec)...)
}

// standing are the runs whose proposals for a job's source may wait: its own, or those that kept it from being done again.
func (b *batch) standing(rec proposal.Record) (runs []string) {
	if rec.State == proposal.Proposed || rec.State == proposal.Partly {
		return []string{rec.Run}
	}
	s, err := b.host.Store(b.wiki)
	if err != nil || rec.State != proposal.Empty {
		return nil
	}
	recs, _, _ := s.List() // what cannot be read stands for nothing
	for _, had := range slices.Backward(recs) {
		if had.Op == rec.Op && had.Waits() && slices.Equal(had.Sources, rec.Sources) {
			runs = append(runs, had.Run)
		}
	}
	return runs
}

// end takes the bar away and says what became of all: a source that failed leaves the others as they are.
func (b *batch) end() string {
	b.app.bar.clear()
	b.app.bar = nil
	parts := []string{plural(len(b.data), "source")}
	for _, s := range []proposal.State{proposal.Applied, proposal.Partly, proposal.Proposed, proposal.Discarded, proposal.Empty, proposal.Incomplete, proposal.Failed, proposal.TimedOut, proposal.Cancelled} {
		if n := b.count[s]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, s))
		}
	}
	line := strings.Join(parts, ", ")
	if len(b.bad) > 0 {
		line += ": not done " + strings.Join(b.bad, ", ")
	}
	return line
}
