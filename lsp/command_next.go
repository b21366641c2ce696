package lsp

import (
	"context"
	"slices"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/proposal"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
	"go.uber.org/zap"
)

type nextArgs struct {
	Run  string `json:"run"`
	Path string `json:"path"`
	Hunk string `json:"hunk"` // "" for the page as a whole
}

// nextPlace is where the next thing that waits would change a page as it is now.
type nextPlace struct {
	Run  string `json:"run"`
	URI  string `json:"uri"`
	Path string `json:"path"`
	Hunk string `json:"hunk,omitempty"`
	Line int    `json:"line"` // from 0
}

// proposalNext shows the next thing that waits behind a hunk or page: in that page, in the next one, and from the last on to the first. A page that does not
// exist yet has no place to show.
func (s *server) proposalNext(_ context.Context, a nextArgs) (any, error) {
	w, _, rec, err := s.record(a.Run)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(rec.Files, func(f proposal.File) bool { return f.Path == a.Path || f.From == a.Path })
	if at < 0 {
		return nil, invalid("%s is not in the proposal of run %s", a.Path, a.Run)
	}
	next, ok := s.nextWaiting(w, rec, at, a.Hunk)
	if !ok {
		s.tell(messageInfo, rec.Title+": nothing else waits at a page")
		return nil, nil
	}
	s.background(func(ctx context.Context) { s.showPlace(ctx, next) })
	return next, nil
}

// nextWaiting looks behind a part of the file at a place of the record, round to that part.
func (s *server) nextWaiting(w *wiki.Wiki, rec proposal.Record, at int, part string) (nextPlace, bool) {
	n := len(rec.Files)
	for step := range n + 1 {
		f := rec.Files[(at+step)%n]
		if f.Kind == proposal.Create {
			continue
		}
		parts := f.Parts()
		place := slices.Index(parts, part)
		switch {
		case step == 0:
			parts = parts[place+1:] // none found: a page without hunks, whose one part has no name
		case step == n:
			parts = parts[:max(place, 0)]
		}
		waiting := f.Waiting()
		for _, id := range parts {
			if !slices.Contains(waiting, id) || step == 0 && id == part {
				continue
			}
			if p, ok := s.placeOf(w, rec.Run, f, id); ok {
				return p, true
			}
		}
	}
	return nextPlace{}, false
}

// placeOf is where a part of a file stands in its page; ok is false where there is no such page.
func (s *server) placeOf(w *wiki.Wiki, run string, f proposal.File, part string) (nextPlace, bool) {
	for _, rel := range []string{f.From, f.Path} {
		if rel == "" {
			continue
		}
		text, there, err := s.docs.textOf(pathIn(w, rel))
		if err != nil || !there {
			continue
		}
		spelled, _ := s.docs.spelled(pathIn(w, rel))
		p := nextPlace{Run: run, URI: string(spelled), Path: rel, Hunk: part}
		if part != "" {
			r, _ := s.regionOf(w, run, rel, part, text)
			p.Line = r.start
		}
		return p, true
	}
	return nextPlace{}, false
}

// showPlace puts the user's cursor there.
func (s *server) showPlace(ctx context.Context, p nextPlace) {
	sel := onLine(p.Line)
	_, err := s.client.ShowDocument(ctx, &protocol.ShowDocumentParams{URI: uri.URI(p.URI), TakeFocus: ptr(true), Selection: &sel})
	if err != nil && ctx.Err() == nil {
		s.log.Debug("the next change is not shown", zap.Error(err))
	}
}
