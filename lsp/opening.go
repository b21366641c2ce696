package lsp

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/daemon"
	"github.com/rigwiki/rig/wiki/index"
)

// openIndex opens a wiki's index and lays out what the first question of each kind would wait for: names, sources' addresses, last the full text, which a large
// wiki's first build takes longest for. Links are answered meanwhile.
func (s *server) openIndex(ctx context.Context, w *wiki.Wiki, o *opening) {
	if s.layOut(ctx, w, o) {
		s.watch(ctx, w, o.x)
	}
}

// watch keeps the index at what other programs do to the wiki, whether the client watches files or not, until the server ends. On a network drive, where no event
// tells of what other machines write, it looks from time to time.
func (s *server) watch(ctx context.Context, w *wiki.Wiki, x *index.Index) {
	keep := x.Watch
	if kind := daemon.NetworkDrive(w.Real); kind != "" {
		s.log.Info("the wiki is on a network drive: it is looked at from time to time", zap.String("wiki", w.Name), zap.String("drive", kind))
		keep = x.Poll
	}
	if err := keep(ctx, func([]string) { s.diskMoved() }); err != nil && ctx.Err() == nil {
		s.log.Warn("changes on disk are not noticed any more", zap.String("wiki", w.Name), zap.Error(err))
	}
}

// diskMoved has open pages checked again after the index has taken in what changed on disk.
func (s *server) diskMoved() {
	s.warmOrigins()
	s.diskChanged()
}

// layOut opens the index and lays it out; false where it cannot be opened.
func (s *server) layOut(ctx context.Context, w *wiki.Wiki, o *opening) bool {
	bar := &indexBar{s: s, w: w, since: time.Now()}
	defer bar.finish()
	func() {
		defer close(o.ready)
		if o.x, o.err = s.host.OpenIndex(ctx, w, bar.tell); o.err == nil {
			o.origins = wiki.NewOrigins(w, o.x)
		}
	}()
	if o.err != nil {
		if ctx.Err() == nil {
			s.log.Warn("the index cannot be opened", zap.String("wiki", w.Name), zap.Error(o.err))
		}
		return false
	}
	o.x.Names("", 1)
	o.origins.Warm()
	lacked := !o.x.HasFullText()
	if err := o.x.FullText(ctx); err != nil && ctx.Err() == nil {
		s.log.Warn("the full text is not indexed", zap.String("wiki", w.Name), zap.Error(err))
	}
	if lacked {
		s.diskChanged() // what was found in open pages left out what needs the full text
	}
	return true
}

// slowIndex is how long an index may take before a progress is shown: one that comes and goes at once only flickers.
const slowIndex = 500 * time.Millisecond

// indexBar shows how far a first build is, once it is known to take its time.
type indexBar struct {
	s     *server
	w     *wiki.Wiki
	since time.Time

	mu  sync.Mutex
	bar *progress
}

func (b *indexBar) tell(step index.Step, done, total int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bar == nil {
		if time.Since(b.since) < slowIndex {
			return
		}
		b.bar = b.s.startProgress("index-"+b.w.ID, "Indexing "+filepath.Base(b.w.Real))
	}
	b.bar.say(fmt.Sprintf("%s: %d of %d pages", step, done, total))
}

func (b *indexBar) finish() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bar != nil {
		b.bar.finish("indexed")
	}
}
