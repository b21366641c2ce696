package diff

import (
	"bytes"
	"math"
)

// Conflict is a place where both sides changed the same or touching lines in different ways.
type Conflict struct {
	Base, Ours, Theirs []byte // whole lines; empty where a side has none
	OursLine           int    // 0-based line in ours at which Ours starts
}

// Merged is the result of a three-way merge. Where Conflicts is empty, Text is the whole result; else it holds ours at the conflicts.
// Text may alias an input, and so do the texts of the conflicts.
type Merged struct {
	Text      []byte
	Conflicts []Conflict
}

// Merge merges two descendants of base by lines (diff3). A change made by both sides is taken once; changes that touch or overlap
// conflict. A last line with and without LF counts as the same line: an editor that adds the LF does not conflict with text that is
// appended, and the end of the result is that of the side that changed the end.
func Merge(base, ours, theirs []byte) Merged { return merge(base, ours, theirs, refuse) }

// MergeUnion is Merge, but where both sides only inserted at one place both insertions stay, ours first, each on lines of its own.
// Where one insertion starts or ends with the other, the longer one stands for both. It is meant for lists such as index.md and log.md.
func MergeUnion(base, ours, theirs []byte) Merged { return merge(base, ours, theirs, union) }

// region is a stretch of base that at least one side changed, with what stands there on each side.
type region struct {
	lo, hi             int // lines of base
	ours, theirs       []Op
	oursAt, theirsAt   int // lines of base and of the sides match up before the region at these lines
	inOurs, inTheirs   [][]byte
	oursEnd, theirsEnd int
}

// resolve settles a region that both sides changed differently: the lines to take, and whose end they have. false: a conflict.
type resolve func(r region) (lines [][]byte, end side, ok bool)

// side says where lines come from.
type side int

const (
	both side = iota
	fromOurs
	fromTheirs
)

func refuse(region) ([][]byte, side, bool) { return nil, both, false }

func union(r region) ([][]byte, side, bool) {
	if r.lo != r.hi {
		return nil, both, false
	}
	switch o, t := r.inOurs, r.inTheirs; {
	case hasHead(o, t) || hasTail(o, t):
		return o, fromOurs, true
	case hasHead(t, o) || hasTail(t, o):
		return t, fromTheirs, true
	default:
		return append(o[:len(o):len(o)], t...), fromTheirs, true
	}
}

func merge(base, ours, theirs []byte, settle resolve) Merged {
	switch {
	case bytes.Equal(base, theirs), bytes.Equal(ours, theirs):
		return Merged{Text: ours}
	case bytes.Equal(base, ours):
		return Merged{Text: theirs}
	}
	o, a, b := newText(base), newText(ours), newText(theirs)
	var m Merged
	m.Text = make([]byte, 0, max(len(ours), len(theirs))+1)
	done, end := 0, both // lines of base that are written; whose end the last lines written have
	for _, r := range regions(o, a, b) {
		m.Text = join(m.Text, o.lines[done:r.lo])
		lines, from := r.inOurs, fromOurs
		switch {
		case len(r.ours) == 0:
			lines, from = r.inTheirs, fromTheirs
		case len(r.theirs) == 0:
		case same(r.inOurs, r.inTheirs):
			from = both
		default:
			l, f, ok := settle(r)
			if ok {
				lines, from = l, f
				break
			}
			m.Conflicts = append(m.Conflicts, Conflict{
				Base:     o.bytes(r.lo, r.hi),
				Ours:     a.bytes(r.oursAt, r.oursEnd),
				Theirs:   b.bytes(r.theirsAt, r.theirsEnd),
				OursLine: r.oursAt,
			})
		}
		m.Text = join(m.Text, lines)
		done = r.hi
		if r.hi == len(o.lines) {
			end = from
		}
	}
	m.Text = join(m.Text, o.lines[done:])
	if n := len(m.Text); n > 0 && open(o, a, b, end) {
		m.Text = m.Text[:n-1]
	}
	return m
}

// open tells whether the merged text ends without LF: as the side does that changed the end, else as the side that changed the LF.
func open(base, ours, theirs text, end side) bool {
	switch {
	case end == fromOurs:
		return ours.open
	case end == fromTheirs:
		return theirs.open
	case ours.open == base.open:
		return theirs.open
	default:
		return ours.open
	}
}

// regions groups the changes of both sides that overlap or touch in base.
func regions(base, ours, theirs text) []region {
	as, bs := compare(base.lines, ours.lines), compare(base.lines, theirs.lines)
	var out []region
	da, db := 0, 0 // line in the side minus line in base, between changes
	for len(as) > 0 || len(bs) > 0 {
		r := region{lo: min(start(as), start(bs))}
		r.hi = r.lo
		i, j := 0, 0
		for {
			if i < len(as) && as[i].A0 <= r.hi {
				r.hi = max(r.hi, as[i].A1)
				i++
			} else if j < len(bs) && bs[j].A0 <= r.hi {
				r.hi = max(r.hi, bs[j].A1)
				j++
			} else {
				break
			}
		}
		r.ours, as = as[:i], as[i:]
		r.theirs, bs = bs[:j], bs[j:]
		r.oursAt, r.theirsAt = r.lo+da, r.lo+db
		da, db = da+growth(r.ours), db+growth(r.theirs)
		r.oursEnd, r.theirsEnd = r.hi+da, r.hi+db
		r.inOurs = ours.lines[r.oursAt:r.oursEnd]
		r.inTheirs = theirs.lines[r.theirsAt:r.theirsEnd]
		out = append(out, r)
	}
	return out
}

func start(ops []Op) int {
	if len(ops) == 0 {
		return math.MaxInt
	}
	return ops[0].A0
}

// growth is the number of lines that ops add, less those that they remove.
func growth(ops []Op) int {
	n := 0
	for _, op := range ops {
		n += op.B1 - op.B0 - op.A1 + op.A0
	}
	return n
}

func same(a, b [][]byte) bool { return len(a) == len(b) && hasHead(a, b) }

func hasHead(lines, head [][]byte) bool {
	if len(lines) < len(head) {
		return false
	}
	for i := range head {
		if !bytes.Equal(lines[i], head[i]) {
			return false
		}
	}
	return true
}

func hasTail(lines, tail [][]byte) bool {
	return len(lines) >= len(tail) && hasHead(lines[len(lines)-len(tail):], tail)
}
