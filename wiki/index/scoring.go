package index

import (
	"encoding/binary"
	"sync"
	"sync/atomic"
)

// scorer is what the searches of one segment share: sums to add up in, and what a page's length makes of a term's weight. The zero value is ready.
type scorer struct {
	sums  sync.Pool // of *[]float32, one a document, all 0
	norms atomic.Pointer[norms]
}

// norms is k·(1-b+b·length/mean) of each document, as BM25 has it.
type norms struct {
	ranking
	mean float64
	list []float64
}

// norms gives the norms for a mean; it changes with every edit, though with none in a row of searches.
func (f *fullText) norms(r ranking, mean float64) []float64 {
	if n := f.scorer.norms.Load(); n != nil && n.ranking == r && n.mean == mean {
		return n.list
	}
	n := &norms{r, mean, make([]float64, f.count())}
	for doc := range n.list {
		n.list[doc] = r.norm(float64(u32(f.lengths, doc)) / mean)
	}
	f.scorer.norms.Store(n)
	return n.list
}

func (f *fullText) zeroSums() *[]float32 {
	if s, ok := f.scorer.sums.Get().(*[]float32); ok {
		return s
	}
	s := make([]float32, f.count())
	return &s
}

func (f *fullText) giveBack(sums *[]float32) {
	clear(*sums)
	f.scorer.sums.Put(sums)
}

// addUp adds what a term of some worth is worth to each of its documents. It is each with the visit laid in: a search spends most of its time here.
func (f *fullText) addUp(term int, worth float64, r ranking, norms []float64, sums []float32) {
	list, doc := f.list(term), uint64(0)
	for range f.documents(term) {
		v, n := shortVarint(list)
		if n <= 0 {
			return
		}
		list = list[n:]
		w := uint64(1)
		if v&1 == 0 {
			if w, n = shortVarint(list); n <= 0 {
				return
			}
			list = list[n:]
		}
		if doc += v >> 1; doc >= uint64(len(sums)) {
			return
		}
		sums[doc] += float32(worth * r.saturate(float64(uint32(w)), norms[doc]))
	}
}

// shortVarint is binary.Uvarint, which is no call where the number is one byte long.
func shortVarint(b []byte) (v uint64, n int) {
	if len(b) > 0 && b[0] < 0x80 {
		return uint64(b[0]), 1
	}
	return binary.Uvarint(b)
}
