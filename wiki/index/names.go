package index

import (
	"encoding/binary"
	"math"
	"strings"
	"sync"

	"github.com/rigwiki/rig/sandbox"
)

// entry is one file of the wiki as the index knows it.
type entry struct {
	path    string
	class   class
	id      sandbox.FileID
	title   string // "" where the page has none
	aliases []string
	at      docRef
	content *content // of pages that are in no segment yet
}

// docRef is where a page's content is kept.
type docRef struct{ segment, doc uint32 }

// noSegment is the segment of what is kept in none.
const noSegment = math.MaxUint32

// folder is a folder as it was when it was read. mtime 0 means that it may have changed in the same tick, so that it has to be read again.
type folder struct {
	path  string // "" is the root
	mtime int64
	ino   uint64
}

// names is the kept list of what is there: everything that opening, resolving and finding duplicates need. It is a mapped file, so that
// opening costs nothing for each page.
//
// Rows are in order of folder, then name; keys lead to rows.
type names struct {
	mapping
	meta     []string // root, rules, then the segments' names
	folders  []byte
	rows     []byte
	strings  []byte
	keys     keyTable
	segments []byte // start and number of each segment's documents in docRows
	docRows  []byte // row of a document; MaxUint32 where the document is no longer the page's text

	once sync.Once
	dead []deadDocs // what a search leaves out
}

const (
	namesMagic    = "rigname2"
	namesSections = 8
	rowSize       = 80
	folderSize    = 32
	noRow         = math.MaxUint32
)

// The kinds of key.
const (
	pathKey  = 'p' // folded path
	nameKey  = 'n' // folded stem, or a file's folded name
	looseKey = 'l' // loose stem where it differs from the folded one
	aliasKey = 'a' // folded alias
	ideaKey  = 'i' // idea of stem, title and aliases
)

// keysOf gives the hashes under which an entry is found.
func (e *entry) keysOf() []uint64 {
	if e.class == conflictClass {
		return []uint64{keyHash(pathKey, Fold(e.path))}
	}
	name := stem(e.path)
	folded, loose := Fold(name), Loose(name)
	out := []uint64{keyHash(pathKey, Fold(e.path)), keyHash(nameKey, folded)}
	if loose != folded {
		out = append(out, keyHash(looseKey, loose))
	}
	if e.class != pageClass {
		return out
	}
	for _, a := range e.aliases {
		out = append(out, keyHash(aliasKey, Fold(a)))
	}
	for _, idea := range ideas(name, e.title, e.aliases) {
		out = append(out, keyHash(ideaKey, idea))
	}
	return out
}

// ideas gives the distinct ideas of a page's names.
func ideas(name, title string, aliases []string) []string {
	out := make([]string, 0, 2+len(aliases))
	add := func(s string) {
		idea := Idea(s)
		for _, o := range out {
			if o == idea {
				return
			}
		}
		if idea != "" {
			out = append(out, idea)
		}
	}
	add(name)
	if title != name {
		add(title)
	}
	for _, a := range aliases {
		add(a)
	}
	return out
}

// namesBuilder lays out a names file.
type namesBuilder struct {
	rows, strings, folders []byte
	keys                   []pair
}

func (b *namesBuilder) str(s string) (off, n uint32) {
	off = uint32(len(b.strings))
	b.strings = append(b.strings, s...)
	return off, uint32(len(s))
}

func (b *namesBuilder) add(e *entry) {
	row := uint32(len(b.rows) / rowSize)
	le := binary.LittleEndian
	pair32 := func(x, y uint32) { b.rows = le.AppendUint32(le.AppendUint32(b.rows, x), y) }
	pair32(b.str(e.path))
	pair32(b.str(e.title))
	aliases := make([]string, len(e.aliases))
	for i, a := range e.aliases {
		aliases[i] = strings.ReplaceAll(a, "\n", " ")
	}
	pair32(b.str(strings.Join(aliases, "\n")))
	pair32(uint32(e.class), e.at.segment)
	pair32(e.at.doc, 0)
	for _, v := range []uint64{e.id.Dev, e.id.Ino, uint64(e.id.Size), uint64(e.id.Mtime), uint64(e.id.Ctime)} {
		b.rows = le.AppendUint64(b.rows, v)
	}
	for _, k := range e.keysOf() {
		b.keys = append(b.keys, pair{k, row})
	}
}

// folder adds a folder whose files are n rows from first on.
func (b *namesBuilder) folder(f folder, first, n int) {
	le := binary.LittleEndian
	off, length := b.str(f.path)
	b.folders = le.AppendUint32(le.AppendUint32(b.folders, off), length)
	b.folders = le.AppendUint64(le.AppendUint64(b.folders, uint64(f.mtime)), f.ino)
	b.folders = le.AppendUint32(le.AppendUint32(b.folders, uint32(first)), uint32(n))
}

// finish gives the file's parts. docs is the number of documents of each segment.
func (b *namesBuilder) finish(meta []string, docs []int) [][]byte {
	le := binary.LittleEndian
	var segments []byte
	total := 0
	for _, n := range docs {
		segments = le.AppendUint32(le.AppendUint32(segments, uint32(total)), uint32(n))
		total += n
	}
	docRows := make([]byte, 4*total)
	for i := range docRows {
		docRows[i] = 0xff
	}
	for row := range len(b.rows) / rowSize {
		r := b.rows[row*rowSize:]
		if seg := u32(r, 7); seg != noSegment {
			le.PutUint32(docRows[4*(u32(segments, 2*int(seg))+u32(r, 8)):], uint32(row))
		}
	}
	keys := newKeyTable(b.keys)
	return pack(namesMagic, []byte(strings.Join(meta, "\x00")), b.folders, b.rows, b.strings, keys.hashes, keys.values, segments, docRows)
}

// openNames reads a names file and proves it whole.
func openNames(m mapping) (*names, error) {
	s, err := unpack(m.data, namesMagic, namesSections)
	if err != nil {
		return nil, err
	}
	if !sound(m.data) {
		return nil, errFormat
	}
	n := &names{mapping: m, meta: strings.Split(string(s[0]), "\x00"), folders: s[1], rows: s[2], strings: s[3],
		keys: keyTable{s[4], s[5]}, segments: s[6], docRows: s[7]}
	if len(n.meta) < 2 || len(n.folders)%folderSize != 0 || len(n.rows)%rowSize != 0 || !n.keys.sound() || len(n.segments)%8 != 0 || len(n.docRows)%4 != 0 {
		return nil, errFormat
	}
	return n, nil
}

// counts tells whether the segments have the documents that names leads to.
func (n *names) counts(segments []*segment) bool {
	if len(n.segments)/8 != len(segments) {
		return false
	}
	for i, s := range segments {
		if int(u32(n.segments, 2*i+1)) != s.count() {
			return false
		}
	}
	return true
}

func (n *names) count() int {
	if n == nil {
		return 0
	}
	return len(n.rows) / rowSize
}

// text copies a string: nothing that leaves this file points into the mapping.
func (n *names) text(off, length uint32) string {
	return string(piece(n.strings, uint64(off), uint64(length)))
}

// row is a row's record; that of a number that is none (in a file with a sound checksum that another program wrote) is empty.
func (n *names) row(i uint32) []byte {
	if int(i) >= n.count() {
		return make([]byte, rowSize)
	}
	return n.rows[int(i)*rowSize:][:rowSize]
}

func (n *names) path(i uint32) string  { r := n.row(i); return n.text(u32(r, 0), u32(r, 1)) }
func (n *names) class(i uint32) class  { return class(u32(n.row(i), 6)) }
func (n *names) title(i uint32) string { r := n.row(i); return n.text(u32(r, 2), u32(r, 3)) }

func (n *names) id(i uint32) sandbox.FileID {
	r := n.row(i)[40:]
	return sandbox.FileID{Dev: u64(r, 0), Ino: u64(r, 1), Size: int64(u64(r, 2)), Mtime: int64(u64(r, 3)), Ctime: int64(u64(r, 4))}
}

// at is where a row's content is kept.
func (n *names) at(i uint32) docRef {
	r := n.row(i)
	return docRef{u32(r, 7), u32(r, 8)}
}

func (n *names) entry(i uint32) *entry {
	r := n.row(i)
	e := &entry{path: n.path(i), class: n.class(i), id: n.id(i), title: n.title(i), at: n.at(i)}
	if s := n.text(u32(r, 4), u32(r, 5)); s != "" {
		e.aliases = strings.Split(s, "\n")
	}
	return e
}

// find gives the row of an exact path.
func (n *names) find(rel string) (uint32, bool) {
	found, ok := uint32(0), false
	if n != nil {
		n.keys.find(keyHash(pathKey, Fold(rel)), func(i uint32) {
			if n.path(i) == rel {
				found, ok = i, true
			}
		})
	}
	return found, ok
}

func (n *names) folderCount() int {
	if n == nil {
		return 0
	}
	return len(n.folders) / folderSize
}

// folderRows tells the rows of a folder's files.
func (n *names) folderRows(i int) (first, count uint32) {
	f := n.folders[i*folderSize:]
	first = min(u32(f, 6), uint32(n.count()))
	return first, min(u32(f, 7), uint32(n.count())-first)
}

func (n *names) folder(i int) folder {
	f := n.folders[i*folderSize:]
	return folder{path: n.text(u32(f, 0), u32(f, 1)), mtime: int64(u64(f, 1)), ino: u64(f, 2)}
}

// docRow is the row whose text a document is.
func (n *names) docRow(at docRef) (uint32, bool) {
	if int(at.segment) >= len(n.segments)/8 || at.doc >= u32(n.segments, 2*int(at.segment)+1) {
		return 0, false
	}
	i := uint64(u32(n.segments, 2*int(at.segment))) + uint64(at.doc)
	if i >= uint64(len(n.docRows)/4) {
		return 0, false
	}
	row := u32(n.docRows, int(i))
	return row, row < uint32(n.count()) // else noRow
}
