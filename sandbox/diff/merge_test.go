package diff

import (
	"bytes"
	"fmt"
	"math/rand"
	"testing"
)

func checkMerge(t *testing.T, base, x, y []byte) {
	t.Helper()
	for _, c := range []struct {
		name string
		m    Merged
		want []byte
	}{
		{"x, base", Merge(base, x, base), x},
		{"base, x", Merge(base, base, x), x},
		{"x, x", Merge(base, x, x), x},
	} {
		if len(c.m.Conflicts) > 0 || !bytes.Equal(c.m.Text, c.want) {
			t.Fatalf("base %q, x %q: merge of %s gives %q and conflicts %v", base, x, c.name, c.m.Text, c.m.Conflicts)
		}
	}
	xy, yx := Merge(base, x, y), Merge(base, y, x)
	if len(xy.Conflicts) != len(yx.Conflicts) {
		t.Fatalf("base %q, x %q, y %q: %+v one way, %+v the other", base, x, y, xy.Conflicts, yx.Conflicts)
	}
	lines := Split(x)
	for i, c := range xy.Conflicts {
		d := yx.Conflicts[i]
		if !bytes.Equal(c.Base, d.Base) || !bytes.Equal(c.Ours, d.Theirs) || !bytes.Equal(c.Theirs, d.Ours) {
			t.Fatalf("base %q, x %q, y %q: %+v one way, %+v the other", base, x, y, c, d)
		}
		if !bytes.HasPrefix(join(nil, lines[c.OursLine:]), c.Ours) {
			t.Fatalf("base %q, x %q, y %q: ours is not at line %d: %q", base, x, y, c.OursLine, c.Ours)
		}
	}
	if u := MergeUnion(base, x, y); len(u.Conflicts) > len(xy.Conflicts) || len(xy.Conflicts) == 0 && !bytes.Equal(u.Text, xy.Text) {
		t.Fatalf("base %q, x %q, y %q: merged %q, as a union %q", base, x, y, xy.Text, u.Text)
	}
	if len(xy.Conflicts) == 0 && !bytes.Equal(xy.Text, yx.Text) {
		t.Fatalf("base %q, x %q, y %q: %q one way, %q the other", base, x, y, xy.Text, yx.Text)
	}
}

func TestMergeRandom(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	for i := range 15000 {
		checkMerge(t, randomText(r, 9, 1+i%6), randomText(r, 9, 1+i%6), randomText(r, 9, 1+i%6))
	}
}

// TestMergeDisjoint edits lines that are not neighbours, some on each side: all edits must be in the result.
func TestMergeDisjoint(t *testing.T) {
	r := rand.New(rand.NewSource(5))
	for range 2000 {
		var base, ours, theirs, want []byte
		for i := range 1 + r.Intn(60) {
			line := fmt.Appendf(nil, "line %d\n", i)
			edited := [][]byte{fmt.Appendf(nil, "edited %d\n", i), append(line[:len(line):len(line)], "and more\n"...), nil}[r.Intn(3)]
			a, b, c := line, line, line
			switch who := r.Intn(4); {
			case i%2 == 0 || who > 1:
			case who == 0:
				a, c = edited, edited
			default:
				b, c = edited, edited
			}
			base, ours, theirs, want = append(base, line...), append(ours, a...), append(theirs, b...), append(want, c...)
		}
		m := Merge(base, ours, theirs)
		if len(m.Conflicts) > 0 || !bytes.Equal(m.Text, want) {
			t.Fatalf("base %q\nours %q\ntheirs %q\ngot %q, %+v\nwant %q", base, ours, theirs, m.Text, m.Conflicts, want)
		}
	}
}

func TestMerge(t *testing.T) {
	for _, c := range []struct {
		name, base, ours, theirs  string
		want                      string
		conflicts, unionConflicts int
		union                     string // "" is want
	}{
		{"both appended", "a\n", "a\n- x\n", "a\n- y\n", "a\n- x\n", 1, 0, "a\n- x\n- y\n"},
		{"both appended, no last LF", "a", "a\n- x", "a\n- y", "a\n- x", 1, 0, "a\n- x\n- y"},
		{"both appended, ours without last LF", "a\n", "a\n- x", "a\n- y\n", "a\n- x", 1, 0, "a\n- x\n- y\n"},
		{"theirs goes on from ours", "a\n", "a\n- x\n", "a\n- x\n- y\n", "a\n- x\n", 1, 0, "a\n- x\n- y\n"},
		{"ours starts empty", "", "- x", "- y\n", "- x", 1, 0, "- x\n- y\n"},
		{"the editor added LF, theirs appended", "a\nb", "a\nb\n", "a\nb\n- x\n", "a\nb\n- x\n", 0, 0, ""},
		{"the editor added LF, theirs appended without", "a\nb", "a\nb\n", "a\nb\n- x", "a\nb\n- x", 0, 0, ""},
		{"the editor added LF, theirs changed the top", "a\nb\nc", "a\nb\nc\n", "A\nb\nc", "A\nb\nc\n", 0, 0, ""},
		{"neighbours", "a\nb\n", "A\nb\n", "a\nB\n", "A\nb\n", 1, 1, ""},
		{"an insertion beside a change", "a\nb\n", "a\nx\nb\n", "a\nB\n", "a\nx\nb\n", 1, 1, ""},
		{"the same change and another", "a\nb\nc\nd\n", "A\nb\nc\nd\n", "A\nb\nc\nD\n", "A\nb\nc\nD\n", 0, 0, ""},
		{"deleted and changed", "a\nb\nc\n", "a\nc\n", "a\nB\nc\n", "a\nc\n", 1, 1, ""},
		{"CRLF", "a\r\nb\r\nc\r\n", "A\r\nb\r\nc\r\n", "a\r\nb\r\nC\r\n", "A\r\nb\r\nC\r\n", 0, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := Merge([]byte(c.base), []byte(c.ours), []byte(c.theirs))
			if string(m.Text) != c.want || len(m.Conflicts) != c.conflicts {
				t.Errorf("got %q, %+v, want %q", m.Text, m.Conflicts, c.want)
			}
			want := c.union
			if want == "" {
				want = c.want
			}
			u := MergeUnion([]byte(c.base), []byte(c.ours), []byte(c.theirs))
			if string(u.Text) != want || len(u.Conflicts) != c.unionConflicts {
				t.Errorf("as a union: got %q, %+v, want %q", u.Text, u.Conflicts, want)
			}
		})
	}
}
