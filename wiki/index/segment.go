package index

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"slices"
	"sync"

	"github.com/rigwiki/rig/sandbox"
)

// segment keeps what was read from some pages: links, search terms and text. It is never changed: a page that is read anew goes to another
// segment, and names tells which one counts.
type segment struct {
	mapping
	name     string // of its files, without suffix
	texts    mapping
	docs     []byte
	strings  []byte
	links    []byte
	linkKeys keyTable // loose last part of a link's target -> document
	pathKeys keyTable // path -> document
	terms    []byte   // offsets into termText, one more than terms
	termText []byte
	lists    []byte // per term: offset into postings, number of documents
	postings []byte
	titles   []byte // terms of titles and aliases, in order
	total    uint64 // length of all documents
	sketches []byte // sketchSize numbers a document
	bandKeys keyTable

	measure sync.Once
	lengths []uint32 // of the documents, side by side: a search asks for thousands
}

const (
	segmentMagic    = "rigsegm4"
	segmentSections = 15
	docSize         = 80
)

// segmentBuilder collects pages. It is used by one goroutine.
type segmentBuilder struct {
	docs, strings, links []byte
	linkKeys, pathKeys   []pair
	sketches             []byte
	bands                []pair
	terms                termTable
	list                 []postingList
	inTitle              []bool
	page                 docTable // terms of the document at hand
	total                uint64
	size                 int // bytes of postings
	tok                  tokenizer
	text                 textWriter
}

type postingList struct {
	buf   []byte
	last  uint32
	count uint32
}

// textWriter takes the pages' texts; the zero value drops them.
type textWriter struct {
	file *os.File
	buf  []byte
	off  uint64
	err  error
}

func (w *textWriter) write(b []byte) (off uint64) {
	off = w.off
	if w.file == nil {
		return off
	}
	w.off += uint64(len(b))
	w.buf = append(w.buf, b...)
	if len(w.buf) > 1<<20 {
		w.flush()
	}
	return off
}

func (w *textWriter) flush() {
	if w.file != nil && w.err == nil {
		_, w.err = w.file.Write(w.buf)
	}
	w.buf = w.buf[:0]
}

func (b *segmentBuilder) count() int { return len(b.docs) / docSize }

// add takes a page and tells its document.
func (b *segmentBuilder) add(rel string, id sandbox.FileID, p *Page, text []byte) uint32 {
	doc := uint32(b.count())
	linkOff := len(b.links)
	for _, l := range p.Links {
		if l.External() || l.Target == "" {
			continue
		}
		b.links = appendLink(b.links, l)
		b.linkKeys = append(b.linkKeys, pair{linkKey(l.Target), doc})
	}
	b.tok.whole = false
	b.page.begin()
	length := docTerms(&b.tok, stem(rel), p, text, b.page.add)
	for _, at := range b.page.used {
		b.post(&b.page.slots[at], doc)
	}
	b.sketch(doc)
	b.total += uint64(length)
	le := binary.LittleEndian
	b.docs = le.AppendUint64(b.docs, b.text.write(text))
	for _, v := range []int{len(text), int(checksum(text)), length, len(b.strings), len(rel), linkOff, len(b.links) - linkOff, 0} {
		b.docs = le.AppendUint32(b.docs, uint32(v))
	}
	for _, v := range []uint64{id.Dev, id.Ino, uint64(id.Size), uint64(id.Mtime), uint64(id.Ctime)} {
		b.docs = le.AppendUint64(b.docs, v)
	}
	b.strings = append(b.strings, rel...)
	b.pathKeys = append(b.pathKeys, pair{keyHash(pathKey, rel), doc})
	return doc
}

// sketch keeps the document's sketch.
func (b *segmentBuilder) sketch(doc uint32) {
	least := b.page.sketch.end()
	for i := range sketchSize {
		v := uint32(math.MaxUint32)
		if least != nil {
			v = least[i]
		}
		b.sketches = binary.LittleEndian.AppendUint32(b.sketches, v)
	}
	for band := range sketchBands {
		if least == nil {
			return
		}
		if key, ok := bandKey(least, band); ok {
			b.bands = append(b.bands, pair{key, doc})
		}
	}
}

// post appends the document to a term's list: the distance from the document before, with a flag for weight 1, then other weights.
func (b *segmentBuilder) post(s *docSlot, doc uint32) {
	id, fresh := b.terms.id(s.hash, b.page.text[s.start:s.end])
	if fresh {
		b.list = append(b.list, postingList{})
		b.inTitle = append(b.inTitle, false)
	}
	if s.title {
		b.inTitle[id] = true
	}
	l := &b.list[id]
	before := len(l.buf)
	delta := uint64(doc-l.last) << 1
	if l.count == 0 {
		delta = uint64(doc) << 1
	}
	if s.weight == 1 {
		l.buf = binary.AppendUvarint(l.buf, delta|1)
	} else {
		l.buf = binary.AppendUvarint(binary.AppendUvarint(l.buf, delta), uint64(s.weight))
	}
	l.last = doc
	l.count++
	b.size += len(l.buf) - before
}

// finish gives the segment file's parts.
func (b *segmentBuilder) finish() [][]byte {
	le := binary.LittleEndian
	order := make([]uint32, b.terms.count())
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, c uint32) int { return bytes.Compare(b.terms.term(a), b.terms.term(c)) })
	var terms, termText, lists, titles []byte
	postings := make([]byte, 0, b.size)
	for i, id := range order {
		terms = le.AppendUint32(terms, uint32(len(termText)))
		termText = append(termText, b.terms.term(id)...)
		lists = le.AppendUint32(le.AppendUint32(lists, uint32(len(postings))), b.list[id].count)
		postings = append(postings, b.list[id].buf...)
		if b.inTitle[id] {
			titles = le.AppendUint32(titles, uint32(i))
		}
	}
	terms = le.AppendUint32(terms, uint32(len(termText)))
	links, paths, bands := newKeyTable(b.linkKeys), newKeyTable(b.pathKeys), newKeyTable(b.bands)
	return pack(segmentMagic, b.docs, b.strings, b.links, links.hashes, links.values, paths.hashes, paths.values,
		terms, termText, lists, postings, titles, le.AppendUint64(nil, b.total), b.sketches, slices.Concat(bands.hashes, bands.values))
}

func openSegment(m, texts mapping) (*segment, error) {
	s, err := unpack(m.data, segmentMagic, segmentSections)
	if err != nil {
		return nil, err
	}
	if len(s[12]) != 8 || len(s[13]) != 4*sketchSize*(len(s[0])/docSize) || len(s[14])%12 != 0 {
		return nil, errFormat
	}
	return &segment{mapping: m, texts: texts, docs: s[0], strings: s[1], links: s[2], linkKeys: keyTable{s[3], s[4]}, pathKeys: keyTable{s[5], s[6]},
		terms: s[7], termText: s[8], lists: s[9], postings: s[10], titles: s[11], total: u64(s[12], 0), sketches: s[13], bandKeys: splitKeys(s[14])}, nil
}

func (s *segment) close() {
	s.mapping.close()
	s.texts.close()
}

func (s *segment) count() int { return len(s.docs) / docSize }

func (s *segment) doc(i uint32) []byte { return s.docs[i*docSize : (i+1)*docSize] }

func (s *segment) path(i uint32) string {
	d := s.doc(i)[8:]
	return string(s.strings[u32(d, 3) : u32(d, 3)+u32(d, 4)])
}

// lengthsOf gives the lengths of all documents.
func (s *segment) lengthsOf() []uint32 {
	s.measure.Do(func() {
		s.lengths = make([]uint32, s.count())
		for i := range s.lengths {
			s.lengths[i] = u32(s.doc(uint32(i))[8:], 2)
		}
	})
	return s.lengths
}

func (s *segment) id(i uint32) sandbox.FileID {
	d := s.doc(i)[40:]
	return sandbox.FileID{Dev: u64(d, 0), Ino: u64(d, 1), Size: int64(u64(d, 2)), Mtime: int64(u64(d, 3)), Ctime: int64(u64(d, 4))}
}

// text is the document's text, proved by its checksum: a merge is built on it.
func (s *segment) text(i uint32) ([]byte, bool) {
	d := s.doc(i)
	off, n := u64(d, 0), uint64(u32(d[8:], 0))
	if off+n > uint64(len(s.texts.data)) {
		return nil, false
	}
	text := slices.Clone(s.texts.data[off : off+n])
	return text, checksum(text) == u32(d[8:], 1)
}

// splitKeys takes a table apart that stands in one section: two thirds are hashes.
func splitKeys(b []byte) keyTable { return keyTable{b[:len(b)/3*2], b[len(b)/3*2:]} }

// sketch is the document's sketch, nil where its page is too short for one.
func (s *segment) sketch(doc uint32) []uint32 {
	out, empty := make([]uint32, sketchSize), true
	for i := range out {
		out[i] = u32(s.sketches, int(doc)*sketchSize+i)
		empty = empty && out[i] == math.MaxUint32
	}
	if empty {
		return nil
	}
	return out
}

// holds tells whether a text is the document's, by length and checksum.
func (s *segment) holds(doc uint32, text []byte) bool {
	d := s.doc(doc)[8:]
	return int(u32(d, 0)) == len(text) && u32(d, 1) == checksum(text)
}

// docLinks decodes the document's links inside the wiki.
func (s *segment) docLinks(i uint32) []Link {
	d := s.doc(i)[8:]
	return decodeLinks(s.links[u32(d, 5) : u32(d, 5)+u32(d, 6)])
}

// term finds a term; ok is false where no page of the segment has it, and at is where it would stand.
func (s *segment) term(term string) (at int, ok bool) {
	lo, hi := 0, s.termCount()
	for lo < hi {
		if mid := int(uint(lo+hi) / 2); string(s.termAt(mid)) < term {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, lo < s.termCount() && string(s.termAt(lo)) == term
}

func (s *segment) termCount() int      { return len(s.terms)/4 - 1 }
func (s *segment) termAt(i int) []byte { return s.termText[u32(s.terms, i):u32(s.terms, i+1)] }

// documents is how many documents have the term.
func (s *segment) documents(term int) uint32 { return u32(s.lists, 2*term+1) }

// each calls visit with the documents of a term and its weight there.
func (s *segment) each(term int, visit func(doc, weight uint32)) {
	list := s.postings[u32(s.lists, 2*term):]
	doc := uint64(0)
	for range s.documents(term) {
		v, n := binary.Uvarint(list)
		list = list[n:]
		doc += v >> 1
		w := uint64(1)
		if v&1 == 0 {
			w, n = binary.Uvarint(list)
			list = list[n:]
		}
		visit(uint32(doc), uint32(w))
	}
}
