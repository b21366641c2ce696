package lsp

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rigwiki/rig/wiki/proposal"
)

// diskEvery is how often the disk is looked at for pages that the client has not open.
const diskEvery = 50 * time.Millisecond

// pageResult is what became of one page of a plan.
type pageResult struct {
	path, reason string
	word         proposal.Word
	text         []byte // as it was read; nil where the page is gone or was not touched
	hunks        []string
}

// readBack looks at each page until it is as planned, for bounds.settle at most: clients answer before, with or after their didChange, say
// "applied" of what a user declined and "not applied" of what they did by half (facts T1, T2).
func (s *server) readBack(ctx context.Context, t task, a attempt) []pageResult {
	events, done := s.docs.watch()
	defer done()
	tick := time.NewTicker(diskEvery)
	defer tick.Stop()
	end := time.NewTimer(s.bounds.settle)
	defer end.Stop()
	for {
		results, settled := s.look(t, a)
		if settled {
			return results
		}
		select {
		case <-events:
		case <-tick.C:
		case <-end.C:
			results, _ = s.look(t, a)
			return results
		case <-ctx.Done():
			return results
		}
	}
}

// look reads every page of a plan once. settled is false while a change may still be on its way.
func (s *server) look(t task, a attempt) (results []pageResult, settled bool) {
	settled = true
	for _, f := range a.plan.Files {
		r := s.lookAt(t, f, a.said)
		if r.word == proposal.WordNotApplied && a.said.applied || r.word == proposal.WordPartly {
			settled = false
		}
		results = append(results, r)
	}
	return results, settled
}

func (s *server) lookAt(t task, f proposal.Planned, said clientWord) pageResult {
	r := pageResult{path: f.Path, word: proposal.WordNotApplied}
	path := pathIn(t.wiki, f.Path)
	switch {
	case f.Kind == proposal.Delete:
		if !exists(path) {
			r.word = proposal.WordApplied
		}
		return r
	case f.Kind == proposal.Rename && (exists(pathIn(t.wiki, f.From)) && !strings.EqualFold(f.From, f.Path) || !exists(path)):
		return r
	}
	text, ok, err := s.docs.textOf(path)
	switch {
	case err != nil:
		r.reason = err.Error()
		return r
	case !ok:
		return r
	case f.Kind == proposal.Create && len(text) == 0 && len(f.After) > 0 && said.applied:
		r.word = proposal.WordUnsaved // VS Code and Helix make the file at once and its text when it is saved
		return r
	case bytes.Equal(text, f.After):
		r.word, r.text = proposal.WordApplied, text
	case f.Kind != proposal.Rename && bytes.Equal(text, f.Before):
		return r
	case bytes.Equal(reshape(text), reshape(f.After)):
		r.word, r.text = proposal.WordReshaped, text
	default:
		s.lookInside(t, f, text, &r)
	}
	if r.word == proposal.WordApplied && s.hasUnsaved(t.wiki, f.Path) {
		r.word = proposal.WordUnsaved
	}
	return r
}

// lookInside finds out which hunks are in a text that is neither as before nor as planned: the user ticked some, or typed meanwhile. A hunk is in
// where merging it changes nothing. What is kept as applied is the text with those hunks alone: what the user typed is not ours to take back.
func (s *server) lookInside(t task, f proposal.Planned, text []byte, r *pageResult) {
	if t.undo || f.Edited || len(f.Hunks) == 0 {
		if _, there := s.planOn(t, f.Path, text, t.plan); there {
			r.word, r.text = proposal.WordApplied, f.After
		}
		return
	}
	pick := func(ids []string) func(proposal.Current) (proposal.Plan, error) {
		return func(cur proposal.Current) (proposal.Plan, error) {
			return t.store.Plan(t.rec.Run, proposal.Selection{Hunks: ids}, cur)
		}
	}
	for _, id := range f.Hunks {
		if _, there := s.planOn(t, f.Path, text, pick([]string{id})); there {
			r.hunks = append(r.hunks, id)
		}
	}
	switch len(r.hunks) {
	case 0:
	case len(f.Hunks):
		r.word, r.text, r.hunks = proposal.WordApplied, f.After, nil
	default:
		r.word = proposal.WordPartly
		if made, _ := s.planOn(t, f.Path, f.Before, pick(r.hunks)); made != nil {
			r.text = made
		}
	}
}

// planOn makes a plan as if one page had a certain text: the text that the plan makes of it, nil where it makes none, and whether the page is there
// already.
func (s *server) planOn(t task, path string, text []byte, plan func(proposal.Current) (proposal.Plan, error)) (after []byte, there bool) {
	cur := s.current(t.wiki)
	p, err := plan(func(rel string) ([]byte, bool, error) {
		if rel == path {
			return text, true, nil
		}
		return cur(rel)
	})
	if err != nil {
		return nil, false
	}
	for _, q := range p.Files {
		if q.Path == path {
			return q.After, false
		}
	}
	return nil, slices.ContainsFunc(p.Settled, func(q proposal.Planned) bool { return q.Path == path })
}

// reshape takes off what editors change on their own: line ends, blanks at the end of lines, the last newlines.
func reshape(text []byte) []byte {
	var out [][]byte
	for line := range bytes.Lines(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))) {
		out = append(out, bytes.TrimRight(line, " \t\r\n"))
	}
	return bytes.TrimRight(bytes.Join(out, []byte("\n")), "\n")
}

func anyApplied(results []pageResult) bool {
	return slices.ContainsFunc(results, func(r pageResult) bool { return r.word != proposal.WordNotApplied })
}

// report tells the client what really became of a task.
func (s *server) report(t task, said clientWord, results []pageResult) {
	rec, err := t.store.Load(t.rec.Run)
	if err != nil {
		s.failed(t, "read the run", err)
		return
	}
	sentence := sentenceOf(t, results)
	if !said.applied && said.reason != "" {
		sentence += "; " + said.reason
	}
	s.decided(t.wiki, rec)
	s.notify(noteOf(rec, sentence))
	if said.applied && !anyApplied(results) && len(results) > 0 {
		s.tell(messageWarning, t.rec.Title+": the editor says that it applied the changes, but the pages are as before; the proposal waits")
	}
	var touched []string
	for _, r := range results {
		touched = append(touched, pathIn(t.wiki, r.path))
	}
	s.diskChanged(touched...)
}

// sentenceOf counts the pages by what became of them: "2 pages applied; 1 waiting to be saved: overview.md".
func sentenceOf(t task, results []pageResult) string {
	words := []proposal.Word{proposal.WordApplied, proposal.WordPartly, proposal.WordUnsaved, proposal.WordReshaped, proposal.WordNotApplied}
	var parts []string
	for _, w := range words {
		var pages []string
		for _, r := range results {
			if r.word == w {
				pages = append(pages, r.path)
			}
		}
		if len(pages) == 0 {
			continue
		}
		said := string(w)
		if t.undo && w == proposal.WordApplied {
			said = "taken back"
		}
		parts = append(parts, fmt.Sprintf("%s %s: %s", plural(len(pages), "page"), said, someOf(pages, 5)))
	}
	if len(parts) == 0 {
		return "nothing to do"
	}
	return strings.Join(parts, "; ")
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
