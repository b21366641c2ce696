package wiki

import (
	"strings"
	"testing"

	"github.com/rigwiki/rig/adapters"
	"github.com/rigwiki/rig/sandbox"
	"github.com/rigwiki/rig/wiki/proposal"
)

// TestEndHints: an end that is no success names the agent once, in one sentence, and says what to do.
func TestEndHints(t *testing.T) {
	ingest, query := Op{Name: "ingest", Writes: true}, Op{Name: "query"}
	well := adapters.Outcome{Started: true, Ended: true, OK: true}
	with := func(change func(*adapters.Outcome)) adapters.Outcome {
		o := well
		change(&o)
		return o
	}
	failed := func(said, hint string) adapters.Outcome {
		return with(func(o *adapters.Outcome) {
			o.OK, o.Failure = false, &adapters.Failure{Kind: "other", Message: said, Hint: hint}
		})
	}
	cut := failed("claude's output ended in the middle of the run", "look into the log")
	retrying := cut
	retrying.Retrying = "overloaded"
	refused := with(func(o *adapters.Outcome) {
		o.Denials = []adapters.Denial{{Tool: "Write", Target: "concepts/x.md"}}
	})
	bare := with(func(o *adapters.Outcome) { o.Denials = []adapters.Denial{{Tool: "Bash", Target: "Bash"}} })
	asks := with(func(o *adapters.Outcome) { o.Question, o.Text = true, "Which page?" })
	for name, c := range map[string]struct {
		op      Op
		outcome adapters.Outcome
		exit    sandbox.Exit
		markers []string
		state   proposal.State
		said    string
		hint    string // a part of it
	}{
		"names itself":        {ingest, cut, sandbox.Exit{Why: sandbox.Exited}, nil, proposal.Failed, "claude's output ended in the middle of the run", "look into the log"},
		"names nobody":        {ingest, failed("no credit left", "top up"), sandbox.Exit{Why: sandbox.Exited, Code: 1}, nil, proposal.Failed, "claude: no credit left", "top up"},
		"crashed":             {ingest, cut, sandbox.Exit{Why: sandbox.Exited, Code: 139}, nil, proposal.Failed, "claude's output ended in the middle of the run (a signal ended it: segmentation fault)", "look into the log"},
		"stopped by us":       {ingest, failed("no credit left", "top up"), sandbox.Exit{Why: sandbox.Finished, Code: 143}, nil, proposal.Failed, "claude: no credit left", "top up"},
		"crashed after":       {ingest, well, sandbox.Exit{Why: sandbox.Exited, Code: 137}, nil, proposal.Failed, "claude was ended by a signal: killed (exit status 137)", "the run's log for what claude said"},
		"exit status":         {query, well, sandbox.Exit{Why: sandbox.Exited, Code: 1}, nil, proposal.Failed, "claude ended with exit status 1", "the run's log for what claude said"},
		"timed out":           {query, cut, sandbox.Exit{Why: sandbox.TimedOut}, nil, proposal.TimedOut, "claude was stopped after 0s, its time limit", "--timeout"},
		"idle":                {query, cut, sandbox.Exit{Why: sandbox.WentIdle}, nil, proposal.TimedOut, "claude was stopped after 0s without a sign of life", "`idleTimeout`"},
		"retrying":            {query, retrying, sandbox.Exit{Why: sandbox.WentIdle}, nil, proposal.TimedOut, "claude was stopped after 0s without a sign of life; it was trying again after an error of its model's API: overloaded", "answers again"},
		"refused":             {ingest, refused, sandbox.Exit{Why: sandbox.Exited}, nil, proposal.Incomplete, "claude was refused Write on concepts/x.md", "agent.claude.args in config.json5"},
		"refused, bare":       {ingest, bare, sandbox.Exit{Why: sandbox.Exited}, nil, proposal.Incomplete, "claude was refused Bash", "agent.claude.args"},
		"asks":                {ingest, asks, sandbox.Exit{Why: sandbox.Exited}, nil, proposal.Incomplete, "claude ended with a question: Which page?", "--note TEXT"},
		"asks, no note":       {query, asks, sandbox.Exit{Why: sandbox.Exited}, nil, proposal.Incomplete, "claude ended with a question: Which page?", "what you ask"},
		"not ready":           {ingest, asks, sandbox.Exit{Why: sandbox.Exited}, []string{"NOT READY: the source is empty"}, proposal.Incomplete, "claude was not ready: the source is empty", "mend what it names"},
		"nothing":             {ingest, well, sandbox.Exit{Why: sandbox.Exited}, nil, proposal.Empty, "claude changed nothing", "log for what claude did"},
		"no answer":           {query, well, sandbox.Exit{Why: sandbox.Exited}, nil, proposal.Incomplete, "claude gave no answer", "another agent"},
		"cancelled, so be it": {ingest, cut, sandbox.Exit{Why: sandbox.Cancelled}, nil, proposal.Cancelled, "cancelled", ""},
	} {
		r := &run{op: c.op, rec: proposal.Record{Agent: "claude", Markers: c.markers}, outcome: c.outcome, exit: c.exit}
		e := r.end()
		if e.State != c.state || e.Message != c.said || !strings.Contains(e.Hint, c.hint) || (c.hint == "") != (e.Hint == "") || strings.Contains(e.Hint, "%") {
			t.Errorf("%s: %s %q, %q", name, e.State, e.Message, e.Hint)
		}
	}
}
