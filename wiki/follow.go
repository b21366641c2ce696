package wiki

import (
	"cmp"
	"context"
	"io"

	"github.com/rigwiki/rig/adapters"
	"github.com/rigwiki/rig/sandbox"
)

// talk reads the agent's stream to its terminal event; a two-way protocol brings its own way to speak.
func (r *run) talk(inv adapters.Invocation) func(context.Context, io.ReadWriter) {
	converse := r.agent.Converse
	if inv.Talk != nil {
		converse = inv.Talk
	}
	return func(ctx context.Context, rw io.ReadWriter) { r.outcome = converse(ctx, rw, r.event) }
}

// hearStderr takes what an agent told on stderr alone: tool calls that it was refused, and why it never took a turn (case o-ag-07 b).
func (r *run) hearStderr() {
	r.outcome.Denials = append(r.outcome.Denials, adapters.StderrDenials([]byte(r.logs.stderr.tail()))...)
	r.outcome.Retrying = cmp.Or(r.outcome.Retrying, adapters.StderrRetrying([]byte(r.logs.stderr.tail())))
	if r.exit.Why == sandbox.Exited || r.exit.Why == sandbox.Finished {
		r.outcome.NeverBegan(r.rec.Agent, []byte(r.logs.stderr.tail()))
	}
}
