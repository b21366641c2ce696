package index

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/rigwiki/rig/wiki/index/indextest"
)

// TestCheckout changes, adds, moves and deletes hundreds of files behind the index's back, as a checkout of another branch does: refreshed, it says what a new
// index says.
func TestCheckout(t *testing.T) {
	root, dir := t.TempDir(), t.TempDir()
	paths, err := indextest.Write(root, indextest.Options{Pages: 900, Seed: 12, Unresolved: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	x := open(t, root, dir)
	checkout(t, root, paths)
	if err := x.Refresh(context.Background()); err != nil {
		t.Fatal(err)
	}
	if got, want := snapshot(x), snapshot(open(t, root, "")); got != want {
		t.Error(firstDifference(got, want))
	}
}

// checkout leaves one page in four alone.
func checkout(t testing.TB, root string, paths []string) {
	t.Helper()
	for i, rel := range paths {
		file := filepath.Join(root, filepath.FromSlash(rel))
		var err error
		switch i % 4 {
		case 0:
			err = os.WriteFile(file, fmt.Appendf(nil, "# Page %d\n\n[[page-%d]] and [[%s]]\n", i, i+1, stem(paths[(i+5)%len(paths)])), 0o644)
		case 1:
			err = os.Remove(file)
		case 2:
			to := filepath.Join(root, "branch", fmt.Sprint(i%7), fmt.Sprintf("page-%d.md", i))
			if err = os.MkdirAll(filepath.Dir(to), 0o755); err == nil {
				err = os.Rename(file, to)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// BenchmarkCheckout is the refresh after 10,000 files changed at once, in a wiki that is not kept: it proves the index exact each time.
func BenchmarkCheckout(b *testing.B) {
	root := b.TempDir()
	paths, err := indextest.Write(root, indextest.Options{Pages: 12_200, Seed: 2, Unresolved: 0.04})
	if err != nil {
		b.Fatal(err)
	}
	x := mustOpen(b, root, b.TempDir())
	defer x.Close()
	checkout(b, root, paths)
	for b.Loop() {
		if err := x.Refresh(context.Background()); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		fresh := mustOpen(b, root, "")
		if got, want := fmt.Sprint(x.Paths()), fmt.Sprint(fresh.Paths()); got != want {
			b.Fatal("the paths differ")
		}
		_ = fresh.Close()
		b.StartTimer()
	}
}
