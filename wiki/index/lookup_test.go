package index_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rigwiki/rig/wiki/index"
)

// TestLookup holds that pages are found by their front matter in a kept index, in memory, in buffers and after the index was laid out anew, and that
// files which come or go are noticed by their folders.
func TestLookup(t *testing.T) {
	root, ctx := t.TempDir(), context.Background()
	put := func(rel, key string) {
		t.Helper()
		file := filepath.Join(root, rel)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("---\nkey: "+key+"\n---\n# P\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("raw/a.md", "one")
	put("raw/deep/b.md", "one")
	put("other.md", "one")
	x, err := index.Open(ctx, index.Options{Root: root, Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	l := index.NewLookup(func(rel string, front func() index.FrontMatter) []string {
		if !strings.HasPrefix(rel, "raw/") {
			return nil
		}
		return front().List("key")
	})
	want := func(when, key string, rels ...string) {
		t.Helper()
		if err := x.RefreshNames(ctx, "raw"); err != nil {
			t.Fatal(err)
		}
		if got := l.Find(x, key); !slices.Equal(got, rels) {
			t.Errorf("%s: %q, want %q", when, got, rels)
		}
	}
	want("kept", "one", "raw/a.md", "raw/deep/b.md")
	x.SetBuffer("raw/a.md", []byte("---\nkey: two\n---\n"))
	want("a buffer", "one", "raw/deep/b.md")
	want("a buffer", "two", "raw/a.md")
	x.DropBuffer("raw/a.md")
	put("raw/new/c.md", "one")
	want("a new folder", "one", "raw/a.md", "raw/deep/b.md", "raw/new/c.md")
	if err := os.RemoveAll(filepath.Join(root, "raw/deep")); err != nil {
		t.Fatal(err)
	}
	want("a folder that is gone", "one", "raw/a.md", "raw/new/c.md")
	for i := range 300 { // more than are held in memory
		put(fmt.Sprintf("raw/many/%d.md", i), "many")
	}
	put("raw/many/z.md", "one")
	want("laid out anew", "one", "raw/a.md", "raw/many/z.md", "raw/new/c.md")
	if err := os.RemoveAll(filepath.Join(root, "raw")); err != nil {
		t.Fatal(err)
	}
	want("all gone", "one")
	put("raw/a.md", "one")
	want("come back", "one", "raw/a.md")
	var none index.Lookup
	if got := none.Find(x, "one"); got != nil {
		t.Errorf("the zero value finds %q", got)
	}
}
