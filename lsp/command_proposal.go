package lsp

import (
	"context"
	"errors"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/proposal"
)

type proposalsArgs struct {
	URI string `json:"uri"`
}

// runLine is a run as lists show it.
type runLine struct {
	Run     string         `json:"run"`
	Op      string         `json:"op"`
	Agent   string         `json:"agent"`
	State   proposal.State `json:"state"`
	Title   string         `json:"title"`
	Started string         `json:"started"`
	Files   int            `json:"files"`
	Refused int            `json:"refused"`
}

// proposals lists what waits, newest first.
func (s *server) proposals(_ context.Context, a proposalsArgs) (any, error) {
	all, err := s.wikisOf(a.URI)
	if err != nil {
		return nil, err
	}
	lines := []runLine{}
	for _, w := range all {
		more, err := s.waiting(w)
		if err != nil {
			return nil, err
		}
		lines = append(lines, more...)
	}
	return map[string]any{"runs": lines}, nil
}

// waiting lists the proposals of a wiki that wait, read from the store now.
func (s *server) waiting(w *wiki.Wiki) ([]runLine, error) {
	recs, _, _, err := s.readShelf(w)
	if err != nil {
		return nil, err
	}
	lines := []runLine{}
	for _, r := range recs {
		if r.Waits() {
			lines = append(lines, runLine{r.Run, r.Op, r.Agent, r.State, r.Title, r.Started.Format("2006-01-02T15:04:05Z07:00"), len(r.Files), len(r.Refused)})
		}
	}
	return lines, nil
}

type runArgs struct {
	Run string `json:"run"`
}

// shownProposal is a proposal as an editor needs it: each file with the URI of its page as it is now, that of the page to be for a new one.
type shownProposal struct {
	proposal.Shown
	Op    string      `json:"op"`
	Title string      `json:"title"`
	Files []shownPage `json:"files"`
}

type shownPage struct {
	proposal.ShownFile
	URI string `json:"uri"` // in the client's spelling
}

// proposalShow answers files, hunks and refusals of a proposal.
func (s *server) proposalShow(_ context.Context, a runArgs) (any, error) {
	w, store, rec, err := s.record(a.Run)
	if err != nil {
		return nil, argumentError(err)
	}
	shown, err := store.Show(a.Run)
	if err != nil {
		return nil, err
	}
	out := shownProposal{Shown: shown, Op: rec.Op, Title: rec.Title, Files: make([]shownPage, 0, len(shown.Files))}
	for _, f := range shown.Files {
		at := pathIn(w, f.Path)
		if f.From != "" && !exists(at) {
			at = pathIn(w, f.From)
		}
		spelled, _ := s.docs.spelled(at)
		out.Files = append(out.Files, shownPage{f, string(spelled)})
	}
	return out, nil
}

type applyArgs struct {
	Run   string   `json:"run"`
	Paths []string `json:"paths"`
	Hunks []string `json:"hunks"`
	// Resolve says by path what is taken of a page in conflict: "agent" or "both". Keeping one's own is a discard.
	Resolve map[string]proposal.Choice `json:"resolve"`
	// Text is the run's diff as the user edited it: what it makes of a page is what is accepted of it. URI names an open diff document instead.
	Text string `json:"text"`
	URI  string `json:"uri"`
}

// named is what a client names of a proposal. A list that is there and empty names nothing, which is not all: a user who unticked everything accepted
// nothing.
func named(paths, hunks []string) (proposal.Selection, error) {
	if (paths != nil || hunks != nil) && len(paths)+len(hunks) == 0 {
		return proposal.Selection{}, invalid("paths and hunks name nothing: leave both out for all")
	}
	return proposal.Selection{Paths: paths, Hunks: hunks}, nil
}

// proposalApply applies what is named, or all that is not flagged. The command is the user's yes: the editor is not asked to ask again.
func (s *server) proposalApply(ctx context.Context, a applyArgs) (any, error) {
	w, store, rec, err := s.record(a.Run)
	if err != nil {
		return nil, err
	}
	sel, err := named(a.Paths, a.Hunks)
	if err != nil {
		return nil, err
	}
	sel.Resolve = a.Resolve
	t := s.selection(w, store, rec, sel, s.plainStyle())
	if a.Text != "" || a.URI != "" {
		text, err := s.editedText(a)
		if err != nil {
			return nil, err
		}
		t.plan = func(cur proposal.Current) (proposal.Plan, error) {
			return store.PlanEdited(a.Run, text, proposal.Selection{Paths: a.Paths, Resolve: a.Resolve}, cur)
		}
	}
	answer, err := s.apply(ctx, t)
	return answer, argumentError(err)
}

type discardArgs struct {
	Run    string   `json:"run"`
	Paths  []string `json:"paths"`
	Hunks  []string `json:"hunks"`
	Reason string   `json:"reason"`
}

// proposalDiscard drops what is named, or all that waits.
func (s *server) proposalDiscard(_ context.Context, a discardArgs) (any, error) {
	w, store, err := s.find(a.Run)
	if err != nil {
		return nil, err
	}
	sel, err := named(a.Paths, a.Hunks)
	if err != nil {
		return nil, err
	}
	defer s.runs.occupy(a.Run)()
	was, err := store.Load(a.Run)
	if err != nil {
		return nil, err
	}
	if err := store.Discard(a.Run, sel, a.Reason, "editor"); err != nil {
		return nil, argumentError(err)
	}
	rec, err := store.Load(a.Run)
	if err != nil {
		return nil, err
	}
	s.decided(w, rec)
	s.notify(noteOf(rec, "discarded"))
	return map[string]any{"run": a.Run, "state": rec.State, "files": dropped(was, rec)}, nil
}

// dropped names the pages about which more is decided than before.
func dropped(was, is proposal.Record) []fileWord {
	before := map[string]int{}
	for _, f := range was.Files {
		before[f.Path] = len(f.Decided)
	}
	files := []fileWord{}
	for _, f := range is.Files {
		if len(f.Decided) > before[f.Path] {
			files = append(files, fileWord{Path: f.Path, Word: "discarded"})
		}
	}
	return files
}

type reviseArgs struct {
	Run   string   `json:"run"`
	Text  string   `json:"text"`
	Hunks []string `json:"hunks"`
	Agent string   `json:"agent"`
}

// proposalRevise runs the agent again from a proposal, with a comment.
func (s *server) proposalRevise(_ context.Context, a reviseArgs) (any, error) {
	w, store, err := s.find(a.Run)
	if err != nil {
		return nil, err
	}
	if a.Text == "" {
		return nil, invalid("rigwiki.proposal.revise needs text: what should be different")
	}
	rec, err := store.Load(a.Run)
	if err != nil {
		return nil, err
	}
	agent := a.Agent
	if agent == "" {
		agent = rec.Agent
	}
	note, err := about(store, a)
	if err != nil {
		return nil, err
	}
	run, err := s.start(wiki.Job{Wiki: w, Op: rec.Op, Sources: rec.Sources, Agent: agent, Model: rec.Model, Note: note, Revises: a.Run, Again: true},
		"revise "+rec.Title)
	if err != nil {
		return nil, err
	}
	return map[string]any{"run": run, "revises": a.Run}, nil
}

// runUndo takes back what was applied of a run and keeps what was changed since. What is just being applied is applied first: it is in the pages
// before it is in the books.
func (s *server) runUndo(ctx context.Context, a runArgs) (any, error) {
	s.runs.quiet(ctx, a.Run, s.bounds.settle)
	w, store, rec, err := s.record(a.Run)
	if err != nil {
		return nil, err
	}
	if rec.Tip != "" {
		if rec, err = s.host.UndoTask(ctx, w, a.Run); err != nil {
			return nil, argumentError(err)
		}
		s.decided(w, rec)
		s.notify(noteOf(rec, rec.Branch+" is where it was before"))
		return map[string]any{"run": a.Run, "branch": rec.Branch}, nil
	}
	t := task{wiki: w, store: store, rec: rec, how: s.plainStyle(), undo: true}
	t.rec.Title = "undo " + rec.Title
	t.plan = func(cur proposal.Current) (proposal.Plan, error) { return store.PlanUndo(a.Run, cur) }
	answer, err := s.apply(ctx, t)
	return answer, argumentError(err)
}

// argumentError gives an error about what the user named the code for that.
func argumentError(err error) error {
	var edited *proposal.DiffError
	if errors.Is(err, proposal.ErrUnknown) || errors.Is(err, proposal.ErrNoRun) || errors.As(err, &edited) {
		return invalid("%v", err)
	}
	return err
}

// plainStyle is how an edit is dressed that the user has said yes to.
func (s *server) plainStyle() style {
	if s.caps.annotations && s.caps.documentChanges && !s.caps.neovim() {
		return annotated
	}
	return bare
}

// about is the reviewer's comment with the hunks that it is about.
func about(store *proposal.Store, a reviseArgs) (string, error) {
	if len(a.Hunks) == 0 {
		return a.Text, nil
	}
	shown, err := store.Show(a.Run)
	if err != nil {
		return "", err
	}
	hunks := map[string]string{}
	for _, f := range shown.Files {
		for _, h := range f.Hunks {
			hunks[h.ID] = f.Path + "\n" + h.Header + "\n" + h.Text
		}
	}
	note := a.Text + "\n\nThis is about:\n"
	for _, id := range a.Hunks {
		if hunks[id] == "" {
			return "", invalid("%s has no hunk %s", a.Run, id)
		}
		note += "\n" + hunks[id]
	}
	return note, nil
}
