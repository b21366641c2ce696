package lsp

import (
	"context"

	"github.com/rigwiki/rig/wiki/index"
	"go.lsp.dev/protocol"
)

// checkLinks looks for broken links in an open page and publishes them where they changed.
func (s *server) checkLinks(ctx context.Context, path string) {
	doc, open := s.docs.get(path)
	if !open {
		return
	}
	w, rel, ok := s.folders.wikiOf(path)
	if !ok || !s.config(w).Feature("diagnostics") || (place{w: w, rel: rel}).isSource() { // sources are other people's text
		return
	}
	x, err := s.index(ctx, w)
	if err != nil {
		return // told where it was opened
	}
	l := newLines(doc.text, s.caps.encoding)
	list := []protocol.Diagnostic{}
	for _, link := range index.Links(doc.text) {
		if broken(x, rel, link) {
			list = append(list, finding(l.span(link.Start, link.End), "broken-link", "there is no page "+link.Target, severityWarning))
		}
	}
	if now, still := s.docs.get(path); !still || now.version != doc.version {
		return // the page moved on; it is due again
	}
	if s.board.put(path, "links", list) {
		s.publish(path)
	}
}

// broken tells whether a link leads nowhere in the wiki. Addresses, links within the page and the slugs in front matter are not judged.
func broken(x *index.Index, from string, link index.Link) bool {
	return link.Kind != index.Property && link.Target != "" && !link.External() && len(x.ResolveLink(from, link)) == 0
}
