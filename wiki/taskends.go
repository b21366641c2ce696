package wiki

import (
	"fmt"
	"strings"

	"github.com/rigwiki/rig/adapters"
	"github.com/rigwiki/rig/wiki/proposal"
)

// taskEnds are the ends of a run about a task whose agent ended well.
func taskEnds() []endRow {
	return []endRow{
		{"broken intent", func(r *run) bool { return r.task.broken != "" }, proposal.Failed, ExitFailed,
			func(r *run) string {
				return r.rec.Agent + " " + r.brokenIntent() + "; nothing was taken" + r.sent()
			}},
		{"not ready", func(r *run) bool { return r.marker(adapters.NotReady) != "" }, proposal.Incomplete, ExitNothing,
			func(r *run) string { return r.stoppedShort() + r.soFar() }},
		{"verdict", func(r *run) bool { return !r.op.Writes && r.verdictLine() != "" }, proposal.Done, ExitOK,
			func(r *run) string { return r.verdictLine() }},
		{"stopped short", func(r *run) bool { return r.shortOf() != "" }, proposal.Incomplete, ExitNothing,
			func(r *run) string { return r.shortOf() + r.soFar() }},
		{"no verdict", func(r *run) bool { return !r.op.Writes }, proposal.Incomplete, ExitNothing,
			func(r *run) string {
				return r.rec.Agent + " gave no verdict (a line PR REVIEW: or RELEVANCE REVIEW:)"
			}},
		{"committed elsewhere", func(r *run) bool { return r.rec.Commits == 0 && r.task.left.Elsewhere > 0 }, proposal.Incomplete, ExitNothing,
			func(r *run) string {
				return fmt.Sprintf("%s committed on %.80s, not on %s: nothing was taken", r.rec.Agent, strings.TrimPrefix(r.task.left.Head, "refs/heads/"), r.task.checkout.Branch)
			}},
		{"no commit", func(r *run) bool { return r.rec.Commits == 0 }, proposal.Incomplete, ExitNothing,
			func(r *run) string { return r.rec.Agent + " ended without a commit" + r.soFar() }},
		{"done", func(*run) bool { return true }, proposal.Done, ExitOK,
			func(r *run) string { return strings.TrimPrefix(r.soFar(), "; ") }},
	}
}

// brokenIntent is what was broken, with the verdict of a review, which is told all the same.
func (r *run) brokenIntent() string {
	if v := r.verdictLine(); !r.op.Writes && v != "" {
		return r.task.broken + " (its verdict was " + v + ")"
	}
	if r.op.Writes && len(r.verdict.Refused) > 0 {
		return "made commits that are refused: " + r.task.broken
	}
	return "broke its intent: " + r.task.broken
}

// marker is the last marker line of a name, whole; "" where there is none.
func (r *run) marker(name string) string {
	for i := len(r.rec.Markers) - 1; i >= 0; i-- {
		if strings.HasPrefix(r.rec.Markers[i], name+":") {
			return r.rec.Markers[i]
		}
	}
	return ""
}

// verdictLine is a review's verdict.
func (r *run) verdictLine() string {
	if v := r.marker(adapters.PRReview); v != "" {
		return v
	}
	return r.marker(adapters.Relevance)
}

// shortOf is why the work is not all done: what every run stops short by, and what git says of it.
func (r *run) shortOf() string {
	if why := r.stoppedShort(); why != "" {
		return why
	}
	switch {
	case !r.op.Writes && len(r.outcome.Denials) > 0:
		return r.denial()
	case !r.op.Writes && r.outcome.Question:
		return r.rec.Agent + " ended with a question: " + lastLine(r.outcome.Text)
	case r.task.left.Unfinished != "":
		return r.rec.Agent + " left a " + r.task.left.Unfinished + " unfinished"
	}
	return ""
}

// soFar counts what was taken, as the end of a sentence; "" for nothing.
func (r *run) soFar() string {
	out := ""
	if r.rec.Commits > 0 {
		out = fmt.Sprintf("; %s on %s, %s", plural(r.rec.Commits, "commit", "commits"), r.rec.Branch, plural(len(r.verdict.Files), "file", "files"))
	}
	if n := len(r.task.left.Dirty); n > 0 && r.op.Writes {
		out += "; not committed: " + some(r.task.left.Dirty)
	}
	return out + r.sent()
}

// sent says what the host pushed for the agent.
func (r *run) sent() string {
	if r.task.pushed == "" {
		return ""
	}
	return "; " + r.task.pushed
}
