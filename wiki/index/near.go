package index

import (
	"bytes"
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"
)

// Near gives the pages one of whose names (file name, title, alias) is a typing mistake away from what was written, nearest first: letters
// inserted, left out, replaced or swapped with a neighbour, at most one in four letters and two at most; upper and lower case, blanks and dashes
// alike. It reads no page: most names are ruled out by their letters and length.
func (x *Index) Near(written string, limit int) []Name {
	name := []rune(Loose(strings.TrimSpace(written)))
	if len(name) == 0 || limit <= 0 {
		return nil
	}
	m := mistyped{name: name, mask: letters([]byte(string(name))), limit: Mistakes(len(name) + 2)}
	t := x.nameTable()
	defer x.mu.RUnlock()
	for row := range uint32(x.base.count()) {
		if t.behind[row]&noPage == 0 && bits.OnesCount64(m.mask&^t.masks[row]) <= m.limit && !x.masked[row] {
			m.look(t.line(row), truth(t.behind[row] != 0), ref{n: x.base, row: row})
		}
	}
	for _, e := range x.inMemory() {
		m.look(nameLine(nil, e), truth(x.behind(e.path)), ref{e: e})
	}
	return m.list(limit)
}

// Holding gives the pages one of whose names holds what was written, upper and lower case, blanks and dashes alike; those that begin so first, then short ones.
// It is the part of [Index.Names] that one search through all names answers.
func (x *Index) Holding(written string, limit int) []Name {
	w := newWanted(written)
	if len(w.text) == 0 || limit <= 0 {
		return nil
	}
	t := x.nameTable()
	defer x.mu.RUnlock()
	best := completions{limit: limit}
	t.containing(w.text, func(row uint32) {
		if s, ok := w.score(t.line(row)); ok && !x.masked[row] && t.behind[row]&noPage == 0 {
			best.add(s, t.behind[row], ref{n: x.base, row: row})
		}
	})
	for _, e := range x.inMemory() {
		if s, ok := w.score(nameLine(nil, e)); ok && s.way < 4 {
			best.add(s, x.givesWay(e), ref{e: e})
		}
	}
	return best.list()
}

// Mistakes is how many letters may be wrong in a name of n.
func Mistakes(n int) int { return min(2, n/4) }

// mistyped is a name that is compared with many.
type mistyped struct {
	name  []rune
	mask  uint64
	limit int
	found []nearName
	other []rune // the name at hand, used again
	words distances
}

type nearName struct {
	distance, behind int
	alias            int // number of the alias, from 1; 0 is another name
	ref              ref
}

// look compares the names of one page: its line's second part and those behind it.
func (m *mistyped) look(line []byte, behind int, r ref) {
	best, ok := nearName{behind: behind, ref: r}, false
	for i := 0; len(line) > 0; i++ {
		var name []byte
		name, line, _ = bytes.Cut(line, []byte("\n"))
		if i == 0 || !m.mayBe(name) {
			continue
		}
		m.other = m.other[:0]
		for _, r := range string(name) {
			m.other = append(m.other, r)
		}
		if d, near := m.words.between(m.name, m.other, Mistakes(max(len(m.name), len(m.other)))); near && (!ok || d < best.distance) {
			best.distance, best.alias, ok = d, max(0, i-2), true
		}
	}
	if ok {
		m.found = append(m.found, best)
	}
}

// mayBe rules out nearly all names by their length and letters.
func (m *mistyped) mayBe(name []byte) bool {
	if len(name) < len(m.name)-m.limit || len(name) > len(m.name)+m.limit && utf8.RuneCount(name) > len(m.name)+m.limit {
		return false
	}
	mask := letters(name)
	return bits.OnesCount64(m.mask&^mask) <= m.limit && bits.OnesCount64(mask&^m.mask) <= m.limit
}

func (m *mistyped) list(limit int) []Name {
	slices.SortFunc(m.found, func(a, b nearName) int {
		return cmp.Or(a.distance-b.distance, a.behind-b.behind, truth(a.alias > 0)-truth(b.alias > 0), comparePaths(a.ref.path(), b.ref.path()))
	})
	var out []Name
	for _, f := range m.found[:min(len(m.found), limit)] {
		e := f.ref.entry()
		n := Name{Path: e.path, Title: cmp.Or(e.title, stem(e.path))}
		if f.alias > 0 && f.alias <= len(e.aliases) {
			n.Alias = e.aliases[f.alias-1]
		}
		out = append(out, n)
	}
	return out
}

// Distance counts how many letters have to be inserted, taken away, replaced or swapped with a neighbour to make one word of another (optimal
// string alignment), and tells whether they are no more than limit; then the count is exact.
func Distance(x, y []rune, limit int) (int, bool) {
	var d distances
	return d.between(x, y, limit)
}

// distances holds the rows that are used again from one pair of words to the next.
type distances struct{ before, last, row []int }

func (d *distances) between(x, y []rune, limit int) (int, bool) {
	if len(x)-len(y) > limit || len(y)-len(x) > limit {
		return 0, false
	}
	for _, r := range []*[]int{&d.before, &d.last, &d.row} {
		*r = slices.Grow((*r)[:0], len(y)+1)[:len(y)+1]
	}
	for j := range d.last {
		d.last[j] = j
	}
	for i := range x {
		d.row[0] = i + 1
		least := d.row[0]
		for j := range y {
			cost := d.last[j]
			if x[i] != y[j] {
				cost++
			}
			d.row[j+1] = min(cost, d.last[j+1]+1, d.row[j]+1)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				d.row[j+1] = min(d.row[j+1], d.before[j-1]+1)
			}
			least = min(least, d.row[j+1])
		}
		if least > limit {
			return 0, false // no later row is better by more than a swap, which costs one
		}
		d.before, d.last, d.row = d.last, d.row, d.before
	}
	return d.last[len(y)], d.last[len(y)] <= limit
}

// Under gives the paths of the pages and files in a folder and in those below it, sorted; conflict copies are none.
func (x *Index) Under(dir string) []string {
	x.mu.RLock()
	defer x.mu.RUnlock()
	var out []string
	x.each(func(r ref) bool {
		if p := r.path(); r.class() != conflictClass && strings.HasPrefix(p, dir+"/") {
			out = append(out, p)
		}
		return true
	})
	slices.Sort(out)
	return out
}

// HasFolder tells whether the wiki has a folder of that path, spelled as on disk.
func (x *Index) HasFolder(dir string) bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if f, ok := x.folders[dir]; ok {
		return f.ino != goneIno
	}
	for i := range x.base.folderCount() {
		if f := x.base.folders[i*folderSize:]; string(x.base.strings[u32(f, 0):u32(f, 0)+u32(f, 1)]) == dir {
			return true
		}
	}
	return false
}

// SamePath gives the other pages whose paths differ from one only by case or normal form, sorted.
func (x *Index) SamePath(rel string) []string {
	x.mu.RLock()
	defer x.mu.RUnlock()
	var out []string
	folded := Fold(rel)
	x.find(keyHash(pathKey, folded), func(r ref) {
		if p := r.path(); p != rel && r.class() == pageClass && Fold(p) == folded {
			out = append(out, p)
		}
	})
	slices.Sort(out)
	return out
}

// IsAttachment tells a name with the ending of what wikis keep beside pages: pictures, sound, PDF, data.
func IsAttachment(name string) bool { return attachmentEnding(name) }
