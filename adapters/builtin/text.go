package builtin

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// isCJK tells letters that are written without blanks between words.
func isCJK(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai)
}

// words cuts text into lower-case words; a run of CJK letters gives its pairs (its single letter where it is one), the usual unit of
// search for such scripts. Inner hyphens, dots and underscores ("go.mod", "type-checker") stay in a word.
func words(text string) []string {
	var list []string
	var run []rune
	cjk := false
	flush := func() {
		switch {
		case len(run) == 0:
		case cjk && len(run) > 1:
			for i := range len(run) - 1 {
				list = append(list, string(run[i:i+2]))
			}
		default:
			if w := strings.Trim(string(run), "-._'’"); w != "" {
				list = append(list, w)
			}
		}
		run = run[:0]
	}
	for _, r := range text {
		letter := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
		if !letter && (cjk || !strings.ContainsRune("-._'’", r)) {
			flush()
			continue
		}
		if letter && isCJK(r) != cjk {
			flush()
			cjk = isCJK(r)
		}
		run = append(run, unicode.ToLower(r))
	}
	flush()
	return list
}

// stem takes the plainest English endings off, so that "builds" and "build" meet.
func stem(w string) string {
	for _, end := range []string{"'s", "’s"} {
		w = strings.TrimSuffix(w, end)
	}
	switch {
	case len(w) > 4 && strings.HasSuffix(w, "ies"):
		return w[:len(w)-3] + "y"
	case len(w) > 4 && strings.HasSuffix(w, "sses"):
		return w[:len(w)-2]
	case len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is"):
		return w[:len(w)-1]
	}
	return w
}

// stopWords carry no meaning of their own.
var stopWords = lazyWords(`a about above after again against all also although always am among an and another any are aren't as at be because
been before being below between both but by can can't cannot could couldn't did didn't do does doesn't doing don't done down during e.g each
either else even every few first for from further get gets give given gives going had hadn't has hasn't have haven't having he her here hers
him his how however i i.e if in instead into is isn't it it's its itself just last least less let like made make makes many may maybe me might
more most much must my need needs neither never no nor not now of off often on once one only onto or other others our ours out over own per
perhaps put quite rather really same say says second see seem seems several shall she should shouldn't simply since so some something still
such take takes than that that's the their theirs them themselves then there there's therefore these they they're thing things this those
though three through thus to too toward two under until up upon us use used useful uses using usually very via want wants was wasn't way ways
we we're well were weren't what when where whether which while who whole whom whose why will with within without won't would wouldn't yes yet
you your yours able already around away become becomes better certain course different easy enough example exactly fact follow following
general good great hand hard help important it’s that’s don’t doesn’t isn’t can’t won’t keep kind know known large later long look lot main
mean means new next note number old order part particular place point possible problem question reason result right section set show shown
simple single small sort sure thought time together true try turn work works write writing add added allow allows case cases change changes
current currently difficult discuss discussed document provide provides proposal propose proposes require required requires e.g. i.e. etc`)

func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(text) {
		set[w] = true
	}
	return set
}

// lazyWords is wordSet when it is first asked for, as lazyRE is.
func lazyWords(text string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool { return wordSet(text) })
}

// content keeps the stemmed words that carry meaning.
func content(list []string) []string {
	var out []string
	for _, w := range list {
		if !stopWords()[w] && (utf8.RuneCountInString(w) > 1 || isCJK([]rune(w)[0])) {
			out = append(out, stem(w))
		}
	}
	return out
}

// length counts words as a reader would: CJK letters count half a word each.
func length(text string) int {
	n, half, in := 0, 0, false
	for _, r := range text {
		switch {
		case isCJK(r):
			half++
			in = false
		case unicode.IsSpace(r):
			in = false
		case !in:
			in = true
			n++
		}
	}
	return n + (half+1)/2
}

// abbreviations end in a dot that ends no sentence.
var abbreviations = lazyWords("e.g. i.e. etc. vs. cf. dr. mr. mrs. ms. no. nos. fig. figs. eq. sec. approx. al. jr. st. resp. incl. u.s. p. pp. ch. vol. ed. eds. inc. ltd. co.")

// sentences cuts a paragraph. A dot ends a sentence only before a blank and something that may begin one; CJK stops need neither.
func sentences(par string) []string {
	var out []string
	rs := []rune(par)
	start, code := 0, false
	cut := func(end int) {
		if s := strings.TrimSpace(string(rs[start:end])); s != "" {
			out = append(out, s)
		}
		start = end
	}
	for i := 0; i < len(rs); i++ {
		switch r := rs[i]; {
		case r == '`':
			code = !code
		case code:
		case strings.ContainsRune("。！？", r):
			for i+1 < len(rs) && strings.ContainsRune("」』）”’", rs[i+1]) {
				i++
			}
			cut(i + 1)
		case strings.ContainsRune(".!?", r):
			end := i + 1
			for end < len(rs) && strings.ContainsRune(`)"'”’]*_.!?`, rs[end]) {
				end++
			}
			if endsSentence(rs, start, i, end) {
				cut(end)
				i = end - 1
			}
		}
	}
	cut(len(rs))
	return out
}

// endsSentence judges the stop at position dot, whose closing signs end at end.
func endsSentence(rs []rune, start, dot, end int) bool {
	if end >= len(rs) || !unicode.IsSpace(rs[end]) {
		return end >= len(rs)
	}
	next := end
	for next < len(rs) && unicode.IsSpace(rs[next]) {
		next++
	}
	if next >= len(rs) {
		return true
	}
	if r := rs[next]; unicode.IsLower(r) {
		return false
	}
	if rs[dot] != '.' {
		return true
	}
	from := dot
	for from > start && !unicode.IsSpace(rs[from-1]) && rs[from-1] != '(' {
		from--
	}
	word := string(rs[from : dot+1])
	return !abbreviations()[strings.ToLower(word)] && !(len([]rune(word)) == 2 && unicode.IsUpper(rs[from]))
}
