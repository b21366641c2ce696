package lsp

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/rigwiki/rig/wiki/index"
	"go.lsp.dev/protocol"
)

// definition leads from a link to its page, heading or block; from front matter too. An ambiguous name leads where the link leads.
func (s *server) definition(ctx context.Context, p *protocol.DefinitionParams) (protocol.DefinitionResult, error) {
	at, ok := s.spotAt(ctx, string(p.TextDocument.URI))
	if !ok {
		return nil, nil
	}
	link, ok := at.linkAt(p.Position)
	if !ok || link.External() {
		return nil, nil
	}
	to, ok := at.locate(link)
	if !ok {
		return nil, nil
	}
	if !s.caps.definitionLink {
		return protocol.LocationSlice{to}, nil
	}
	origin := at.lines.span(link.Start, link.End)
	return protocol.DefinitionLinkSlice{{OriginSelectionRange: &origin, TargetURI: to.URI, TargetRange: to.Range, TargetSelectionRange: to.Range}}, nil
}

// locate gives where a link leads. A heading or block that is not there is the page's start.
func (p spot) locate(link index.Link) (protocol.Location, bool) {
	rel, ok := p.resolve(link)
	if !ok {
		return p.locateMade(link)
	}
	uri, _ := p.s.docs.spelled(pathIn(p.w, rel))
	to := protocol.Location{URI: uri}
	if link.Heading == "" && link.Block == "" {
		return to, true
	}
	page, text, ok := p.pageOf(rel)
	if !ok {
		return to, true // a file that is no page
	}
	if start, end, ok := anchorSpan(page, link); ok {
		to.Range = newLines(text, p.s.caps.encoding).span(start, end)
	}
	return to, true
}

// locateMade gives where a link of a virtual document leads among the pages that its run would create: to their proposed side.
func (p spot) locateMade(link index.Link) (to protocol.Location, ok bool) {
	if p.made == nil {
		return to, false
	}
	made := p.made()
	if len(made) == 0 {
		return to, false
	}
	p.x.With(made, func(x *index.Index) {
		there := p
		there.x = x
		var rel string
		if rel, ok = there.resolve(link); !ok {
			return
		}
		text := made[rel]
		to.URI = virtualURI(p.run, filepath.ToSlash(pathIn(p.w, rel)))
		if start, end, found := anchorSpan(index.ParsePage(text), link); found {
			to.Range = newLines(text, p.s.caps.encoding).span(start, end)
		}
	})
	return to, ok
}

// anchorSpan gives the bytes of the heading or block that a link means in its page.
func anchorSpan(page index.Page, link index.Link) (start, end int, ok bool) {
	if link.Block != "" {
		for _, b := range page.Blocks {
			if strings.EqualFold(b.ID, link.Block) {
				return b.Start, b.End, true
			}
		}
	}
	if link.Heading == "" {
		return 0, 0, false
	}
	h, ok := page.Anchor(link)
	return h.Start, h.End, ok
}
