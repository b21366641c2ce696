package lsp

import (
	"context"

	"github.com/rigwiki/rig/wiki/index"
	"go.lsp.dev/protocol"
)

// references gives the links that mean the same as what is at a position: on a link its page, or its heading or block where it names one; on a
// title the page; on another heading that heading.
func (s *server) references(ctx context.Context, p *protocol.ReferenceParams) ([]protocol.Location, error) {
	at, ok := s.spotAt(ctx, string(p.TextDocument.URI))
	if !ok {
		return nil, nil
	}
	rel, anchor, ok := at.meant(p.Position)
	if !ok {
		return nil, nil
	}
	out := []protocol.Location{}
	page, text, isPage := at.pageOf(rel)
	start, end, anchored := 0, 0, false
	if isPage && anchor != nil {
		start, end, anchored = anchorSpan(page, *anchor)
	}
	if anchor != nil && !anchored {
		return out, nil
	}
	uri, _ := s.docs.spelled(pathIn(at.w, rel))
	if p.Context.IncludeDeclaration {
		if !anchored && isPage && len(page.Headings) > 0 && isTitle(page, page.Headings[0]) {
			start, end = page.Headings[0].Start, page.Headings[0].End
		}
		out = append(out, protocol.Location{URI: uri, Range: newLines(text, s.caps.encoding).span(start, end)})
	}
	err := at.eachLinkTo(ctx, rel, func(from string, text []byte, l *lines, link index.Link) {
		if anchored {
			if a, b, ok := anchorSpan(page, link); !ok || a != start || b != end {
				return
			}
		}
		uri, _ := s.docs.spelled(pathIn(at.w, from))
		out = append(out, protocol.Location{URI: uri, Range: l.span(link.Start, link.End)})
	})
	return out, err
}

// meant tells what a position is about: a page, and a link with the heading or block in it where it is about one.
func (p spot) meant(at protocol.Position) (rel string, anchor *index.Link, ok bool) {
	if link, ok := p.linkAt(at); ok {
		if link.External() {
			return "", nil, false
		}
		rel, ok = p.resolve(link)
		if ok && (link.Heading != "" || link.Block != "") {
			anchor = &link
		}
		return rel, anchor, ok
	}
	off := p.lines.offset(at)
	if h, ok := headingAt(p.page, off); ok && !isTitle(p.page, h) {
		return p.rel, &index.Link{Kind: index.Markdown, Heading: h.Anchor}, true
	}
	h, onHeading := headingAt(p.page, off)
	title, onTitle := p.page.Front.Field("title")
	return p.rel, nil, onHeading && isTitle(p.page, h) || onTitle && title.Start <= off && off <= title.End || off < 4
}

// eachLinkTo calls visit with every link that leads to a page, by page and position, the page's own links to itself included. Each page that
// links is read as it is now.
func (p spot) eachLinkTo(ctx context.Context, rel string, visit func(from string, text []byte, l *lines, link index.Link)) error {
	for _, from := range p.linking(rel) {
		if err := ctx.Err(); err != nil {
			return err
		}
		page, text, ok := p.pageOf(from)
		if !ok {
			continue
		}
		l := newLines(text, p.s.caps.encoding)
		for _, link := range page.Links {
			if link.External() {
				continue
			}
			if found := p.x.ResolveLink(from, link); len(found) > 0 && found[0].Path == rel {
				visit(from, text, l, link)
			}
		}
	}
	return nil
}

// linking gives the pages that link to a page, itself included where there is such a page.
func (p spot) linking(rel string) []string {
	var out []string
	for _, b := range p.x.Backlinks(rel) {
		if len(out) == 0 || out[len(out)-1] != b.From {
			out = append(out, b.From)
		}
	}
	if _, ok := p.x.Page(rel); ok || rel == p.rel {
		out = append(out, rel)
	}
	return out
}
