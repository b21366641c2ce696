package index

import (
	"math"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"
)

// query is a user's text as search terms. Any text is one: marks and operators are no syntax (case o-lw-09).
type query struct {
	terms []queryTerm
	idea  string // the whole text as a page's name
}

// queryTerm is a term of the query with what stands for it: itself, and where no page has it the terms that come near.
type queryTerm struct {
	text  string
	alike []variant
}

// variant is a term of the index that stands for a query's term at some fraction of its worth.
type variant struct {
	text  string
	worth float32
}

const maxQueryTerms = 64

// parseQuery takes a text apart. Words that every page has are dropped where others are left.
func parseQuery(text string) query {
	q := query{idea: Idea(text)}
	var all, telling []queryTerm
	seen := map[string]bool{}
	t := tokenizer{whole: true, emit: func(term []byte) {
		s := string(term)
		if seen[s] || len(all) == maxQueryTerms {
			return
		}
		seen[s] = true
		all = append(all, queryTerm{text: s})
		if !stopword(s) {
			telling = append(telling, queryTerm{text: s})
		}
	}}
	t.run([]byte(text))
	if q.terms = telling; len(telling) == 0 {
		q.terms = all
	}
	return q
}

// stopword tells the English words of questions that say nothing about a page; plurals are already singulars ("doe" is "does").
func stopword(s string) bool {
	switch s {
	case "a", "an", "the", "and", "or", "of", "to", "in", "on", "at", "for", "by", "with", "from", "as", "is", "are", "was", "were", "be", "been",
		"it", "its", "this", "that", "these", "those", "what", "which", "who", "whom", "whose", "when", "where", "why", "how", "do", "doe", "did",
		"doing", "can", "could", "should", "would", "will", "shall", "may", "might", "must", "have", "ha", "had", "i", "you", "we", "they", "he", "she",
		"my", "your", "our", "their", "me", "u", "them", "there", "here", "if", "then", "than", "so", "about", "into", "not", "no", "any", "some":
		return true
	}
	return false
}

// expand finds what stands for each term. The caller holds mu.
func (x *Index) expand(q *query) {
	for i := range q.terms {
		t := &q.terms[i]
		t.alike = []variant{{t.text, 1}}
		r, n := utf8.DecodeRuneInString(t.text)
		if unspaced(r) && n == len(t.text) { // one letter begins every pair
			t.alike = append(t.alike, x.beginning(t.text, 1, 64)...)
			continue
		}
		if x.has(t.text) || unspaced(r) {
			continue
		}
		near := x.near(t.text)
		if utf8.RuneCountInString(t.text) >= 3 {
			near = append(near, x.beginning(t.text, 0.5, 16)...)
		}
		t.alike = append(t.alike, near...)
	}
}

func (x *Index) has(term string) bool {
	dead := x.dead()
	for i, s := range x.texts() {
		if at, ok := s.term(term); ok && s.anyLiving(at, &dead[i]) {
			return true
		}
	}
	return slices.ContainsFunc(x.inMemory(), func(e *entry) bool { return e.content.counted(e.path)[term] > 0 })
}

// beginning gives the first terms that begin with prefix, in order.
func (x *Index) beginning(prefix string, worth float32, limit int) []variant {
	var terms []string
	dead := x.dead()
	for i, s := range x.texts() {
		at, _ := s.term(prefix)
		for n := 0; at < s.termCount() && n < limit; at++ {
			t := string(s.termAt(at))
			if !strings.HasPrefix(t, prefix) {
				break
			}
			if len(t) > len(prefix) && s.anyLiving(at, &dead[i]) {
				terms = append(terms, t)
				n++
			}
		}
	}
	for _, e := range x.inMemory() {
		for t := range e.content.counted(e.path) {
			if len(t) > len(prefix) && strings.HasPrefix(t, prefix) {
				terms = append(terms, t)
			}
		}
	}
	slices.Sort(terms)
	terms = slices.Compact(terms)
	out := make([]variant, 0, limit)
	for _, t := range terms[:min(limit, len(terms))] {
		out = append(out, variant{t, worth})
	}
	return out
}

// near gives terms of titles that are a typing mistake away: one letter in words of four letters and more, two in words of eight.
func (x *Index) near(term string) []variant {
	word := []rune(term)
	allowed := 0
	if len(word) >= 4 {
		allowed = 1
	}
	if len(word) >= 8 {
		allowed = 2
	}
	if allowed == 0 {
		return nil
	}
	found := map[string]int{}
	has := lettersOf([]byte(term))
	try := func(t []byte, living func() bool) {
		if abs(len(t)-len(term)) > 4*allowed {
			return
		}
		// Each change takes one letter away at most, and brings one.
		if l := lettersOf(t); bits.OnesCount64(has&^l) > allowed || bits.OnesCount64(l&^has) > allowed || abs(utf8.RuneCount(t)-len(word)) > allowed {
			return
		}
		if d := distance(word, []rune(string(t)), allowed); d <= allowed && living() {
			found[string(t)] = d
		}
	}
	dead := x.dead()
	for n, s := range x.texts() {
		for i := range len(s.titles) / 4 {
			if at := int(u32(s.titles, i)); at < s.termCount() {
				try(s.termAt(at), func() bool { return s.anyLiving(at, &dead[n]) })
			}
		}
	}
	for _, e := range x.inMemory() {
		for t, w := range e.content.counted(e.path) {
			if w >= titleWeight {
				try([]byte(t), func() bool { return true })
			}
		}
	}
	var out []variant
	for t, d := range found {
		out = append(out, variant{t, 0.8 / float32(d+1) * 2})
	}
	slices.SortFunc(out, func(a, b variant) int {
		if a.worth != b.worth {
			return int(math.Copysign(1, float64(b.worth-a.worth)))
		}
		if a.text < b.text {
			return -1
		}
		return 1
	})
	return out[:min(len(out), 8)]
}

// lettersOf is a set of the letters of a text; some share a place.
func lettersOf(text []byte) (set uint64) {
	for i := 0; i < len(text); {
		r, n := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRune(text[i:])
		}
		set |= 1 << (r % 64)
		i += n
	}
	return set
}

func abs(n int) int { return max(n, -n) }

// distance is the number of letters to insert, delete, replace or swap with a neighbour (optimal string alignment); more than limit is some
// number above it.
func distance(a, b []rune, limit int) int {
	var rows [3][]int
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
	}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row := rows[0], rows[1], rows[2]
		row[0] = i
		best := i
		for j := 1; j <= len(b); j++ {
			cost := truth(a[i-1] != b[j-1])
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			best = min(best, row[j])
		}
		if best > limit {
			return best
		}
		rows[0], rows[1], rows[2] = last, row, before
	}
	return rows[1][len(b)]
}
