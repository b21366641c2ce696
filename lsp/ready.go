package lsp

import (
	"context"
	"slices"
	"sync"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/proposal"
	"go.lsp.dev/protocol"
	"go.uber.org/zap"
)

// readyEdits are edits that a code action carries, for clients that a server cannot send edits to (rung 4). They are of open pages only, whose
// versions say whether they still hold; the rest of the proposal is written by the command behind the edit, which also reads back what the
// client did. They are made in the background: offering costs nothing.
type readyEdits struct {
	mu    sync.Mutex
	edits map[string]*readyEdit // by run
}

type readyEdit struct {
	making   bool
	edit     *protocol.WorkspaceEdit // nil: no open page is concerned
	plan     proposal.Plan           // that it was made of
	versions map[string]int32        // of the documents, by path
}

func newReadyEdits() *readyEdits { return &readyEdits{edits: map[string]*readyEdit{}} }

// readyEdit gives the edit of a proposal for a code action; nil where the client takes edits from us, or where it is still being made.
func (s *server) readyEdit(w *wiki.Wiki, run string) *protocol.WorkspaceEdit {
	if s.caps.applyEdit || !s.caps.literals {
		return nil
	}
	s.ready.mu.Lock()
	r := s.ready.edits[run]
	if r == nil {
		r = &readyEdit{}
		s.ready.edits[run] = r
	}
	fresh := r.versions != nil && s.sameVersions(r.versions)
	make := !fresh && !r.making
	r.making = r.making || make
	edit := r.edit
	s.ready.mu.Unlock()
	if make {
		s.background(func(context.Context) { s.makeReady(w, run) })
	}
	if !fresh {
		return nil
	}
	return edit
}

// sameVersions tells whether all documents that are open have the versions that an edit was made for.
func (s *server) sameVersions(versions map[string]int32) bool {
	docs := s.docs.all()
	for _, doc := range docs {
		if v, ok := versions[doc.path]; !ok || v != doc.version {
			return false
		}
	}
	return len(docs) == len(versions)
}

func (s *server) makeReady(w *wiki.Wiki, run string) {
	versions := map[string]int32{}
	for _, doc := range s.docs.all() {
		versions[doc.path] = doc.version
	}
	edit, plan, err := s.openPagesEdit(w, run)
	if err != nil {
		s.log.Debug("no edit for the code action", zap.String("run", run), zap.Error(err))
	}
	s.ready.mu.Lock()
	defer s.ready.mu.Unlock()
	s.ready.edits[run] = &readyEdit{edit: edit, plan: plan, versions: versions}
}

// openPagesEdit is the part of a proposal that is about open pages' texts, nil where there is none.
func (s *server) openPagesEdit(w *wiki.Wiki, run string) (*protocol.WorkspaceEdit, proposal.Plan, error) {
	store, err := s.store(w)
	if err != nil {
		return nil, proposal.Plan{}, err
	}
	plan, err := store.Plan(run, proposal.Selection{}, s.current(w))
	if err != nil {
		return nil, plan, err
	}
	var files []proposal.Planned
	for _, f := range plan.Files {
		if _, open := s.docs.get(pathIn(w, f.Path)); open && f.Kind == proposal.Edited {
			files = append(files, f)
		}
	}
	plan.Files, plan.Settled, plan.Conflicts, plan.Unflagged, plan.Folders = files, nil, nil, nil, nil
	if len(files) == 0 {
		return nil, plan, nil
	}
	p, err := s.editOf(w, run, files, s.plainStyle())
	if err != nil {
		return nil, plan, err
	}
	return &p.Edit, plan, nil
}

// bookReady books what a client did of the edit in a code action, before the command behind it goes on with the rest: the receipt holds the texts
// from before, so that an undo brings them back. It tells whether there was anything.
func (s *server) bookReady(ctx context.Context, t task) bool {
	s.ready.mu.Lock()
	r := s.ready.edits[t.rec.Run]
	delete(s.ready.edits, t.rec.Run)
	s.ready.mu.Unlock()
	if r == nil || r.edit == nil || t.undo {
		return false
	}
	results, _ := s.look(t, attempt{plan: r.plan})
	done := map[string]bool{}
	for _, p := range results {
		done[p.path] = p.word != proposal.WordNotApplied
	}
	plan := r.plan
	plan.Files = slices.DeleteFunc(slices.Clone(plan.Files), func(f proposal.Planned) bool { return !done[f.Path] })
	results = slices.DeleteFunc(results, func(p pageResult) bool { return !done[p.path] })
	if len(plan.Files) == 0 {
		return false
	}
	defer s.runs.occupy(t.rec.Run)()
	s.book(ctx, t, attempt{plan, clientWord{applied: true}}, results)
	s.report(t, clientWord{applied: true}, results)
	return true
}
