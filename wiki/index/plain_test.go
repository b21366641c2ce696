package index

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rigwiki/rig/wiki/index/indextest"
)

// TestSearchIsThePlainOne compares a search with the same done the plain way, without anything that makes it quick: pages in several segments, in memory, in
// buffers and gone; words of pages, mistyped ones, beginnings, other scripts.
func TestSearchIsThePlainOne(t *testing.T) {
	root, dir := t.TempDir(), t.TempDir()
	paths, err := indextest.Write(root, indextest.Options{Pages: 250, Seed: 21, Unresolved: 0.1, Multilingual: true})
	if err != nil {
		t.Fatal(err)
	}
	write(t, root, "long.md", strings.Repeat("# Part\n\nOne two.\n\n", 400)+"The needle and the thread, seven times sewn.\n\nneedle\n")
	write(t, root, "long line.md", "# Line\n\n"+strings.Repeat("word ", 800)+"needle "+strings.Repeat("and thread ", 50))
	settle()
	x := open(t, root, dir)
	if err := x.FullText(t.Context()); err != nil {
		t.Fatal(err)
	}
	queries := plainQueries(x, rand.New(rand.NewPCG(3, 9)))
	comparePlain(t, x, queries, "as built")
	for i, rel := range paths[:60] {
		text, _ := x.Source(rel)
		if i%2 == 0 {
			write(t, root, rel, string(text)+"\n\nkettle kettle seven\n")
		} else if err := os.Remove(filepath.Join(root, rel)); err != nil {
			t.Fatal(err)
		}
	}
	settle()
	refresh(t, x)
	comparePlain(t, x, queries, "after a refresh")
	for _, rel := range paths[60:90] {
		text, _ := x.Source(rel)
		x.SetBuffer(rel, append(slices.Clone(text), "\nneedle\n"...))
	}
	comparePlain(t, x, queries, "with buffers")
}

// settle waits until what was written is older than a tick of the file system's clock: younger files are read again at each look.
func settle() {
	for made := time.Now(); time.Since(made) < 2*settled; {
		runtime.Gosched()
	}
}

func comparePlain(t *testing.T, x *Index, queries []string, when string) {
	t.Helper()
	for _, q := range queries {
		for _, term := range parseQuery(q).terms {
			if got, want := x.near(term.text), plainNear(x, term.text); !slices.Equal(got, want) {
				t.Fatalf("%s, terms near %q: %v, plainly %v", when, term.text, got, want)
			}
		}
		for _, limit := range []int{1, 10} {
			if got, want := fmt.Sprintf("%+v", x.Search(q, limit)), fmt.Sprintf("%+v", plainSearch(x, q, limit)); got != want {
				t.Fatalf("%s, %q: %s", when, q, firstDifference(got, want))
			}
		}
	}
}

// plainQueries are words of the wiki's pages, as they are and spoiled, and a few of our own.
func plainQueries(x *Index, rng *rand.Rand) []string {
	out := []string{"needle thread", "needle", "seven kettle", "c++", "知識", "é", "nedle thred"}
	paths := x.Paths()
	for len(out) < 45 {
		text, _ := x.Source(paths[rng.IntN(len(paths))])
		words := strings.Fields(string(text))
		if len(words) == 0 {
			continue
		}
		var q []string
		for range 1 + rng.IntN(4) {
			w := []rune(words[rng.IntN(len(words))])
			switch at := rng.IntN(len(w)); rng.IntN(6) {
			case 0:
				w = slices.Delete(w, at, at+1)
			case 1:
				w = slices.Insert(w, at, 'x')
			case 2:
				w = w[:at]
			}
			q = append(q, string(w))
		}
		out = append(out, strings.Join(q, " "))
	}
	return out
}

func plainSearch(x *Index, terms string, limit int) []Hit {
	q := parseQuery(terms)
	if len(q.terms) == 0 {
		return nil
	}
	x.expand(&q)
	best := plainScores(x, q)
	slices.SortFunc(best, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(a.path, b.path))
	})
	hits := []Hit{}
	for _, f := range best[:min(len(best), limit+5)] {
		p, _ := x.Page(f.path)
		text, _ := x.Source(f.path)
		h := Hit{Path: f.path, Title: p.Title, Score: f.score}
		var together float64
		h.Heading, h.Snippet, h.Line, together = plainPassage(q, p, text)
		h.Score *= 1 + together
		if slices.Contains(ideas(stem(p.Path), p.Title, p.Aliases), q.idea) {
			h.Score *= 2
		}
		if x.behind(f.path) {
			h.Score /= 2
		}
		hits = append(hits, h)
	}
	slices.SortFunc(hits, func(a, b Hit) int { return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.Path, b.Path)) })
	return hits[:min(limit, len(hits))]
}

func plainScores(x *Index, q query) (out []scored) {
	memory, dead := x.inMemory(), x.dead()
	pages, total := float64(len(memory)), 0.0
	for i, s := range x.texts() {
		for doc := range uint32(s.count()) {
			if !dead[i].has(doc) {
				pages++
				total += float64(u32(s.lengths, int(doc)))
			}
		}
	}
	for _, e := range memory {
		e.content.counted(e.path)
		total += float64(e.content.length)
	}
	mean := max(1, total/max(1, pages))
	weights := x.weights(q, memory, dead, pages)
	add := func(sum float32, path string, ok bool) {
		if sum > 0 && ok {
			out = append(out, scored{path, float64(sum)})
		}
	}
	for i, s := range x.texts() {
		sums := make([]float32, s.count())
		for i, t := range q.terms {
			for j, v := range t.alike {
				if at, ok := s.term(v.text); ok {
					s.each(at, func(doc, tf uint32) {
						sums[doc] += float32(weights[i][j] * plainSaturate(float64(tf), float64(u32(s.lengths, int(doc)))/mean))
					})
				}
			}
		}
		for doc, sum := range sums {
			path, ok := x.alive(docRef{uint32(i), uint32(doc)})
			add(sum, path, ok)
		}
	}
	for _, e := range memory {
		sum := float32(0)
		for i, t := range q.terms {
			for j, v := range t.alike {
				if tf := e.content.terms[v.text]; tf > 0 {
					sum += float32(weights[i][j] * plainSaturate(float64(tf), float64(e.content.length)/mean))
				}
			}
		}
		add(sum, e.path, true)
	}
	return out
}

func plainSaturate(tf, length float64) float64 {
	return tf * (bm25K + 1) / (tf + bm25K*(1-bm25B+bm25B*length))
}

// plainCount is the worth of a query's terms in a text, each once.
func plainCount(q query, text string) float64 {
	terms := map[string]bool{}
	words := tokenizer{emit: func(term []byte) { terms[string(term)] = true }}
	words.run([]byte(text))
	counted := map[string]bool{}
	sum := 0.0
	for _, t := range q.terms {
		best := 0.0
		for _, v := range t.alike {
			if !counted[v.text] && terms[v.text] {
				best = max(best, float64(v.worth))
			}
			counted[v.text] = true
		}
		sum += min(best, 1)
	}
	return sum
}

func plainPassage(q query, p Page, text []byte) (heading, snippet string, line int, together float64) {
	s := scanBlocks(text, p.Front.End)
	slices.SortFunc(s.runs, func(a, b run) int { return a.start - b.start })
	best, at := 0.0, 0
	for i, r := range s.runs {
		if n := plainCount(q, string(text[r.start:r.end])); n > best {
			best, at = n, i
		}
	}
	if best == 0 {
		return "", shorten(firstText(s), 300), 1, 0
	}
	r, above := s.runs[at], Heading{Start: -1, End: -1}
	for _, h := range p.Headings {
		if h.Start <= r.start {
			above = h
		}
	}
	if above.Start >= 0 && above.Text != p.Title {
		heading = above.Text
	}
	line = 1 + strings.Count(string(text[:r.start]), "\n")
	if r.end <= above.End {
		for _, after := range s.runs[at:] {
			if after.start >= above.End {
				r = after
				break
			}
		}
	}
	return heading, plainExcerpt(q, plain(s.mask[r.start:r.end])), line, best / float64(len(q.terms))
}

func plainExcerpt(q query, s string) string {
	if len(s) <= 300 {
		return s
	}
	words := strings.SplitAfter(s, " ")
	best, bestAt, at, first := -1.0, 0, 0, 0
	for i := range words {
		for first < i && len(strings.Join(words[first:i+1], "")) > 240 {
			at += len(words[first])
			first++
		}
		sum := 0.0
		for _, w := range words[first : i+1] {
			sum += plainCount(q, w)
		}
		if sum > best {
			best, bestAt = sum, at
		}
	}
	if bestAt == 0 {
		return shorten(s, 300)
	}
	return "…" + shorten(s[bestAt:], 300)
}

func plainNear(x *Index, term string) []variant {
	word := []rune(term)
	allowed := truth(len(word) >= 4) + truth(len(word) >= 8)
	found := map[string]int{}
	try := func(t string) {
		if d := distance(word, []rune(t), 2); d <= allowed && allowed > 0 {
			found[t] = d
		}
	}
	dead := x.dead()
	for n, s := range x.texts() {
		for i := range len(s.titles) / 4 {
			if at := int(u32(s.titles, i)); s.living(at, &dead[n]) > 0 {
				try(string(s.termAt(at)))
			}
		}
	}
	for _, e := range x.inMemory() {
		for t, w := range e.content.counted(e.path) {
			if w >= titleWeight {
				try(t)
			}
		}
	}
	var out []variant
	for t, d := range found {
		out = append(out, variant{t, 0.8 / float32(d+1) * 2})
	}
	slices.SortFunc(out, func(a, b variant) int {
		return cmp.Or(cmp.Compare(b.worth, a.worth), strings.Compare(a.text, b.text))
	})
	return out[:min(len(out), 8)]
}
