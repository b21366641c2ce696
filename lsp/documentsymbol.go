package lsp

import (
	"context"

	"github.com/rigwiki/rig/wiki/index"
	"go.lsp.dev/protocol"
)

// documentSymbol gives the tree of headings. A heading's range is its section.
func (s *server) documentSymbol(_ context.Context, p *protocol.DocumentSymbolParams) (protocol.DocumentSymbolResult, error) {
	path, ok := filePath(string(p.TextDocument.URI))
	if !ok {
		return nil, nil
	}
	doc, open := s.docs.get(path)
	if _, _, ok := s.folders.wikiOf(path); !ok || !open {
		return nil, nil
	}
	page := index.ParsePage(doc.text)
	l := newLines(doc.text, s.caps.encoding)
	if !s.caps.symbolTree {
		out := protocol.SymbolInformationSlice{}
		for _, h := range page.Headings {
			info := protocol.SymbolInformation{Location: protocol.Location{URI: doc.uri, Range: l.span(h.Start, h.End)}}
			info.Name, info.Kind = headingName(h), protocol.SymbolKindString
			out = append(out, info)
		}
		return out, nil
	}
	symbols, _ := sections(page.Headings, len(doc.text), l, 0)
	return protocol.DocumentSymbolSlice(symbols), nil
}

// sections makes the symbols of headings as long as they are deeper than above, and gives the headings that are left. end is where the last
// section ends.
func sections(heads []index.Heading, end int, l *lines, above int) ([]protocol.DocumentSymbol, []index.Heading) {
	out := []protocol.DocumentSymbol{}
	for len(heads) > 0 && heads[0].Level > above {
		h := heads[0]
		var children []protocol.DocumentSymbol
		children, heads = sections(heads[1:], end, l, h.Level)
		stop := end
		if len(heads) > 0 {
			stop = heads[0].Start
		}
		sym := protocol.DocumentSymbol{Name: headingName(h), Kind: protocol.SymbolKindString, Range: l.span(h.Start, max(stop, h.End)), SelectionRange: l.span(h.Start, h.End)}
		if len(children) > 0 {
			sym.Children = children
		}
		out = append(out, sym)
	}
	return out, heads
}

// headingName is never empty: clients refuse a symbol without name.
func headingName(h index.Heading) string {
	if h.Text == "" {
		return "(no text)"
	}
	return h.Text
}
