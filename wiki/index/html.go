package index

import (
	"bytes"
	"strings"
)

// htmlEnd gives the end of the HTML block that a line begins, nil where it begins none (CommonMark section 4.6). What a block holds is no
// markdown, though what stands behind its end on the same line is read here: wikis put text behind a comment.
func (s *blockScanner) htmlEnd(line []byte) func([]byte) (int, bool) {
	if line[0] != '<' {
		return nil
	}
	for _, m := range htmlMarks() {
		if bytes.HasPrefix(line, []byte(m.start)) && (m.start != "<!" || len(line) > 2 && isLetter(line[2])) {
			return endsWith(m.end)
		}
	}
	if tag := verbatimTag(line); tag != "" {
		return endsWith("</" + tag + ">")
	}
	if isBlockTag(line) || s.para < 0 && tagAlone(line) {
		return endsBlank
	}
	return nil
}

type htmlMark struct{ start, end string }

// htmlMarks are the HTML blocks and inline HTML that end at a mark (kinds 2 to 5). The mark of a comment may share its beginning's dashes.
func htmlMarks() [4]htmlMark {
	return [4]htmlMark{{"<!--", "-->"}, {"<?", "?>"}, {"<![CDATA[", "]]>"}, {"<!", ">"}}
}

// endsBlank ends a block before a blank line.
func endsBlank(line []byte) (int, bool) { return 0, len(bytes.TrimSpace(line)) == 0 }

// blockTags are the elements whose tag begins an HTML block wherever a line begins with it (kind 6).
const blockTags = " address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl dt fieldset " +
	"figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li link main menu menuitem nav noframes ol " +
	"optgroup option p param search section summary table tbody td tfoot th thead title tr track ul "

func isBlockTag(line []byte) bool {
	rest := bytes.TrimPrefix(line[1:], []byte("/"))
	n := 0
	for n < len(rest) && (isLetter(rest[n]) || isDigit(rest[n])) {
		n++
	}
	if n == 0 || n > len("blockquote") || !strings.Contains(blockTags, " "+strings.ToLower(string(rest[:n]))+" ") {
		return false
	}
	after := rest[n:]
	return len(after) == 0 || isBlank(after[0]) || after[0] == '>' || bytes.HasPrefix(after, []byte("/>"))
}

// tagAlone tells a line that holds one whole tag and nothing else (kind 7).
func tagAlone(line []byte) bool {
	n, ok := tagEnd(line, 0, len(line))
	return ok && len(bytes.TrimSpace(line[n:])) == 0
}

// tagEnd tells where the opening or closing tag at i ends (CommonMark section 6.6).
func tagEnd(text []byte, i, end int) (int, bool) {
	at := func(i int) byte {
		if i < end {
			return text[i]
		}
		return 0
	}
	closing := at(i+1) == '/'
	if i++; closing {
		i++
	}
	if !isLetter(at(i)) {
		return 0, false
	}
	for isLetter(at(i)) || isDigit(at(i)) || at(i) == '-' {
		i++
	}
	for !closing {
		j := skipSpace(text, i, end)
		next, ok := attribute(text, j, end)
		if !ok {
			return 0, false
		}
		if j == i || next == j {
			break
		}
		i = next
	}
	i = skipSpace(text, i, end)
	if !closing && at(i) == '/' {
		i++
	}
	return i + 1, at(i) == '>'
}

// attribute passes one attribute with its value; next is i where none begins, ok false where its value does not end.
func attribute(text []byte, i, end int) (next int, ok bool) {
	j := i
	for j < end && (isLetter(text[j]) || text[j] == '_' || text[j] == ':' || j > i && (isDigit(text[j]) || text[j] == '.' || text[j] == '-')) {
		j++
	}
	v := skipSpace(text, j, end)
	if j == i || v >= end || text[v] != '=' {
		return j, true
	}
	v = skipSpace(text, v+1, end)
	if v >= end {
		return 0, false
	}
	if q := text[v]; q == '"' || q == '\'' {
		n := bytes.IndexByte(text[v+1:end], q)
		return v + n + 2, n >= 0
	}
	j = v
	for j < end && text[j] > ' ' && strings.IndexByte("\"'=<>`", text[j]) < 0 {
		j++
	}
	return j, j > v
}

// angle passes inline HTML or an autolink (CommonMark sections 6.5, 6.6): what stands in their brackets is no link.
func (in *inline) angle(i int) int {
	rest := in.text[i:in.end]
	for _, m := range htmlMarks() {
		if !bytes.HasPrefix(rest, []byte(m.start)) || m.start == "<!" && !isLetter(in.at(i+2)) {
			continue
		}
		from := len(m.start)
		if m.start == "<!--" {
			from = 2
		}
		if in.noClose[m.end] {
			return i + 1
		}
		if j := bytes.Index(rest[from:], []byte(m.end)); j >= 0 {
			return i + from + j + len(m.end)
		}
		if in.noClose == nil {
			in.noClose = map[string]bool{}
		}
		in.noClose[m.end] = true
		return i + 1
	}
	if end, ok := tagEnd(in.text, i, in.end); ok {
		return end
	}
	for j := 1; j < len(rest); j++ {
		switch c := rest[j]; {
		case c == '>':
			if external(string(rest[1:j])) || bytes.IndexByte(rest[1:j], '@') > 0 {
				return i + j + 1
			}
			return i + 1
		case c <= ' ' || c == '<':
			return i + 1
		}
	}
	return i + 1
}
