package lsp

import (
	"bytes"
	"os"
	"sync"

	"github.com/rigwiki/rig/wiki/proposal"
	"go.uber.org/zap"
)

// saves are the pages that were applied in the editor and wait to be saved, by path.
type saves struct {
	mu    sync.Mutex
	pages map[string]unsavedPage
}

type unsavedPage struct {
	task  task
	rel   string
	after []byte // as it was applied in the buffer
}

func newSaves() *saves { return &saves{pages: map[string]unsavedPage{}} }

func (s *server) watchSave(t task, r pageResult) {
	s.saves.mu.Lock()
	defer s.saves.mu.Unlock()
	s.saves.pages[pathIn(t.wiki, r.path)] = unsavedPage{t, r.path, r.text}
}

// saved tells, once, how a page that waited came to disk: formatters and final newlines are the editor's own changes.
func (s *server) saved(doc *document) {
	s.saves.mu.Lock()
	p, waits := s.saves.pages[doc.path]
	delete(s.saves.pages, doc.path)
	s.saves.mu.Unlock()
	if !waits {
		return
	}
	rec, err := p.task.store.Load(p.task.rec.Run)
	if err != nil {
		s.log.Warn("a saved page cannot be told", zap.String("page", p.rel), zap.Error(err))
		return
	}
	s.notify(noteOf(rec, p.rel+savedAs(doc.path, p.after)))
}

// savedAs says how what is on disk compares to what was applied.
func savedAs(path string, after []byte) string {
	disk, err := os.ReadFile(path)
	switch {
	case err != nil:
		return ": cannot be read after it was saved: " + err.Error()
	case after == nil, bytes.Equal(bytes.TrimPrefix(disk, bom), bytes.TrimPrefix(after, bom)):
		return " is saved"
	case bytes.Equal(reshape(disk), reshape(after)):
		return ": " + string(proposal.WordReshaped) + " on save"
	default:
		return " is saved, with later changes of yours"
	}
}
