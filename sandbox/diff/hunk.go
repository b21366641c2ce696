package diff

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode/utf8"
)

const (
	around     = 3  // lines of context on each side of a change
	maxSection = 80 // bytes of a section heading that are shown
	noNewline  = "\\ No newline at end of file\n"
)

// Hunk is a group of changes with the lines around them, as in a unified diff.
type Hunk struct {
	ID                 string // "1", "2", … in order: the same for the same pair of texts
	OldStart, OldLines int    // 1-based; with no lines, the number of the line before (0 at the top)
	NewStart, NewLines int
	Section            string // the last line before the hunk that starts with '#', cut to 80 bytes; "" where there is none
	Body               []byte // lines led by ' ', '-' or '+', and "\ No newline at end of file" after a line without one
	Ops                []Op   // its changes, in line numbers of the whole texts
}

// Header is the hunk's first line as Print writes it, without LF: "@@ -a,b +c,d @@ section".
func (h Hunk) Header() string {
	s := fmt.Sprintf("@@ -%d,%d +%d,%d @@", h.OldStart, h.OldLines, h.NewStart, h.NewLines)
	if h.Section != "" {
		s += " " + h.Section
	}
	return s
}

// Hunks groups the changes between two texts, with three lines of context. Equal texts have none.
func Hunks(old, new []byte) []Hunk {
	if bytes.Equal(old, new) {
		return nil
	}
	a, b := Split(old), Split(new)
	var hunks []Hunk
	section, seen := "", 0
	for _, ops := range group(compare(a, b)) {
		first := max(ops[0].A0-around, 0)
		for ; seen < first; seen++ {
			if a[seen][0] == '#' {
				section = heading(a[seen])
			}
		}
		h := hunk(a, b, ops)
		h.ID, h.Section = strconv.Itoa(len(hunks)+1), section
		hunks = append(hunks, h)
	}
	return hunks
}

// group cuts a list of ops where the equal lines between two are more than both contexts.
func group(ops []Op) [][]Op {
	var groups [][]Op
	for start, i := 0, 1; i <= len(ops); i++ {
		if i == len(ops) || ops[i].A0-ops[i-1].A1 > 2*around {
			groups = append(groups, ops[start:i:i])
			start = i
		}
	}
	return groups
}

// hunk writes one group of ops.
func hunk(a, b [][]byte, ops []Op) Hunk {
	first, last := ops[0], ops[len(ops)-1]
	head := min(around, first.A0)
	tail := min(around, len(a)-last.A1)
	h := Hunk{
		OldStart: first.A0 - head + 1, OldLines: last.A1 + tail - first.A0 + head,
		NewStart: first.B0 - head + 1, NewLines: last.B1 + tail - first.B0 + head,
		Ops: ops,
	}
	if h.OldLines == 0 {
		h.OldStart--
	}
	if h.NewLines == 0 {
		h.NewStart--
	}
	i := first.A0 - head
	for _, op := range ops {
		h.lines(' ', a[i:op.A0])
		h.lines('-', a[op.A0:op.A1])
		h.lines('+', b[op.B0:op.B1])
		i = op.A1
	}
	h.lines(' ', a[i:i+tail])
	return h
}

func (h *Hunk) lines(lead byte, lines [][]byte) {
	for _, line := range lines {
		h.Body = append(append(h.Body, lead), line...)
		if line[len(line)-1] != '\n' {
			h.Body = append(append(h.Body, '\n'), noNewline...)
		}
	}
}

// heading is a line made fit to stand in a hunk's header.
func heading(line []byte) string {
	line = bytes.TrimRight(line, " \t\r\n")
	if len(line) > maxSection {
		n := maxSection
		for n > maxSection-utf8.UTFMax && !utf8.RuneStart(line[n]) {
			n--
		}
		line = bytes.TrimRight(line[:n], " \t\r")
	}
	return string(line)
}

// Select is the old text with just those hunks applied that keep wants, byte for byte: every hunk kept gives new, none gives old.
func Select(old, new []byte, keep func(Hunk) bool) []byte {
	a, b := Split(old), Split(new)
	out := make([]byte, 0, max(len(old), len(new)))
	i := 0
	for _, h := range Hunks(old, new) {
		if !keep(h) {
			continue
		}
		for _, op := range h.Ops {
			out = join(out, a[i:op.A0])
			out = join(out, b[op.B0:op.B1])
			i = op.A1
		}
	}
	return join(out, a[i:])
}

// join appends lines to a text.
func join(text []byte, lines [][]byte) []byte {
	for _, line := range lines {
		text = append(text, line...)
	}
	return text
}
