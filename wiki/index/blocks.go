package index

import (
	"bytes"
	"slices"
)

// A span is a range of bytes.
type span struct{ start, end int }

// blocks is a page taken apart by lines. mask has the page's length: what holds no links (code, comments, math, container marks) is blank in
// it, so that offsets stay those of the page.
type blocks struct {
	text, mask []byte
	runs       []run  // as they ended; inOrder sorts them
	markup     []span // lines of HTML elements: no markdown is in them, but text
	heads      []head
	blocks     []Block
}

// A run is where one inline context begins and ends: a paragraph, a heading or a table's row.
type run struct {
	span
	para bool // may begin with reference definitions
}

type head struct {
	level int
	inner span // text without marks
	whole span
}

// container is an open block quote, or a list item whose content begins at column indent.
type container struct {
	quote  bool
	indent int
	filled bool // a list item that holds something: one that begins with two blank lines is empty
}

// leaf is an open block that takes lines as they are until end says so.
type leaf struct {
	depth  int                           // containers it lies in
	end    func(line []byte) (int, bool) // bytes of the line that belong to it where it ends here
	markup bool                          // an HTML element's
}

// blockScanner walks the lines as CommonMark 0.31 section 3 and appendix ("parsing strategy") describe, as far as links and headings need it.
type blockScanner struct {
	*blocks
	open      []container
	leaf      *leaf
	para      int // start of the open paragraph, or -1
	paraEnd   int
	pos, col  int // in the line at hand
	end       int // of the line at hand, without its ending
	noComment bool
}

func scanBlocks(text []byte, from int) *blocks {
	s := &blockScanner{blocks: &blocks{text: text, mask: bytes.Clone(text)}, para: -1}
	blank(s.mask[:from])
	for ls := from; ls < len(text); {
		le, next := lineEnd(text, ls)
		s.line(ls, le)
		ls = next
	}
	s.closePara()
	return s.blocks
}

// inOrder sorts the runs by their place.
func (s *blocks) inOrder() {
	slices.SortFunc(s.runs, func(a, b run) int { return a.start - b.start })
}

// Prose gives a page's text with code, comments, math and the front matter, which ends at from, blanked: its length and its line endings stay.
func Prose(text []byte, from int) []byte {
	s := scanBlocks(text, from)
	for _, m := range s.markup {
		copy(s.mask[m.start:m.end], text[m.start:m.end])
	}
	return s.mask
}

// lineEnd tells where the line that begins at ls ends without its ending ("\n", "\r\n" or "\r" alone, CommonMark section 2.1) and where the
// next one begins.
func lineEnd(text []byte, ls int) (end, next int) {
	i := bytes.IndexByte(text[ls:], '\n')
	if i < 0 {
		end, next = len(text), len(text)
	} else {
		end, next = ls+i, ls+i+1
	}
	if r := bytes.IndexByte(text[ls:end], '\r'); r >= 0 {
		if end = ls + r; end+1 < next && text[end+1] != '\n' {
			next = end + 1
		}
	}
	return end, next
}

// blank overwrites b, keeping line endings.
func blank(b []byte) {
	for i, c := range b {
		if c != '\n' && c != '\r' {
			b[i] = ' '
		}
	}
}

func (s *blockScanner) line(ls, le int) {
	s.pos, s.col, s.end = ls, 0, le
	matched := s.matchContainers()
	if s.leaf != nil {
		if matched >= s.leaf.depth {
			s.leafLine(ls)
			return
		}
		s.leaf = nil
	}
	if matched < len(s.open) && s.para >= 0 && s.lazy() {
		s.paraLine(ls)
		return
	}
	if matched < len(s.open) {
		s.closePara()
		s.open = s.open[:matched]
	}
	s.startContainers()
	blank(s.mask[ls:s.pos])
	if s.restBlank() {
		s.closePara()
		return
	}
	s.fill()
	s.leafStart(ls)
}

// fill notes that the innermost container holds something; those around it hold that one.
func (s *blockScanner) fill() {
	if n := len(s.open); n > 0 {
		s.open[n-1].filled = true
	}
}

// matchContainers passes the marks of open containers and says how many go on.
func (s *blockScanner) matchContainers() int {
	for i, c := range s.open {
		indent, at, col := s.indent()
		if c.quote {
			if indent > 3 || at >= s.end || s.text[at] != '>' {
				return i
			}
			s.pos, s.col = at+1, col+1
			s.optionalBlank()
			continue
		}
		if at >= s.end && c.filled {
			continue
		}
		if indent < c.indent || at >= s.end {
			return i
		}
		s.advance(c.indent)
	}
	return len(s.open)
}

// indent tells the columns of blanks ahead, and where and at which column they end.
func (s *blockScanner) indent() (n, at, col int) {
	at, col = s.pos, s.col
	for ; at < s.end && isBlank(s.text[at]); at++ {
		col = nextColumn(col, s.text[at])
	}
	return col - s.col, at, col
}

func nextColumn(col int, c byte) int {
	if c == '\t' {
		return col + 4 - col%4
	}
	return col + 1
}

// advance passes n columns of blanks; a tab that reaches further is left where it is, its rest counted as passed.
func (s *blockScanner) advance(n int) {
	for stop := s.col + n; s.pos < s.end && s.col < stop && isBlank(s.text[s.pos]); s.pos++ {
		s.col = nextColumn(s.col, s.text[s.pos])
	}
}

func (s *blockScanner) optionalBlank() {
	if s.pos < s.end && isBlank(s.text[s.pos]) {
		s.advance(1)
	}
}

func (s *blockScanner) restBlank() bool {
	_, at, _ := s.indent()
	return at >= s.end
}

// startContainers opens the block quotes and list items that begin here.
func (s *blockScanner) startContainers() {
	for len(s.open) < 100 {
		indent, at, col := s.indent()
		if indent > 3 || at >= s.end {
			return
		}
		if s.text[at] == '>' {
			s.closePara()
			s.pos, s.col = at+1, col+1
			s.optionalBlank()
			s.fill()
			s.open = append(s.open, container{quote: true})
			continue
		}
		width := s.listMark(at)
		if width == 0 || isRule(s.text[at:s.end]) {
			return
		}
		s.closePara()
		s.pos, s.col = at+width, col+width
		after, end, _ := s.indent()
		if after == 0 || after > 4 || end >= s.end {
			after = 1
		}
		s.advance(after)
		s.fill()
		s.open = append(s.open, container{indent: indent + width + after})
	}
}

// listMark tells the length of a list marker at at, 0 where there is none or where it may not interrupt a paragraph: one that would be empty,
// or that counts from another number than 1.
func (s *blockScanner) listMark(at int) int {
	line := s.text[at:s.end]
	width := listMark(line)
	if width > 0 && s.para >= 0 && (len(bytes.TrimLeft(line[width:], " \t")) == 0 || isDigit(line[0]) && string(line[:width-1]) != "1") {
		return 0
	}
	return width
}

// listMark tells the length of the list marker that the line begins with, 0 where there is none.
func listMark(line []byte) int {
	n := 0
	for n < len(line) && n < 9 && isDigit(line[n]) {
		n++
	}
	width := 0
	switch {
	case n == 0 && (line[0] == '-' || line[0] == '+' || line[0] == '*'):
		width = 1
	case n > 0 && n < len(line) && (line[n] == '.' || line[n] == ')'):
		width = n + 1
	default:
		return 0
	}
	if width < len(line) && !isBlank(line[width]) {
		return 0
	}
	return width
}

// isRule tells a thematic break; line begins behind the indentation.
func isRule(line []byte) bool {
	if len(line) == 0 || line[0] != '-' && line[0] != '*' && line[0] != '_' {
		return false
	}
	n := 0
	for _, c := range line {
		if c == line[0] {
			n++
		} else if !isBlank(c) {
			return false
		}
	}
	return n >= 3
}

// lazy tells whether the line at hand continues the open paragraph although its containers are not repeated.
func (s *blockScanner) lazy() bool {
	indent, at, _ := s.indent()
	if at >= s.end {
		return false
	}
	if indent > 3 {
		return true
	}
	line := s.text[at:s.end]
	return line[0] != '>' && listMark(line) == 0 && !isRule(line) && atxLevel(line) == 0 && fence(line) == 0 && s.htmlEnd(line) == nil
}

func (s *blockScanner) closePara() {
	if s.para >= 0 {
		s.runs = append(s.runs, run{span{s.para, s.paraEnd}, true})
		s.para = -1
	}
}

// paraLine takes the line as text; a table's row is an inline context of its own, as its cells are.
func (s *blockScanner) paraLine(ls int) {
	_, at, _ := s.indent()
	blank(s.mask[ls:at])
	if at < s.end && s.text[at] == '|' {
		s.closePara()
		s.runs = append(s.runs, run{span: span{at, s.end}})
	} else {
		if s.para < 0 {
			s.para = at
		}
		s.paraEnd = s.end
	}
	s.blockMark(at)
}

// blockMark notes "^id" at the line's end.
func (s *blockScanner) blockMark(at int) {
	line := bytes.TrimRight(s.text[at:s.end], " \t")
	i := len(line)
	for i > 0 && (isLetter(line[i-1]) || isDigit(line[i-1]) || line[i-1] == '-') {
		i--
	}
	if i == len(line) || i == 0 || line[i-1] != '^' || i > 1 && !isBlank(line[i-2]) {
		return
	}
	s.blocks.blocks = append(s.blocks.blocks, Block{ID: string(line[i:]), Start: at + i - 1, End: at + len(line)})
}
