package wiki

import (
	"cmp"
	"fmt"
	"strconv"
	"time"

	"github.com/rigwiki/rig/adapters"
	"github.com/rigwiki/rig/adapters/board"
	"github.com/rigwiki/rig/wiki/proposal"
)

// boardPatience bounds one post to the user's board, and what a run's end may wait for those that are left.
const boardPatience = time.Second

// event is step 6: to the log, to the user's board, and to whoever watches. It is called from the agent's stream and from the endpoint.
func (r *run) event(e adapters.Event) {
	e = e.Capped().WithChecks(r.cfg.Checks).Checked(r.checks)
	if e.Kind == "command" { // the project's own test and check commands, where nothing else is known of them
		e = e.WithChecks(r.task.wants().Commands)
	}
	e = e.Judged()
	r.watchMu.Lock()
	r.heard++
	r.keepEvents(r.live.Add(e))
	if e.Running {
		r.outside.Post(r.addressed(e))
	}
	r.watchMu.Unlock()
	r.tell(Update{State: proposal.Running, Message: plain(e.Summary, 300), Event: &e})
}

// keepEvents stores completed events and passes them on. watchMu is held.
func (r *run) keepEvents(list []adapters.Event) {
	for _, e := range list {
		r.logs.event(e)
		r.outside.Post(r.addressed(e))
	}
}

// addressed is an event as the user's board shall know it: by the names that the board gave this run, where it did.
func (r *run) addressed(e adapters.Event) adapters.Event {
	e.Agent = cmp.Or(LookupVar(r.host.env, "BOARD_AGENT_ID"), e.Agent, r.rec.Agent)
	e.Task = cmp.Or(LookupVar(r.host.env, "BOARD_TASK"), e.Task)
	e.Session = cmp.Or(e.Session, r.rec.Run)
	return e
}

// readChecks finds out what the project calls its tests.
func (r *run) readChecks() {
	var bad []string
	r.checks, bad = ChecksIn(r.wiki.Real)
	for _, b := range bad {
		r.rec.Warnings = append(r.rec.Warnings, "a check does not count: "+b)
	}
}

// openBoard makes the run's endpoint, and finds the user's board, which BOARD_PORT of their environment names, or for a task of the project.
func (r *run) openBoard() (err error) {
	port := cmp.Or(r.task.wants().Port, LookupVar(r.host.env, "BOARD_PORT"))
	if port == strconv.Itoa(r.host.board) {
		port = "" // it is our own
	}
	r.outside = board.NewEmitter(port, cmp.Or(r.task.wants().Token, r.boardToken()), r.host.patience)
	r.release = append(r.release, func() { r.outside.Close(r.host.patience) }) // after the endpoint, which hands on what it has
	if r.board, err = board.Serve(r.boardToken(), r.event); err != nil {
		return fmt.Errorf("open the events endpoint: %w", err)
	}
	r.release = append(r.release, func() { _ = r.board.Close() })
	return nil
}

// boardToken is the token that the user gave their runs (BOARD_TOKEN): the agent is told it, and the run's own endpoint asks for it. Without one, plain
// emitters work.
func (r *run) boardToken() string { return LookupVar(r.host.env, "BOARD_TOKEN") }

// endEvents closes the session: what still seemed to run did not finish (case o-ev-04). A run without one event says so (case o-ev-03): its end is
// judged by other things.
func (r *run) endEvents() {
	session := cmp.Or(r.outcome.Session, r.rec.Run)
	if r.heard == 0 && r.rec.Agent != extractive {
		r.rec.Warnings = append(r.rec.Warnings, "no live events: "+r.rec.Agent+" reported nothing while it ran")
	}
	if n := r.board.Refused() + r.board.Lost(); n > 0 {
		r.rec.Warnings = append(r.rec.Warnings, fmt.Sprintf("%d of what was posted to the run's endpoint were no events, or came too fast", n))
	}
	r.event(adapters.Event{Session: session, Kind: "end", Summary: fmt.Sprintf("%s ended: %s", r.rec.Agent, r.exit.Why), Agent: r.rec.Agent})
	r.watchMu.Lock()
	defer r.watchMu.Unlock()
	r.keepEvents(r.live.Rest())
}

// report is the run's last word: the host's own kind of event, which no other board knows.
func (r *run) report() {
	ok := r.rec.Exit == ExitOK
	r.watchMu.Lock()
	defer r.watchMu.Unlock()
	r.logs.event(adapters.Event{Session: cmp.Or(r.outcome.Session, r.rec.Run), Kind: "report", Summary: cmp.Or(r.rec.Message, string(r.rec.State)), Agent: r.rec.Agent, OK: &ok}.Capped())
}
