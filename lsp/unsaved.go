package lsp

import (
	"context"
	"slices"
	"sync"

	"github.com/rigwiki/rig/wiki"
	"go.uber.org/zap"
)

// unsavedPages publishes which pages have unsaved text, so that other programs leave them alone (design, section 4). A worker does it: a keystroke
// costs a look into a map.
type unsavedPages struct {
	mu    sync.Mutex
	state map[string]bufferState // by path
	wake  chan struct{}
}

func newUnsavedPages() *unsavedPages {
	return &unsavedPages{state: map[string]bufferState{}, wake: make(chan struct{}, 1)}
}

// bufferState is what is known of a buffer without looking.
type bufferState int

const (
	clean bufferState = iota // opened or saved: to be compared with the disk
	typed                    // changed since
)

// mark notes what is known of a path and wakes the worker where that is news.
func (u *unsavedPages) mark(path string, now bufferState) {
	u.mu.Lock()
	was, known := u.state[path]
	u.state[path] = now
	u.mu.Unlock()
	if !known || was != now {
		u.poke()
	}
}

func (u *unsavedPages) poke() {
	select {
	case u.wake <- struct{}{}:
	default:
	}
}

// publishUnsaved is the worker.
func (s *server) publishUnsaved(ctx context.Context) {
	type entry struct {
		w     *wiki.Wiki
		pages []string
	}
	last := map[string]entry{} // wiki id -> what was told
	defer func() {
		for _, e := range last {
			if err := s.host.Publish(e.w, nil); err != nil {
				s.log.Warn("unsaved pages stay published", zap.String("wiki", e.w.Name), zap.Error(err))
			}
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.unsaved.wake:
		}
		next := map[string]entry{}
		for id, e := range last {
			next[id] = entry{w: e.w}
		}
		for _, doc := range s.docs.all() {
			w, rel, ok := s.folders.wikiOf(doc.path)
			if ok && w.Layout != wiki.Links && s.docs.unsaved(doc) {
				e := next[w.ID]
				next[w.ID] = entry{w, append(e.pages, rel)}
			}
		}
		for id, e := range next {
			slices.Sort(e.pages)
			if slices.Equal(e.pages, last[id].pages) {
				continue
			}
			if err := s.host.Publish(e.w, e.pages); err != nil {
				s.log.Warn("unsaved pages are not published", zap.String("wiki", e.w.Name), zap.Error(err))
			}
		}
		last = next
	}
}

// The four things that happen to a document, for what depends on them.

func (s *server) opened(doc *document) {
	s.unsaved.mark(doc.path, clean)
	s.checkLater(doc)
}

func (s *server) changed(doc *document) {
	s.unsaved.mark(doc.path, typed)
	s.lookAgain(doc, wasChanged)
	s.checkLater(doc)
}

func (s *server) closed(doc *document) {
	s.unsaved.mu.Lock()
	delete(s.unsaved.state, doc.path)
	s.unsaved.mu.Unlock()
	s.unsaved.poke()
	s.forget(doc)
}
