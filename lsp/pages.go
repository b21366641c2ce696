package lsp

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/index"
	"go.uber.org/zap"
)

// pages keeps each wiki's index at what the editor shows, and checks open pages against it. One worker does it: typing costs a look into a map.
type pages struct {
	mu      sync.Mutex
	due     map[string]bool // paths of open pages whose text is new
	stale   map[string]bool // paths on disk that may have changed
	indexes map[string]*opening
	wake    chan struct{}

	laying sync.Mutex           // one text at a time, so that an older one never follows a newer one
	laid   map[string]*document // by path, what the index has
}

// opening is an index that is being opened in the background; a large wiki's first one takes a while.
type opening struct {
	ready chan struct{}
	x     *index.Index
	err   error

	origins *wiki.Origins // where sources came from
	stopped atomic.Bool   // the user stopped its full text being laid out
}

func newPages() *pages {
	return &pages{due: map[string]bool{}, stale: map[string]bool{}, indexes: map[string]*opening{}, laid: map[string]*document{}, wake: make(chan struct{}, 1)}
}

func (p *pages) poke() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// index gives a wiki's index, and waits for its opening as long as ctx allows.
func (s *server) index(ctx context.Context, w *wiki.Wiki) (*index.Index, error) {
	s.pages.mu.Lock()
	o := s.pages.indexes[w.ID]
	if o == nil {
		o = &opening{ready: make(chan struct{})}
		s.pages.indexes[w.ID] = o
		s.background(func(ctx context.Context) { s.openIndex(ctx, w, o) })
	}
	s.pages.mu.Unlock()
	select {
	case <-o.ready:
		return o.x, o.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// isPage tells whether a path is one that the index knows.
func isPage(path string) bool { return strings.HasSuffix(strings.ToLower(path), ".md") }

// checkLater has an open page looked at.
func (s *server) checkLater(doc *document) {
	if isPage(doc.path) {
		s.pages.mu.Lock()
		s.pages.due[doc.path] = true
		s.pages.mu.Unlock()
		s.pages.poke()
	}
}

// diskChanged has the index look at files that may have changed, and all open pages checked again: their links may lead elsewhere now.
func (s *server) diskChanged(paths ...string) {
	s.pages.mu.Lock()
	for _, p := range paths {
		s.pages.stale[p] = true
	}
	for _, doc := range s.docs.all() {
		if isPage(doc.path) {
			s.pages.due[doc.path] = true
		}
	}
	s.pages.mu.Unlock()
	s.pages.poke()
}

// forget takes back what was shown about the text of a page that was closed.
func (s *server) forget(doc *document) {
	if s.board.left(doc.path) {
		s.publish(doc.path)
	}
	s.diskChanged(doc.path)
}

// lookPause is the least time between two looks of the worker: who types fast, or runs a macro, is told of the newest text and not of each one.
const lookPause = 15 * time.Millisecond

// keepPages is the worker.
func (s *server) keepPages(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.pages.wake:
		}
		s.pages.mu.Lock()
		due, stale := s.pages.due, s.pages.stale
		s.pages.due, s.pages.stale = map[string]bool{}, map[string]bool{}
		s.pages.mu.Unlock()
		if len(stale) > 0 {
			s.reread(ctx, stale)
			s.warmOrigins()
		}
		for path := range due { // first all texts, since each may hold what another links to
			s.layIn(ctx, path)
		}
		for path := range due {
			s.checkPage(ctx, path)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(lookPause):
		}
	}
}

// reread tells each wiki's index of the files that may have changed on disk, all at once: ten thousand of them are one look.
func (s *server) reread(ctx context.Context, paths map[string]bool) {
	type touched struct {
		w    *wiki.Wiki
		rels map[string]string // rel -> path
	}
	wikis := map[string]*touched{}
	for path := range paths {
		w, rel, ok := s.folders.wikiOf(path)
		if !ok {
			continue
		}
		if wikis[w.ID] == nil {
			wikis[w.ID] = &touched{w, map[string]string{}}
		}
		wikis[w.ID].rels[rel] = path
	}
	for _, t := range wikis {
		x, err := s.index(ctx, t.w)
		if err != nil {
			continue // told where it was opened
		}
		s.pages.laying.Lock()
		for rel, path := range t.rels {
			if _, open := s.docs.get(path); !open {
				x.DropBuffer(rel)
				delete(s.pages.laid, path)
			}
		}
		s.pages.laying.Unlock()
		if err := x.Changed(ctx, slices.Collect(maps.Keys(t.rels))...); err != nil && ctx.Err() == nil {
			s.log.Warn("pages are not read again", zap.String("wiki", t.w.Root), zap.Int("pages", len(t.rels)), zap.Error(err))
		}
	}
}

// layIn puts an open page's text into the index, and has other open pages checked again where that may concern them.
func (s *server) layIn(ctx context.Context, path string) {
	w, rel, ok := s.folders.wikiOf(path)
	if !ok {
		return
	}
	x, err := s.index(ctx, w)
	if err != nil {
		return // told where it was opened
	}
	s.pages.laying.Lock()
	defer s.pages.laying.Unlock()
	if doc, open := s.docs.get(path); open && s.pages.laid[path] != doc {
		was, _ := x.Page(rel)
		x.SetBuffer(rel, doc.text)
		s.pages.laid[path] = doc
		if now, _ := x.Page(rel); noticed(was, now) {
			s.othersLater(w, path)
		}
	}
}
