package index

import "bytes"

// look finds in a page the passage that a query means.
type look struct {
	wanted  map[string]standsFor // by each term that stands for one of the query
	lengths [256]uint64          // by a term's first byte, the lengths (63 and more are one) that wanted terms have: what most words are passed by with
	terms   int
	most    float64 // what count tells at most
}

type standsFor struct {
	worth float64 // at most 1
	term  int     // of the query
}

func newLook(q query) *look {
	l := &look{wanted: map[string]standsFor{}, terms: len(q.terms)}
	for i, t := range q.terms {
		best := 0.0
		for _, v := range t.alike {
			if _, ok := l.wanted[v.text]; ok || v.text == "" {
				continue
			}
			w := standsFor{min(float64(v.worth), 1), i}
			l.wanted[v.text] = w
			l.lengths[v.text[0]] |= 1 << min(len(v.text), 63)
			best = max(best, w.worth)
		}
		l.most += best
	}
	return l
}

// passage gives the paragraph that has most of the query's terms, the heading above it, its line, and how many of the terms it has (0 to 1).
func (l *look) passage(p cachedPage) (heading, snippet string, line int, together float64) {
	s, c := p.scanned(), l.counter()
	best, bestRun := 0.0, span{}
	for _, r := range s.runs {
		if n := c.count(p.text[r.start:r.end]); n > best {
			best, bestRun = n, r.span
		}
		if best == l.most { // none has more
			break
		}
	}
	if best == 0 { // in code, or in the page's names only
		return "", shorten(firstText(s), 300), 1, 0
	}
	line = 1 + bytes.Count(p.text[:bestRun.start], []byte("\n"))
	var above *Heading
	for i, h := range p.page.Headings {
		if h.Start <= bestRun.start {
			above = &p.page.Headings[i]
		}
	}
	if above != nil && above.Text != p.page.Title {
		heading = above.Text
	}
	if above != nil && above.Start <= bestRun.start && bestRun.end <= above.End { // the heading itself: show what it says
		for _, r := range s.runs {
			if r.start >= above.End {
				return heading, c.excerpt(plain(s.mask[r.start:r.end])), line, best / float64(l.terms)
			}
		}
	}
	return heading, c.excerpt(plain(s.mask[bestRun.start:bestRun.end])), line, best / float64(l.terms)
}

func firstText(s *blocks) string {
	for _, r := range s.runs {
		if t := plain(s.mask[r.start:r.end]); t != "" {
			return t
		}
	}
	return ""
}

// counter counts for one goroutine.
type counter struct {
	*look
	words tokenizer
	got   []float64 // the best worth of each of the query's terms
}

func (l *look) counter() *counter {
	c := &counter{look: l, got: make([]float64, l.terms)}
	c.words.emit = c.meet
	return c
}

func (c *counter) meet(term []byte) {
	if c.lengths[term[0]]>>min(len(term), 63)&1 == 0 {
		return
	}
	if w, ok := c.wanted[string(term)]; ok {
		c.got[w.term] = max(c.got[w.term], w.worth)
	}
}

// count tells the worth of the query's terms in a text, each once.
func (c *counter) count(text []byte) float64 {
	clear(c.got)
	c.words.run(text)
	sum := 0.0
	for _, w := range c.got {
		sum += w
	}
	return sum
}

// excerpt cuts a paragraph to what stands around its terms.
func (c *counter) excerpt(s string) string {
	const limit = 300
	if len(s) <= limit {
		return s
	}
	// The window of words that holds most of the terms; a word's worth counts each time, which favours where they stand close.
	words := bytes.SplitAfter([]byte(s), []byte(" "))
	worth := make([]float64, len(words))
	for i, w := range words {
		worth[i] = c.count(w)
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
