package lsp

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/proposal"
	"go.uber.org/zap"
)

// shelf keeps the records of each wiki's runs, so that code actions read nothing. Runs of the CLI, the daemon and other editors appear when the
// folder's time changes, which costs a stat to see.
type shelf struct {
	mu    sync.Mutex
	wikis map[string]*shelved
}

type shelved struct {
	dir     string
	seen    time.Time // of the store's folder when it was read
	loading bool
	again   bool // something happened while loading
	recs    []proposal.Record
}

func newShelf() *shelf { return &shelf{wikis: map[string]*shelved{}} }

// records gives what is known of a wiki's runs, newest first, and has it read in the background where it is out of date.
func (s *server) records(w *wiki.Wiki) []proposal.Record {
	s.shelf.mu.Lock()
	sh := s.shelf.wikis[w.ID]
	if sh == nil {
		s.shelf.mu.Unlock()
		s.refreshProposals(w)
		return nil
	}
	recs, dir, seen, loading := sh.recs, sh.dir, sh.seen, sh.loading
	s.shelf.mu.Unlock()
	if info, err := os.Stat(dir); !loading && err == nil && info.ModTime() != seen {
		s.refreshProposals(w)
	}
	return recs
}

// refreshProposals reads a wiki's runs in the background, once at a time.
func (s *server) refreshProposals(w *wiki.Wiki) {
	s.shelf.mu.Lock()
	sh := s.shelf.wikis[w.ID]
	if sh == nil {
		sh = &shelved{}
		s.shelf.wikis[w.ID] = sh
	}
	if sh.loading {
		sh.again = true
		s.shelf.mu.Unlock()
		return
	}
	sh.loading = true
	s.shelf.mu.Unlock()
	s.background(func(context.Context) {
		for again := true; again; {
			again = s.loadShelf(w, sh)
		}
	})
}

// loadShelf reads once and tells whether to read again.
func (s *server) loadShelf(w *wiki.Wiki, sh *shelved) (again bool) {
	recs, dir, seen, err := s.readShelf(w)
	if err != nil {
		s.log.Warn("the runs cannot be read", zap.String("wiki", w.Name), zap.Error(err))
	}
	s.shelf.mu.Lock()
	defer s.shelf.mu.Unlock()
	if err == nil {
		sh.recs, sh.dir, sh.seen = recs, dir, seen
	}
	again, sh.again = sh.again && s.ctx.Err() == nil, false
	sh.loading = again
	return again
}

func (s *server) readShelf(w *wiki.Wiki) (recs []proposal.Record, dir string, seen time.Time, err error) {
	store, err := s.host.Store(w)
	if err != nil {
		return nil, "", seen, err
	}
	dir = filepath.Dir(store.Dir("x"))
	if info, err := os.Stat(dir); err == nil {
		seen = info.ModTime()
	}
	recs, broken, err := store.List()
	for _, b := range broken {
		s.log.Warn("a run cannot be read", zap.Error(b))
	}
	return recs, dir, seen, err
}
