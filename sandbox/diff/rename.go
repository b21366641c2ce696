package diff

import (
	"bytes"
	"cmp"
	"hash/maphash"
	"path"
	"slices"
	"strconv"
	"strings"
)

const (
	half     = 0.5     // as git's -M50%
	piece    = 64      // longest piece of a line that is compared, as in git's diffcore-delta
	maxPairs = 1 << 20 // pairs of files compared at most, as git's rename limit of 1000 by 1000
)

// Similarity is the share (0 to 1) of the larger text's bytes that stand in lines of both, as git's -M index: lines are cut into pieces of
// 64 bytes, their order does not matter, a CR before LF matches nothing. Two empty texts are equal (1).
func Similarity(a, b []byte) float64 {
	seed := maphash.MakeSeed()
	return fingerprint(seed, a).like(fingerprint(seed, b))
}

// shape is a text as sorted pieces with the number of bytes in each.
type shape struct {
	size   int
	pieces []weight
}

type weight struct {
	hash  uint64
	bytes int
}

func fingerprint(seed maphash.Seed, text []byte) shape {
	f := shape{size: len(text), pieces: make([]weight, 0, len(text)/32+1)}
	for _, line := range Split(text) {
		if bytes.HasSuffix(line, []byte("\r\n")) {
			line = append(line[:len(line)-2:len(line)-2], '\n')
		}
		for len(line) > 0 {
			n := min(piece, len(line))
			f.pieces = append(f.pieces, weight{maphash.Bytes(seed, line[:n]), n})
			line = line[n:]
		}
	}
	slices.SortFunc(f.pieces, func(a, b weight) int { return cmp.Compare(a.hash, b.hash) })
	out := f.pieces[:0]
	for _, w := range f.pieces {
		if n := len(out); n > 0 && out[n-1].hash == w.hash {
			out[n-1].bytes += w.bytes
		} else {
			out = append(out, w)
		}
	}
	f.pieces = out
	return f
}

func (f shape) like(g shape) float64 {
	if f.size == 0 && g.size == 0 {
		return 1
	}
	common, i, j := 0, 0, 0
	for i < len(f.pieces) && j < len(g.pieces) {
		switch x, y := f.pieces[i], g.pieces[j]; {
		case x.hash < y.hash:
			i++
		case x.hash > y.hash:
			j++
		default:
			common += min(x.bytes, y.bytes)
			i, j = i+1, j+1
		}
	}
	return float64(common) / float64(max(f.size, g.size))
}

// candidate is a pair that may become a rename.
type candidate struct {
	gone, made int // in the lists
	score      float64
}

// Pair finds renames among deleted and created files, as git's -M50%: one to one, the most similar first, at least half alike, with
// the same extension. Empty files are not paired; a name that changes its case only is, whatever its texts. What is left
// comes back in rest, deletions first. Where more than a million pairs would have to be compared, only equal texts, changes of case and
// alike texts under one base name are found (and the last not where those are over a million too).
func Pair(deleted, created []FileDiff) (renames, rest []FileDiff) {
	m := matcher{deleted: deleted, created: created, goneUsed: make([]bool, len(deleted)), madeUsed: make([]bool, len(created)), seed: maphash.MakeSeed()}
	m.byKey(func(f FileDiff, _ []byte) string { return strings.ToLower(f.Path) }, func(gone, made FileDiff) bool {
		return strings.EqualFold(gone.Path, made.Path) && gone.Path != made.Path
	})
	equal := func(gone, made FileDiff) bool {
		return len(gone.Old) > 0 && path.Ext(gone.Path) == path.Ext(made.Path) && bytes.Equal(gone.Old, made.New)
	}
	m.byKey(func(f FileDiff, text []byte) string { return path.Base(f.Path) + m.hash(text) }, equal)
	m.byKey(func(f FileDiff, text []byte) string { return path.Ext(f.Path) + m.hash(text) }, equal)
	m.bySimilarity()
	slices.SortFunc(m.renames, func(a, b FileDiff) int { return strings.Compare(a.Path, b.Path) })
	for i, f := range deleted {
		if !m.goneUsed[i] {
			rest = append(rest, f)
		}
	}
	for i, f := range created {
		if !m.madeUsed[i] {
			rest = append(rest, f)
		}
	}
	return m.renames, rest
}

type matcher struct {
	deleted, created   []FileDiff
	goneUsed, madeUsed []bool
	renames            []FileDiff
	seed               maphash.Seed
}

func (m *matcher) hash(text []byte) string {
	return "/" + strconv.FormatUint(maphash.Bytes(m.seed, text), 36)
}

func (m *matcher) take(gone, made int) {
	if m.goneUsed[gone] || m.madeUsed[made] {
		return
	}
	m.goneUsed[gone], m.madeUsed[made] = true, true
	d, c := m.deleted[gone], m.created[made]
	m.renames = append(m.renames, FileDiff{Path: c.Path, From: d.Path, Kind: Rename, Old: d.Old, New: c.New})
}

// byKey pairs files of one key, in order.
func (m *matcher) byKey(key func(f FileDiff, text []byte) string, fit func(gone, made FileDiff) bool) {
	byKey := map[string][]int{}
	for i, f := range m.deleted {
		if !m.goneUsed[i] {
			k := key(f, f.Old)
			byKey[k] = append(byKey[k], i)
		}
	}
	for j, f := range m.created {
		if m.madeUsed[j] {
			continue
		}
		k := key(f, f.New)
		for n, i := range byKey[k] {
			if fit(m.deleted[i], f) {
				m.take(i, j)
				byKey[k] = slices.Delete(byKey[k], n, n+1)
				break
			}
		}
	}
}

// bySimilarity compares what is left: every pair of one extension, or, where that is too much, of one base name.
func (m *matcher) bySimilarity() {
	found, ok := m.alike(path.Ext)
	if !ok {
		found, _ = m.alike(path.Base)
	}
	slices.SortFunc(found, m.order)
	for _, c := range found {
		m.take(c.gone, c.made)
	}
}

// alike finds the pairs of one key that are alike enough, in the order of the lists; false where there are too many pairs to compare all.
func (m *matcher) alike(key func(path string) string) ([]candidate, bool) {
	made := map[string][]int{}
	for j, f := range m.created {
		if !m.madeUsed[j] && len(f.New) > 0 {
			made[key(f.Path)] = append(made[key(f.Path)], j)
		}
	}
	pairs := 0
	for i, f := range m.deleted {
		if !m.goneUsed[i] {
			pairs += len(made[key(f.Path)])
		}
	}
	if pairs > maxPairs {
		return nil, false
	}
	return m.compare(made, key), true
}

// compare scores the pairs of one key. It goes by the pieces that files share, so that pairs with nothing in common cost nothing.
func (m *matcher) compare(made map[string][]int, key func(path string) string) []candidate {
	type place struct{ file, bytes int }
	shapes, places := make([]shape, len(m.created)), map[uint64][]place{}
	for _, files := range made {
		for _, j := range files {
			shapes[j] = fingerprint(m.seed, m.created[j].New)
			for _, w := range shapes[j].pieces {
				places[w.hash] = append(places[w.hash], place{j, w.bytes})
			}
		}
	}
	var found []candidate
	common := make([]int, len(m.created))
	for i, f := range m.deleted {
		files := made[key(f.Path)]
		if m.goneUsed[i] || len(f.Old) == 0 || len(files) == 0 {
			continue
		}
		gone := fingerprint(m.seed, f.Old)
		clear(common)
		for _, w := range gone.pieces {
			for _, p := range places[w.hash] {
				common[p.file] += min(w.bytes, p.bytes)
			}
		}
		for _, j := range files {
			if score := float64(common[j]) / float64(max(gone.size, shapes[j].size)); score >= half {
				found = append(found, candidate{i, j, score})
			}
		}
	}
	return found
}

// order puts the more similar pair first, then the one that keeps its base name, then by place in the lists.
func (m *matcher) order(a, b candidate) int {
	kept := func(c candidate) bool { return path.Base(m.deleted[c.gone].Path) == path.Base(m.created[c.made].Path) }
	switch {
	case a.score != b.score:
		if a.score > b.score {
			return -1
		}
		return 1
	case kept(a) != kept(b):
		if kept(a) {
			return -1
		}
		return 1
	case a.gone != b.gone:
		return a.gone - b.gone
	default:
		return a.made - b.made
	}
}
