package lsp

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/proposal"
)

// heldBack are the proposals that were to be shown and stand on others that wait, by run: each is shown when what it stands on is decided.
type heldBack struct {
	mu    sync.Mutex
	wikis map[string]*wiki.Wiki // by run
	told  map[string]bool       // runs of which the user was told why
}

func newHeldBack() *heldBack {
	return &heldBack{wikis: map[string]*wiki.Wiki{}, told: map[string]bool{}}
}

// holdBack keeps a proposal until what it stands on is decided, and says so once.
func (s *server) holdBack(t task, below *proposal.BelowError) {
	s.held.mu.Lock()
	s.held.wikis[t.rec.Run] = t.wiki
	told := s.held.told[t.rec.Run]
	s.held.told[t.rec.Run] = true
	s.held.mu.Unlock()
	if told {
		return
	}
	var titles []string
	for _, rec := range below.Below {
		titles = append(titles, rec.Title)
	}
	s.tell(messageInfo, t.rec.Title+" is made on top of "+strings.Join(titles, ", ")+", which waits: it is shown when that is decided")
}

// showHeld shows what was held back in a wiki where a proposal has been decided, in its order. What still stands on one that waits is held back again.
func (s *server) showHeld(w *wiki.Wiki, decided proposal.Record) {
	if decided.Waits() {
		return
	}
	s.held.mu.Lock()
	var runs []string
	for run, of := range s.held.wikis {
		if of.ID == w.ID {
			runs = append(runs, run)
			delete(s.held.wikis, run)
		}
	}
	s.held.mu.Unlock()
	if len(runs) == 0 {
		return
	}
	slices.Sort(runs) // ids begin with the time
	s.background(func(ctx context.Context) {
		for _, run := range runs {
			if w, _, rec, err := s.record(run); err == nil && rec.Waits() && ctx.Err() == nil {
				s.preview(ctx, w, rec)
			}
		}
	})
}
