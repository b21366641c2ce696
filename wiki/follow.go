package wiki

import (
	"context"
	"io"

	"github.com/rigwiki/rig/adapters"
	"github.com/rigwiki/rig/wiki/proposal"
)

// talk reads the agent's stream to its terminal event.
func (r *run) talk(ctx context.Context, rw io.ReadWriter) {
	r.outcome = r.agent.Converse(ctx, rw, r.event)
}

// event is step 6: to the log, and to whoever watches.
func (r *run) event(e adapters.Event) {
	e = e.Capped()
	r.watchMu.Lock()
	r.logs.event(e)
	r.watchMu.Unlock()
	r.tell(Update{State: proposal.Running, Message: plain(e.Summary, 300), Event: &e})
}
