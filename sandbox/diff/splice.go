package diff

import "bytes"

// Splice replaces the bytes Start to End (half open) of the old text by New. It starts and ends where a line starts, except at the
// end of a text whose last line has no LF, where it starts before the LF that a new line needs.
// In a list, splices are sorted, do not overlap, and no two have the same Start.
type Splice struct {
	Start, End int
	New        []byte
}

// Splices is Lines as replacements of bytes in the old text. A last line without LF that stays is not touched: text appended to it
// is an insertion at the end, led by LF; a LF added or taken at the end is a splice of its own.
func Splices(old, new []byte) []Splice {
	if bytes.Equal(old, new) {
		return nil
	}
	a, b := newText(old), newText(new)
	var out []Splice
	for _, op := range compare(a.lines, b.lines) {
		s := Splice{Start: a.offset(op.A0), End: a.offset(op.A1), New: b.bytes(op.B0, op.B1)}
		if op.A1 == len(a.lines) {
			s = atEnd(s, a, b)
		}
		out = add(out, s)
	}
	if n := len(old); a.open != b.open && (len(out) == 0 || out[len(out)-1].End < n) {
		// No change reaches the end, so the last line is the same on both sides but for its LF.
		if a.open {
			out = add(out, Splice{n, n, lf})
		} else {
			out = add(out, Splice{n - 1, n, nil})
		}
	}
	return out
}

// atEnd corrects a splice that reaches the end for the LF that only the closed form of a text has.
func atEnd(s Splice, a, b text) Splice {
	n := len(a.raw)
	s.End = n
	switch {
	case s.Start >= n && a.open: // after an open last line
		s.Start = n
		s.New = append([]byte{'\n'}, s.New...)
	case len(s.New) == 0 && b.open: // the line before the deleted ones loses its LF
		s.Start--
	}
	return s
}

// add appends a splice, or joins it with the last one where they touch.
func add(list []Splice, s Splice) []Splice {
	if len(list) > 0 {
		if last := &list[len(list)-1]; last.End >= s.Start {
			last.End = s.End
			last.New = append(last.New[:len(last.New):len(last.New)], s.New...)
			return list
		}
	}
	return append(list, s)
}

// text is a text with all its lines closed: one whose last line has no LF is open, and its last line here has one.
type text struct {
	raw   []byte
	lines [][]byte
	open  bool
	start []int // offsets in the closed text, one more than lines
}

func newText(raw []byte) text {
	t := text{raw: raw, lines: Split(raw)}
	if n := len(raw); n > 0 && raw[n-1] != '\n' {
		t.open = true
		i := len(t.lines) - 1
		t.lines[i] = append(t.lines[i : i+1 : i+1][0], '\n') // a copy: Split caps its lines
	}
	t.start = make([]int, len(t.lines)+1)
	for i, line := range t.lines {
		t.start[i+1] = t.start[i] + len(line)
	}
	return t
}

// offset is the start of a line in the raw text.
func (t text) offset(line int) int { return min(t.start[line], len(t.raw)) }

// bytes are the raw bytes of lines i to j.
func (t text) bytes(i, j int) []byte { return t.raw[t.offset(i):t.offset(j)] }
