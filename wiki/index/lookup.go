package index

import (
	"context"
	"maps"
	"slices"
	"strings"
)

// Lookup finds pages by keys that are made of what their front matter says. It lays out a table of the kept index when it is asked first, and again where the
// kept index was laid out anew; pages in memory are asked each time. The zero value finds nothing. It may be used from several goroutines, with one index.
type Lookup struct {
	keys func(rel string, front func() FrontMatter) []string

	rows derived[map[string][]uint32]
}

// NewLookup makes a lookup by the keys that a page has. A page's front matter is read where front is called.
func NewLookup(keys func(rel string, front func() FrontMatter) []string) *Lookup {
	return &Lookup{keys: keys}
}

// Find gives the paths of the pages that have a key as the index knows them, sorted. What was written in place since is told by [Index.Page].
func (l *Lookup) Find(x *Index, key string) []string {
	if l.keys == nil {
		return nil
	}
	rows := l.hold(x)
	defer x.mu.RUnlock()
	var out []string
	for _, row := range rows[key] {
		if !x.masked[row] {
			out = append(out, x.base.path(row))
		}
	}
	memory := func(rel string, e *entry) {
		if e == nil || e.class != pageClass || e.content == nil {
			return
		}
		if slices.Contains(l.keys(rel, func() FrontMatter { return e.content.page.Front }), key) {
			out = append(out, rel)
		}
	}
	for rel, e := range x.over {
		if _, ok := x.buffers[rel]; !ok {
			memory(rel, e)
		}
	}
	for rel, e := range x.buffers {
		memory(rel, e)
	}
	slices.Sort(out)
	return out
}

// hold gives the table of what is the base now, with x.mu held for reading, which the caller lets go of.
func (l *Lookup) hold(x *Index) map[string][]uint32 {
	begin := func(*names) map[string][]uint32 { return map[string][]uint32{} }
	return l.rows.hold(x, begin, func(rows map[string][]uint32, row uint32) {
		if x.base.class(row) != pageClass {
			return
		}
		for _, k := range l.keys(x.base.path(row), func() FrontMatter { return x.frontOf(row) }) {
			rows[k] = append(rows[k], row)
		}
	})
}

// frontOf reads the front matter of a row's page from the kept text, and from the page where that is broken. The caller holds mu.
func (x *Index) frontOf(row uint32) FrontMatter {
	if at := x.base.entry(row).at; int(at.segment) < len(x.segments) {
		if text, ok := x.segments[at.segment].text(at.doc); ok {
			return parseFront(text)
		}
	}
	text, _, err := readFile(x.file(x.base.path(row)), nil)
	if err != nil {
		return FrontMatter{} // gone meanwhile
	}
	return parseFront(text)
}

// RefreshNames notices the files that came into a folder or into those below it, and those that went. It costs a stat a folder, and reads the ones that changed.
// A refresh that is under way already is left to do it.
func (x *Index) RefreshNames(ctx context.Context, dir string) error {
	if !x.writing.TryLock() {
		return nil
	}
	defer x.writing.Unlock()
	x.mu.RLock()
	folders := x.baseFolders()
	maps.Copy(folders, x.folders)
	x.mu.RUnlock()
	var stale []string
	if known, ok := folders[dir]; !ok || known.ino == goneIno {
		if st, err := lstat(x.file(dir)); err != nil || !st.dir {
			return nil // still none, or a link
		}
		parent, _ := splitPath(dir)
		stale = append(stale, parent)
	}
	for rel, f := range folders {
		if f.ino == goneIno || rel != dir && !strings.HasPrefix(rel, dir+"/") {
			continue
		}
		st, err := lstat(x.file(rel) + "/.")
		if err != nil || !st.dir || st.id.Mtime != f.mtime || st.id.Ino != f.ino {
			stale = append(stale, rel)
		}
	}
	if len(stale) == 0 {
		return nil
	}
	return x.rescan(ctx, stale)
}
