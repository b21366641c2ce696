package lsp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/proposal"
	"go.lsp.dev/protocol"
	"go.uber.org/zap"
)

// rung is a step of the preview ladder (design, section 7.3).
type rung int

const (
	ownReview   rung = iota + 1 // the client has a review of its own
	annotations                 // the client's preview of annotated edits
	question                    // showMessageRequest, then the diff document
	actions                     // the proposal waits as code actions
	none                        // preview: apply
)

func (r rung) String() string {
	return [...]string{"", "review", "annotations", "diff", "actions", "apply"}[r]
}

// rung decides how a proposal is shown, from the setting and from what the client can do.
func (s *server) rung(w *wiki.Wiki) rung {
	preview := s.config(w).Preview
	c := s.caps
	pane := c.applyEdit && c.documentChanges && c.annotations &&
		c.operations[protocol.ResourceOperationKindCreate] && c.operations[protocol.ResourceOperationKindRename] && c.operations[protocol.ResourceOperationKindDelete]
	switch {
	case preview == "apply" && c.applyEdit:
		return none
	case s.set.get().Review && preview != "annotations" && preview != "diff":
		return ownReview
	case pane && (preview == "annotations" || preview != "diff" && !c.neovim()):
		return annotations
	case c.confirm:
		return question
	default:
		return actions
	}
}

// preview shows what a run has made: a proposal by the rung of the client, an answer as a document.
func (s *server) preview(ctx context.Context, w *wiki.Wiki, rec proposal.Record) {
	store, err := s.store(w)
	if err != nil {
		s.log.Error("the proposal cannot be shown", zap.String("run", rec.Run), zap.Error(err))
		return
	}
	if aboutTask(rec.Op) && len(rec.Files) > 0 { // the branch is there; its diff is to be read
		s.openDocument(ctx, store, rec, diffShown(rec))
		return
	}
	if rec.State == proposal.Done {
		s.showAnswer(ctx, store, rec)
		return
	}
	switch s.rung(w) {
	case annotations:
		s.applyQuietly(ctx, s.selection(w, store, rec, proposal.Selection{Flagged: true}, gated))
	case none:
		s.applyQuietly(ctx, s.selection(w, store, rec, proposal.Selection{}, s.plainStyle()))
	case question:
		s.ask(ctx, w, store, rec)
	case actions:
		s.tell(messageInfo, s.summary(rec)+". It waits: see the code actions of its pages")
	}
}

// applyQuietly applies without a command to answer: what goes wrong is shown, and what stands on a proposal that waits comes after that one.
func (s *server) applyQuietly(ctx context.Context, t task) {
	_, err := s.apply(ctx, t)
	var below *proposal.BelowError
	switch {
	case err == nil || ctx.Err() != nil:
	case errors.As(err, &below):
		s.holdBack(t, below)
	default:
		s.failed(t, "show the proposal", err)
	}
}

const (
	sayReview  = "Review"
	sayApply   = "Apply"
	sayDiscard = "Discard"
)

// ask is rung 3. No answer means undecided: the proposal waits.
func (s *server) ask(ctx context.Context, w *wiki.Wiki, store *proposal.Store, rec proposal.Record) {
	var items []protocol.MessageActionItem
	for _, title := range []string{sayReview, sayApply, sayDiscard} {
		items = append(items, protocol.MessageActionItem{Title: title})
	}
	got, err := s.client.ShowMessageRequest(ctx, &protocol.ShowMessageRequestParams{Type: messageInfo, Message: s.summary(rec), Actions: items})
	if err != nil || got == nil {
		return
	}
	switch got.Title {
	case sayReview:
		s.openDocument(ctx, store, rec, diffShown(rec))
	case sayApply:
		s.applyQuietly(ctx, s.selection(w, store, rec, proposal.Selection{}, s.plainStyle()))
	case sayDiscard:
		if _, err := s.proposalDiscard(ctx, discardArgs{Run: rec.Run}); err != nil {
			s.log.Warn("not discarded", zap.String("run", rec.Run), zap.Error(err))
		}
	}
}

type reviewArgs struct {
	Run string `json:"run"`
}

// proposalReview opens a proposal by the client's rung.
func (s *server) proposalReview(_ context.Context, a reviewArgs) (any, error) {
	w, store, rec, err := s.record(a.Run)
	if err != nil {
		return nil, err
	}
	s.background(func(ctx context.Context) {
		if s.rung(w) == annotations {
			s.applyQuietly(ctx, s.selection(w, store, rec, proposal.Selection{Flagged: true}, gated))
			return
		}
		s.openDocument(ctx, store, rec, diffShown(rec))
	})
	return map[string]any{"run": a.Run, "uri": diffShown(rec).uri(rec)}, nil
}

// summary says what a proposal would do, and what of it this editor cannot do itself.
func (s *server) summary(rec proposal.Record) string {
	var ours []string
	for _, f := range rec.Files {
		if !s.able(f.Kind) {
			ours = append(ours, f.Path)
		}
	}
	if len(ours) == 0 {
		return effect(rec)
	}
	what := "cannot create, rename or delete files"
	if !s.caps.applyEdit {
		what = "takes no edits"
	}
	return effect(rec) + "; this editor " + what + ": on Apply the server writes " + someOf(ours, 5)
}

// effect says what a proposal would do, with counts and every deletion named.
func effect(rec proposal.Record) string {
	n := map[string]int{}
	var deleted, flagged []string
	for _, f := range rec.Files {
		n[f.Kind]++
		if f.Kind == proposal.Delete {
			deleted = append(deleted, f.Path)
		}
		if len(f.Flags) > 0 {
			flagged = append(flagged, fmt.Sprintf("%s (%s)", f.Path, f.Flags[0].Reason))
		}
	}
	var parts []string
	for _, k := range []struct{ kind, word string }{{proposal.Create, "new"}, {proposal.Edited, "changed"}, {proposal.Rename, "renamed"}, {proposal.Delete, "deleted"}} {
		if n[k.kind] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[k.kind], k.word))
		}
	}
	out := fmt.Sprintf("%s: %s (%s)", rec.Title, plural(len(rec.Files), "page"), strings.Join(parts, ", "))
	if len(deleted) > 0 {
		out += "; deletes " + someOf(deleted, 10)
	}
	if len(flagged) > 0 {
		out += "; flagged, left for review: " + someOf(flagged, 5)
	}
	if len(rec.Refused) > 0 {
		out += fmt.Sprintf("; %d refused", len(rec.Refused))
	}
	return out
}

// counts is the sentence that a run ends with: "3 pages, 1 refused".
func counts(rec proposal.Record) string {
	what := "page"
	if aboutTask(rec.Op) {
		what = "file"
	}
	out := plural(len(rec.Files), what)
	if len(rec.Refused) > 0 {
		out += fmt.Sprintf(", %d refused", len(rec.Refused))
	}
	return out
}
