package index

import (
	"html"
	"net/url"
	"strings"
)

// destination reads "(dest "title")" at i.
func (in *inline) destination(i int) (Link, int, bool) {
	if in.at(i) != '(' {
		return Link{}, 0, false
	}
	i = skipSpace(in.text, i+1, in.end)
	l, i, ok := parseDest(in.text, i, in.end)
	if !ok {
		return Link{}, 0, false
	}
	j := skipSpace(in.text, i, in.end)
	if j > i && in.at(j) != ')' {
		if i, ok = linkTitle(in.text, j, in.end); !ok {
			return Link{}, 0, false
		}
		j = skipSpace(in.text, i, in.end)
	}
	if in.at(j) != ')' {
		return Link{}, 0, false
	}
	return l, j + 1, true
}

func skipSpace(text []byte, i, end int) int {
	for i < end && (isBlank(text[i]) || text[i] == '\n' || text[i] == '\r') {
		i++
	}
	return i
}

// parseDest reads a link destination (CommonMark section 6.3): in angle brackets, or without blanks and with balanced parentheses.
func parseDest(text []byte, i, end int) (Link, int, bool) {
	if i < end && text[i] == '<' {
		for j := i + 1; j < end; j++ {
			switch text[j] {
			case '>':
				return destLink(text, i+1, j), j + 1, true
			case '<', '\n', '\r':
				return Link{}, 0, false
			case '\\':
				j++
			}
		}
		return Link{}, 0, false
	}
	depth, j := 0, i
	for ; j < end && text[j] > ' ' && text[j] != 0x7f; j++ {
		switch text[j] {
		case '\\':
			if j+1 < end && isPunct(text[j+1]) {
				j++
			}
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth < 0 || depth > 32 {
			break
		}
	}
	j = min(j, end)
	if j == i || depth > 0 {
		return Link{}, 0, false
	}
	return destLink(text, i, j), j, true
}

// destLink takes a destination apart: backslashes and entities first, then path and fragment, then percent-decoding, once, of each.
func destLink(text []byte, start, end int) Link {
	l := Link{Kind: Markdown, TargetStart: start, TargetEnd: end}
	raw := unescape(string(text[start:end]))
	if external(raw) {
		l.Target = raw
		return l
	}
	path, fragment, _ := strings.Cut(raw, "#")
	l.Target = unpercent(path)
	l.Heading, l.Block = anchorOf(fragment)
	if i := strings.IndexByte(string(text[start:end]), '#'); i >= 0 {
		l.TargetEnd = start + i
	}
	return l
}

// unescape resolves backslash escapes and entities (CommonMark sections 2.4, 2.5).
func unescape(s string) string {
	if strings.IndexByte(s, '\\') >= 0 {
		var b strings.Builder
		for i := 0; i < len(s); i++ {
			if s[i] == '\\' && i+1 < len(s) && isPunct(s[i+1]) {
				i++
			}
			b.WriteByte(s[i])
		}
		s = b.String()
	}
	if strings.IndexByte(s, '&') >= 0 {
		s = html.UnescapeString(s)
	}
	return s
}

// unpercent decodes once; what is no valid encoding stays as it is.
func unpercent(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	if d, err := url.PathUnescape(s); err == nil {
		return d
	}
	return s
}

// linkTitle passes a title in quotes or parentheses.
func linkTitle(text []byte, i, end int) (int, bool) {
	if i >= end {
		return 0, false
	}
	opening := text[i]
	closing := map[byte]byte{'"': '"', '\'': '\'', '(': ')'}[opening]
	if closing == 0 {
		return 0, false
	}
	for j := i + 1; j < end; j++ {
		switch text[j] {
		case '\\':
			j++
		case closing:
			return j + 1, true
		case opening: // a parenthesis within them
			return 0, false
		}
	}
	return 0, false
}

// definitionEnd passes a definition's title, if any; nothing else may follow on its line.
func definitionEnd(text []byte, i, end int) (int, bool) {
	lineRest := func(i int) bool {
		for i < end && isBlank(text[i]) {
			i++
		}
		return i >= end || text[i] == '\n' || text[i] == '\r'
	}
	if j := skipSpace(text, i, end); j > i {
		if k, ok := linkTitle(text, j, end); ok && lineRest(k) {
			return k, true
		}
	}
	return i, lineRest(i)
}
