package lsp

import (
	"bytes"
	"slices"
	"sort"
	"unicode/utf8"

	"go.lsp.dev/protocol"
)

// lines knows where the lines of a text begin, and turns byte offsets into LSP positions and back. It is the only place where bytes become
// columns. A line ends at \n, \r\n or a lone \r (LSP 3.18, "Text Documents"). Invalid UTF-8 counts one unit a byte.
type lines struct {
	text     []byte
	starts   []int // byte offset of each line; starts[0] is 0
	encoding protocol.PositionEncodingKind
}

// newLines indexes text. It keeps text, which must not change.
func newLines(text []byte, encoding protocol.PositionEncodingKind) *lines {
	l := &lines{text: text, starts: []int{0}, encoding: encoding}
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\n':
			l.starts = append(l.starts, i+1)
		case text[i] == '\r' && (i+1 == len(text) || text[i+1] != '\n'):
			l.starts = append(l.starts, i+1)
		}
	}
	return l
}

// bounds gives the bytes of a line without its line end.
func (l *lines) bounds(line int) (start, end int) {
	start, end = l.starts[line], len(l.text)
	if line+1 < len(l.starts) {
		end = l.starts[line+1]
	}
	for end > start && (l.text[end-1] == '\n' || l.text[end-1] == '\r') {
		end--
	}
	return start, end
}

// position gives the position of a byte offset. An offset beyond the text is its end; one inside a line end is the end of that line; one inside
// a character is that character's start.
func (l *lines) position(offset int) protocol.Position {
	offset = max(0, min(offset, len(l.text)))
	line := sort.SearchInts(l.starts, offset+1) - 1
	start, end := l.bounds(line)
	offset = min(offset, end)
	col := 0
	for i := start; i < offset; {
		r, n := utf8.DecodeRune(l.text[i:])
		if i+n > offset {
			break
		}
		col += units(r, n, l.encoding)
		i += n
	}
	return protocol.Position{Line: uint32(line), Character: uint32(col)}
}

// offset gives the byte offset of a position. A character beyond the end of its line is the end of that line, before its line end; a line
// beyond the end is the end of the text; a column inside a character is that character's start.
func (l *lines) offset(p protocol.Position) int {
	if int64(p.Line) >= int64(len(l.starts)) {
		return len(l.text)
	}
	i, end := l.bounds(int(p.Line))
	for left := int64(p.Character); left > 0 && i < end; {
		r, n := utf8.DecodeRune(l.text[i:])
		left -= int64(units(r, n, l.encoding))
		if left < 0 {
			break
		}
		i += n
	}
	return i
}

// span gives the range of the bytes [start, end).
func (l *lines) span(start, end int) protocol.Range {
	return protocol.Range{Start: l.position(start), End: l.position(end)}
}

// full is the range of the whole text.
func (l *lines) full() protocol.Range { return l.span(0, len(l.text)) }

// units says how many code units a rune of n bytes takes. An invalid byte takes one.
func units(r rune, n int, encoding protocol.PositionEncodingKind) int {
	switch {
	case encoding == protocol.PositionEncodingKindUTF8:
		return n
	case encoding == protocol.PositionEncodingKindUTF32, r < 0x10000:
		return 1
	default:
		return 2
	}
}

// pickEncoding takes utf-8 where it is offered, since our texts are bytes; else what the client likes best of what we know; else UTF-16, which
// every client speaks.
func pickEncoding(offered []protocol.PositionEncodingKind) protocol.PositionEncodingKind {
	best := protocol.PositionEncodingKindUTF16
	for i, e := range offered {
		switch {
		case e == protocol.PositionEncodingKindUTF8:
			return e
		case i == 0 && e == protocol.PositionEncodingKindUTF32:
			best = e
		}
	}
	return best
}

// trimEdit turns a replacement that only adds at its end into an insertion, so that a line without line end is kept and not rewritten.
func trimEdit(old []byte, start, end int, text []byte) (int, []byte) {
	n := end - start
	if n == 0 || len(text) < n || string(old[start:end]) != string(text[:n]) {
		return start, text
	}
	return end, text[n:]
}

// appendToLine moves text that is added at the end of old to the end of old's last line, where it means the same: "b\n" after "a\n" becomes
// "\nb" after "a". Neovim 0.10 adds an empty line when it is told to insert below the last one. It gives the place in old, and the text.
func appendToLine(old, text []byte) (int, []byte) {
	eol := lineEnd(old)
	if eol == "" || lineEnd(text) != eol {
		return len(old), text
	}
	return len(old) - len(eol), slices.Concat([]byte(eol), text[:len(text)-len(eol)])
}

// lineEnd is the line end that text ends with, "" where its last line has none.
func lineEnd(text []byte) string {
	for _, eol := range []string{"\r\n", "\n"} {
		if bytes.HasSuffix(text, []byte(eol)) {
			return eol
		}
	}
	return ""
}
