package lsp

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/index"
)

// openIndex opens a wiki's index and lays out what the first question of each kind would wait for: names, sources' addresses, last the full text, which a large
// wiki's first build takes longest for. Links are answered meanwhile.
func (s *server) openIndex(ctx context.Context, w *wiki.Wiki, o *opening) {
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
		return
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
