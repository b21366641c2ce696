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
	bar := s.newIndexBar(ctx, w)
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
	s.layOutText(ctx, w, o, bar)
	return true
}

// layOutText lays out the full text, until it is done or the user stops it.
func (s *server) layOutText(ctx context.Context, w *wiki.Wiki, o *opening, bar *indexBar) {
	lacked := !o.x.HasFullText()
	err := o.x.FullText(bar.ctx)
	switch {
	case err != nil && ctx.Err() == nil && bar.ctx.Err() != nil:
		o.stopped.Store(true)
	case err != nil && ctx.Err() == nil:
		s.log.Warn("the full text is not indexed", zap.String("wiki", w.Name), zap.Error(err))
	}
	if lacked {
		s.diskChanged() // what was found in open pages left out what needs the full text
	}
}

// goOn lays out a full text that the user had stopped, since a question needs it.
func (s *server) goOn(w *wiki.Wiki) {
	s.pages.mu.Lock()
	o := s.pages.indexes[w.ID]
	s.pages.mu.Unlock()
	if o != nil && o.stopped.CompareAndSwap(true, false) {
		s.background(func(ctx context.Context) {
			bar := s.newIndexBar(ctx, w)
			defer bar.finish()
			s.layOutText(ctx, w, o, bar)
		})
	}
}

// slowIndex is how long an index may take before a progress is shown: one that comes and goes at once only flickers.
const slowIndex = 500 * time.Millisecond

// indexBar shows how far a first build is, once it is known to take its time. Cancelled, it stops the full text alone, of which the part that is laid out stays:
// links, names and findings are what every page needs.
type indexBar struct {
	s     *server
	w     *wiki.Wiki
	since time.Time
	ctx   context.Context // ends where the user stops it
	stop  context.CancelFunc

	mu  sync.Mutex
	bar *progress
}

// newIndexBar makes a bar that [server.progressCancel] finds until it is finished. Its context is one of ctx.
func (s *server) newIndexBar(ctx context.Context, w *wiki.Wiki) *indexBar {
	b := &indexBar{s: s, w: w, since: time.Now()}
	b.ctx, b.stop = context.WithCancel(ctx)
	s.stops.Store(b.token(), b.stop)
	return b
}

// token is the bar's, without the prefix of ours.
func (b *indexBar) token() string { return "index-" + b.w.ID }

func (b *indexBar) tell(step index.Step, done, total int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bar == nil {
		if time.Since(b.since) < slowIndex {
			return
		}
		b.bar = b.s.startProgress(b.token(), "Indexing "+filepath.Base(b.w.Real))
	}
	b.bar.say(fmt.Sprintf("%s: %d of %d pages", step, done, total))
}

func (b *indexBar) finish() {
	b.s.stops.Delete(b.token())
	said := "indexed"
	if b.ctx.Err() != nil {
		said = "stopped: the rest is indexed when something is asked"
	}
	b.stop()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bar != nil {
		b.bar.finish(said)
	}
}
