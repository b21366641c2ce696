package wiki

import (
	"context"
	"time"

	"github.com/rigwiki/rig/sandbox"
	"github.com/rigwiki/rig/wiki/index"
)

// baseFinder brings the index up to date while the agent works, so that the text that a page had at the start is still known when the user saves the
// page meanwhile. It costs the run no time: where the agent ends first, it is stopped, and such a page is a conflict.
type baseFinder struct {
	cancel context.CancelFunc
	done   chan struct{}
	start  int64 // ns; nothing that was written later counts as the start's text
	x      *index.Index
	seen   int64 // ns: when the refresh had seen every page; 0 where it did not come to its end
}

// clockSlack is longer than the tick of any file system's clock: a file written just after the start may bear a time just before it.
const clockSlack = 10 * time.Millisecond

// headStart is how long an agent works before the refresh begins: one that ends sooner leaves no time for a save, and is not to wait for processors.
const headStart = 150 * time.Millisecond

// findBases starts the refresh. It must be called before the layer is opened. beside is what else is to be done while the agent works, after it.
func (h *Host) findBases(ctx context.Context, w *Wiki, beside func(context.Context)) *baseFinder {
	ctx, cancel := context.WithCancel(ctx)
	b := &baseFinder{cancel: cancel, done: make(chan struct{}), start: time.Now().Add(-clockSlack).UnixNano()}
	go func() {
		defer close(b.done)
		h.madeIndex(ctx, w) // opened while the sandbox starts: the judge asks for it
		select {
		case <-ctx.Done():
			return
		case <-time.After(headStart):
		}
		x, err := h.Index(ctx, w)
		if err != nil {
			return // the judge's step opens it again and tells why not
		}
		if err := x.Refresh(ctx); err == nil {
			b.x, b.seen = x, time.Now().Add(-clockSlack).UnixNano()
		}
		beside(ctx)
	}()
	return b
}

// stop ends the refresh. Texts are known after it.
func (b *baseFinder) stop() {
	b.cancel()
	<-b.done
}

// text is the sandbox's question for the text that rel had at the start.
func (b *baseFinder) text(rel string, id sandbox.FileID) ([]byte, bool) {
	<-b.done
	if b.x == nil {
		return nil, false
	}
	if id != (sandbox.FileID{}) {
		return b.x.Text(rel, id)
	}
	return b.x.TextAt(rel, b.start, b.seen)
}
