package builtin

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A term is a word or phrase that a source comes back to.
type term struct {
	key   string // stemmed, lower case
	text  string // as the source spells it most often
	n     int    // occurrences
	words int
	value float64 // C-value
}

// terms finds the terms of a document, best first: phrases without stop words, weighed by C-value (a phrase counts for what it occurs
// outside of longer ones).
func terms(doc document) []term {
	forms := map[string]map[string]int{}
	for _, p := range doc.pars {
		for _, phrase := range phrases(p.text) {
			for i := range phrase {
				for j := i + 1; j <= min(i+3, len(phrase)); j++ {
					text := strings.Join(phrase[i:j], " ")
					key := termKey(phrase[i:j])
					if forms[key] == nil {
						forms[key] = map[string]int{}
					}
					forms[key][text]++
				}
			}
		}
	}
	list := make([]term, 0, len(forms))
	for key, f := range forms {
		t := term{key: key, words: strings.Count(key, " ") + 1}
		best := 0
		for text, n := range f {
			t.n += n
			if n > best || n == best && text < t.text {
				best, t.text = n, text
			}
		}
		if t.n >= 3 && plausible(t) {
			list = append(list, t)
		}
	}
	slices.SortFunc(list, func(a, b term) int { return strings.Compare(a.key, b.key) })
	weigh(list)
	slices.SortStableFunc(list, func(a, b term) int { return cmp.Compare(b.value, a.value) })
	return list
}

func termKey(ws []string) string {
	key := make([]string, len(ws))
	for i, w := range ws {
		key[i] = strings.ToLower(w)
	}
	key[len(key)-1] = stem(key[len(key)-1])
	return strings.Join(key, " ")
}

// plausible terms are not numbers, not single short words.
func plausible(t term) bool {
	first, _ := utf8.DecodeRuneInString(t.text)
	if isCJK(first) {
		return utf8.RuneCountInString(t.text) >= 2
	}
	return unicode.IsLetter(first) && (t.words > 1 || utf8.RuneCountInString(t.text) >= 4)
}

// weigh computes C-values; single words, which C-value leaves out, count by log2(2).
func weigh(list []term) {
	type sum struct{ n, kinds int }
	longer := map[string]sum{}
	for _, t := range list {
		ws := strings.Split(t.key, " ")
		for i := range ws {
			for j := i + 1; j <= len(ws); j++ {
				if j-i < len(ws) {
					k := strings.Join(ws[i:j], " ")
					longer[k] = sum{longer[k].n + t.n, longer[k].kinds + 1}
				}
			}
		}
	}
	for i, t := range list {
		f := float64(t.n)
		if l := longer[t.key]; l.kinds > 0 {
			f -= float64(l.n) / float64(l.kinds)
		}
		list[i].value = math.Log2(float64(t.words)+1) * f
		if t.words == 1 {
			list[i].value *= 0.5 // a phrase says more
		}
	}
}

// phrases are the runs of words between stop words, punctuation and code.
func phrases(text string) [][]string {
	var out [][]string
	var run []string
	end := func() {
		if len(run) > 0 {
			out = append(out, run)
			run = nil
		}
	}
	for i, part := range strings.Split(text, "`") {
		if i%2 == 1 {
			end()
			continue
		}
		for _, w := range strings.FieldsFunc(part, func(r rune) bool { return unicode.IsSpace(r) || r == '/' || r == '—' }) {
			for _, piece := range scripts(w) {
				bare := strings.TrimFunc(piece, func(r rune) bool { return !isWord(r) })
				low := strings.ToLower(bare)
				if bare == "" || stopWords()[low] || stopWords()[stem(low)] || strings.ContainsAny(bare, "()[]{}=<>:;\"“”") {
					end()
					continue
				}
				if !strings.HasPrefix(piece, bare) {
					end() // something stands before it: a bracket, a quote
				}
				run = append(run, bare)
				if !strings.HasSuffix(piece, bare) || isCJK([]rune(bare)[0]) {
					end()
				}
			}
		}
		end()
	}
	return out
}

// scripts cuts a word where its script changes between Han, Katakana and the rest: kana between them are what stop words are elsewhere.
func scripts(w string) []string {
	class := func(r rune) int {
		switch {
		case unicode.Is(unicode.Han, r):
			return 1
		case unicode.Is(unicode.Katakana, r) || r == 'ー':
			return 2
		case unicode.Is(unicode.Hangul, r), unicode.Is(unicode.Thai, r):
			return 3
		case unicode.Is(unicode.Hiragana, r):
			return 4
		}
		return 0
	}
	var out []string
	start, last := 0, -1
	for i, r := range w {
		c := class(r)
		if last >= 0 && c != last {
			out = appendPiece(out, w[start:i], last)
			start = i
		}
		last = c
	}
	return appendPiece(out, w[start:], last)
}

func appendPiece(out []string, piece string, class int) []string {
	if class == 4 || class == 1 && utf8.RuneCountInString(piece) > 8 {
		return out
	}
	return append(out, piece)
}
