package index

import (
	"fmt"
	"testing"

	"github.com/rigwiki/rig/wiki/index/indextest"
)

// TestNamesFindAll compares what completion finds with a look at every row.
func TestNamesFindAll(t *testing.T) {
	root := t.TempDir()
	if _, err := indextest.Write(root, indextest.Options{Pages: 200, Seed: 3, Unresolved: 0.1}); err != nil {
		t.Fatal(err)
	}
	write(t, root, "concepts/ab.md", "---\naliases: [bat man, xab]\n---\n# Ba\n")
	write(t, root, "files/bat.png", "x")
	x := open(t, root, "")
	for _, typed := range []string{"", "b", "ba", "bat", "bt", "concepts/", "concepts/a", "ab", "xab", "zzz", "e", "日", "/", "a b"} {
		w := newWanted(typed)
		want := map[string]bool{}
		table := x.nameTable()
		x.mu.RUnlock()
		for row := range uint32(x.base.count()) {
			if _, ok := w.score(table.line(row)); ok {
				want[x.base.path(row)] = true
			}
		}
		got := map[string]bool{}
		for _, n := range x.Names(typed, 100_000) {
			if got[n.Path] {
				t.Errorf("%q: %s twice", typed, n.Path)
			}
			got[n.Path] = true
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q: %d names, want %d", typed, len(got), len(want))
		}
	}
}
