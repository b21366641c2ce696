package diff

import (
	"bytes"
	"fmt"
	"math/rand"
	"testing"
)

// lcs is the textbook table: the oracle for Lines.
func lcs(a, b [][]byte) int {
	t := make([][]int, len(a)+1)
	for i := range t {
		t[i] = make([]int, len(b)+1)
	}
	for i, x := range a {
		for j, y := range b {
			if bytes.Equal(x, y) {
				t[i+1][j+1] = t[i][j] + 1
			} else {
				t[i+1][j+1] = max(t[i][j+1], t[i+1][j])
			}
		}
	}
	return t[len(a)][len(b)]
}

// apply gives the text that ops make of a.
func apply(t *testing.T, a, b [][]byte, ops []Op) []byte {
	t.Helper()
	var out []byte
	i, j := 0, 0
	for k, op := range ops {
		if op.A0 > op.A1 || op.B0 > op.B1 || op.A0 == op.A1 && op.B0 == op.B1 {
			t.Fatalf("op %v is none", op)
		}
		if op.A0-i != op.B0-j || op.A0 < i || k > 0 && op.A0 == i {
			t.Fatalf("op %v does not follow %d, %d", op, i, j)
		}
		out = join(out, a[i:op.A0])
		out = join(out, b[op.B0:op.B1])
		i, j = op.A1, op.B1
	}
	return join(out, a[i:])
}

// TestLinesBounded searches with the lowest limits from the start: right, if not minimal.
func TestLinesBounded(t *testing.T) {
	r := rand.New(rand.NewSource(6))
	for i := range 300 {
		a, b := randomText(r, 900, 2+i%40), randomText(r, 900, 2+i%40)
		la, lb := Split(a), Split(b)
		if got := apply(t, la, lb, search(la, lb, limits[len(limits)-1].work).ops(0)); !bytes.Equal(got, b) {
			t.Fatalf("%q -> %q: got %q", a, b, got)
		}
	}
}

// checkLines fails where ops do not lead from a to b, are out of order or touch, and gives the number of changed lines.
func checkLines(t *testing.T, a, b []byte) int {
	t.Helper()
	ops, n := Lines(a, b), 0
	if got := apply(t, Split(a), Split(b), ops); !bytes.Equal(got, b) {
		t.Fatalf("%q -> %q: ops %v give %q", a, b, ops, got)
	}
	for _, op := range ops {
		n += op.A1 - op.A0 + op.B1 - op.B0
	}
	return n
}

func checkMinimal(t *testing.T, a, b []byte) {
	t.Helper()
	n := checkLines(t, a, b)
	la, lb := Split(a), Split(b)
	if want := len(la) + len(lb) - 2*lcs(la, lb); n != want {
		t.Fatalf("%q -> %q: %d changed lines, %d would do: %v", a, b, n, want, Lines(a, b))
	}
}

// randomText makes a text of up to n lines out of few distinct ones.
func randomText(r *rand.Rand, n, distinct int) []byte {
	var out []byte
	for range r.Intn(n + 1) {
		out = fmt.Appendf(out, "%c\n", 'a'+r.Intn(distinct))
	}
	if len(out) > 0 && r.Intn(3) == 0 {
		out = out[:len(out)-1]
	}
	return out
}

func TestLinesMinimal(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for i := range 15000 {
		a, b := randomText(r, 24, 1+i%9), randomText(r, 24, 1+i%9)
		checkMinimal(t, a, b)
	}
}

func checkSplices(t *testing.T, a, b []byte) {
	t.Helper()
	var out []byte
	at, last := 0, -1
	for _, s := range Splices(a, b) {
		if s.Start < at || s.End < s.Start || s.Start == last || s.Start == s.End && len(s.New) == 0 {
			t.Fatalf("%q -> %q: bad splices %v", a, b, Splices(a, b))
		}
		out = append(append(out, a[at:s.Start]...), s.New...)
		at, last = s.End, s.Start
	}
	if out = append(out, a[at:]...); !bytes.Equal(out, b) {
		t.Fatalf("%q -> %q: splices %v give %q", a, b, Splices(a, b), out)
	}
}

func TestSplices(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"# A\n", "# A\n- x\n", `[{4 4 "- x\n"}]`},
		{"# A", "# A\n- x", `[{3 3 "\n- x"}]`},
		{"# A", "# A\n- x\n", `[{3 3 "\n- x\n"}]`},
		{"# A", "# A\n", `[{3 3 "\n"}]`},
		{"# A\n", "# A", `[{3 4 ""}]`},
		{"", "- x\n", `[{0 0 "- x\n"}]`},
		{"a\nb\n", "a", `[{1 4 ""}]`},
		{"a\nb", "a\n", `[{2 3 ""}]`},
		{"old\nb\nend", "new\nb\nend", `[{0 4 "new\n"}]`},
		{"a\r\nb\r\n", "a\r\nc\r\n", `[{3 6 "c\r\n"}]`},
	} {
		var got []string
		for _, s := range Splices([]byte(c.old), []byte(c.new)) {
			got = append(got, fmt.Sprintf("{%d %d %q}", s.Start, s.End, s.New))
		}
		if got := fmt.Sprint(got); got != c.want {
			t.Errorf("%q -> %q: got %s, want %s", c.old, c.new, got, c.want)
		}
	}
	r := rand.New(rand.NewSource(2))
	for i := range 15000 {
		checkSplices(t, randomText(r, 8, 1+i%5), randomText(r, 8, 1+i%5))
	}
}

func TestSelect(t *testing.T) {
	r := rand.New(rand.NewSource(4))
	for range 3000 {
		a, b := randomText(r, 40, 9), randomText(r, 40, 9)
		if got := Select(a, b, func(Hunk) bool { return true }); !bytes.Equal(got, b) {
			t.Fatalf("all hunks of %q -> %q give %q", a, b, got)
		}
		if got := Select(a, b, func(Hunk) bool { return false }); !bytes.Equal(got, a) {
			t.Fatalf("no hunk of %q -> %q gives %q", a, b, got)
		}
	}
}
