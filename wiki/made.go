package wiki

import (
	"path"
	"strings"

	"github.com/rigwiki/rig/wiki/index"
	"github.com/rigwiki/rig/wiki/proposal"
)

// made knows the pages that would be there, or be other, if the proposal were applied.
type made struct {
	pages map[string]index.Page // rel path -> the new page (creates, edits, renames)
	gone  map[string]bool       // rel paths that would not be there any more
	above map[string]string     // folders of deleted pages -> one of those
	names map[string][]string   // folded path, tail of a path, title or alias of a new path -> rel paths
	ideas map[string]string     // idea of a new page's name -> the first that has it
}

func newMade(files []proposal.Draft) *made {
	m := &made{pages: map[string]index.Page{}, gone: map[string]bool{}, above: map[string]string{}, names: map[string][]string{}, ideas: map[string]string{}}
	for _, f := range files {
		switch {
		case f.Kind == "delete":
			m.gone[f.Path] = true
			for dir := dirOf(f.Path); dir != ""; dir = dirOf(dir) {
				m.above[dir] = f.Path
			}
			continue
		case f.Kind == "rename":
			m.gone[f.From] = true
		}
		if idea := ideaOf(f.Path); f.Kind == "create" && m.ideas[idea] == "" {
			m.ideas[idea] = f.Path
		}
		p := index.Page{Path: f.Path}
		if strings.HasSuffix(f.Path, ".md") {
			p = index.ParsePage(f.NewText)
			p.Path = f.Path
		}
		m.pages[f.Path] = p
		if f.Kind != "edit" {
			m.name(f.Path, f.Path)
			m.name(f.Path, strings.TrimSuffix(f.Path, ".md"))
			m.name(f.Path, p.Title)
		}
		// An edit may give a page a new alias.
		for _, a := range p.Aliases {
			m.name(f.Path, a)
		}
	}
	for gone := range m.gone {
		if _, back := m.pages[gone]; back {
			delete(m.gone, gone)
		}
	}
	return m
}

func ideaOf(rel string) string { return index.Idea(strings.TrimSuffix(path.Base(rel), ".md")) }

// displaced is a deleted page whose place rel takes, as a page for a folder or a folder for a page; "" where it takes none.
func (m *made) displaced(rel string) string {
	for at := dirOf(rel); at != ""; at = dirOf(at) {
		if m.gone[at] {
			return at
		}
	}
	return m.above[rel]
}

// name notes a name and, of a path, its tails: a wikilink may leave folders out.
func (m *made) name(rel, name string) {
	for name = index.Fold(name); name != ""; {
		m.names[name] = append(m.names[name], rel)
		_, tail, ok := strings.Cut(name, "/")
		if !ok {
			return
		}
		name = tail
	}
}

// resolves tells whether a link in from may mean a page that the proposal makes.
func (m *made) resolves(from, target string) bool {
	t := index.Fold(target)
	for _, name := range []string{strings.TrimPrefix(t, "/"), path.Join(index.Fold(dirOf(from)), t)} {
		if name = path.Clean(name); len(m.names[name]) > 0 || len(m.names[strings.TrimSuffix(name, ".md")]) > 0 {
			return true
		}
	}
	return false
}
