package lsp

import (
	"fmt"
	"strings"
	"sync"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/proposal"
	"go.lsp.dev/protocol"
)

// conflicts are the pages that could not be merged, by path, until they are decided: nothing of them was written.
type conflicts struct {
	mu    sync.Mutex
	pages map[string]openConflict
}

type openConflict struct {
	run, rel, title string
	whole           bool // about the page as a whole: come, gone or unsaved; both sides cannot be taken
}

func newConflicts() *conflicts { return &conflicts{pages: map[string]openConflict{}} }

// showConflicts tells of the pages that a plan left out, with both sides, and offers the choice at the page.
func (s *server) showConflicts(w *wiki.Wiki, rec proposal.Record, list []proposal.Conflict) {
	for _, c := range list {
		path := pathIn(w, c.Path)
		s.conflicts.mu.Lock()
		s.conflicts.pages[path] = openConflict{rec.Run, c.Path, rec.Title, len(c.Regions) == 0}
		s.conflicts.mu.Unlock()
		s.tell(messageWarning, fmt.Sprintf("conflict in %s: %s; nothing of it was written%s", c.Path, c.Reason, bothSides(c)))
		var found []protocol.Diagnostic
		for _, r := range c.Regions {
			at := protocol.Range{Start: protocol.Position{Line: uint32(r.Line)}, End: protocol.Position{Line: uint32(r.Line + max(1, strings.Count(string(r.Yours), "\n")))}}
			found = append(found, finding(at, "conflict", "conflict: the agent would write here: "+firstRunes(string(r.Agent), 300), severityWarning))
		}
		if len(found) == 0 {
			found = append(found, finding(protocol.Range{}, "conflict", "conflict: "+c.Reason, severityWarning))
		}
		if s.board.put(path, "conflict", found) {
			s.publish(path)
		}
	}
}

// bothSides says, in short, what stands against what.
func bothSides(c proposal.Conflict) string {
	if len(c.Regions) == 0 {
		return ""
	}
	r := c.Regions[0]
	short := func(text []byte) string { return firstRunes(strings.TrimSpace(string(text)), 80) }
	return fmt.Sprintf(". Line %d is yours: %q; the agent's: %q", r.Line+1, short(r.Yours), short(r.Agent))
}

// conflictsSettled takes back what was shown of pages that are decided now.
func (s *server) conflictsSettled(w *wiki.Wiki, rec proposal.Record) {
	s.conflicts.mu.Lock()
	any := len(s.conflicts.pages) > 0
	s.conflicts.mu.Unlock()
	if !any {
		return
	}
	waits := map[string]bool{}
	if rec.Waits() {
		for _, f := range rec.Files {
			waits[f.Path], waits[f.From] = f.Waits(), f.Waits()
		}
	}
	var gone []string
	s.conflicts.mu.Lock()
	for path, c := range s.conflicts.pages {
		if c.run == rec.Run && !waits[c.rel] {
			delete(s.conflicts.pages, path)
			gone = append(gone, path)
		}
	}
	s.conflicts.mu.Unlock()
	for _, path := range gone {
		if s.board.put(path, "conflict", nil) {
			s.publish(path)
		}
	}
}

// offerConflict offers how a conflict of this page can be decided.
func offerConflict(p place) []item {
	p.s.conflicts.mu.Lock()
	c, ok := p.s.conflicts.pages[pathIn(p.w, p.rel)]
	p.s.conflicts.mu.Unlock()
	if !ok {
		return nil
	}
	take := func(title string, choice proposal.Choice) item {
		return item{title, "rigwiki.proposal.apply", map[string]any{"run": c.run, "paths": []string{c.rel}, "resolve": map[string]proposal.Choice{c.rel: choice}}, false, nil}
	}
	out := []item{{"Keep mine: drop the change of " + c.title, "rigwiki.proposal.discard", map[string]any{"run": c.run, "paths": []string{c.rel}, "reason": "kept mine"}, false, nil},
		take("Take agent's: as in "+c.title, proposal.TakeAgents)}
	if !c.whole {
		out = append(out, take("Both: mine, then that of "+c.title, proposal.TakeBoth))
	}
	return out
}
