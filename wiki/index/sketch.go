package index

import (
	"math"
	"slices"
)

// A sketch tells pages whose texts are nearly the same: of all runs of four terms, hashed, the least in each of sixteen classes (one permutation hashing, Li,
// Owen and Zhang 2012). The share of classes that agree estimates the share of runs that two pages have in common.
type sketch struct {
	least [sketchSize]uint32
	terms int
	last  [3]uint64
}

const (
	sketchSize  = 16
	sketchBands = sketchSize / 2 // pages that agree in both halves of one are compared
	sketchTerms = 40             // a page of fewer terms has none
	sketchAlike = 12             // classes that agree where texts are compared
	nearlySame  = 0.8            // of the runs of terms
	maxCompared = 8              // candidates for one page
)

func (s *sketch) begin() {
	s.terms = 0
	for i := range s.least {
		s.least[i] = math.MaxUint32
	}
}

func (s *sketch) add(hash uint64) {
	if s.terms++; s.terms > 3 {
		h := run4(s.last, hash)
		if class, v := h>>60, uint32(h); v < s.least[class] {
			s.least[class] = v
		}
	}
	s.last[0], s.last[1], s.last[2] = s.last[1], s.last[2], hash
}

func run4(last [3]uint64, hash uint64) uint64 {
	h := last[0]
	for _, x := range [3]uint64{last[1], last[2], hash} {
		h = (h ^ x) * 0x9e3779b97f4a7c15
		h ^= h >> 32
	}
	return h * 0xff51afd7ed558ccd
}

// end gives what is kept; nil for a page that is too short.
func (s *sketch) end() []uint32 {
	if s.terms < sketchTerms {
		return nil
	}
	return s.least[:]
}

// bandKey is the key of one band, false where the sketch has none.
func bandKey(least []uint32, band int) (uint64, bool) {
	a, b := least[2*band], least[2*band+1]
	if a == math.MaxUint32 || b == math.MaxUint32 {
		return 0, false
	}
	return run4([3]uint64{uint64(band), uint64(a), uint64(b)}, 1), true
}

func agreeing(a, b []uint32) (n int) {
	for i := range a {
		n += truth(a[i] == b[i] && a[i] != math.MaxUint32)
	}
	return n
}

// Alike is a page whose text is nearly that of another.
type Alike struct {
	Path  string
	Share float64 // of the runs of four terms that both have, 0.8 to 1
}

// NearCopies gives the pages whose text is nearly that of a page, by path. It looks pages up, and reads those that come near.
func (x *Index) NearCopies(rel string) []Alike {
	x.mustFullText()
	x.mu.RLock()
	near := x.sketchedAlike(rel)
	x.mu.RUnlock()
	if len(near) == 0 {
		return nil
	}
	slices.Sort(near)
	mine, ok := x.runs(rel)
	if !ok {
		return nil
	}
	var out []Alike
	for _, other := range near[:min(len(near), maxCompared)] {
		if theirs, ok := x.runs(other); ok {
			if share := jaccard(mine, theirs); share >= nearlySame {
				out = append(out, Alike{other, share})
			}
		}
	}
	return out
}

// sketchedAlike gives the pages whose sketches come near. The caller holds mu.
func (x *Index) sketchedAlike(rel string) (near []string) {
	least := x.sketchOf(rel)
	if least == nil {
		return nil
	}
	add := func(other string, theirs []uint32) {
		if other != rel && theirs != nil && agreeing(least, theirs) >= sketchAlike && !slices.Contains(near, other) {
			near = append(near, other)
		}
	}
	for i, s := range x.texts() {
		for band := range sketchBands {
			key, ok := bandKey(least, band)
			if !ok || len(near) > 4*maxCompared {
				continue
			}
			s.bandKeys.find(key, func(doc uint32) {
				if len(near) > 4*maxCompared {
					return
				}
				if other, ok := x.alive(docRef{uint32(i), doc}); ok {
					add(other, s.sketch(doc))
				}
			})
		}
	}
	for _, e := range x.inMemory() {
		e.content.counted(e.path)
		add(e.path, e.content.sketch)
	}
	return near
}

func (x *Index) sketchOf(rel string) []uint32 {
	r, ok := x.lookup(rel)
	if !ok || r.class() != pageClass {
		return nil
	}
	e := r.entry()
	if e.content != nil {
		e.content.counted(rel)
		return e.content.sketch
	}
	if texts := x.texts(); int(e.at.segment) < len(texts) {
		return texts[e.at.segment].sketch(e.at.doc)
	}
	return nil
}

// runs are the runs of four terms of a page's body, hashed.
func (x *Index) runs(rel string) (map[uint64]bool, bool) {
	p, text, ok := x.current(rel)
	if !ok {
		return nil, false
	}
	out := map[uint64]bool{}
	var last [3]uint64
	n := 0
	t := tokenizer{emit: func(term []byte) {
		h := termHash(term)
		if n++; n > 3 {
			out[run4(last, h)] = true
		}
		last[0], last[1], last[2] = last[1], last[2], h
	}}
	t.run(text[p.Front.End:])
	return out, true
}

func jaccard(a, b map[uint64]bool) float64 {
	both := 0
	for h := range a {
		both += truth(b[h])
	}
	if len(a)+len(b) == 0 {
		return 0
	}
	return float64(both) / float64(len(a)+len(b)-both)
}
