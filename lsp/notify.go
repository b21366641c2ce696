package lsp

import (
	"context"

	"github.com/rigwiki/rig/wiki/proposal"
	"go.uber.org/zap"
)

// methodRun is our notification to clients that set initializationOptions.rigwiki.notifications (design, section 7.2).
const methodRun = "rigwiki/run"

// methodEvent tells of one event to the same clients: of a run, or of a session that posted to the server's endpoint (design, section 9).
const methodEvent = "rigwiki/event"

// eventNote is what rigwiki/event tells.
type eventNote struct {
	Run   string `json:"run,omitempty"` // "": no run of ours
	Event any    `json:"event"`
}

// tellEvent sends rigwiki/event where the client wants it.
func (s *server) tellEvent(run string, event any) {
	if !s.set.get().Notifications {
		return
	}
	if err := s.conn.Notify(s.ctx, methodEvent, eventNote{run, event}); err != nil && s.ctx.Err() == nil {
		s.log.Debug("rigwiki/event not sent", zap.Error(err))
	}
}

// tellEvents passes on what the server's endpoint takes, until the connection ends.
func (s *server) tellEvents(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case e, open := <-s.events:
			if !open {
				return
			}
			s.tellEvent("", e)
		}
	}
}

// runNote is what rigwiki/run tells.
type runNote struct {
	Run      string         `json:"run"`
	Wiki     string         `json:"wiki"`
	Op       string         `json:"op"`
	Agent    string         `json:"agent"`
	State    proposal.State `json:"state"`
	Title    string         `json:"title"`
	Message  string         `json:"message"`
	Event    any            `json:"event,omitempty"`
	Preview  string         `json:"preview,omitempty"` // of a proposal of this session: by which rung it is shown; "review" leaves it to the client
	Proposal *noteProposal  `json:"proposal,omitempty"`
}

type noteProposal struct {
	Files   []noteFile         `json:"files"`
	Refused []proposal.Refusal `json:"refused"`
}

type noteFile struct {
	Path    string          `json:"path"`
	Kind    string          `json:"kind"`
	From    string          `json:"from,omitempty"`
	Added   int             `json:"added"`
	Removed int             `json:"removed"`
	Flags   []string        `json:"flags"`
	Reasons []proposal.Flag `json:"reasons,omitempty"`
}

// notify sends rigwiki/run where the client wants it.
func (s *server) notify(n runNote) {
	if !s.set.get().Notifications {
		return
	}
	if err := s.conn.Notify(s.ctx, methodRun, n); err != nil && s.ctx.Err() == nil {
		s.log.Debug("rigwiki/run not sent", zap.Error(err))
	}
}

// noteOf makes the notification of a record.
func noteOf(rec proposal.Record, message string) runNote {
	n := runNote{Run: rec.Run, Wiki: rec.Wiki, Op: rec.Op, Agent: rec.Agent, State: rec.State, Title: rec.Title, Message: message}
	if len(rec.Files) == 0 && len(rec.Refused) == 0 {
		return n
	}
	n.Proposal = &noteProposal{Files: []noteFile{}, Refused: rec.Refused}
	if n.Proposal.Refused == nil {
		n.Proposal.Refused = []proposal.Refusal{}
	}
	for _, f := range rec.Files {
		n.Proposal.Files = append(n.Proposal.Files, noteFile{Path: f.Path, Kind: string(f.Kind), From: f.From, Added: f.Added, Removed: f.Removed, Flags: proposal.Rules(f.Flags), Reasons: f.Flags})
	}
	return n
}
