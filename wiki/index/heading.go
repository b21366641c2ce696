package index

import (
	"bytes"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// headings gives the page's headings with their anchors.
func (s *blocks) headings() []Heading {
	if len(s.heads) == 0 {
		return nil
	}
	out := make([]Heading, 0, len(s.heads))
	seen := map[string]int{}
	for _, h := range s.heads {
		text := plain(s.text[h.inner.start:h.inner.end])
		x := Heading{Level: h.level, Text: text, Anchor: uniqueSlug(Slug(text), seen), Start: h.whole.start, End: h.whole.end, folded: foldAnchor(text)}
		if h.inner.end-h.inner.start != len(text) {
			x.marked = bareAnchor(string(s.text[h.inner.start:min(h.inner.end, h.inner.start+longestHeading)]))
		}
		if x.bare = x.folded; strings.ContainsAny(text, punctuation) {
			x.bare = bareAnchor(text)
		}
		out = append(out, x)
	}
	return out
}

// uniqueSlug appends -1, -2 … to a repeated slug, as github-slugger does.
func uniqueSlug(slug string, seen map[string]int) string {
	out := slug
	for _, taken := seen[out]; taken; _, taken = seen[out] {
		seen[slug]++
		out = slug + "-" + strconv.Itoa(seen[slug])
	}
	seen[out] = 0
	return out
}

// Slug is GitHub's anchor of a heading's text: lower case, letters, digits, marks, "-" and "_" kept, each blank a hyphen, all else dropped.
func Slug(text string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(text) {
		switch {
		case r == ' ':
			b.WriteByte('-')
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || unicode.Is(unicode.Nl, r):
			b.WriteRune(r)
		}
	}
	return b.String()
}

// longestHeading is how many bytes of a heading or an excerpt are looked at.
const longestHeading = 8 << 10

// plain is a text without markup. Of one that is longer than any heading or excerpt only the beginning counts: what is nested in it would
// cost the square of its length.
func plain(raw []byte) string {
	if len(raw) > longestHeading {
		raw = raw[:longestHeading]
	}
	if !bytes.ContainsAny(raw, "\\`*_[]<~&\n") {
		return string(bytes.TrimSpace(raw))
	}
	var b strings.Builder
	for i := 0; i < len(raw); {
		i = plainStep(&b, raw, i)
	}
	return strings.Join(strings.Fields(unescape(b.String())), " ")
}

func plainStep(b *strings.Builder, raw []byte, i int) int {
	in := inline{text: raw, end: len(raw)}
	switch c := raw[i]; {
	case c == '\\' && i+1 < len(raw) && isPunct(raw[i+1]):
		b.Write(raw[i : i+2]) // resolved at the end, so that what it protects is not taken for markup
		return i + 2
	case c == '`':
		n := in.repeat(i, '`')
		if end := in.code(i); end > i+2*n {
			b.WriteString(strings.ReplaceAll(string(raw[i+n:end-n]), `\`, `\\`))
			return end
		}
		return i + n
	case c == '*', c == '~' && in.at(i+1) == '~', c == '~' && in.at(i-1) == '~':
		return i + 1
	case c == '_' && (!isWordByte(in.at(i-1)) || !isWordByte(in.at(i+1))):
		return i + 1
	case c == '<':
		if end := bytes.IndexByte(raw[i:], '>'); end > 1 && (isLetter(raw[i+1]) || raw[i+1] == '/') {
			return i + end + 1
		}
	case c == '[' || c == '!' && in.at(i+1) == '[':
		if end, ok := plainLink(b, in, i); ok {
			return end
		}
	}
	b.WriteByte(raw[i])
	return i + 1
}

// plainLink writes the shown text of the link at i.
func plainLink(b *strings.Builder, in inline, i int) (int, bool) {
	open := i
	if in.text[i] == '!' {
		open++
	}
	if in.at(open+1) == '[' {
		if l, next, ok := parseWikilink(in.text, open, in.end); ok {
			shown := l.Alias
			if shown == "" {
				shown = strings.TrimSpace(string(in.text[open+2 : next-2]))
			}
			b.WriteString(shown)
			return next, true
		}
	}
	depth := 0
	for j := open; j < in.end; j++ {
		switch in.text[j] {
		case '\\':
			j++
		case '[':
			depth++
		case ']':
			if depth--; depth > 0 {
				continue
			}
			_, next, ok := in.destination(j + 1)
			if ok {
				b.WriteString(plain(in.text[open+1 : j]))
			}
			return next, ok
		}
	}
	return 0, false
}

// Anchor finds the heading that a link means: by GitHub's slug in a markdown link, by text in both kinds (ignoring case, ":", "|", "#", "^",
// blanks and percent-encoding; parts between "#" must follow each other, each deeper than the one before). Where none is found so, the text is
// compared as Obsidian does (stripHeading of its API): without punctuation, with the heading's markup or without.
func (p Page) Anchor(l Link) (Heading, bool) {
	if l.Kind == Markdown {
		slug := strings.ToLower(unpercent(l.Heading))
		for _, h := range p.Headings {
			if h.Anchor == slug {
				return h, true
			}
		}
	}
	parts := strings.Split(l.Heading, "#")
	for _, form := range []anchorForm{{foldAnchor, Heading.isText}, {bareAnchor, Heading.isBare}} {
		whole := form.of(l.Heading)
		for _, h := range p.Headings {
			if form.is(h, whole) {
				return h, true
			}
		}
		if h, ok := p.nested(parts, form); ok {
			return h, true
		}
	}
	return Heading{}, false
}

// An anchorForm is a way to compare what a link says with a heading.
type anchorForm struct {
	of func(written string) string
	is func(h Heading, form string) bool
}

func (h Heading) isText(form string) bool { return h.folded == form }

func (h Heading) isBare(form string) bool { return form != "" && (h.bare == form || h.marked == form) }

func (p Page) nested(parts []string, form anchorForm) (Heading, bool) {
	if len(parts) < 2 {
		return Heading{}, false
	}
	forms := make([]string, len(parts))
	for i, part := range parts {
		forms[i] = form.of(part)
	}
	for i, h := range p.Headings {
		if !form.is(h, forms[0]) {
			continue
		}
		if last, ok := p.below(i, forms[1:], form); ok {
			return last, true
		}
	}
	return Heading{}, false
}

func (p Page) below(i int, forms []string, form anchorForm) (Heading, bool) {
	if len(forms) == 0 {
		return p.Headings[i], true
	}
	for j := i + 1; j < len(p.Headings) && p.Headings[j].Level > p.Headings[i].Level; j++ {
		if form.is(p.Headings[j], forms[0]) {
			if last, ok := p.below(j, forms[1:], form); ok {
				return last, true
			}
		}
	}
	return Heading{}, false
}

// HasBlock tells whether the page has the block that a link means.
func (p Page) HasBlock(id string) bool {
	for _, b := range p.Blocks {
		if strings.EqualFold(b.ID, id) {
			return true
		}
	}
	return false
}

func foldAnchor(s string) string {
	s = strings.Map(func(r rune) rune {
		if strings.ContainsRune(":|#^", r) {
			return ' '
		}
		return r
	}, unpercent(s))
	return Fold(strings.Join(strings.Fields(norm.NFC.String(s)), " "))
}

// punctuation is what Obsidian takes for a blank where it compares headings.
const punctuation = "!\"#$%&()*+,.:;<=>?@^`{|}~/[]\\"

// bareAnchor is a text as Obsidian compares headings.
func bareAnchor(s string) string {
	return Fold(strings.Join(strings.FieldsFunc(norm.NFC.String(unpercent(s)), func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(punctuation, r)
	}), " "))
}
