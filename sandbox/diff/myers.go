package diff

import (
	"bytes"
	"hash/maphash"
	"math"
)

// limits bound one search. A split of the problem is exact while it needs fewer edits from each end than the limit of the work done so
// far; over it, the search settles for the furthest point reached. What a split costs grows with the square of the limit and what it gains
// with the limit, so each lower limit makes the rest cheaper by as much. A page never gets there: 5,000 edits in 100,000 lines are exact.
var limits = [...]struct{ work, edits int }{
	{0, 4096},
	{60_000_000, 256},
	{120_000_000, 24},
}

// limit gives the most edits that a split may need.
func (m *myers) limit() int {
	edits := 0
	for _, l := range &limits {
		if m.work >= l.work {
			edits = l.edits
		}
	}
	return edits
}

// marks tell which lines are removed (a) and added (b).
type marks struct{ a, b []bool }

// myers is the linear-space variant of E. Myers, "An O(ND) Difference Algorithm and Its Variations" (1986), section 4b.
type myers struct {
	a, b     []int32 // lines as numbers, equal where the lines are equal
	ia, ib   []int32 // their places in marks
	marks    marks
	fwd, bwd []int32 // furthest x on each diagonal x-y, from the start and from the end; diagonal d is at d+base
	base     int
	work     int
}

// search finds the changed lines of two texts. spent is work that counts as done already.
func search(a, b [][]byte, spent int) marks {
	m := myers{marks: marks{make([]bool, len(a)), make([]bool, len(b))}, work: spent}
	m.number(a, b)
	if len(m.a) > 0 {
		m.base = len(m.b) + 1
		n := len(m.a) + len(m.b) + 3
		buf := make([]int32, 2*n)
		m.fwd, m.bwd = buf[:n], buf[n:]
		m.walk(0, len(m.a), 0, len(m.b))
	}
	return m.marks
}

// number gives equal lines equal numbers and marks the lines that occur on one side only.
func (m *myers) number(a, b [][]byte) {
	t := newTable(len(a))
	all := make([]int32, len(a), len(a)+len(b))
	for i, line := range a {
		all[i] = t.add(line)
	}
	common := make([]bool, len(t.lines))
	inB := all[len(a) : len(a) : len(a)+len(b)]
	for _, line := range b {
		n := t.find(line)
		if n >= 0 {
			common[n] = true
		}
		inB = append(inB, n)
	}
	m.ia, m.ib = make([]int32, 0, len(a)), make([]int32, 0, len(b))
	m.a, m.b = all[:0:len(a)], inB[:0]
	for i, n := range all[:len(a)] {
		if !common[n] {
			m.marks.a[i] = true
			continue
		}
		m.a, m.ia = append(m.a, n), append(m.ia, int32(i))
	}
	for i, n := range inB {
		if n < 0 {
			m.marks.b[i] = true
			continue
		}
		m.b, m.ib = append(m.b, n), append(m.ib, int32(i))
	}
}

// walk compares a[a0:a1] with b[b0:b1]: it splits at a point of an optimal path and goes on with both halves.
func (m *myers) walk(a0, a1, b0, b1 int) {
	for {
		for a0 < a1 && b0 < b1 && m.a[a0] == m.b[b0] {
			a0, b0 = a0+1, b0+1
		}
		for a0 < a1 && b0 < b1 && m.a[a1-1] == m.b[b1-1] {
			a1, b1 = a1-1, b1-1
		}
		if a0 == a1 || b0 == b1 {
			for _, i := range m.ia[a0:a1] {
				m.marks.a[i] = true
			}
			for _, j := range m.ib[b0:b1] {
				m.marks.b[j] = true
			}
			return
		}
		x, y := m.split(box{a0, a1, b0, b1})
		m.walk(a0, x, b0, y)
		a0, b0 = x, y
	}
}

// box is the part of the edit graph that is searched.
type box struct{ a0, a1, b0, b1 int }

// span is the range of diagonals that one direction has reached.
type span struct{ lo, hi int }

// grow widens the span by one diagonal at each end, or narrows it where it would leave the box, and sets guards beside it.
func (s *span) grow(best []int32, base int, min, max int, guard int32) {
	if s.lo > min {
		s.lo--
		best[s.lo-1+base] = guard
	} else {
		s.lo++
	}
	if s.hi < max {
		s.hi++
		best[s.hi+1+base] = guard
	} else {
		s.hi--
	}
}

// split finds a point on an optimal path where the searches from both ends meet; over the bounds, the furthest point of either.
// Both halves are smaller than the box: it has no common head or tail and two non-empty sides, so a path needs two edits or more.
func (m *myers) split(r box) (x, y int) {
	start, end := r.a0-r.b0, r.a1-r.b1
	min, max := r.a0-r.b1, r.a1-r.b0
	odd := (start-end)&1 != 0
	f, b := span{start, start}, span{end, end}
	m.fwd[start+m.base], m.bwd[end+m.base] = int32(r.a0), int32(r.a1)
	for cost := 1; ; cost++ {
		f.grow(m.fwd, m.base, min, max, -1)
		for d := f.hi; d >= f.lo; d -= 2 {
			x := m.forward(r, d)
			if odd && b.lo <= d && d <= b.hi && int(m.bwd[d+m.base]) <= x {
				return x, x - d
			}
		}
		b.grow(m.bwd, m.base, min, max, math.MaxInt32)
		for d := b.hi; d >= b.lo; d -= 2 {
			x := m.backward(r, d)
			if !odd && f.lo <= d && d <= f.hi && x <= int(m.fwd[d+m.base]) {
				return x, x - d
			}
		}
		if cost >= m.limit() {
			return m.furthest(r, f, b)
		}
	}
}

// forward takes one more edit on diagonal d from the start, then every equal line.
func (m *myers) forward(r box, d int) int {
	left, right := m.fwd[d-1+m.base], m.fwd[d+1+m.base]
	x := int(right)
	if left >= right {
		x = int(left) + 1
	}
	x0 := x
	for y := x - d; x < r.a1 && y < r.b1 && m.a[x] == m.b[y]; y++ {
		x++
	}
	m.fwd[d+m.base] = int32(x)
	m.work += x - x0 + 1
	return x
}

// backward is forward from the end.
func (m *myers) backward(r box, d int) int {
	left, right := m.bwd[d-1+m.base], m.bwd[d+1+m.base]
	x := int(left)
	if left >= right {
		x = int(right) - 1
	}
	x0 := x
	for y := x - d; x > r.a0 && y > r.b0 && m.a[x-1] == m.b[y-1]; y-- {
		x--
	}
	m.bwd[d+m.base] = int32(x)
	m.work += x0 - x + 1
	return x
}

// furthest gives the point that has left most of the box behind it, from either end.
func (m *myers) furthest(r box, f, b span) (x, y int) {
	best, fx, fy := -1, 0, 0
	for d := f.hi; d >= f.lo; d -= 2 {
		x := int(m.fwd[d+m.base])
		if x > r.a1 {
			x = r.a1
		}
		y := x - d
		if y > r.b1 {
			x, y = r.b1+d, r.b1
		}
		if x+y > best {
			best, fx, fy = x+y, x, y
		}
	}
	least, bx, by := math.MaxInt, 0, 0
	for d := b.hi; d >= b.lo; d -= 2 {
		x := int(m.bwd[d+m.base])
		if x < r.a0 {
			x = r.a0
		}
		y := x - d
		if y < r.b0 {
			x, y = r.b0+d, r.b0
		}
		if x+y < least {
			least, bx, by = x+y, x, y
		}
	}
	if r.a1+r.b1-least < best-r.a0-r.b0 {
		return fx, fy
	}
	return bx, by
}

// table numbers distinct lines in the order in which they come. It is an open-addressing hash table without a key of its own per
// line: a map of strings would copy every line.
type table struct {
	seed   maphash.Seed
	slots  []int32 // number+1; 0 is free
	lines  [][]byte
	hashes []uint64
}

// newTable has room for n lines, or for some of them: a text of millions of lines may have few distinct ones.
func newTable(n int) *table {
	n = min(n, 1<<16)
	size := 16
	for size < 2*n {
		size *= 2
	}
	return &table{seed: maphash.MakeSeed(), slots: make([]int32, size), lines: make([][]byte, 0, n), hashes: make([]uint64, 0, n)}
}

// grow doubles the places; at most half of them are taken.
func (t *table) grow() {
	t.slots = make([]int32, 2*len(t.slots))
	mask := len(t.slots) - 1
	for n, hash := range t.hashes {
		i := int(hash) & mask
		for t.slots[i] != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = int32(n + 1)
	}
}

// slot finds the place of a line in t.slots: its own or the free one where it belongs.
func (t *table) slot(line []byte, hash uint64) int {
	mask := len(t.slots) - 1
	for i := int(hash) & mask; ; i = (i + 1) & mask {
		n := t.slots[i] - 1
		if n < 0 || t.hashes[n] == hash && bytes.Equal(t.lines[n], line) {
			return i
		}
	}
}

// add gives the number of a line, a new one where it was not seen before.
func (t *table) add(line []byte) int32 {
	hash := maphash.Bytes(t.seed, line)
	i := t.slot(line, hash)
	if t.slots[i] == 0 {
		t.lines, t.hashes = append(t.lines, line), append(t.hashes, hash)
		t.slots[i] = int32(len(t.lines))
		if 2*len(t.lines) > len(t.slots) {
			t.grow()
		}
		return int32(len(t.lines) - 1)
	}
	return t.slots[i] - 1
}

// find gives the number of a line, or -1.
func (t *table) find(line []byte) int32 {
	return t.slots[t.slot(line, maphash.Bytes(t.seed, line))] - 1
}
