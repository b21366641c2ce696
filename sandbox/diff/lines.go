package diff

import "bytes"

// Op says that lines A0 to A1 of the old text (0-based, half open) are replaced by lines B0 to B1 of the new one.
// In a list, ops are sorted and separated by at least one equal line.
type Op struct{ A0, A1, B0, B1 int }

// Split cuts text into lines, each with its terminator. Only LF ends a line: CR, U+2028 and form feeds are content.
// The lines alias text; the last one has no LF where the text has none.
func Split(text []byte) [][]byte {
	if len(text) == 0 {
		return nil
	}
	lines := make([][]byte, 0, bytes.Count(text, lf)+1)
	for len(text) > 0 {
		n := bytes.IndexByte(text, '\n') + 1
		if n == 0 {
			n = len(text)
		}
		lines = append(lines, text[:n:n])
		text = text[n:]
	}
	return lines
}

var lf = []byte{'\n'}

// Lines compares two texts by lines. The list is minimal (as few lines removed and added as possible) unless that would cost more
// than a fixed amount of work; then it is still right, and near minimal. An op that could stand at several places stands at the
// last of them, so a block added between its likes reads as added after them.
func Lines(old, new []byte) []Op {
	if bytes.Equal(old, new) {
		return nil
	}
	return compare(Split(old), Split(new))
}

// Stat counts the lines that Lines(old, new) adds and removes.
func Stat(old, new []byte) (added, removed int) {
	for _, op := range Lines(old, new) {
		added += op.B1 - op.B0
		removed += op.A1 - op.A0
	}
	return added, removed
}

// compare trims what both ends share, takes lines that occur on one side only for changed (they can be no part of a common
// subsequence), and searches the rest.
func compare(a, b [][]byte) []Op {
	head := 0
	for head < len(a) && head < len(b) && bytes.Equal(a[head], b[head]) {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && bytes.Equal(a[len(a)-1-tail], b[len(b)-1-tail]) {
		tail++
	}
	ma, mb := a[head:len(a)-tail], b[head:len(b)-tail]
	var ops []Op
	switch {
	case len(ma) == 0 && len(mb) == 0:
		return nil
	case len(ma) == 0 || len(mb) == 0:
		ops = []Op{{head, head + len(ma), head, head + len(mb)}}
	default:
		ops = search(ma, mb, 0).ops(head)
	}
	return slide(ops, a, b)
}

// ops turns marks on lines into ops, with first added to every line number.
func (m marks) ops(first int) []Op {
	var ops []Op
	i, j := 0, 0
	for i < len(m.a) || j < len(m.b) {
		i0, j0 := i, j
		for i < len(m.a) && m.a[i] {
			i++
		}
		for j < len(m.b) && m.b[j] {
			j++
		}
		if i > i0 || j > j0 {
			ops = append(ops, Op{first + i0, first + i, first + j0, first + j})
			continue
		}
		i, j = i+1, j+1
	}
	return ops
}

// slide moves each pure insertion or deletion down as far as it goes and joins ops that then touch. The number of changed lines
// stays; two texts with the same change in different neighbourhoods get it at the same place, which Merge lives on.
func slide(ops []Op, a, b [][]byte) []Op {
	out := ops[:0]
	for i := 0; i < len(ops); i++ {
		op, limit := ops[i], len(a)
		if i+1 < len(ops) {
			limit = ops[i+1].A0
		}
		switch {
		case op.A0 == op.A1:
			for op.A1 < limit && bytes.Equal(b[op.B0], b[op.B1]) {
				op = Op{op.A0 + 1, op.A1 + 1, op.B0 + 1, op.B1 + 1}
			}
		case op.B0 == op.B1:
			for op.A1 < limit && bytes.Equal(a[op.A0], a[op.A1]) {
				op = Op{op.A0 + 1, op.A1 + 1, op.B0 + 1, op.B1 + 1}
			}
		}
		if i+1 < len(ops) && op.A1 == limit {
			ops[i+1].A0, ops[i+1].B0 = op.A0, op.B0
			continue
		}
		out = append(out, op)
	}
	return out
}
