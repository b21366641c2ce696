package index

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Name is a page or file by one of its names.
type Name struct {
	Path  string
	Title string // of a page
	Alias string // the alias that matched, "" where the name or the title did
}

// Names gives what a user may mean who has typed part of a name, title or alias, best first: what begins with it, then what has a word that
// begins with it, then what holds it; pages before files, short names first. An empty part gives pages. It looks at every name, which takes
// milliseconds at 100,000 pages, and reads no page.
func (x *Index) Names(part string, limit int) []Name {
	part = Fold(part)
	best := namesFound{limit: limit}
	x.mu.RLock()
	defer x.mu.RUnlock()
	for row := range uint32(x.base.count()) {
		if !x.masked[row] && x.base.class(row) != conflictClass && x.base.mayHold(row, part) {
			best.add(part, x.base.entry(row), x.behind)
		}
	}
	for rel, e := range x.over {
		if _, ok := x.buffers[rel]; !ok && e != nil && e.class != conflictClass {
			best.add(part, e, x.behind)
		}
	}
	for _, e := range x.buffers {
		best.add(part, e, x.behind)
	}
	out := make([]Name, len(best.list))
	for i, f := range best.list {
		out[i] = f.Name
	}
	return out
}

// mayHold sorts out rows whose names cannot hold an ASCII part; letters beyond ASCII have too many spellings to tell here.
func (n *names) mayHold(row uint32, part string) bool {
	for i := 0; i < len(part); i++ {
		if part[i] >= utf8.RuneSelf {
			return true
		}
	}
	r := n.row(row)
	return indexFold(n.strings[u32(r, 0):u32(r, 4)+u32(r, 5)], part) >= 0 // path, title and aliases stand side by side
}

type namesFound struct {
	limit int
	list  []ranked
}

type ranked struct {
	Name
	rank [4]int
}

func (f *namesFound) add(part string, e *entry, behind func(string) bool) {
	place := cmp.Or(placeOf(stem(e.path), part), placeOf(e.title, part))
	alias := ""
	for _, a := range e.aliases {
		if p := placeOf(a, part); p != 0 && (place == 0 || p < place) {
			place, alias = p, a
		}
	}
	if place == 0 && strings.Contains(Fold(e.path), part) {
		place = 4
	}
	if place == 0 {
		return
	}
	r := ranked{Name{e.path, e.title, alias}, [4]int{truth(e.class != pageClass), place, truth(behind(e.path)), len(e.path)}}
	if r.Title == "" && e.class == pageClass {
		r.Title = stem(e.path)
	}
	i, _ := slices.BinarySearchFunc(f.list, r, func(a, b ranked) int {
		return cmp.Or(slices.Compare(a.rank[:], b.rank[:]), strings.Compare(a.Path, b.Path))
	})
	if i >= f.limit {
		return
	}
	f.list = slices.Insert(f.list, i, r)
	f.list = f.list[:min(len(f.list), f.limit)]
}

// placeOf tells where a name holds part: 1 at its start, 2 at a word's start, 3 elsewhere, 0 nowhere.
func placeOf(name, part string) int {
	name = Fold(name)
	i := strings.Index(name, part)
	switch {
	case i < 0 || name == "":
		return 0
	case i == 0:
		return 1
	case isGap(rune(name[i-1])):
		return 2
	}
	return 3
}
