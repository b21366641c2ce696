package diff

import (
	"bytes"
	"strings"
	"testing"
)

func TestHunks(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"one change", "# T\n\n1\n2\n3\n4\n5\n", "# T\n\n1\n2\nthree\n4\n5\n", "1 @@ -2,6 +2,6 @@ # T\n \n 1\n 2\n-3\n+three\n 4\n 5\n"},
		{"two hunks, sections", "# A\n1\n2\n3\n4\n5\n6\n7\n## B\r\n1\n2\n3\n4\nend", "# A\nx\n2\n3\n4\n5\n6\n7\n## B\r\n1\n2\n3\n4\nend\n",
			"1 @@ -1,5 +1,5 @@\n # A\n-1\n+x\n 2\n 3\n 4\n2 @@ -11,4 +11,4 @@ ## B\n 2\n 3\n 4\n-end\n\\ No newline at end of file\n+end\n"},
		{"created", "", "a\nb", "1 @@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n"},
		{"emptied", "a\n", "", "1 @@ -1,1 +0,0 @@\n-a\n"},
		{"added at the end of its likes", "- a\n- a\n", "- a\n- a\n- a\n", "1 @@ -1,2 +1,3 @@\n - a\n - a\n+- a\n"},
		{"equal", "a\n", "a\n", ""},
	} {
		var got strings.Builder
		for _, h := range Hunks([]byte(c.old), []byte(c.new)) {
			got.WriteString(h.ID + " " + h.Header() + "\n" + string(h.Body))
		}
		if got.String() != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got.String(), c.want)
		}
	}
}

// TestHunksApart has changes with six and seven equal lines between them: one hunk and two, as in GNU diff.
func TestHunksApart(t *testing.T) {
	for gap, want := range map[int]int{5: 1, 6: 1, 7: 2} {
		if h := Hunks(numbered(30), numbered(30, 10, 11+gap)); len(h) != want {
			t.Errorf("%d equal lines between two changes: %d hunks, want %d", gap, len(h), want)
		}
	}
}

func TestSection(t *testing.T) {
	old := "# " + strings.Repeat("é", 60) + "\n" + strings.Repeat("x\n", 5)
	h := Hunks([]byte(old), []byte(old+"end\n"))
	if want := "# " + strings.Repeat("é", 39); len(h) != 1 || h[0].Section != want {
		t.Errorf("got %q, want %q", h[0].Section, want)
	}
}

func TestSelectOne(t *testing.T) {
	old := numbered(40)
	new := numbered(40, 3, 20, 37)
	for id, want := range map[string][]byte{"1": numbered(40, 3), "2": numbered(40, 20), "3": numbered(40, 37)} {
		if got := Select(old, new, func(h Hunk) bool { return h.ID == id }); !bytes.Equal(got, want) {
			t.Errorf("hunk %s alone gives %q", id, got)
		}
	}
	open := old[:len(old)-1]
	if got := Select(open, numbered(40, 3, 39), func(h Hunk) bool { return h.ID == "1" }); !bytes.Equal(got, bytes.TrimSuffix(numbered(40, 3), lf)) {
		t.Errorf("the end that was not accepted changed: %q", got)
	}
}
