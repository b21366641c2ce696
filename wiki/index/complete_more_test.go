package index

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unicode/utf8"

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

// TestNamesInOrder compares the order and the choice of what completion gives with a plain look at every name, for what users type: beginnings of words, pieces,
// letters, paths, in many scripts.
func TestNamesInOrder(t *testing.T) {
	root := t.TempDir()
	if _, err := indextest.Write(root, indextest.Options{Pages: 100, Seed: 5, Unresolved: 0.1}); err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"a b-a/ba", "b", "Ba-ba", "日本 語", "étude-été", "x-日本", "a--b", "C++ a.b"} {
		write(t, root, fmt.Sprintf("concepts/%d/%s.md", i%3, name), "---\naliases: [\"ba "+name+"\", \"be/"+name+"\"]\n---\n# The "+name+" of a\n")
		write(t, root, fmt.Sprintf("files/%s %d.png", name, i), "x")
	}
	x := open(t, root, t.TempDir())
	x.SetBuffer("concepts/0/b.md", []byte("# Now ba\n"))
	typed := []string{"", "b", "ba", "a", "日", "日本", "é", "-", "/", "b/", "concepts/", "concepts/b", "a b", "ab", "e b", "zz", "++", ".", "be/b"}
	r := rand.New(rand.NewPCG(1, 2))
	for _, rel := range x.Paths() {
		name := []rune(stem(rel))
		from := r.IntN(len(name))
		typed = append(typed, string(name[from:min(len(name), from+1+r.IntN(5))]), string(name[0])+string(name[len(name)-1]))
	}
	for _, typed := range typed {
		for _, limit := range []int{1, 7, 50, 10_000} {
			if got, want := x.Names(typed, limit), plainNames(x, typed, limit); !slices.Equal(got, want) {
				at := 0
				for at < min(len(got), len(want)) && got[at] == want[at] {
					at++
				}
				t.Fatalf("%q, %d: %d names, want %d; from %d on:\n%q\n%q", typed, limit, len(got), len(want), at, got[at:], want[at:])
			}
		}
	}
}

// plainNames looks at all names and sorts them.
func plainNames(x *Index, typed string, limit int) []Name {
	w := newWanted(typed)
	all := completions{limit: 1 << 20}
	x.each(func(r ref) bool {
		e := r.entry()
		if s, ok := w.score(nameLine(nil, e)); ok && e.class != conflictClass {
			all.add(s, x.givesWay(e), r)
		}
		return true
	})
	list := all.list()
	return list[:min(len(list), limit)]
}

// FuzzHoldsInOrder compares with a look at letters.
func FuzzHoldsInOrder(f *testing.F) {
	f.Add("a-b日c", "a-c")
	f.Add("", "--")
	f.Fuzz(func(t *testing.T, name, text string) {
		if !utf8.ValidString(name) || slices.Max(append([]byte(text), 0)) >= utf8.RuneSelf {
			return
		}
		rest := []rune(name)
		want := true
		for _, r := range text {
			if i := slices.Index(rest, r); r != '-' {
				want = want && i >= 0
				rest = rest[cmp.Or(min(i, 0), i)+1:]
			}
		}
		if got := holdsInOrder([]byte(name), bytes.Clone([]byte(text))); got != want {
			t.Errorf("%q in %q: %v", text, name, got)
		}
	})
}
