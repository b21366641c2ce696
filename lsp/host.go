package lsp

import (
	"context"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/index"
	"github.com/rigwiki/rig/wiki/lint"
	"github.com/rigwiki/rig/wiki/proposal"
)

// Host is what the server calls of [wiki.Host].
type Host interface {
	// Start queues a job and returns its run id at once; watch is called by one goroutine at a time, last with the record.
	Start(job wiki.Job, watch func(wiki.Update)) (run string, err error)
	// Cancel ends a queued or running run; false where there is no such run.
	Cancel(run string) bool
	// RigHome is the folder of our state and of the user's configuration.
	RigHome() string
	Store(w *wiki.Wiki) (*proposal.Store, error)
	// Locate finds the wiki and the store of a run.
	Locate(run string) (*wiki.Wiki, *proposal.Store, error)
	// LockApply serializes writers of the wiki's pages and receipts over all processes.
	LockApply(ctx context.Context, w *wiki.Wiki, s *proposal.Store) (release func(), err error)
	// UndoTask takes a task's run back: its branch goes back to where it was.
	UndoTask(ctx context.Context, w *wiki.Wiki, run string) (proposal.Record, error)
	// FileAnswer proposes a query's answer as a page; by says who wants it. [wiki.ErrNoAnswer] where there is none that cites a page.
	FileAnswer(ctx context.Context, w *wiki.Wiki, run, by string) (proposal.Record, error)
	// Answered gives the answer that was given to a question before; no agent is asked.
	Answered(ctx context.Context, w *wiki.Wiki, question string) (wiki.Answer, bool)
	// Publish tells other processes which pages have unsaved text here.
	Publish(w *wiki.Wiki, pages []string) error
	// Chosen tells which agent and model a job would take.
	Chosen(job wiki.Job) (agent, model string, err error)
	// OpenIndex opens the wiki's index once for the life of the host, and tells how far a first build is.
	OpenIndex(ctx context.Context, w *wiki.Wiki, tell func(step index.Step, done, total int)) (*index.Index, error)
	// LintRules is what lint expects of the wiki.
	LintRules(w *wiki.Wiki) lint.Rules
	// Pause and Resume hold back and let go the queued runs of a wiki, in every program.
	Pause(w *wiki.Wiki) error
	Resume(w *wiki.Wiki) error
	Paused(w *wiki.Wiki) bool
	// Sandbox says in one line what a run in the wiki would be confined by.
	Sandbox(ctx context.Context, w *wiki.Wiki) (string, error)
	// SourceSum is the sha256 in hex of a source as it is now, "" where it cannot be read; false where it is not there.
	SourceSum(w *wiki.Wiki, source string) (sha string, there bool)
	Agents(ctx context.Context, w *wiki.Wiki, s *wiki.Settings) ([]wiki.AgentInfo, error)
	// UseAgent makes an agent the default one; overridden says what is stronger and names another.
	UseAgent(ctx context.Context, w *wiki.Wiki, s *wiki.Settings, name string) (overridden string, err error)
}
