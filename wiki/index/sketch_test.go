package index

import (
	"fmt"
	"strings"
	"testing"
)

// TestNearCopies: pages with nearly the same text find each other, on disk, kept and in buffers; pages of the same subject or shape do not.
func TestNearCopies(t *testing.T) {
	prose := func(seed, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "word%d ", (seed+i*i*7919)%5003)
		}
		return b.String()
	}
	root, dir := t.TempDir(), t.TempDir()
	base := prose(1, 400)
	pages := map[string]string{
		"a.md": "---\ntype: concept\n---\n# A\n\n" + base, "copy.md": "# Another title\n\n" + strings.Replace(base, "word1 ", "changed ", 1) + "\n\nOne more sentence stands here.\n",
		"half.md": "# Half\n\n" + prose(1, 200) + prose(2, 200), "other.md": "# Other\n\n" + prose(3, 400), "short1.md": "# S\n\nA stub.\n", "short2.md": "# S\n\nA stub.\n",
	}
	for rel, text := range pages {
		write(t, root, rel, text)
	}
	see := func(x *Index, when string) {
		t.Helper()
		for rel, want := range map[string]string{"a.md": "copy.md", "copy.md": "a.md", "half.md": "", "other.md": "", "short1.md": ""} {
			got := ""
			for _, a := range x.NearCopies(rel) {
				got += a.Path
				if a.Share < 0.8 || a.Share > 1 {
					t.Errorf("%s: %s: %v", when, rel, a)
				}
			}
			if got != want {
				t.Errorf("%s: %s: %q, want %q", when, rel, got, want)
			}
		}
	}
	x := open(t, root, dir)
	see(x, "built")
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	x = open(t, root, dir)
	see(x, "kept")
	x.SetBuffer("new.md", []byte("# New\n\n"+prose(3, 400)))
	if got := x.NearCopies("new.md"); len(got) != 1 || got[0].Path != "other.md" || got[0].Share < 0.95 {
		t.Errorf("a buffer: %v", got)
	}
	if got := x.NearCopies("other.md"); len(got) != 1 || got[0].Path != "new.md" {
		t.Errorf("of a buffer: %v", got)
	}
	x.SetBuffer("copy.md", []byte("# Another title\n\n"+prose(9, 400)))
	if got := x.NearCopies("a.md"); len(got) != 0 {
		t.Errorf("changed in a buffer: %v", got)
	}
}
