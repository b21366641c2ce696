package lsp

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/proposal"
	"go.uber.org/zap"
)

// shelf keeps the records of each wiki's runs, so that code actions read nothing. Runs of the CLI, the daemon and other editors appear when the
// folder's time changes, which costs a stat to see.
type shelf struct {
	mu     sync.Mutex
	wikis  map[string]*shelved
	stores map[string]*proposal.Store // by wiki id: a store remembers what it read
	where  map[string]*wiki.Wiki      // by run
}

type shelved struct {
	dir     string
	seen    time.Time // of the store's folder when it was read
	loading bool
	again   bool // something happened while loading
	shelved int  // how often a record was put in its place since the start
	recs    []proposal.Record
}

func newShelf() *shelf {
	return &shelf{wikis: map[string]*shelved{}, stores: map[string]*proposal.Store{}, where: map[string]*wiki.Wiki{}}
}

// store gives the store of a wiki, one for the session.
func (s *server) store(w *wiki.Wiki) (*proposal.Store, error) {
	s.shelf.mu.Lock()
	store := s.shelf.stores[w.ID]
	s.shelf.mu.Unlock()
	if store != nil {
		return store, nil
	}
	store, err := s.host.Store(w)
	if err != nil {
		return nil, err
	}
	s.shelf.mu.Lock()
	defer s.shelf.mu.Unlock()
	if had := s.shelf.stores[w.ID]; had != nil {
		return had, nil
	}
	s.shelf.stores[w.ID] = store
	return store, nil
}

// record is find with the run's record.
func (s *server) record(run string) (*wiki.Wiki, *proposal.Store, proposal.Record, error) {
	w, store, err := s.find(run)
	if err != nil {
		return nil, nil, proposal.Record{}, err
	}
	rec, err := store.Load(run)
	return w, store, rec, err
}

// find gives the wiki and the store of a run, with the wiki's root in the spelling of this session's workspace.
func (s *server) find(run string) (*wiki.Wiki, *proposal.Store, error) {
	if run == "" {
		return nil, nil, invalid("the argument needs run")
	}
	s.shelf.mu.Lock()
	w := s.shelf.where[run]
	s.shelf.mu.Unlock()
	if w == nil {
		var err error
		if w, _, err = s.host.Locate(run); err != nil {
			return nil, nil, argumentError(err)
		}
		for _, own := range s.wikis() {
			if own.Real == w.Real {
				w = own
			}
		}
		s.shelf.mu.Lock()
		s.shelf.where[run] = w
		s.shelf.mu.Unlock()
	}
	store, err := s.store(w)
	return w, store, err
}

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

// recordsNow is records for what an editor asks once and not again: in a session's first moments the runs are read here.
func (s *server) recordsNow(w *wiki.Wiki) []proposal.Record {
	recs := s.records(w)
	s.shelf.mu.Lock()
	sh := s.shelf.wikis[w.ID]
	loaded := sh != nil && sh.dir != ""
	s.shelf.mu.Unlock()
	if loaded {
		return recs
	}
	recs, _, _, err := s.readShelf(w)
	if err != nil {
		s.log.Warn("the runs cannot be read", zap.String("wiki", w.Name), zap.Error(err))
	}
	return recs
}

// shelve puts a record that has just been read or made in its place, so that the next code action knows it.
func (s *server) shelve(w *wiki.Wiki, rec proposal.Record) {
	s.shelf.mu.Lock()
	if sh := s.shelf.wikis[w.ID]; sh != nil {
		recs := slices.Clone(sh.recs) // the old list may be in use
		if i := slices.IndexFunc(recs, func(r proposal.Record) bool { return r.Run == rec.Run }); i >= 0 {
			recs[i] = rec
		} else {
			recs = slices.Insert(recs, 0, rec)
		}
		sh.recs = recs
		sh.shelved++
	}
	s.shelf.mu.Unlock()
	s.refreshProposals(w)
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
	s.shelf.mu.Lock()
	shelvedBefore := sh.shelved
	s.shelf.mu.Unlock()
	recs, dir, seen, err := s.readShelf(w)
	if err != nil {
		s.log.Warn("the runs cannot be read", zap.String("wiki", w.Name), zap.Error(err))
	}
	var news []proposal.Record
	first := false
	s.shelf.mu.Lock()
	if err == nil && sh.shelved == shelvedBefore { // else what was read may be older than what was shelved: it is read again
		if first = sh.dir == ""; !first {
			news = changed(sh.recs, recs)
		}
		sh.recs, sh.dir, sh.seen = recs, dir, seen
	}
	again, sh.again = sh.again && s.ctx.Err() == nil, false
	sh.loading = again
	s.shelf.mu.Unlock()
	if first { // what waited before this session
		s.showOutcome(w, proposal.Record{})
		s.refreshLenses()
	}
	for _, rec := range news {
		if !s.runs.has(rec.Run) {
			s.decided(w, rec)
			s.notify(noteOf(rec, rec.Message))
		}
	}
	return again
}

// changed are the records that are new or say something else than before.
func changed(before, now []proposal.Record) (out []proposal.Record) {
	for _, r := range now {
		i := slices.IndexFunc(before, func(b proposal.Record) bool { return b.Run == r.Run })
		if i < 0 || moved(before[i], r) {
			out = append(out, r)
		}
	}
	return out
}

// moved tells whether a run has come to something since.
func moved(before, now proposal.Record) bool {
	return before.State != now.State || decisions(before) != decisions(now)
}

// decisions counts what was decided about a run's files.
func decisions(rec proposal.Record) (n int) {
	for _, f := range rec.Files {
		n += len(f.Decided)
	}
	return n
}

func (s *server) readShelf(w *wiki.Wiki) (recs []proposal.Record, dir string, seen time.Time, err error) {
	store, err := s.store(w)
	if err != nil {
		return nil, "", seen, err
	}
	dir = filepath.Dir(store.Dir("x"))
	if info, err := os.Stat(dir); err == nil {
		seen = info.ModTime()
	}
	recs, broken, err := store.List()
	for _, b := range broken {
		s.log.Debug("a run cannot be read", zap.Error(b))
		seen = time.Time{} // its folder may be there before its record: look again
	}
	return recs, dir, seen, err
}
