package wiki

import (
	"strings"
	"testing"
	"time"

	"github.com/rigwiki/rig/adapters"
	"github.com/rigwiki/rig/sandbox"
	"github.com/rigwiki/rig/wiki/proposal"
)

// An agent that would try its model's API for ever is stopped by the deadline or, where it falls silent, by the idle limit; the run says what it
// waited for.
func TestStoppedWhileRetrying(t *testing.T) {
	for why, limit := range map[sandbox.Ending]string{sandbox.TimedOut: "its time limit", sandbox.WentIdle: "without a sign of life"} {
		for _, retrying := range []string{"", "rate limit exceeded"} {
			r := &run{rec: proposal.Record{Agent: "opencode"}, exit: sandbox.Exit{Why: why}, cfg: Config{Timeout: time.Hour, IdleTimeout: 5 * time.Minute},
				outcome: adapters.Outcome{Retrying: retrying, Failure: &adapters.Failure{Kind: "truncated", Message: "broke off", Retryable: true}}}
			var found endRow
			for _, row := range stops() {
				if row.when(r) {
					found = row
					break
				}
			}
			said := found.say(r)
			if found.state != proposal.TimedOut || found.exit != ExitTimedOut || !strings.Contains(said, limit) || strings.Contains(said, "trying again") != (retrying != "") || !strings.HasSuffix(said, retrying) {
				t.Errorf("%s, %q: %s %d %q", why, retrying, found.state, found.exit, said)
			}
		}
	}
}
