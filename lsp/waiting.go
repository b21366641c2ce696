package lsp

import (
	"fmt"
	"strings"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/proposal"
)

// hoverWaiting shows, at a line that a waiting proposal would change, what it would be.
func (s *server) hoverWaiting(w *wiki.Wiki, rel string, line int, text []byte) string {
	at := place{s: s, w: w, rel: rel}
	var parts []string
	for _, rec := range s.records(w) {
		if !rec.Waits() || !at.concerns(rec) {
			continue
		}
		for _, h := range s.waitingHunks(w, rel, rec) {
			if r, ok := s.regionOf(w, rec.Run, rel, h.ID, text); ok && r.start <= line && line <= r.end {
				parts = append(parts, fmt.Sprintf("%s proposes:\n\n```diff\n%s\n```", rec.Title, strings.TrimRight(h.Text, "\n")))
			}
		}
	}
	return strings.Join(parts, "\n\n")
}

// waitingHunks are the hunks of a page that a proposal waits with.
func (s *server) waitingHunks(w *wiki.Wiki, rel string, rec proposal.Record) (out []proposal.ShownHunk) {
	store, err := s.store(w)
	if err != nil {
		return nil
	}
	files, err := store.ShowPage(rec.Run, rel)
	if err != nil {
		return nil
	}
	for _, f := range files {
		for _, h := range f.Hunks {
			if h.State == proposal.Waiting {
				out = append(out, h)
			}
		}
	}
	return out
}

// region is where a hunk would change a page as it is now, in lines; settled where the page has it already.
type region struct {
	start, end int
	settled    bool
}

// regionOf gives the region of a hunk; ok is false where it cannot be said: the page has it already, or moved on there.
func (s *server) regionOf(w *wiki.Wiki, run, rel, hunk string, text []byte) (r region, ok bool) {
	store, err := s.store(w)
	if err != nil {
		return r, false
	}
	plan, err := store.Plan(run, proposal.Selection{Hunks: []string{hunk}}, s.current(w))
	if err != nil || len(plan.Files) == 0 || len(plan.Files[0].Edits) == 0 {
		return region{settled: err == nil && len(plan.Settled) > 0}, false
	}
	edits := plan.Files[0].Edits
	at := newLines(text, s.caps.encoding).span(edits[0].Start, edits[len(edits)-1].End)
	r = region{start: int(at.Start.Line), end: int(at.End.Line)}
	if at.End.Character == 0 && at.End.Line > at.Start.Line {
		r.end-- // the region ends with the line before
	}
	return r, true
}
