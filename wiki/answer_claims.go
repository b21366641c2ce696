package wiki

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rigwiki/rig/wiki/index"
)

// claim is one sentence of an answer with the pages that it cites.
type claim struct {
	text  string // without the citations' markup; an alias counts as text
	cites []index.Link
}

// claimsOf takes an answer apart into sentences. A citation behind the stop belongs to the sentence before it, as models write them there too; one that
// the next words go on from ("[[compost]] feeds them") begins a sentence. Citations in code are none (case o-lw-11).
func claimsOf(answer string) []claim {
	var cites []index.Link
	for _, l := range index.Links([]byte(answer)) {
		if l.Kind == index.Wiki && !l.Embed && (l.Target != "" || l.Heading != "" || l.Block != "") {
			cites = append(cites, l)
		}
	}
	s := &splitter{text: answer, cites: cites}
	prose := index.Prose([]byte(answer), 0)
	var out []claim
	start := 0
	for _, end := range append(s.ends(), len(answer)) {
		c := claim{}
		var b strings.Builder
		at := start
		for _, l := range cites {
			if l.Start < start || l.Start >= end {
				continue
			}
			b.WriteString(answer[at:l.Start] + l.Alias)
			c.cites, at = append(c.cites, l), min(l.End, end)
		}
		b.WriteString(answer[at:end])
		c.text = strings.TrimSpace(b.String())
		said := string(prose[start:end]) // code says nothing
		start = end
		switch wordless := !strings.ContainsFunc(c.text, isWordRune) || !strings.ContainsFunc(said, isWordRune); {
		case wordless && len(c.cites) == 0:
		case wordless && len(out) > 0:
			last := &out[len(out)-1]
			last.cites = append(last.cites, c.cites...)
		default:
			out = append(out, c)
		}
	}
	return out
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// wideStops end a sentence whatever follows: scripts that write no blank behind them, or have no capitals.
const wideStops = "。！？．｡؟۔।॥។။።։"

// splitter finds where sentences end.
type splitter struct {
	text  string
	cites []index.Link
}

func (s *splitter) ends() []int {
	var out []int
	for i := 0; i < len(s.text); {
		if end, ok := s.citeAt(i); ok {
			i = end
			continue
		}
		r, n := utf8.DecodeRuneInString(s.text[i:])
		switch {
		case r == '\n' && s.blockEnds(i):
			out = append(out, i)
		case strings.ContainsRune(wideStops, r) && !(r == '．' && unicode.IsDigit(firstRune(s.text[i+n:]))):
			i = s.absorb(s.closed(i + n))
			out = append(out, i)
			continue
		case strings.ContainsRune(".!?", r):
			if end, ok := s.stop(i); ok {
				out = append(out, end)
				i = end
				continue
			}
		}
		i += n
	}
	return out
}

func (s *splitter) citeAt(i int) (end int, ok bool) {
	at, ok := slices.BinarySearchFunc(s.cites, i, func(l index.Link, i int) int { return l.Start - i })
	if !ok {
		return 0, false
	}
	return s.cites[at].End, true
}

// blockEnds tells whether a line break ends a paragraph, a heading or an item of a list.
func (s *splitter) blockEnds(i int) bool {
	line := s.text[strings.LastIndexByte(s.text[:i], '\n')+1 : i]
	next, _, _ := strings.Cut(s.text[i+1:], "\n")
	next = strings.TrimSpace(next)
	line = strings.TrimSpace(line)
	return next == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(next, "#") || strings.HasPrefix(line, "|") || isItem(next)
}

// isItem tells a line that begins an item: "- ", "* ", "+ ", "1. ", "2) ".
func isItem(line string) bool {
	digits := strings.TrimLeft(line, "0123456789")
	mark, rest := line, ""
	if len(digits) < len(line) {
		mark = digits
	}
	if mark == "" {
		return false
	}
	mark, rest = mark[:1], mark[1:]
	if len(digits) < len(line) {
		return strings.ContainsAny(mark, ".)") && strings.HasPrefix(rest, " ")
	}
	return strings.ContainsAny(mark, "-*+") && strings.HasPrefix(rest, " ")
}

// stop tells whether a sentence ends at the stop at i, and where, with its closing marks and the citations behind it.
func (s *splitter) stop(i int) (end int, ok bool) {
	word := s.text[strings.LastIndexAny(s.text[:i], " \t\n(")+1 : i]
	if s.text[i] == '.' && (isAbbreviation(word) || isNumbered(word) && unicode.IsDigit(firstRune(strings.TrimLeft(s.text[i+1:], " \u00a0"))) || word != "" && strings.Trim(word, "0123456789") == "" && s.startsLine(i-len(word))) {
		return 0, false
	}
	end = i
	for end < len(s.text) && strings.IndexByte(".!?", s.text[end]) >= 0 {
		end++
	}
	end = s.closed(end)
	rest := s.text[end:]
	if rest != "" && !strings.HasPrefix(rest, "[[") && !unicode.IsSpace(firstRune(rest)) {
		return 0, false
	}
	if after := s.absorb(end); after > end {
		return after, true
	}
	if next := firstRune(strings.TrimSpace(rest)); unicode.IsLower(next) {
		return 0, false
	}
	return end, true
}

func (s *splitter) startsLine(i int) bool {
	return strings.TrimSpace(s.text[strings.LastIndexByte(s.text[:i], '\n')+1:i]) == ""
}

// closed passes quotes and brackets that close.
func (s *splitter) closed(i int) int {
	for i < len(s.text) {
		r, n := utf8.DecodeRuneInString(s.text[i:])
		if !strings.ContainsRune(`"')*_”’」』）`, r) {
			break
		}
		i += n
	}
	return i
}

// absorb passes the citations behind a stop, where the next sentence does not go on from them.
func (s *splitter) absorb(i int) int {
	end, at := i, i
	for at < len(s.text) {
		if to, ok := s.citeAt(at); ok {
			at, end = to, to
			continue
		}
		if strings.IndexByte(" \t(),;.", s.text[at]) < 0 {
			break
		}
		if at++; end > i && strings.IndexByte("),;.", s.text[at-1]) >= 0 {
			end = at
		}
	}
	if end > i && at < len(s.text) && unicode.IsLower(firstRune(s.text[at:])) {
		return i
	}
	return end
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// isAbbreviation tells words behind whose stop a sentence goes on, whatever comes.
func isAbbreviation(word string) bool {
	switch strings.ToLower(word) {
	case "e.g", "i.e", "cf", "vs", "dr", "mr", "mrs", "ms", "prof", "st", "approx", "ca", "resp", "al", "z.b", "d.h", "u.a", "bzw", "vgl":
		return true
	}
	for part := range strings.SplitSeq(word, ".") { // initials: "J", "U.S"
		if r, n := utf8.DecodeRuneInString(part); n == 0 || n != len(part) || !unicode.IsUpper(r) {
			return false
		}
	}
	return true
}

// isNumbered tells abbreviations that a number follows: "p. 3", "no. 7"; without one they end a sentence ("he said no.").
func isNumbered(word string) bool {
	switch strings.ToLower(word) {
	case "p", "pp", "fig", "figs", "no", "nos", "nr", "vol", "ch", "sec", "eq", "tab", "s":
		return true
	}
	return false
}

// isLabel tells what is no sentence: a heading, a table's header, words that lead to a list.
func (c claim) isLabel() bool {
	return len(c.cites) == 0 && (strings.HasPrefix(c.text, "#") || strings.HasPrefix(c.text, "|") || strings.HasSuffix(c.text, ":") || strings.HasSuffix(c.text, "："))
}

// isStatement tells a sentence that claims something: no question, and not that the wiki does not know.
func (c claim) isStatement() bool {
	return !c.isLabel() && !strings.HasSuffix(c.text, "?") && !strings.HasSuffix(c.text, "？") && !isUnknown(c.text)
}
