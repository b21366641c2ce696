package index

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestNear finds names and aliases with a typing mistake, on disk and in buffers, and none that is more than that.
func TestNear(t *testing.T) {
	root := lay(t, map[string]string{
		"concepts/vector-store.md": "---\naliases: [Embedding database, VDB]\n---\n# Vectors\n", "concepts/Straße.md": "", "日本語の文書.md": "", "raw/vector-store.md": "",
		"teas.md": "", "gone.md": "# Kettle", "pic.png": "x", "entities/anna-karenina.md": "---\ntitle: Анна Каренина\n---\n",
	})
	x := open(t, root, t.TempDir())
	x.SetBuffer("new page.md", []byte("---\naliases: [Zeppelin]\n---\n"))
	x.SetBuffer("gone.md", []byte("# Pot\n"))
	list := func(names []Name) string {
		var out []string
		for _, n := range names {
			out = append(out, strings.TrimSuffix(n.Path+" as "+n.Alias, " as "))
		}
		return strings.Join(out, ", ")
	}
	for written, want := range map[string]string{
		"vectorstore": "concepts/vector-store.md, raw/vector-store.md", "Vector Stroe": "concepts/vector-store.md, raw/vector-store.md", "embeding databse": "concepts/vector-store.md as Embedding database",
		"vdc": "", "strasze": "concepts/Straße.md", "日本語の文章": "日本語の文書.md", "Zepelin": "new page.md as Zeppelin", "ketle": "", "tea": "teas.md", "teaz": "teas.md", "pic.pgn": "", "": "", "\x00": "",
		"Анна Коренина": "entities/anna-karenina.md", strings.Repeat("x", 10_000): "",
	} {
		if got := list(x.Near(written, 9)); got != want {
			t.Errorf("near %.20q: %s, want %s", written, got, want)
		}
	}
	for written, want := range map[string]string{
		"store": "concepts/vector-store.md, raw/vector-store.md", "database": "concepts/vector-store.md as Embedding database", "zep": "new page.md as Zeppelin", "kettle": "", "本語": "日本語の文書.md", "": "",
	} {
		if got := list(x.Holding(written, 9)); got != want {
			t.Errorf("holding %q: %s, want %s", written, got, want)
		}
	}
}

// TestDistance compares the bounded count with a plain one.
func TestDistance(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	word := func() []rune {
		w := make([]rune, r.IntN(7))
		for i := range w {
			w[i] = rune('a' + r.IntN(3))
		}
		return w
	}
	for range 20_000 {
		a, b, limit := word(), word(), r.IntN(4)
		want := plainDistance(a, b)
		if got, ok := Distance(a, b, limit); ok != (want <= limit) || ok && got != want {
			t.Fatalf("%q, %q within %d: %d, %v, want %d", string(a), string(b), limit, got, ok, want)
		}
	}
}

func plainDistance(a, b []rune) int {
	switch {
	case len(a) == 0:
		return len(b)
	case len(b) == 0:
		return len(a)
	}
	cost := truth(a[0] != b[0])
	d := min(cost+plainDistance(a[1:], b[1:]), 1+plainDistance(a[1:], b), 1+plainDistance(a, b[1:]))
	if len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] {
		d = min(d, 1+plainDistance(a[2:], b[2:]))
	}
	return d
}

func TestFolders(t *testing.T) {
	root := lay(t, map[string]string{"a/b/c.md": "", "a/pic.png": "x", "ab/d.md": "", "e.md": ""})
	x := open(t, root, t.TempDir())
	if got, want := fmt.Sprint(x.Under("a"), x.Under("a/b"), x.Under("e.md")), "[a/b/c.md a/pic.png] [a/b/c.md] []"; got != want {
		t.Errorf("under: %s, want %s", got, want)
	}
	write(t, root, "new/x.md", "")
	if err := x.Refresh(context.Background()); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]bool{"a": true, "a/b": true, "ab": true, "new": true, "b": false, "a/": false, "e.md": false, "A": false} {
		if got := x.HasFolder(dir); got != want {
			t.Errorf("folder %q: %v, want %v", dir, got, want)
		}
	}
}
