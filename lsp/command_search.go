package lsp

import (
	"context"
)

type searchArgs struct {
	Terms string `json:"terms"`
	URI   string `json:"uri"`
	Limit int    `json:"limit"`
}

// hit is one page that a search found, as `rig wiki search --json` gives it.
type hit struct {
	Path    string  `json:"path"`
	Title   string  `json:"title"`
	Heading string  `json:"heading"`
	Snippet string  `json:"snippet"`
	Score   float64 `json:"score"`
}

// search finds pages by their text. Any text is a query.
func (s *server) search(ctx context.Context, a searchArgs) (any, error) {
	w, err := s.wikiFor(a.URI)
	if err != nil {
		return nil, err
	}
	x, err := s.index(ctx, w)
	if err != nil {
		return nil, err
	}
	if err := x.FullText(ctx); err != nil { // a first build takes its time, and shows its progress
		return nil, err
	}
	if a.Limit <= 0 {
		a.Limit = 10
	}
	hits := []hit{}
	for _, h := range x.Search(a.Terms, a.Limit) {
		hits = append(hits, hit{h.Path, h.Title, h.Heading, h.Snippet, h.Score})
	}
	return map[string]any{"hits": hits}, nil
}
