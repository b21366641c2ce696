package index

import (
	"encoding/binary"
	"math"
	"sort"
	"sync/atomic"
)

// fullText is what a search asks of one segment: a file of its own beside the segment's, since it takes far longer to lay out than the links.
type fullText struct {
	mapping
	lengths  []byte // of the documents: terms of the body
	terms    []byte // offsets into termText, one more than terms
	termText []byte
	lists    []byte // per term: offset into postings, number of documents
	postings []byte
	titles   []byte // terms of titles and aliases, in order
	total    uint64 // length of all documents
	sketches []byte // sketchSize numbers a document
	bandKeys keyTable
	proved   atomic.Bool // by its checksum
	scorer   scorer
}

const (
	fullTextMagic    = "rigfull1"
	fullTextSections = 10
)

// openFullText takes a file apart that belongs to the segment whose checksum is of.
func openFullText(m mapping, of uint32, docs int) (*fullText, error) {
	s, err := unpack(m.data, fullTextMagic, fullTextSections)
	if err != nil {
		return nil, err
	}
	f := &fullText{mapping: m, lengths: s[1], terms: s[2], termText: s[3], lists: s[4], postings: s[5], titles: s[6], sketches: s[7], bandKeys: keyTable{s[8], s[9]}}
	switch {
	case len(s[0]) != 16 || u64(s[0], 1) != uint64(of):
		return nil, errFormat
	case len(f.lengths) != 4*docs || len(f.sketches) != 4*sketchSize*docs || len(f.terms) < 4 || len(f.terms)%4 != 0:
		return nil, errFormat
	case len(f.lists) != 2*(len(f.terms)-4) || len(f.titles)%4 != 0 || !f.bandKeys.sound():
		return nil, errFormat
	}
	f.total = u64(s[0], 0)
	return f, nil
}

// term finds a term; ok is false where no page of the segment has it, and at is where it would stand.
func (f *fullText) term(term string) (at int, ok bool) {
	at = sort.Search(f.termCount(), func(i int) bool { return string(f.termAt(i)) >= term })
	return at, at < f.termCount() && string(f.termAt(at)) == term
}

func (f *fullText) termCount() int { return len(f.terms)/4 - 1 }

func (f *fullText) termAt(i int) []byte {
	if i >= f.termCount() {
		return nil
	}
	start, end := uint64(u32(f.terms, i)), uint64(u32(f.terms, i+1))
	return piece(f.termText, start, end-start)
}

func (f *fullText) count() int { return len(f.lengths) / 4 }

// documents is how many documents have the term.
func (f *fullText) documents(term int) uint32 { return u32(f.lists, 2*term+1) }

// list is the term's part of the postings and what follows it.
func (f *fullText) list(term int) []byte {
	return f.postings[min(uint64(u32(f.lists, 2*term)), uint64(len(f.postings))):]
}

// each calls visit with the documents of a term and its weight there.
func (f *fullText) each(term int, visit func(doc, weight uint32)) {
	list := f.list(term)
	doc, docs := uint64(0), uint64(f.count())
	for range f.documents(term) {
		v, n := binary.Uvarint(list)
		if n <= 0 {
			return
		}
		list = list[n:]
		w := uint64(1)
		if v&1 == 0 {
			if w, n = binary.Uvarint(list); n <= 0 {
				return
			}
			list = list[n:]
		}
		if doc += v >> 1; doc >= docs {
			return
		}
		visit(uint32(doc), uint32(w))
	}
}

// sketch is the document's sketch, nil where its page is too short for one.
func (f *fullText) sketch(doc uint32) []uint32 {
	if int(doc) >= f.count() {
		return nil
	}
	out, empty := make([]uint32, sketchSize), true
	for i := range out {
		out[i] = u32(f.sketches, int(doc)*sketchSize+i)
		empty = empty && out[i] == math.MaxUint32
	}
	if empty {
		return nil
	}
	return out
}
