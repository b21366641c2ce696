package index

import (
	"math/bits"
	"slices"
)

// deadDocs are the documents of one segment whose pages were read anew, or are gone. A search does not count them: what is found and in which order does not depend
// on how a wiki came to be what it is.
type deadDocs struct {
	bits []uint64 // nil where none is dead
	n    int
}

func (d *deadDocs) add(doc uint32, docs int) {
	if int(doc) >= docs {
		return
	}
	if d.bits == nil {
		d.bits = make([]uint64, (docs+63)/64)
	}
	if bit := uint64(1) << (doc % 64); d.bits[doc/64]&bit == 0 {
		d.bits[doc/64] |= bit
		d.n++
	}
}

func (d *deadDocs) has(doc uint32) bool {
	return d.bits != nil && d.bits[doc/64]>>(doc%64)&1 == 1
}

// dead gives the dead documents of each segment. The caller holds mu.
func (x *Index) dead() []deadDocs {
	x.base.once.Do(func() { x.base.dead = x.base.deadDocs() })
	out := make([]deadDocs, len(x.segments))
	copy(out, x.base.dead)
	shared := make([]bool, len(out)) // with the base until it is written to
	for i := range out {
		shared[i] = out[i].bits != nil
	}
	for row := range x.masked {
		at := x.base.at(row)
		if int(at.segment) >= len(out) {
			continue
		}
		d := &out[at.segment]
		if shared[at.segment] {
			d.bits, shared[at.segment] = slices.Clone(d.bits), false
		}
		d.add(at.doc, x.segments[at.segment].count())
	}
	return out
}

// deadDocs gives the documents of each segment that are no page's text.
func (n *names) deadDocs() []deadDocs {
	out := make([]deadDocs, len(n.segments)/8)
	for i := range out {
		docs := u32(n.segments, 2*i+1)
		for doc := range docs {
			if _, ok := n.docRow(docRef{uint32(i), doc}); !ok {
				out[i].add(doc, int(docs))
			}
		}
	}
	return out
}

// living is how many documents have the term that are not dead.
func (f *fullText) living(term int, dead *deadDocs) (n uint32) {
	if dead.n == 0 {
		return f.documents(term)
	}
	f.each(term, func(doc, _ uint32) { n += uint32(truth(!dead.has(doc))) })
	return n
}

// anyLiving tells whether living is not 0.
func (f *fullText) anyLiving(term int, dead *deadDocs) bool {
	return int(f.documents(term)) > dead.n || f.living(term, dead) > 0
}

// livingTotal is the length of all documents that are not dead.
func (f *fullText) livingTotal(dead *deadDocs) uint64 {
	total := f.total
	for i, word := range dead.bits {
		for ; word != 0; word &= word - 1 {
			if doc := 64*i + bits.TrailingZeros64(word); doc < f.count() {
				total -= uint64(u32(f.lengths, doc))
			}
		}
	}
	return total
}
