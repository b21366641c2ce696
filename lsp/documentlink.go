package lsp

import (
	"context"
	"fmt"

	"github.com/rigwiki/rig/wiki/index"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// documentLink gives the links that lead somewhere in the wiki. The fragment is the line of the heading or block, which editors can open; the
// addresses of the web are found by editors themselves.
func (s *server) documentLink(ctx context.Context, p *protocol.DocumentLinkParams) ([]protocol.DocumentLink, error) {
	at, ok := s.spotAt(ctx, string(p.TextDocument.URI))
	if !ok {
		return nil, nil
	}
	out := []protocol.DocumentLink{}
	for _, link := range at.page.Links {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if link.External() || link.Kind == index.Markdown && link.Target == "" && link.Heading == "" {
			continue
		}
		to, ok := at.locate(link)
		if !ok {
			continue
		}
		target := to.URI
		if to.Range.End != (protocol.Position{}) {
			target = uri.URI(fmt.Sprintf("%s#L%d", target, to.Range.Start.Line+1))
		}
		start, end := link.Start, link.End
		if link.Kind == index.Markdown && link.TargetStart < link.TargetEnd {
			start, end = link.TargetStart, link.TargetEnd
		}
		out = append(out, protocol.DocumentLink{Range: at.lines.span(start, end), Target: &target})
	}
	return out, nil
}
