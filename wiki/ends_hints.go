package wiki

import (
	"fmt"
	"strings"
	"syscall"

	"github.com/rigwiki/rig/adapters"
	"github.com/rigwiki/rig/sandbox"
)

// endHints say what to do after an end that is no success, by the name of its row; %s is the agent's name. An agent's own error brings its hint along.
func endHints() map[string]string {
	return map[string]string{
		"timed out":   "give it more time (`timeout` in config.json5, or --timeout), or less to do at once",
		"silent":      "raise `idleTimeout` in config.json5 where it was slow rather than stuck; the run's log has what it did last",
		"exit status": "see the run's log for what %s said",
		"no turn":     "see the run's log for what %s said",
		"cut off":     "see the run's log for what %s said",
		"all refused": "the reason stands beside each refused file",
		"nothing":     "see the run's log for what %s did, or run it again and say what you miss",
		"no answer":   "ask again in other words, or choose another agent",
	}
}

// hintFor is what to do about an end, "" where nothing is to be done.
func (r *run) hintFor(row endRow) string {
	hint := endHints()[row.name]
	switch {
	case row.exit == ExitOK:
		return ""
	case row.name == "agent's error":
		return r.outcome.Failure.Hint
	case row.exit == ExitTimedOut && r.outcome.Retrying != "":
		return "wait until its model's API answers again, or choose another agent"
	case row.name == "stopped short" || row.name == "not ready":
		return r.shortHint()
	case strings.Contains(hint, "%s"):
		return fmt.Sprintf(hint, r.rec.Agent)
	}
	return hint
}

// shortHint is what to do about work that is not all done, in the order in which [run.stoppedShort] looks for why.
func (r *run) shortHint() string {
	switch {
	case r.marker(adapters.NotReady) != "":
		return "mend what it names, then run it again"
	case len(r.outcome.Denials) > 0:
		return fmt.Sprintf("%s may do what %s needs and no more; where a rule of yours is in its way, see agent.%s.args in config.json5 and the permissions in %[1]s's own settings", r.rec.Agent, r.op.Name, r.rec.Agent)
	case r.outcome.Question && r.op.Name == "ingest":
		return "answer it with --note TEXT and run it again"
	case r.outcome.Question && r.op.Task:
		return "write the answer into the task and run it again"
	case r.outcome.Question:
		return "put the answer into what you ask and run it again"
	}
	return ""
}

// failed is the agent's own error as a sentence that names the agent once, and the signal that ended it where one did.
func (r *run) failed() string {
	said := r.outcome.Failure.Message
	if !strings.HasPrefix(said, r.rec.Agent) {
		said = r.rec.Agent + ": " + said
	}
	if name := signalOf(r.exit.Code); name != "" && r.exit.Why == sandbox.Exited { // elsewhere the signal was ours
		said += " (a signal ended it: " + name + ")"
	}
	return said
}

// exitWords say how a process ended.
func exitWords(code int) string {
	if name := signalOf(code); name != "" {
		return fmt.Sprintf("was ended by a signal: %s (exit status %d)", name, code)
	}
	return fmt.Sprintf("ended with exit status %d", code)
}

// signalOf is the signal that an exit status above 128 tells of, as [sandbox.Exit] writes it; "" for none.
func signalOf(code int) string {
	if code <= 128 || code > 128+64 {
		return ""
	}
	return syscall.Signal(code - 128).String()
}
