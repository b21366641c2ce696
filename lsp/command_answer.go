package lsp

import (
	"context"
	"path/filepath"

	"github.com/rigwiki/rig/wiki/proposal"
)

// answerFile proposes an answer as a page of the wiki, with its lines in index and log. What is proposed is shown as a run's changes are.
func (s *server) answerFile(ctx context.Context, a runArgs) (any, error) {
	w, store, err := s.find(a.Run)
	if err != nil {
		return nil, argumentError(err)
	}
	if _, err := store.Load(a.Run); err != nil {
		return nil, argumentError(err)
	}
	rec, err := s.host.FileAnswer(ctx, w, a.Run, "editor")
	if err != nil {
		return nil, err
	}
	s.shelve(w, rec)
	s.background(func(ctx context.Context) { s.showEnd(ctx, w, rec) })
	return map[string]any{"run": rec.Run, "answer": a.Run, "state": rec.State}, nil
}

// answerOf tells whether a URI is the answer of a run as a document, virtual or a file in the run's folder, and of which run.
func (s *server) answerOf(raw string) (run string, ok bool) {
	if d, ok := parseVirtual(raw); ok {
		return d.run, d.side == "answer"
	}
	path, ok := filePath(raw)
	if !ok || filepath.Base(path) != answerShown().name {
		return "", false
	}
	return s.runFolder(filepath.Dir(path))
}

// answerOffers are the code actions in an answer.
func (s *server) answerOffers(run string) []offer {
	_, store, err := s.find(run)
	if err != nil {
		return nil
	}
	rec, err := store.Load(run)
	if err != nil || rec.State != proposal.Done || rec.Question == "" || len(rec.Citations) == 0 {
		return nil
	}
	return []offer{{item{"File the answer as a page", "rigwiki.answer.file", runArgs{run}, false, nil}, kindRoot + "file"}}
}
