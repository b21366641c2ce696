package index

import (
	"bytes"
	"strings"
)

// leafStart takes a line that is not blank behind its containers' marks.
func (s *blockScanner) leafStart(ls int) {
	indent, at, _ := s.indent()
	if indent > 3 {
		if s.para < 0 {
			blank(s.mask[ls:s.end])
			return
		}
		s.paraLine(ls)
		return
	}
	line := s.text[at:s.end]
	if s.openLeaf(line) {
		s.closePara()
		s.leafLine(at + openLen(line))
		return
	}
	if level := atxLevel(line); level > 0 {
		s.closePara()
		inner := atxInner(line, level)
		s.addHead(head{level, span{at + inner.start, at + inner.end}, span{at, s.end}})
		s.blockMark(at)
		return
	}
	if level := setextLevel(line); level > 0 && s.para >= 0 {
		s.setext(level, at)
		return
	}
	if isRule(line) {
		s.closePara()
		blank(s.mask[at:s.end])
		return
	}
	s.paraLine(ls)
}

func (s *blockScanner) addHead(h head) {
	s.heads = append(s.heads, h)
	s.runs = append(s.runs, run{span: h.inner})
}

// setext makes a heading of the open paragraph without the reference definitions that it begins with; of these alone no heading is made.
func (s *blockScanner) setext(level, at int) {
	start := s.para
	if s.text[start] == '[' {
		in := inline{text: s.mask, end: s.paraEnd}
		start = min(in.definitions(start), s.paraEnd)
	}
	if start < s.paraEnd {
		s.heads = append(s.heads, head{level, span{start, s.paraEnd}, span{start, s.end}})
	}
	blank(s.mask[at:s.end])
	s.closePara()
}

// openLen is how much of a leaf's first line is passed before its end is looked for: the mark itself must not end it.
func openLen(line []byte) int {
	switch {
	case line[0] == '`' || line[0] == '~':
		return len(line)
	case bytes.HasPrefix(line, []byte("<?")), bytes.HasPrefix(line, []byte("<!")):
		return 2
	case line[0] == '<':
		return 1
	}
	return 2
}

// openLeaf opens a fence, an HTML block, a comment of Obsidian's or display math where line begins one.
func (s *blockScanner) openLeaf(line []byte) bool {
	var end func([]byte) (int, bool)
	switch line[0] {
	case '`', '~':
		if n := fence(line); n > 0 {
			end = fenceEnd(line[0], n)
		}
	case '<':
		end = s.htmlEnd(line)
	case '%':
		end = s.paired(line, "%%")
	case '$':
		end = s.paired(line, "$$")
	}
	if end == nil {
		return false
	}
	s.leaf = &leaf{depth: len(s.open), end: end, markup: line[0] == '<' && !bytes.HasPrefix(line, []byte("<!--")) && verbatimTag(line) == ""}
	return true
}

// paired ends a block at the next mark; a mark that closes on its own line, or nowhere, is left to the inline scanner.
func (s *blockScanner) paired(line []byte, mark string) func([]byte) (int, bool) {
	if s.noComment || !bytes.HasPrefix(line, []byte(mark)) || bytes.Contains(line[2:], []byte(mark)) {
		return nil
	}
	if !bytes.Contains(s.text[s.end:], []byte(mark)) {
		// Looked for once only: a page of lone marks must not cost the square of its length. Both marks share the answer, which is
		// wrong only where one of them is unpaired to the end and the other still has pairs.
		s.noComment = true
		return nil
	}
	return endsWith(mark)
}

func endsWith(mark string) func([]byte) (int, bool) {
	return func(line []byte) (int, bool) {
		i := indexFold(line, mark)
		return i + len(mark), i >= 0
	}
}

// indexFold is bytes.Index without regard to ASCII case; mark is in lower case.
func indexFold(b []byte, mark string) int {
	if mark == "" {
		return 0
	}
	first := mark[0]
	for i := 0; i+len(mark) <= len(b); i++ {
		if b[i]|0x20 != first|0x20 {
			continue
		}
		j := 0
		for j < len(mark) && lower(b[i+j]) == mark[j] {
			j++
		}
		if j == len(mark) {
			return i
		}
	}
	return -1
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c | 0x20
	}
	return c
}

// verbatimTag names the element whose content is no markdown (CommonMark HTML block, kind 1).
func verbatimTag(line []byte) string {
	for _, tag := range []string{"script", "pre", "style", "textarea"} {
		if len(line) > len(tag) && strings.EqualFold(string(line[1:1+len(tag)]), tag) {
			if rest := line[1+len(tag):]; len(rest) == 0 || isBlank(rest[0]) || rest[0] == '>' {
				return tag
			}
		}
	}
	return ""
}

// leafLine takes the line's rest into the open leaf; from is where its end is looked for.
func (s *blockScanner) leafLine(from int) {
	from = min(max(from, s.pos), s.end)
	n, ended := s.leaf.end(s.text[from:s.end])
	if !ended {
		if s.leaf.markup {
			s.markup = append(s.markup, span{s.pos, s.end})
		}
		blank(s.mask[s.pos:s.end])
		return
	}
	s.leaf = nil
	stop := from + n
	blank(s.mask[s.pos:stop])
	s.pos = stop
	if !s.restBlank() {
		s.paraLine(stop)
	}
}

// fence tells the length of a code fence, 0 where the line is none.
func fence(line []byte) int {
	if line[0] != '`' && line[0] != '~' {
		return 0
	}
	n := 1
	for n < len(line) && line[n] == line[0] {
		n++
	}
	if n < 3 || line[0] == '`' && bytes.IndexByte(line[n:], '`') >= 0 {
		return 0
	}
	return n
}

func fenceEnd(c byte, n int) func([]byte) (int, bool) {
	return func(line []byte) (int, bool) {
		t := bytes.TrimLeft(line, " ")
		if len(line)-len(t) > 3 {
			return 0, false
		}
		rest := bytes.TrimLeft(t, string(c))
		return len(line), len(t)-len(rest) >= n && len(bytes.TrimRight(rest, " \t")) == 0
	}
}

// atxLevel tells the level of an ATX heading, 0 where the line is none.
func atxLevel(line []byte) int {
	n := 0
	for n < len(line) && line[n] == '#' {
		n++
	}
	if n > 6 || n < len(line) && !isBlank(line[n]) {
		return 0
	}
	return n
}

// atxInner is the heading's text within its line: without marks, closing hashes and blanks around.
func atxInner(line []byte, level int) span {
	start, end := level, len(line)
	trim := func() {
		for end > start && isBlank(line[end-1]) {
			end--
		}
	}
	for start < end && isBlank(line[start]) {
		start++
	}
	trim()
	i := end
	for i > start && line[i-1] == '#' {
		i--
	}
	if i < end && (i == start || isBlank(line[i-1])) {
		end = i
		trim()
	}
	return span{start, end}
}

// setextLevel tells the level of a setext underline, 0 where the line is none.
func setextLevel(line []byte) int {
	t := bytes.TrimRight(line, " \t")
	switch {
	case len(t) > 0 && len(bytes.TrimLeft(t, "=")) == 0:
		return 1
	case len(t) > 0 && len(bytes.TrimLeft(t, "-")) == 0:
		return 2
	}
	return 0
}
