package index

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Name is a page or file by one of its names.
type Name struct {
	Path  string
	Title string // of a page; its file's name where it has none
	Alias string // the alias that matched, "" where another name did
}

// Names finds what somebody who typed so far may mean by it: pages and files one of whose names (file name, title, alias; the path where typed
// holds a "/") has the typed letters in this order, ignoring case and with blanks, dashes and underscores alike. Pages come before files, then names
// that begin so, that have a word that begins so, that hold it, that have the letters; short ones first. It reads no page. The first call lays out a
// table of the names, some tens of bytes a page.
func (x *Index) Names(typed string, limit int) []Name {
	if limit <= 0 {
		return nil
	}
	w := newWanted(typed)
	t := x.nameTable()
	defer x.mu.RUnlock()
	best := completions{limit: limit}
	x.kept(t, &w, &best)
	memory := func(e *entry) {
		if e == nil || e.class == conflictClass {
			return
		}
		if s, ok := w.score(nameLine(nil, e)); ok {
			best.add(s, x.givesWay(e), ref{e: e})
		}
	}
	for rel, e := range x.over {
		if _, ok := x.buffers[rel]; !ok {
			memory(e)
		}
	}
	for _, e := range x.buffers {
		memory(e)
	}
	return best.list()
}

// kept looks through the names of the base, those of the best ways first: where they are enough, what matches in another way only comes behind them, as files do.
func (x *Index) kept(t *nameTable, w *wanted, best *completions) {
	pages := 0
	take := func(first, last int) func(row uint32) { // what matches in one of these ways
		return func(row uint32) {
			if s, ok := w.score(t.line(row)); ok && first <= s.way && s.way <= last && !x.masked[row] {
				best.add(s, t.behind[row], ref{n: x.base, row: row})
				pages += truth(t.behind[row]&noPage == 0)
			}
		}
	}
	if w.path || len(w.text) == 0 {
		t.containing(w.text, take(1, 3))
	} else if t.beginning(w.text, take(1, 2)); pages < best.limit {
		t.containing(w.text, take(3, 3))
	}
	if pages < best.limit {
		take := take(4, 4)
		for row := range uint32(x.base.count()) {
			if w.mask&^t.masks[row] == 0 {
				take(row)
			}
		}
	}
}

// nameTable gives the table of names of what is the base now, with mu held for reading, which the caller lets go of.
func (x *Index) nameTable() *nameTable {
	return x.completion.hold(x, newNameTable, func(t *nameTable, row uint32) { t.take(x, row) })
}

// The reasons for which a match comes later.
const (
	inBehind = 1 << iota // it lies in a folder that gives way
	noPage               // it is a file
)

func (x *Index) givesWay(e *entry) uint8 {
	return uint8(truth(x.behind(e.path))*inBehind + truth(e.class != pageClass)*noPage)
}

// nameTable holds for each row its names, loose, on one line each: path, name, title, aliases. A conflict copy's are empty.
type nameTable struct {
	masks  []uint64 // the letters of a row's names, hashed to bits; nothing that is not there can match
	behind []uint8
	ends   []uint32
	text   []byte
	words  map[[2]byte][]uint32 // the rows that have a word which begins so, in order; the path's words do not count
}

func newNameTable(n *names) *nameTable {
	return &nameTable{masks: make([]uint64, n.count()), behind: make([]uint8, n.count()), ends: make([]uint32, n.count()), words: map[[2]byte][]uint32{}}
}

// take takes in a row; rows come in order.
func (t *nameTable) take(x *Index, row uint32) {
	start := len(t.text)
	if e := x.base.entry(row); e.class != conflictClass {
		t.text = nameLine(t.text, e)
		t.behind[row] = x.givesWay(e)
	}
	t.takeWords(t.text[start:], row)
	t.masks[row] = letters(t.text[start:])
	t.ends[row] = uint32(len(t.text))
}

func (t *nameTable) takeWords(line []byte, row uint32) {
	_, names, _ := bytes.Cut(line, []byte("\n"))
	before := byte('-')
	for i, b := range names {
		if before == '-' || before == '/' || before == '\n' {
			start := [2]byte{b}
			if i+1 < len(names) {
				start[1] = names[i+1]
			}
			if rows := t.words[start]; len(rows) == 0 || rows[len(rows)-1] != row {
				t.words[start] = append(rows, row)
			}
		}
		before = b
	}
}

// beginning calls visit once with each row one of whose names may have a word that begins with the text, which is not empty.
func (t *nameTable) beginning(text []byte, visit func(row uint32)) {
	if len(text) > 1 {
		for _, row := range t.words[[2]byte(text)] {
			visit(row)
		}
		return
	}
	seen := make([]uint64, len(t.ends)/64+1)
	for next := range 256 {
		for _, row := range t.words[[2]byte{text[0], byte(next)}] {
			if word, bit := row/64, uint64(1)<<(row%64); seen[word]&bit == 0 {
				seen[word] |= bit
				visit(row)
			}
		}
	}
}

// containing calls visit with the rows one of whose names or whose path holds the text: one search through all of them.
func (t *nameTable) containing(text []byte, visit func(row uint32)) {
	for at, row := 0, 0; row < len(t.ends); {
		i := bytes.Index(t.text[at:], text)
		if i < 0 {
			return
		}
		n, _ := slices.BinarySearch(t.ends[row:], uint32(at+i)+1)
		row += n
		if row >= len(t.ends) {
			return
		}
		if int(t.ends[row]) >= at+i+len(text) { // else it stands across two rows
			visit(uint32(row))
			at = int(t.ends[row])
			row++
			continue
		}
		at += i + 1
	}
}

func (t *nameTable) line(row uint32) []byte {
	start := uint32(0)
	if row > 0 {
		start = t.ends[row-1]
	}
	return t.text[start:t.ends[row]]
}

func nameLine(b []byte, e *entry) []byte {
	b = append(append(append(b, loosePath(e.path)...), '\n'), Loose(stem(e.path))...)
	if e.class != pageClass {
		return b
	}
	b = append(append(b, '\n'), Loose(e.title)...)
	for _, a := range e.aliases {
		b = append(append(b, '\n'), Loose(a)...)
	}
	return b
}

// letters is a set of runes, hashed into a word; gaps do not count.
func letters(b []byte) (mask uint64) {
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if b = b[n:]; r != '-' {
			mask |= 1 << (uint32(r) * 0x9e3779b1 >> 26)
		}
	}
	return mask
}

// wanted is what was typed.
type wanted struct {
	text   []byte
	inside []byte // text behind a dash
	mask   uint64
	path   bool
	ascii  bool // the text is
}

func newWanted(typed string) wanted {
	w := wanted{path: strings.Contains(typed, "/")}
	text := Loose(strings.TrimSpace(typed))
	if w.path {
		dir, name := splitPath(strings.TrimPrefix(strings.TrimPrefix(typed, "./"), "/"))
		text = Loose(name)
		if dir != "" {
			text = loosePath(dir) + "/" + text
		}
	}
	w.text, w.inside, w.mask = []byte(text), []byte("-"+text), letters([]byte(text))
	w.ascii = !slices.ContainsFunc(w.text, func(b byte) bool { return b >= utf8.RuneSelf })
	return w
}

// nameScore says how well a page matches; less is better.
type nameScore struct {
	way    int // 1 begins so, 2 a word begins so, 3 holds it, 4 its letters in order
	length int
	alias  int // number of the alias that matched, from 1; 0 is another name
}

// score looks through a row's names for the best.
func (w *wanted) score(line []byte) (nameScore, bool) {
	best, ok := nameScore{way: 5}, false
	for i := 0; len(line) > 0; i++ {
		var name []byte
		name, line, _ = bytes.Cut(line, []byte("\n"))
		if (i == 0) != w.path { // the path only for a path
			if w.path {
				break
			}
			continue
		}
		if way := w.way(name); way < best.way || way == best.way && ok && len(name) < best.length && i < 3 {
			best, ok = nameScore{way: way, length: len(name), alias: max(0, i-2)}, true
		}
	}
	return best, ok
}

func (w *wanted) way(name []byte) int {
	if len(w.text) == 0 {
		return 3
	}
	at := bytes.Index(name, w.text)
	switch {
	case at == 0:
		return 1
	case at > 0 && (name[at-1] == '-' || name[at-1] == '/'), at > 0 && bytes.Contains(name, w.inside):
		return 2
	case at > 0:
		return 3
	}
	if w.ascii {
		return 5 - truth(holdsInOrder(name, w.text))
	}
	rest := name
	for t := w.text; len(t) > 0; {
		r, n := utf8.DecodeRune(t)
		t = t[n:]
		if r == '-' {
			continue
		}
		i := bytes.IndexRune(rest, r)
		if i < 0 {
			return 5
		}
		rest = rest[i+n:]
	}
	return 4
}

// holdsInOrder tells whether a name has the letters of a text of ASCII in this order; dashes do not count. No byte of a longer letter is one of ASCII.
func holdsInOrder(name, text []byte) bool {
	for i := 0; ; i++ {
		for len(text) > 0 && text[0] == '-' {
			text = text[1:]
		}
		if len(text) == 0 || i == len(name) {
			return len(text) == 0
		}
		if name[i] == text[0] {
			text = text[1:]
		}
	}
}

// completions keeps the best of many: it collects some times as many as are wanted, then cuts.
type completions struct {
	limit int
	best  []ranked
	worst uint64 // rank that a match has to beat once there are enough
}

type ranked struct {
	rank  uint64 // less is better
	alias int
	ref   ref
}

func (c *completions) add(s nameScore, behind uint8, r ref) {
	rank := uint64(behind&noPage)<<56 | uint64(s.way)<<48 | uint64(behind&inBehind)<<40 | uint64(truth(s.alias > 0))<<32 | uint64(min(s.length, 1<<31))
	if c.worst > 0 && rank >= c.worst {
		return
	}
	if c.best = append(c.best, ranked{rank, s.alias, r}); len(c.best) > 4*c.limit+64 {
		c.cut()
	}
}

func (c *completions) cut() {
	slices.SortFunc(c.best, func(a, b ranked) int {
		switch {
		case a.rank != b.rank:
			return cmp.Compare(a.rank, b.rank)
		case a.ref.e == nil && b.ref.e == nil:
			return cmp.Compare(a.ref.row, b.ref.row) // rows are in the order of paths
		}
		return comparePaths(a.ref.path(), b.ref.path())
	})
	if len(c.best) > c.limit {
		c.best = c.best[:c.limit]
		c.worst = c.best[c.limit-1].rank + 1
	}
}

func (c *completions) list() []Name {
	c.cut()
	out := make([]Name, len(c.best))
	for i, r := range c.best {
		e := r.ref.entry()
		out[i] = Name{Path: e.path, Title: e.title}
		if e.title == "" && e.class == pageClass {
			out[i].Title = stem(e.path)
		}
		if r.alias > 0 && r.alias <= len(e.aliases) {
			out[i].Alias = e.aliases[r.alias-1]
		}
	}
	return out
}
