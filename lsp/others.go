package lsp

import (
	"context"
	"os"
	"time"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/proposal"
	"go.uber.org/zap"
)

// watchOthers shows what other programs (CLI, daemon, other editors) do with the runs of our wikis: their proposals appear here, and are not asked
// about here. A look costs a stat a wiki, and one a run that has not ended.
func (s *server) watchOthers(ctx context.Context) {
	tick := time.NewTicker(s.bounds.poll)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for _, w := range s.wikis() {
			s.lookAtOthers(w)
		}
	}
}

func (s *server) lookAtOthers(w *wiki.Wiki) {
	s.shelf.mu.Lock()
	sh := s.shelf.wikis[w.ID]
	var recs []proposal.Record
	var dir string
	var seen time.Time
	if sh != nil {
		recs, dir, seen = sh.recs, sh.dir, sh.seen
	}
	s.shelf.mu.Unlock()
	if dir == "" {
		s.refreshProposals(w)
		return
	}
	store, err := s.store(w)
	if err != nil {
		return
	}
	if info, err := os.Stat(dir); err == nil && info.ModTime() != seen {
		s.refreshProposals(w)
	}
	for _, old := range recs {
		if s.runs.has(old.Run) || !old.Waits() && old.State != proposal.Queued && old.State != proposal.Running {
			continue
		}
		rec, err := store.Load(old.Run)
		if err != nil {
			s.log.Debug("a run of another program cannot be read", zap.String("run", old.Run), zap.Error(err))
			continue
		}
		if moved(old, rec) {
			s.decided(w, rec)
			s.notify(noteOf(rec, rec.Message))
		}
	}
}
