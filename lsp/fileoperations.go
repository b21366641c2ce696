package lsp

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rigwiki/rig/wiki"
	"go.lsp.dev/protocol"
)

// willRenameFiles gives the edits that keep links alive when the editor moves files or folders; the editor moves them itself.
func (s *server) willRenameFiles(ctx context.Context, p *protocol.RenameFilesParams) (*protocol.WorkspaceEdit, error) {
	moves := map[*wiki.Wiki]map[string]string{}
	for _, f := range p.Files {
		from, okFrom := filePath(f.OldURI)
		to, okTo := filePath(f.NewURI)
		if !okFrom || !okTo {
			continue
		}
		w, rel, ok := s.folders.wikiOf(from)
		new, inside := "", false
		if ok {
			new, inside = relIn(w, to)
		}
		if !inside || rel == new {
			continue
		}
		w = sameWiki(moves, w)
		if moves[w] == nil {
			moves[w] = map[string]string{}
		}
		moves[w][rel] = new
	}
	for w, list := range moves { // one edit is what the protocol has room for; files of two wikis are not moved at once
		if !s.config(w).Feature(featureRename) {
			continue
		}
		x, err := s.freshWithin(ctx, w)
		if err != nil {
			return nil, nil
		}
		m := &moving{spot: spot{s: s, w: w, x: x}, moves: map[string]string{}, bound: true}
		for old, new := range list {
			m.take(old, new)
		}
		return m.workspaceEdit(ctx, "move of "+someOf(sortedKeys(list), 2))
	}
	return nil, nil
}

// sameWiki gives the wiki of the map that is w.
func sameWiki[V any](known map[*wiki.Wiki]V, w *wiki.Wiki) *wiki.Wiki {
	for k := range known {
		if k.ID == w.ID {
			return k
		}
	}
	return w
}

func sortedKeys(m map[string]string) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// take notes the move of a file, or of all pages and files that links name in a folder.
func (m *moving) take(old, new string) {
	if len(m.x.Resolve("", "/"+old)) > 0 && (isPage(old) || path.Ext(old) != "") {
		m.moves[old] = new
		return
	}
	for _, rel := range m.x.Under(old) {
		m.moves[rel] = path.Join(new, strings.TrimPrefix(rel, old+"/"))
	}
}

// willDeleteFiles says which pages link to what goes. It edits nothing: what to do about a broken link is the writer's to say.
func (s *server) willDeleteFiles(ctx context.Context, p *protocol.DeleteFilesParams) (*protocol.WorkspaceEdit, error) {
	for _, f := range p.Files {
		file, ok := filePath(f.URI)
		if !ok {
			continue
		}
		w, rel, ok := s.folders.wikiOf(file)
		if !ok || !s.config(w).Feature(featureRename) {
			continue
		}
		x, err := s.freshWithin(ctx, w)
		if err != nil {
			continue
		}
		from := (&spot{s: s, w: w, x: x}).linkingInto(rel)
		if len(from) > 0 {
			s.tell(messageWarning, fmt.Sprintf("%s linked to %s: %s", plural(len(from), "page"), rel, someOf(from, maxNamed)))
		}
	}
	return nil, nil
}

// linkingInto gives the pages that link to a page or file, or to anything in a folder, and are not themselves what goes.
func (p *spot) linkingInto(rel string) (from []string) {
	seen := map[string]bool{rel: true}
	gone := append(p.x.Under(rel), rel)
	for _, to := range gone {
		seen[to] = true
	}
	for _, to := range gone {
		for _, page := range p.linking(to) {
			if !seen[page] {
				seen[page] = true
				from = append(from, page)
			}
		}
	}
	slices.Sort(from)
	return from
}
