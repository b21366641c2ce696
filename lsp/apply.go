package lsp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/proposal"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.uber.org/zap"
)

// maxTries bounds how often an edit is planned anew because the user typed between our request and the client's look at it.
const maxTries = 3

// task is one plan on its way into the pages.
type task struct {
	wiki  *wiki.Wiki
	store *proposal.Store
	rec   proposal.Record
	how   style
	plan  func(proposal.Current) (proposal.Plan, error) // on the texts as they are
	undo  bool
	done  func() // gives the turn back; set by apply
}

// applyAnswer is what proposal.apply and run.undo answer: the client's word a page. What really came of it follows in rigwiki/run.
type applyAnswer struct {
	Run       string         `json:"run"`
	Applied   bool           `json:"applied"`
	Reason    string         `json:"reason,omitempty"`
	Files     []fileWord     `json:"files"`
	Conflicts []conflictNote `json:"conflicts"`
	Flagged   []string       `json:"flagged"` // left out: they need to be named
}

type fileWord struct {
	Path string `json:"path"`
	Word string `json:"word"`
}

type conflictNote struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
	Line   int    `json:"line"`
}

// current gives the pages of a wiki as the user sees them: the editor's buffers over the disk.
func (s *server) current(w *wiki.Wiki) proposal.Current {
	return func(rel string) ([]byte, bool, error) { return s.docs.textOf(pathIn(w, rel)) }
}

// selection is the task of applying a part of a proposal.
func (s *server) selection(w *wiki.Wiki, store *proposal.Store, rec proposal.Record, sel proposal.Selection, how style) task {
	return task{wiki: w, store: store, rec: rec, how: how,
		plan: func(cur proposal.Current) (proposal.Plan, error) { return store.Plan(rec.Run, sel, cur) }}
}

// apply asks the client to carry out a task and answers with its word. It waits for bounds.answer at most: a preview may stay open for hours, and
// is read back whenever it ends.
func (s *server) apply(ctx context.Context, t task) (applyAnswer, error) {
	answer := applyAnswer{Run: t.rec.Run, Files: []fileWord{}, Conflicts: []conflictNote{}, Flagged: []string{}}
	until, stop := context.WithTimeout(ctx, s.bounds.answer)
	defer stop()
	done, err := s.turn(until, t)
	if err != nil {
		answer.Reason = "the editor has not answered an earlier edit of this wiki"
		return answer, ctx.Err()
	}
	t.done = done
	started := false
	defer func() {
		if !started {
			done()
		}
	}()
	booked := s.bookReady(ctx, t)
	plan, err := t.plan(s.current(t.wiki))
	if booked && errors.Is(err, proposal.ErrNothing) {
		answer.Applied = true
		return answer, nil
	}
	if err != nil {
		return answer, err
	}
	answer.Flagged = append(answer.Flagged, plan.Unflagged...)
	client, host, kept := s.split(t.wiki, plan)
	for _, c := range append(plan.Conflicts, kept...) {
		answer.Conflicts = append(answer.Conflicts, conflictNote{c.Path, c.Reason, c.Line})
	}
	s.showConflicts(t.wiki, t.rec, append(plan.Conflicts, kept...))
	if len(client.Files)+len(host.Files)+len(plan.Settled) == 0 {
		answer.Reason = nothingLeft(answer)
		return answer, nil
	}
	word := make(chan clientWord, 1)
	started = true
	s.background(func(ctx context.Context) { s.carryOut(ctx, t, client, host, word) })
	select {
	case got := <-word:
		answer.Applied, answer.Reason = got.applied, got.reason
	case <-until.Done():
		if ctx.Err() != nil {
			return answer, ctx.Err()
		}
		answer.Reason = "the editor has not answered yet; what it does will be told"
	}
	answer.tell(client, host)
	return answer, nil
}

// tell says of each page what became of it, as far as it is known.
func (a *applyAnswer) tell(client, host proposal.Plan) {
	said := "refused by the editor"
	switch {
	case a.Applied:
		said = "accepted by the editor"
	case a.Reason != "" && len(client.Files) > 0:
		said = a.Reason
	}
	for _, f := range client.Files {
		a.Files = append(a.Files, fileWord{f.Path, said})
	}
	for _, f := range host.Files {
		a.Files = append(a.Files, fileWord{f.Path, "written by the server"})
	}
}

// turn waits until no other plan for this wiki is on its way into the pages, in this session or another one: two clicks on Apply would both be planned on
// the same text, and an editor carries out both where pages are closed. An editor that does not answer loses its turn after bounds.answer. A preview
// takes none: it may stay open for hours, and the editor that shows one looks itself whether pages changed meanwhile.
func (s *server) turn(ctx context.Context, t task) (done func(), err error) {
	if t.how == gated {
		return func() {}, nil
	}
	release, err := t.store.Turn(ctx)
	if err != nil {
		return nil, err
	}
	release = sync.OnceFunc(release)
	late := time.AfterFunc(s.bounds.answer, release)
	return func() { late.Stop(); release() }, nil
}

func nothingLeft(a applyAnswer) string {
	switch {
	case len(a.Conflicts) > 0:
		return "conflict: " + a.Conflicts[0].Path + ": " + a.Conflicts[0].Reason
	case len(a.Flagged) > 0:
		return "flagged, needs to be named: " + someOf(a.Flagged, 5)
	}
	return "nothing of it waits"
}

// split says what the client is asked to do and what the host does since the client cannot: file operations that it did not announce, and all
// of it where it takes no edits. A page with unsaved text is never written or removed from here: it is kept as it is.
func (s *server) split(w *wiki.Wiki, plan proposal.Plan) (client, host proposal.Plan, kept []proposal.Conflict) {
	client, host = plan, plan
	client.Files, host.Files = nil, nil
	for _, f := range plan.Files {
		unsaved := s.hasUnsaved(w, f.Path) || f.From != "" && s.hasUnsaved(w, f.From)
		able := s.able(f.Kind)
		switch {
		case unsaved && (!able || f.Kind == proposal.Delete):
			kept = append(kept, proposal.Conflict{Path: f.Path, Reason: "it has unsaved text; save it first"})
		case able:
			client.Files = append(client.Files, f)
		default:
			host.Files = append(host.Files, f)
		}
	}
	if len(client.Files) > 0 || len(host.Files) == 0 {
		host.Settled = nil
	} else {
		client.Settled = nil
	}
	return client, host, kept
}

// able tells whether the client can carry out a kind of change.
func (s *server) able(kind string) bool {
	needs := map[string]protocol.ResourceOperationKind{
		proposal.Create: protocol.ResourceOperationKindCreate,
		proposal.Rename: protocol.ResourceOperationKindRename,
		proposal.Delete: protocol.ResourceOperationKindDelete,
	}
	op, isOp := needs[kind]
	return s.caps.applyEdit && (!isOp || s.caps.documentChanges && s.caps.operations[op])
}

func (s *server) hasUnsaved(w *wiki.Wiki, rel string) bool {
	doc, open := s.docs.get(pathIn(w, rel))
	return open && s.docs.unsaved(doc)
}

// clientWord is what the client said to an applyEdit. It is not believed either way.
type clientWord struct {
	applied bool
	reason  string
	gone    bool // it will not say anything any more
}

// attempt is a plan and what the client said to it.
type attempt struct {
	plan proposal.Plan
	said clientWord
}

// carryOut sends the client its part, reads back what became of it, has the host do the rest, and keeps the books.
func (s *server) carryOut(ctx context.Context, t task, client, host proposal.Plan, word chan<- clientWord) {
	defer t.done()
	defer s.runs.occupy(t.rec.Run)()
	var results []pageResult
	said := clientWord{applied: true}
	for try := 1; len(client.Files) > 0; try++ {
		said = s.send(ctx, t, client)
		if said.gone {
			s.bookLast(t, client)
			return
		}
		// A pane that the user closed says "not applied" as well: it is not opened again.
		if said.applied || try == maxTries || t.how == gated || !s.movedOn(t.wiki, client) {
			break
		}
		if seen, _ := s.look(t, attempt{plan: client}); anyApplied(seen) {
			break
		}
		fresh, err := t.plan(s.current(t.wiki))
		if err != nil {
			break
		}
		made := client.Folders // the refused edit may have made them, so that the fresh plan finds them there
		client, host, _ = s.split(t.wiki, fresh)
		client.Folders = union(made, client.Folders)
	}
	word <- said
	if len(client.Files)+len(client.Settled) > 0 {
		results = s.readBack(ctx, t, attempt{client, said})
		s.book(ctx, t, attempt{client, said}, results)
	}
	if len(host.Files)+len(host.Settled) > 0 && (len(client.Files) == 0 || anyApplied(results)) {
		results = append(results, s.write(ctx, t, host)...)
	}
	s.report(t, said, results)
}

// send asks the client to apply a plan.
func (s *server) send(ctx context.Context, t task, plan proposal.Plan) clientWord {
	params, err := s.editOf(t.wiki, t.rec.Title, plan.Files, t.how)
	if err != nil {
		return clientWord{reason: err.Error()}
	}
	result, err := s.client.ApplyEdit(ctx, params)
	switch {
	case ctx.Err() != nil, connectionLost(err):
		return clientWord{gone: true}
	case err != nil:
		return clientWord{reason: "the editor answered: " + err.Error()}
	case result == nil:
		return clientWord{reason: "the editor gave no answer"}
	case result.FailureReason != nil && *result.FailureReason != "":
		return clientWord{applied: result.Applied, reason: "the editor says: " + *result.FailureReason}
	}
	return clientWord{applied: result.Applied}
}

// connectionLost tells the end of the connection from an error that the client answered.
func connectionLost(err error) bool {
	for _, end := range []error{jsonrpc2.ErrClientClosing, io.EOF, io.ErrUnexpectedEOF, io.ErrClosedPipe, net.ErrClosed, os.ErrClosed} {
		if errors.Is(err, end) {
			return true
		}
	}
	return false
}

// bookLast keeps the books where the client went without an answer: what it did is on disk, what was in its buffers is gone with it.
func (s *server) bookLast(t task, plan proposal.Plan) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), s.bounds.last)
	defer cancel()
	s.docs.clear()
	a := attempt{plan: plan}
	if results, _ := s.look(t, a); anyApplied(results) {
		s.book(ctx, t, a, results)
	}
}

// movedOn tells whether a page of the plan has another text than the plan saw: then an edit that was refused as outdated is worth planning anew.
func (s *server) movedOn(w *wiki.Wiki, plan proposal.Plan) bool {
	for _, f := range plan.Files {
		at := f.Path
		if f.Kind == proposal.Rename {
			at = f.From
		}
		text, ok, err := s.docs.textOf(pathIn(w, at))
		if err == nil && (ok != f.Exists || ok && string(text) != string(f.Before)) {
			return true
		}
	}
	return false
}

// book records what was read back. Pages that settled before count as well.
func (s *server) book(ctx context.Context, t task, a attempt, results []pageResult) {
	release, err := s.host.LockApply(ctx, t.wiki, t.store)
	if err != nil {
		s.failed(t, "keep the receipt", err)
		return
	}
	defer release()
	var files []proposal.ReceiptFile
	for _, r := range results {
		f := proposal.ReceiptFile{Path: r.path, Word: r.word, Hunks: r.hunks, Reason: r.reason}
		if r.text != nil {
			if f.Applied, err = t.store.PutText(t.rec.Run, r.text); err != nil {
				s.failed(t, "keep the receipt", err)
				return
			}
		}
		files = append(files, f)
	}
	receipt, err := t.store.Note(t.rec.Run, a.plan, "editor", files)
	if err != nil {
		s.failed(t, "keep the receipt", err)
		return
	}
	s.watchPages(t, a, results, receipt)
	if !a.said.applied {
		if err := t.store.RemoveEmpty(a.plan); err != nil {
			s.log.Warn("folders that a refused edit made are left", zap.String("run", t.rec.Run), zap.Error(err))
		}
	}
}

// union merges sorted lists of folders, outer ones first.
func union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// write has the host write what the client cannot.
func (s *server) write(ctx context.Context, t task, plan proposal.Plan) []pageResult {
	release, err := s.host.LockApply(ctx, t.wiki, t.store)
	if err != nil {
		s.failed(t, "write the pages", err)
		return nil
	}
	defer release()
	receipt, err := t.store.Apply(plan, "editor")
	if err != nil {
		var moved *proposal.MovedError
		if errors.As(err, &moved) {
			s.tell(messageWarning, "conflict: "+err.Error())
		} else {
			s.failed(t, "write the pages", err)
		}
	}
	var out []pageResult
	for _, f := range receipt.Files {
		out = append(out, pageResult{path: f.Path, word: f.Word, reason: f.Reason})
	}
	return out
}

func (s *server) failed(t task, what string, err error) {
	s.log.Error(what, zap.String("run", t.rec.Run), zap.Error(err))
	s.tell(messageError, fmt.Sprintf("%s: could not %s: %v", t.rec.Title, what, err))
}

// exists tells whether there is something at a path on disk.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
