package lsp

import (
	"bytes"
	"context"
	"os"
	"sync"
	"time"

	"github.com/rigwiki/rig/wiki/proposal"
	"go.uber.org/zap"
)

// aftermath are the pages of which more may come: applied in a buffer and not yet saved, or said to be applied and not yet seen. By path.
type aftermath struct {
	mu    sync.Mutex
	pages map[string]unsettled
}

type unsettled struct {
	task    task
	planned proposal.Planned
	at      time.Time // of the receipt
	was     proposal.Word
}

func newAftermath() *aftermath { return &aftermath{pages: map[string]unsettled{}} }

// watchPages remembers the pages of a receipt of which more may come.
func (s *server) watchPages(t task, a attempt, results []pageResult, receipt proposal.Receipt) {
	planned := map[string]proposal.Planned{}
	for _, f := range a.plan.Files {
		planned[f.Path] = f
	}
	s.after.mu.Lock()
	defer s.after.mu.Unlock()
	for _, r := range results {
		path := pathIn(t.wiki, r.path)
		delete(s.after.pages, path)
		if r.word == proposal.WordUnsaved || r.word == proposal.WordNotApplied && a.said.applied {
			s.after.pages[path] = unsettled{t, planned[r.path], receipt.At, r.word}
		}
	}
}

// event is what happened to a document.
type event int

const (
	wasChanged event = iota
	wasSaved
)

// lookAgain looks at a page of which more may come, when it was changed or saved. Without one it costs a look into a map.
func (s *server) lookAgain(doc *document, e event) {
	s.after.mu.Lock()
	p, waits := s.after.pages[doc.path]
	s.after.mu.Unlock()
	if waits && (e == wasSaved || p.was == proposal.WordNotApplied) {
		s.background(func(context.Context) { s.settlePage(doc.path, p) })
	}
}

// settlePage amends the receipt by what came of a page, and tells it.
func (s *server) settlePage(path string, p unsettled) {
	defer s.runs.occupy(p.task.rec.Run)()
	r, said := pageResult{path: p.planned.Path}, ""
	if p.was == proposal.WordUnsaved { // it was seen in the buffer, and is accepted: only how it came to disk is open
		r.word, r.text, said = savedAs(path, p.planned.After)
	} else {
		r = s.lookAt(p.task, p.planned, clientWord{applied: true})
		if r.word == proposal.WordNotApplied || r.word == proposal.WordPartly {
			return // still on its way
		}
		said = ": " + string(r.word)
	}
	s.after.mu.Lock()
	if r.word == proposal.WordUnsaved {
		p.was = r.word
		s.after.pages[path] = p
	} else {
		delete(s.after.pages, path)
	}
	s.after.mu.Unlock()
	if err := s.amend(p, r); err != nil {
		s.log.Warn("the receipt is not amended", zap.String("page", r.path), zap.Error(err))
	}
	rec, err := p.task.store.Load(p.task.rec.Run)
	if err != nil {
		s.log.Warn("a page cannot be told", zap.String("page", r.path), zap.Error(err))
		return
	}
	s.decided(p.task.wiki, rec)
	s.notify(noteOf(rec, r.path+said))
}

func (s *server) amend(p unsettled, r pageResult) error {
	release, err := s.host.LockApply(s.ctx, p.task.wiki, p.task.store)
	if err != nil {
		return err
	}
	defer release()
	f := proposal.ReceiptFile{Path: r.path, Word: r.word, Hunks: r.hunks}
	if r.text != nil {
		if f.Applied, err = p.task.store.PutText(p.task.rec.Run, r.text); err != nil {
			return err
		}
	}
	return p.task.store.Amend(p.task.rec.Run, p.at, []proposal.ReceiptFile{f})
}

// savedAs says how what is on disk compares to what was applied: formatters and final newlines are the editor's own changes.
func savedAs(path string, after []byte) (word proposal.Word, applied []byte, said string) {
	disk, err := os.ReadFile(path)
	switch {
	case err != nil:
		return proposal.WordUnsaved, nil, ": cannot be read after it was saved: " + err.Error()
	case bytes.Equal(disk, after):
		return proposal.WordApplied, disk, " is saved"
	case bytes.Equal(reshape(disk), reshape(after)):
		return proposal.WordReshaped, disk, ": " + string(proposal.WordReshaped) + " on save"
	default:
		// Their text is not what was applied: an undo would take it back too.
		return proposal.WordApplied, after, " is saved, with later changes of yours"
	}
}
