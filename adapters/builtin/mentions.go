package builtin

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// isWord tells what belongs to a word of a name.
func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// A token is a word of a text with its place; each CJK letter is one of its own, so that names match inside unbroken text.
type token struct {
	word       string // lower case, stemmed
	start, end int    // bytes
}

func tokens(text string) []token {
	var list []token
	start := -1
	flush := func(end int) {
		if start >= 0 {
			list = append(list, token{stem(strings.ToLower(text[start:end])), start, end})
			start = -1
		}
	}
	for i, r := range text {
		switch {
		case isCJK(r):
			flush(i)
			list = append(list, token{string(r), i, i + utf8.RuneLen(r)})
		case isWord(r):
			if start < 0 {
				start = i
			}
		default:
			flush(i)
		}
	}
	flush(len(text))
	return list
}

// A matcher finds true mentions of pages in text: whole words, longest name first.
type matcher struct {
	targets map[string]target
	longest int // words of the longest name
}

type target struct {
	link  string
	exact string // where not empty, the text must be spelled so: names too short to be told from common words
}

// newMatcher knows the names of all pages but one (the page that is being written). A name that two pages share belongs to the first.
func newMatcher(pages []page, except string) matcher {
	m := matcher{targets: map[string]target{}}
	for _, p := range pages {
		if p.rel == except {
			continue
		}
		for _, name := range p.names() {
			toks := tokens(name)
			if len(toks) == 0 || len(toks) > 8 || (len(toks) == 1 && weak(toks[0].word, name)) {
				continue
			}
			key := keyOf(toks)
			if _, taken := m.targets[key]; taken {
				continue
			}
			t := target{link: p.link}
			if len(toks) == 1 && utf8.RuneCountInString(name) < 4 && !isCJK([]rune(name)[0]) {
				t.exact = name
			}
			m.targets[key] = t
			m.longest = max(m.longest, len(toks))
		}
	}
	return m
}

// weak names are words of everyday language, or a single letter.
func weak(word, name string) bool {
	return stopWords()[word] || stopWords()[strings.ToLower(name)] || utf8.RuneCountInString(word) < 2
}

func keyOf(toks []token) string {
	parts := make([]string, len(toks))
	for i, t := range toks {
		parts[i] = t.word
	}
	return strings.Join(parts, " ")
}

// A mention is a place in a text that names a page.
type mention struct {
	link       string
	start, end int
}

func (m matcher) find(text string) []mention {
	if m.longest == 0 {
		return nil
	}
	toks := tokens(text)
	var out []mention
	for i := 0; i < len(toks); {
		n := min(m.longest, len(toks)-i)
		for ; n > 0; n-- {
			if !together(text, toks[i:i+n]) {
				continue
			}
			t, ok := m.targets[keyOf(toks[i:i+n])]
			if ok && (t.exact == "" || text[toks[i].start:toks[i+n-1].end] == t.exact) {
				out = append(out, mention{t.link, toks[i].start, toks[i+n-1].end})
				break
			}
		}
		i += max(n, 1)
	}
	return out
}

// together tells whether words may make up one name: blanks or one joining sign between them ("go.mod", "number-literals"), no more.
func together(text string, toks []token) bool {
	for i := 1; i < len(toks); i++ {
		gap := text[toks[i-1].end:toks[i].start]
		if strings.TrimSpace(gap) != "" && !slices.Contains([]string{"-", "_", ".", "'", "’", "・"}, gap) {
			return false
		}
	}
	return true
}

// count adds up the mentions of a document, most mentioned first.
func (m matcher) count(doc document) []counted {
	n := map[string]int{}
	for _, p := range doc.pars {
		for _, f := range m.find(p.text) {
			n[f.link]++
		}
	}
	for _, h := range doc.headings {
		for _, f := range m.find(h) {
			n[f.link]++
		}
	}
	list := make([]counted, 0, len(n))
	for link, c := range n {
		list = append(list, counted{link, c})
	}
	slices.SortFunc(list, func(a, b counted) int {
		return cmp.Or(cmp.Compare(b.n, a.n), strings.Compare(a.name, b.name))
	})
	return list
}

type counted struct {
	name string
	n    int
}

// prose renders a sentence of a source as markdown that means itself, and links the first mention of each page that was not linked yet.
func (m matcher) prose(text string, linked map[string]bool) string {
	var b strings.Builder
	parts := strings.Split(text, "`")
	for i, part := range parts {
		if i%2 == 1 && i < len(parts)-1 { // between two backquotes
			b.WriteString("`" + part + "`")
			continue
		}
		if i%2 == 1 {
			b.WriteString("\\`")
		}
		at := 0
		for _, f := range m.find(part) {
			if linked[f.link] || inWord(part, f) {
				continue
			}
			linked[f.link] = true
			b.WriteString(escape(part[at:f.start]))
			b.WriteString(wikilink(f.link, part[f.start:f.end]))
			at = f.end
		}
		b.WriteString(escape(part[at:]))
	}
	s := b.String()
	if s != "" && strings.ContainsRune("-+>#", rune(s[0])) {
		s = `\` + s
	}
	return s
}

// inWord tells a mention inside something larger that is one word for a reader: a path, a URL, "x.gofmt", "gofmt-like".
func inWord(text string, f mention) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:f.start])
	after, _ := utf8.DecodeRuneInString(text[f.end:])
	next, _ := utf8.DecodeRuneInString(strings.TrimPrefix(text[f.end:], string(after)))
	return f.start > 0 && strings.ContainsRune(`/\@.:=_-`, before) ||
		f.end < len(text) && (strings.ContainsRune(`/\@=_-(`, after) || strings.ContainsRune(".:", after) && isWord(next))
}

func wikilink(link, text string) string {
	if text == "" || text == link {
		return "[[" + link + "]]"
	}
	return "[[" + link + "|" + text + "]]"
}

// escape makes prose mean itself in markdown: no emphasis, no links, no HTML.
func escape(s string) string {
	var b strings.Builder
	rs := []rune(s)
	for i, r := range rs {
		inside := i > 0 && i < len(rs)-1 && isWord(rs[i-1]) && isWord(rs[i+1])
		switch {
		case strings.ContainsRune("\\`*[]<~", r), r == '_' && !inside, r == '&' && i+1 < len(rs) && (isWord(rs[i+1]) || rs[i+1] == '#'):
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
