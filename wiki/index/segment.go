package index

import (
	"encoding/binary"
	"os"
	"slices"
	"sync/atomic"

	"github.com/rigwiki/rig/sandbox"
)

// segment keeps what was read from some pages: links, what they are called, and text; its full text besides, once that is laid out. It is never changed: a page that
// is read anew goes to another segment, and names tells which one counts.
type segment struct {
	mapping
	name     string // of its files, without suffix
	texts    mapping
	docs     []byte
	strings  []byte
	links    []byte
	called   []byte   // what the documents are called, as calls has it
	linkKeys keyTable // loose last part of a link's target -> document
	pathKeys keyTable // path -> document

	users   atomic.Int32 // who reads; the files are let go with the last one
	full    atomic.Pointer[fullText]
	retired []mapping // full texts that were broken; some may be read still
}

const (
	segmentMagic    = "rigsegm5"
	segmentSections = 8
	docSize         = 80
)

// The numbers of a document's record behind the text's offset (8 bytes) and before its stat identity (5 numbers of 8 bytes).
const (
	docTextLen = iota
	docTextSum
	docPath
	docPathLen
	docLinks
	docLinksLen
	docCalled
	docCalledLen
)

// segmentBuilder collects pages. It is used by one goroutine.
type segmentBuilder struct {
	docs, strings, links, called []byte
	linkKeys, pathKeys           []pair
	size                         uint64 // of the texts
	text                         textWriter
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
	linkOff, calledOff := len(b.links), len(b.called)
	for _, l := range p.Links {
		if l.External() || l.Target == "" {
			continue
		}
		b.links = appendLink(b.links, l)
		b.linkKeys = append(b.linkKeys, pair{linkKey(l.Target), doc})
	}
	b.called = appendCalls(b.called, stem(rel), p)
	b.size += uint64(len(text))
	le := binary.LittleEndian
	b.docs = le.AppendUint64(b.docs, b.text.write(text))
	for _, v := range []int{len(text), int(checksum(text)), len(b.strings), len(rel), linkOff, len(b.links) - linkOff, calledOff, len(b.called) - calledOff} {
		b.docs = le.AppendUint32(b.docs, uint32(v))
	}
	for _, v := range []uint64{id.Dev, id.Ino, uint64(id.Size), uint64(id.Mtime), uint64(id.Ctime)} {
		b.docs = le.AppendUint64(b.docs, v)
	}
	b.strings = append(b.strings, rel...)
	b.pathKeys = append(b.pathKeys, pair{keyHash(pathKey, rel), doc})
	return doc
}

// lastCalled is what the page that was added last is called.
func (b *segmentBuilder) lastCalled() []byte {
	d := b.docs[len(b.docs)-docSize+8:]
	return b.called[u32(d, docCalled):]
}

// finish gives the segment file's parts.
func (b *segmentBuilder) finish() [][]byte {
	links, paths := newKeyTable(b.linkKeys), newKeyTable(b.pathKeys)
	return pack(segmentMagic, b.docs, b.strings, b.links, b.called, links.hashes, links.values, paths.hashes, paths.values)
}

func openSegment(m, texts mapping) (*segment, error) {
	s, err := unpack(m.data, segmentMagic, segmentSections)
	if err != nil {
		return nil, err
	}
	if len(s[0])%docSize != 0 {
		return nil, errFormat
	}
	out := &segment{mapping: m, texts: texts, docs: s[0], strings: s[1], links: s[2], called: s[3], linkKeys: keyTable{s[4], s[5]}, pathKeys: keyTable{s[6], s[7]}}
	if !out.linkKeys.sound() || !out.pathKeys.sound() {
		return nil, errFormat
	}
	out.users.Store(1)
	return out, nil
}

// retain keeps the files mapped until close is called once more; false where they are let go already.
func (s *segment) retain() bool {
	for {
		n := s.users.Load()
		if n == 0 {
			return false
		}
		if s.users.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

func (s *segment) close() {
	if s.users.Add(-1) > 0 {
		return
	}
	s.mapping.close()
	s.texts.close()
	if f := s.full.Load(); f != nil {
		f.close()
	}
	for _, m := range s.retired {
		m.close()
	}
}

// sum is the file's checksum.
func (s *segment) sum() uint32 { return u32(s.data, 2) }

func (s *segment) count() int { return len(s.docs) / docSize }

// doc is a document's record; that of a number that is none (in a broken file) is empty.
func (s *segment) doc(i uint32) []byte {
	if int(i) >= s.count() {
		return make([]byte, docSize)
	}
	return s.docs[int(i)*docSize:][:docSize]
}

// part is the piece of a section that two numbers of a document's record name.
func (s *segment) part(section []byte, doc uint32, off, n int) []byte {
	d := s.doc(doc)[8:]
	return piece(section, uint64(u32(d, off)), uint64(u32(d, n)))
}

func (s *segment) path(i uint32) string { return string(s.part(s.strings, i, docPath, docPathLen)) }

func (s *segment) id(i uint32) sandbox.FileID {
	d := s.doc(i)[40:]
	return sandbox.FileID{Dev: u64(d, 0), Ino: u64(d, 1), Size: int64(u64(d, 2)), Mtime: int64(u64(d, 3)), Ctime: int64(u64(d, 4))}
}

// text is the document's text, proved by its checksum: a merge is built on it.
func (s *segment) text(i uint32) ([]byte, bool) {
	text, ok := s.mappedText(i)
	return slices.Clone(text), ok
}

// mappedText is text as it lies in the file.
func (s *segment) mappedText(i uint32) ([]byte, bool) {
	d := s.doc(i)
	text := piece(s.texts.data, u64(d, 0), uint64(u32(d[8:], docTextLen)))
	return text, len(text) == int(u32(d[8:], docTextLen)) && checksum(text) == u32(d[8:], docTextSum)
}

// holds tells whether a text is the document's, by length and checksum.
func (s *segment) holds(doc uint32, text []byte) bool {
	d := s.doc(doc)[8:]
	return int(u32(d, docTextLen)) == len(text) && u32(d, docTextSum) == checksum(text)
}

// docLinks decodes the document's links inside the wiki.
func (s *segment) docLinks(i uint32) []Link {
	return decodeLinks(s.part(s.links, i, docLinks, docLinksLen))
}
