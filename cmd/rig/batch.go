package main

import (
	"fmt"
	"strings"

	"github.com/schollz/progressbar/v3"

	"github.com/rigwiki/rig/wiki/proposal"
)

// bar is the progress bar of a batch on a terminal. A nil one does nothing.
type bar struct{ *progressbar.ProgressBar }

// tell shows a run's line beside the bar; false where there is no bar to show it.
func (b *bar) tell(line string) bool {
	if b == nil {
		return false
	}
	b.Describe(visible(oneLine(line, 50)))
	return true
}

// clear makes room for what is printed; the next line brings the bar back.
func (b *bar) clear() {
	if b != nil {
		_ = b.Clear() // a bar that cannot be drawn is no reason to stop
	}
}

func oneLine(s string, most int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}

// batch counts the ends of several runs.
type batch struct {
	app   *app
	count map[proposal.State]int
	bad   []string // sources that came to nothing
	runs  int
}

// startBatch shows a bar where there are several runs and somebody watches.
func (a *app) startBatch(jobs int) *batch {
	if jobs > 1 && a.flags.json == "" && !a.flags.verbose && terminal(a.err) {
		a.bar = &bar{progressbar.NewOptions(jobs, progressbar.OptionSetWriter(a.err), progressbar.OptionShowCount(), progressbar.OptionSetWidth(20), progressbar.OptionClearOnFinish())}
	}
	return &batch{app: a, count: map[proposal.State]int{}}
}

// add books the end of one.
func (b *batch) add(rec proposal.Record) {
	b.runs++
	b.count[rec.State]++
	if rec.Exit != 0 {
		b.bad = append(b.bad, rec.Sources...)
	}
	if b.app.bar != nil {
		_ = b.app.bar.Add(1)
	}
}

// end takes the bar away and says what became of all: a source that failed leaves the others as they are.
func (b *batch) end() string {
	b.app.bar.clear()
	b.app.bar = nil
	parts := []string{plural(b.runs, "source")}
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
