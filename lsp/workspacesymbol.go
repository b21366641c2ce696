package lsp

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/index"
	"go.lsp.dev/protocol"
)

// The bounds of workspace/symbol: pages by name, and the headings of the pages that search finds.
const (
	symbolPages    = 100
	symbolSearched = 40
	symbolHeadings = 100
)

// workspaceSymbol finds pages by their names and headings by their words, in every wiki of the workspace. Headings are looked for in the pages that
// the full-text search finds best, so that the cost does not grow with the wiki.
func (s *server) workspaceSymbol(ctx context.Context, p *protocol.WorkspaceSymbolParams) (protocol.WorkspaceSymbolResult, error) {
	out := protocol.WorkspaceSymbolSlice{}
	for _, w := range s.allFolders() {
		if !s.config(w).Feature(featureWorkspaceSymbol) {
			continue
		}
		x, err := s.freshWithin(ctx, w)
		if err != nil {
			continue // still being opened, or told where it was
		}
		for _, n := range x.Names(p.Query, symbolPages) {
			if isPage(n.Path) {
				out = append(out, s.symbol(w, n.Path, n.Title, protocol.SymbolKindFile, protocol.Range{}))
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out = append(out, s.headingSymbols(w, x, p.Query)...)
	}
	return out, nil
}

func (s *server) headingSymbols(w *wiki.Wiki, x *index.Index, query string) []protocol.WorkspaceSymbol {
	wanted := strings.Fields(index.Fold(query))
	if len(wanted) == 0 || !x.HasFullText() { // which a first build lays out last: pages are found by name until then
		return nil
	}
	var out []protocol.WorkspaceSymbol
	for _, hit := range x.Search(query, symbolSearched) {
		page, text, ok := pageNow(x, hit.Path)
		if !ok {
			continue
		}
		var l *lines
		for _, h := range page.Headings {
			if isTitle(page, h) || !holdsAll(index.Fold(h.Text), wanted) {
				continue
			}
			if l == nil {
				l = newLines(text, s.caps.encoding)
			}
			if out = append(out, s.symbol(w, hit.Path, h.Text, protocol.SymbolKindString, l.span(h.Start, h.End))); len(out) == symbolHeadings {
				return out
			}
		}
	}
	return out
}

func holdsAll(text string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

func (s *server) symbol(w *wiki.Wiki, rel, name string, kind protocol.SymbolKind, rng protocol.Range) protocol.WorkspaceSymbol {
	uri, _ := s.docs.spelled(pathIn(w, rel))
	sym := protocol.WorkspaceSymbol{Location: &protocol.Location{URI: uri, Range: rng}}
	sym.Name, sym.Kind, sym.ContainerName = name, kind, ptr(rel)
	return sym
}

// stemOf is the last part of a path without .md.
func stemOf(rel string) string {
	name := rel[strings.LastIndexByte(rel, '/')+1:]
	if isPage(name) && len(name) > len(".md") {
		return name[:len(name)-len(".md")]
	}
	return name
}

// allFolders gives the wikis of the session, folders of plain markdown included.
func (s *server) allFolders() []*wiki.Wiki {
	var out []*wiki.Wiki
	seen := map[string]bool{}
	add := func(path string) {
		if w, _, ok := s.folders.wikiOf(path); ok && !seen[w.ID] {
			seen[w.ID] = true
			out = append(out, w)
		}
	}
	for _, r := range s.folders.all() {
		add(filepath.Join(r, "x"))
	}
	for _, doc := range s.docs.all() {
		add(doc.path)
	}
	return out
}

func (s *server) freshWithin(ctx context.Context, w *wiki.Wiki) (*index.Index, error) {
	ctx, cancel := context.WithTimeout(ctx, s.bounds.index)
	defer cancel()
	return s.fresh(ctx, w)
}
