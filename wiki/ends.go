package wiki

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rigwiki/rig/sandbox"
	"github.com/rigwiki/rig/wiki/proposal"
)

// Exit codes of the verbs (design, section 6).
const (
	ExitOK        = 0
	ExitFailed    = 1
	ExitUsage     = 2
	ExitNothing   = 3
	ExitNotAWiki  = 4
	ExitDrift     = 10
	ExitSevere    = 11
	ExitAgent     = 20
	ExitConfig    = 30
	ExitHeld      = 31
	ExitConflict  = 40
	ExitFlagged   = 41
	ExitTimedOut  = 124
	ExitCancelled = 130
)

// ending is how a run ends. As an error it ends the steps.
type ending struct {
	State         proposal.State
	Exit          int
	Message, Hint string
}

func (e *ending) Error() string { return e.Message }

// stops is the first part of the table of ends, in the order in which they are looked at; the first that holds is the run's. It is judged by what stopped the
// agent, its exit status, its stream and its changes together, since each of them alone was seen to lie.
func stops() []endRow {
	return []endRow{
		{"cancelled", func(r *run) bool { return r.exit.Why == sandbox.Cancelled }, proposal.Cancelled, ExitCancelled,
			func(r *run) string { return "cancelled" }},
		{"timed out", func(r *run) bool { return r.exit.Why == sandbox.TimedOut }, proposal.TimedOut, ExitTimedOut,
			func(r *run) string {
				return fmt.Sprintf("%s was stopped after %s, its time limit", r.rec.Agent, r.timeout()) + r.retrying()
			}},
		{"silent", func(r *run) bool { return r.exit.Why == sandbox.WentIdle }, proposal.TimedOut, ExitTimedOut,
			func(r *run) string {
				return fmt.Sprintf("%s was stopped after %s without a sign of life", r.rec.Agent, r.cfg.IdleTimeout) + r.retrying()
			}},
		{"too much on disk", func(r *run) bool { return r.exit.Why == sandbox.Overfull }, proposal.Failed, ExitFailed,
			func(r *run) string {
				return r.rec.Agent + " was stopped: it wrote more than a run may; nothing was taken"
			}},
		{"agent's error", func(r *run) bool { return r.outcome.Failure != nil }, proposal.Failed, ExitFailed,
			func(r *run) string { return r.failed() }},
		{"exit status", func(r *run) bool { return r.exit.Why == sandbox.Exited && r.exit.Code != 0 }, proposal.Failed, ExitFailed,
			func(r *run) string {
				return fmt.Sprintf("%s %s%s", r.rec.Agent, exitWords(r.exit.Code), r.logs.lastWord())
			}},
		{"no turn", func(r *run) bool { return !r.outcome.Started }, proposal.Failed, ExitFailed,
			func(r *run) string { return r.rec.Agent + " ended without having taken a turn" + r.logs.lastWord() }},
		{"cut off", func(r *run) bool { return !r.outcome.Ended || !r.outcome.OK }, proposal.Failed, ExitFailed,
			func(r *run) string { return r.rec.Agent + " ended without saying that it was done" + r.logs.lastWord() }},
	}
}

// retrying is what an agent that had to be stopped was waiting for, as the end of a sentence.
func (r *run) retrying() string {
	if r.outcome.Retrying == "" {
		return ""
	}
	return "; it was trying again after an error of its model's API: " + r.outcome.Retrying
}

// wikiEnds are the ends of a run about the wiki's pages whose agent ended well.
func wikiEnds() []endRow {
	return []endRow{
		{"too much", func(r *run) bool { return r.changes.Overflow != "" }, proposal.Failed, ExitFailed,
			func(r *run) string {
				return "the run changed more than is allowed: " + r.changes.Overflow + "; nothing was taken"
			}},
		{"broken op", func(r *run) bool { return !r.op.Writes && len(r.changes.List) > 0 }, proposal.Failed, ExitFailed,
			func(r *run) string {
				return fmt.Sprintf("%s changed files, which %s may not; nothing was taken", r.rec.Agent, r.op.Name)
			}},
		{"fetched", func(r *run) bool { return r.rec.Fetched != nil }, proposal.Done, ExitOK,
			(*run).fetched},
		{"stopped short, with changes", func(r *run) bool { return r.stoppedShort() != "" && len(r.verdict.Files) > 0 }, proposal.Proposed, ExitOK,
			func(r *run) string { return counts(r.verdict) + "; " + r.stoppedShort() }},
		{"stopped short", func(r *run) bool { return r.stoppedShort() != "" }, proposal.Incomplete, ExitNothing,
			func(r *run) string { return r.stoppedShort() }},
		{"all refused", func(r *run) bool { return r.op.Writes && len(r.verdict.Files) == 0 && len(r.verdict.Refused) > 0 }, proposal.Empty, ExitNothing,
			func(r *run) string { return "every change was refused: " + counts(r.verdict) }},
		{"nothing", func(r *run) bool { return r.op.Writes && len(r.verdict.Files) == 0 }, proposal.Empty, ExitNothing,
			func(r *run) string { return r.rec.Agent + " changed nothing" }},
		{"proposed", func(r *run) bool { return r.op.Writes }, proposal.Proposed, ExitOK,
			func(r *run) string { return counts(r.verdict) }},
		{"no answer", func(r *run) bool { return r.rec.Answer == "" }, proposal.Incomplete, ExitNothing,
			func(r *run) string { return r.rec.Agent + " gave no answer" }},
		{"done", func(r *run) bool { return true }, proposal.Done, ExitOK,
			(*run).answered},
	}
}

type endRow struct {
	name  string
	when  func(*run) bool
	state proposal.State
	exit  int
	say   func(*run) string
}

// end looks the run's end up.
func (r *run) end() ending {
	rows := wikiEnds
	if r.op.Task {
		rows = taskEnds
	}
	for _, row := range slices.Concat(stops(), rows()) {
		if row.when(r) {
			return ending{State: row.state, Exit: row.exit, Message: row.say(r), Hint: r.hintFor(row)}
		}
	}
	return ending{}
}

// finished says whether the agent came to an end that its changes may be judged by; elsewhere they are refused as unfinished-run.
func (r *run) finished() bool {
	return !unfinished(r.end().State)
}

func unfinished(s proposal.State) bool {
	return s == proposal.Failed || s == proposal.Cancelled || s == proposal.TimedOut
}

// stoppedShort is why the work is not all done although the agent ended well, "" where it is.
func (r *run) stoppedShort() string {
	for _, m := range r.rec.Markers {
		if why, ok := strings.CutPrefix(m, "NOT READY:"); ok {
			return r.rec.Agent + " was not ready:" + why
		}
	}
	if !r.op.Writes && r.rec.Answer != "" { // an answer is one, whatever else was tried or asked on the way
		return ""
	}
	if len(r.outcome.Denials) > 0 {
		return r.denial()
	}
	if r.outcome.Question {
		return r.rec.Agent + " ended with a question: " + lastLine(r.outcome.Text)
	}
	return ""
}

func (r *run) denial() string {
	d := r.outcome.Denials[0]
	if d.Target == "" || d.Target == d.Tool { // the stream told no more
		return r.rec.Agent + " was refused " + d.Tool
	}
	return fmt.Sprintf("%s was refused %s on %s", r.rec.Agent, d.Tool, d.Target)
}

// endOf turns a step's error into an end.
func endOf(ctx context.Context, err error) ending {
	var e *ending
	switch {
	case errors.Is(err, ErrCancelled), errors.Is(err, errClosed), ctx.Err() != nil: // what a step says of it is a consequence
		return ending{State: proposal.Cancelled, Exit: ExitCancelled, Message: "cancelled"}
	case errors.As(err, &e):
		return *e
	default:
		return ending{State: proposal.Failed, Exit: ExitFailed, Message: err.Error()}
	}
}

// counts is the sentence that a run ends with: "3 pages, 1 refused".
func counts(j Judgement) string {
	parts := []string{plural(len(j.Files), "page", "pages")}
	flagged := 0
	for _, f := range j.Files {
		if len(f.Flags) > 0 {
			flagged++
		}
	}
	if flagged > 0 {
		parts = append(parts, fmt.Sprintf("%d flagged", flagged))
	}
	if len(j.Refused) > 0 {
		parts = append(parts, fmt.Sprintf("%d refused", len(j.Refused)))
	}
	return strings.Join(parts, ", ")
}

// title says what a run is about: "ingest raw/draft-embed.md".
func title(op Op, job Job) string {
	switch {
	case len(job.Sources) > 0:
		return op.Title + " " + some(job.Sources)
	case job.Fetch.URL != "":
		return op.Title + " " + plain(job.Fetch.URL, 120)
	case job.Question != "":
		return op.Title + ": " + plain(job.Question, 80)
	}
	return op.Title
}
