package lsp

import (
	"slices"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/index"
)

// noticed tells whether findings in other pages may be different after a page's text became another: they rest on its names, headings, blocks and links.
func noticed(was, now index.Page) bool {
	return was.Title != now.Title || !slices.Equal(was.Aliases, now.Aliases) ||
		!slices.EqualFunc(was.Headings, now.Headings, func(a, b index.Heading) bool { return a.Level == b.Level && a.Text == b.Text }) ||
		!slices.EqualFunc(was.Blocks, now.Blocks, func(a, b index.Block) bool { return a.ID == b.ID }) ||
		!slices.EqualFunc(was.Links, now.Links, func(a, b index.Link) bool { return a.Target == b.Target && a.Kind == b.Kind })
}

// othersLater has the open pages of a wiki checked again, but for the one whose text is new. Their number is that of the pages which somebody looks at.
func (s *server) othersLater(w *wiki.Wiki, path string) {
	s.pages.mu.Lock()
	for _, doc := range s.docs.all() {
		if _, inside := relIn(w, doc.path); inside && doc.path != path && isPage(doc.path) {
			s.pages.due[doc.path] = true
		}
	}
	s.pages.mu.Unlock()
	s.pages.poke()
}
