package index

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"
)

// Hit is a page found.
type Hit struct {
	Path    string
	Title   string
	Heading string  // text of the heading that the snippet stands under, "" for the page's title and text before any
	Line    int     // of the paragraph, from 1
	Snippet string  // plain text of the best paragraph, at most 300 bytes
	Score   float64 // BM25F, to compare hits of one search
}

// The parameters of BM25 (Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009). A wiki's pages vary in length for good reason, hence the low b.
// A factor for the share of the query's words that a page has was tried and taken away: long pages have all words, and asked for the page that testdata's
// questions mean, it put fewer of them first (114 of 146 against 125).
const (
	bm25K = 1.6
	bm25B = 0.6
)

// ranking are the parameters that an index ranks by; only the test that tunes them knows others.
type ranking struct{ k, b float64 }

// Search gives the pages that match a text best, at most limit. Any text is a query; one without letters and digits finds nothing.
func (x *Index) Search(terms string, limit int) []Hit {
	q := parseQuery(terms)
	if len(q.terms) == 0 || limit <= 0 {
		return nil
	}
	x.mustFullText()
	x.mu.RLock()
	x.expand(&q)
	found := x.score(q, limit+5)
	x.mu.RUnlock()
	look := newLook(q)
	hits := make([]Hit, len(found))
	var wg sync.WaitGroup
	for i := range found {
		wg.Go(func() { hits[i] = x.hit(found[i], q, look) })
	}
	wg.Wait()
	hits = slices.DeleteFunc(hits, func(h Hit) bool { return h.Path == "" })
	slices.SortFunc(hits, func(a, b Hit) int { return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.Path, b.Path)) })
	return hits[:min(limit, len(hits))]
}

// hit reads a page that was found, and finds the passage in it; the zero Hit where the page is gone.
func (x *Index) hit(f scored, q query, look *look) Hit {
	p, ok := x.seen(f.path)
	if !ok {
		return Hit{}
	}
	h := Hit{Path: f.path, Title: p.page.Title, Score: f.score}
	var together float64
	h.Heading, h.Snippet, h.Line, together = look.passage(p)
	h.Score *= 1 + together
	if slices.Contains(ideas(stem(f.path), p.page.Title, p.page.Aliases), q.idea) {
		h.Score *= 2
	}
	if x.behind(f.path) {
		h.Score /= 2
	}
	return h
}

// scored is a page with its score.
type scored struct {
	path  string
	score float64
}

// score gives the best pages. The caller holds mu.
func (x *Index) score(q query, limit int) []scored {
	memory, dead := x.inMemory(), x.dead()
	pages, total := float64(len(memory)), 0.0
	for i, s := range x.texts() {
		pages += float64(s.count() - dead[i].n)
		total += float64(s.livingTotal(&dead[i]))
	}
	for _, e := range memory {
		e.content.counted(e.path)
		total += float64(e.content.length)
	}
	mean := max(1, total/max(1, pages))
	weights := x.weights(q, memory, dead, pages)
	top := newTop(limit)
	texts := x.texts()
	tops := make([][]scored, len(texts))
	var wg sync.WaitGroup
	for i, s := range texts {
		wg.Go(func() {
			best := newTop(limit)
			x.scoreSegment(uint32(i), s, q, weights, mean, best)
			tops[i] = best.list
		})
	}
	wg.Wait()
	for _, f := range slices.Concat(tops...) {
		top.add(f.score, func() (string, bool) { return f.path, true })
	}
	for _, e := range memory {
		sum := float32(0) // as in a segment, so that a page ranks the same wherever it lies
		for i, t := range q.terms {
			for j, v := range t.alike {
				if tf := e.content.terms[v.text]; tf > 0 {
					sum += float32(weights[i][j] * x.rank.saturate(float64(tf), x.rank.norm(float64(e.content.length)/mean)))
				}
			}
		}
		if sum > 0 {
			top.add(float64(sum), func() (string, bool) { return e.path, true })
		}
	}
	return top.list
}

// weights gives the worth of each variant of each term: rare terms count for more.
func (x *Index) weights(q query, memory []*entry, dead []deadDocs, pages float64) [][]float64 {
	out := make([][]float64, len(q.terms))
	for i, t := range q.terms {
		for _, v := range t.alike {
			n := 0.0
			for i, s := range x.texts() {
				if at, ok := s.term(v.text); ok {
					n += float64(s.living(at, &dead[i]))
				}
			}
			for _, e := range memory {
				n += float64(truth(e.content.terms[v.text] > 0))
			}
			out[i] = append(out[i], float64(v.worth)*math.Log(1+(pages-n+0.5)/(n+0.5)))
		}
	}
	return out
}

// saturate is the worth of a weight in a page whose length has the norm.
func (r ranking) saturate(tf, norm float64) float64 { return tf * (r.k + 1) / (tf + norm) }

// norm is what a length, over the mean, makes of weights.
func (r ranking) norm(length float64) float64 { return r.k * (1 - r.b + r.b*length) }

func (x *Index) scoreSegment(index uint32, s *fullText, q query, weights [][]float64, mean float64, top *top) {
	held := s.zeroSums()
	defer s.giveBack(held)
	sums, norms := *held, s.norms(x.rank, mean)
	for i, t := range q.terms {
		for j, v := range t.alike {
			if at, ok := s.term(v.text); ok {
				s.addUp(at, weights[i][j], x.rank, norms, sums)
			}
		}
	}
	bar := float32(0)
	for doc, sum := range sums {
		if sum <= 0 || sum < bar {
			continue
		}
		top.add(float64(sum), func() (string, bool) { return x.alive(docRef{index, uint32(doc)}) })
		bar = float32(top.bar())
	}
}

// top keeps the best of many, best first.
type top struct {
	limit int
	list  []scored
}

func newTop(limit int) *top { return &top{limit: limit} }

// bar is the score below which nothing is among the best.
func (t *top) bar() float64 {
	if len(t.list) < t.limit {
		return 0
	}
	return t.list[len(t.list)-1].score
}

// add takes a score; the path, which decides between equal scores, is asked for only where it may be among the best.
func (t *top) add(score float64, path func() (string, bool)) {
	if score < t.bar() {
		return
	}
	p, ok := path()
	if !ok {
		return
	}
	i, _ := slices.BinarySearchFunc(t.list, scored{p, score}, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(a.path, b.path))
	})
	if len(t.list) == t.limit {
		if i == t.limit {
			return
		}
		t.list = t.list[:t.limit-1]
	}
	t.list = slices.Insert(t.list, i, scored{p, score})
}
