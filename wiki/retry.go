package wiki

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/rigwiki/rig/adapters"
	"github.com/rigwiki/rig/sandbox"
	"github.com/rigwiki/rig/wiki/proposal"
)

// retryWaits are the pauses before an agent is tried again, each lengthened by up to a quarter so that runs which failed together do not come
// back together. Agents retry by themselves for some seconds; these begin where they gave up.
func retryWaits() []time.Duration {
	return []time.Duration{2 * time.Second, 8 * time.Second, 30 * time.Second}
}

// tryAgain repeats steps 3 to 7 while the adapter says that the failure may pass, nothing stands against another try and the deadline leaves room.
// Each try gets a fresh box: what the last one left in its state folders and its processes is gone with the old one. A task's clone stays.
func (r *run) tryAgain(ctx context.Context) error {
	for tries, wait := range r.host.waits {
		if !r.mayRetry(ctx) {
			return nil
		}
		if wait > 0 {
			wait += rand.N(wait/4 + 1)
		}
		if time.Until(r.deadline) <= wait {
			return nil
		}
		r.tell(Update{State: proposal.Running, Message: fmt.Sprintf("%s, trying again in %d s", r.retryReason(), int(wait.Round(time.Second).Seconds()))})
		r.leaveLayer()
		if err := pause(ctx, wait); err != nil {
			return err
		}
		open := r.openLayer
		if r.op.Task {
			open = r.openTaskAgain
		}
		for _, step := range []func(context.Context) error{open, r.runAgent} {
			if err := step(ctx); err != nil {
				return err
			}
		}
		if f := r.outcome.Failure; f != nil {
			told := *f
			told.Message = fmt.Sprintf("%s (tried %d times)", f.Message, tries+2)
			r.outcome.Failure = &told
		}
	}
	return nil
}

// mayRetry tells whether the last try failed in a way that passes, and did nothing that another one would meet. Where nothing confines the agent its
// effects cannot be known, so it is not started twice, unless its own database kept it from its first turn.
func (r *run) mayRetry(ctx context.Context) bool {
	f := r.outcome.Failure
	if f == nil || !f.Retryable || ctx.Err() != nil {
		return false
	}
	if shut := f.Kind == "busy" && !r.outcome.Started; !shut && !r.box.Confinement().HostWrites {
		return false
	}
	if r.exit.Why != sandbox.Exited && r.exit.Why != sandbox.Finished {
		return false
	}
	if r.op.Task {
		return r.mayGoOn(ctx)
	}
	changes, err := r.box.Changes(ctx)
	return err == nil && len(changes.List) == 0 && len(changes.Dirs) == 0 && changes.Overflow == ""
}

// retryReason is the failure as the beginning of a sentence.
func (r *run) retryReason() string {
	switch r.outcome.Failure.Kind {
	case "rate-limit":
		return "rate limited"
	case "truncated":
		return r.rec.Agent + " broke off"
	case "busy":
		return "another session of " + r.rec.Agent + " holds its database"
	default:
		return "the model's API failed"
	}
}

// leaveLayer lets go of what openLayer or openTask took and forgets what the try said.
func (r *run) leaveLayer() {
	for len(r.release) > r.layerAt {
		last := len(r.release) - 1
		r.release[last]()
		r.release = r.release[:last]
	}
	r.box, r.board = nil, nil
	r.outcome, r.exit = adapters.Outcome{}, sandbox.Exit{}
	r.rec.Markers = nil
}

// pause waits, or ends with the run.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
