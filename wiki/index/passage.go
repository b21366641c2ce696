package index

import (
	"bytes"
	"slices"
	"strings"
)

// look finds in a page the passage that a query means.
type look struct {
	worth map[string]float64 // of each term that stands for one of the query
	which map[string]int     // the query's term that it stands for
	terms int
}

func newLook(q query) *look {
	l := &look{worth: map[string]float64{}, which: map[string]int{}, terms: len(q.terms)}
	for i, t := range q.terms {
		for _, v := range t.alike {
			if _, ok := l.which[v.text]; !ok {
				l.worth[v.text], l.which[v.text] = float64(v.worth), i
			}
		}
	}
	return l
}

// passage gives the paragraph that has most of the query's terms, the heading above it, its line, and how many of the terms it has (0 to 1).
func (l *look) passage(p *Page, text []byte) (heading, snippet string, line int, together float64) {
	s := scanBlocks(text, p.Front.End)
	slices.SortFunc(s.runs, func(a, b run) int { return a.start - b.start })
	best, bestRun := 0.0, span{}
	for _, r := range s.runs {
		if n := l.count(text[r.start:r.end]); n > best {
			best, bestRun = n, r.span
		}
	}
	var above *Heading
	if best == 0 { // in code, or in the page's names only
		return "", shorten(firstText(s), 300), 1, 0
	}
	line = 1 + bytes.Count(text[:bestRun.start], []byte("\n"))
	for i, h := range p.Headings {
		if h.Start <= bestRun.start {
			above = &p.Headings[i]
		}
	}
	if above != nil && above.Text != p.Title {
		heading = above.Text
	}
	if above != nil && above.Start <= bestRun.start && bestRun.end <= above.End { // the heading itself: show what it says
		for _, r := range s.runs {
			if r.start >= above.End {
				return heading, l.excerpt(plain(s.mask[r.start:r.end])), line, best / float64(l.terms)
			}
		}
	}
	return heading, l.excerpt(plain(s.mask[bestRun.start:bestRun.end])), line, best / float64(l.terms)
}

func firstText(s *blocks) string {
	for _, r := range s.runs {
		if t := plain(s.mask[r.start:r.end]); t != "" {
			return t
		}
	}
	return ""
}

// count tells the worth of the query's terms in a text, each once.
func (l *look) count(text []byte) float64 {
	var got [maxQueryTerms]float64
	t := tokenizer{emit: func(term []byte) {
		if w, ok := l.worth[string(term)]; ok {
			i := l.which[string(term)]
			got[i] = max(got[i], w)
		}
	}}
	t.run(text)
	sum := 0.0
	for _, w := range got {
		sum += min(w, 1)
	}
	return sum
}

// excerpt cuts a paragraph to what stands around its terms.
func (l *look) excerpt(s string) string {
	const limit = 300
	if len(s) <= limit {
		return s
	}
	// The window of words that holds most of the terms; a word's worth counts each time, which favours where they stand close.
	words := strings.SplitAfter(s, " ")
	worth := make([]float64, len(words))
	for i, w := range words {
		worth[i] = l.count([]byte(w))
	}
	first, size, sum := 0, 0, 0.0
	best, bestAt, at := -1.0, 0, 0
	for i, w := range words {
		size += len(w)
		sum += worth[i]
		for size > limit-60 && first < i {
			size -= len(words[first])
			sum -= worth[first]
			at += len(words[first])
			first++
		}
		if sum > best {
			best, bestAt = sum, at
		}
	}
	if bestAt == 0 {
		return shorten(s, limit)
	}
	return "…" + shorten(s[bestAt:], limit)
}
