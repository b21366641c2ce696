package index

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/rigwiki/rig/wiki/index/indextest"
)

// TestSharedFolder opens one cache folder many times at once, as editor, CLI and daemon do, while pages change.
func TestSharedFolder(t *testing.T) {
	root, dir := t.TempDir(), t.TempDir()
	paths, err := indextest.Write(root, indextest.Options{Pages: 200, Seed: 5, Unresolved: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for n := range 4 {
		wg.Go(func() {
			x, err := Open(context.Background(), Options{Root: root, Dir: dir})
			if err != nil {
				t.Error(err)
				return
			}
			defer func() {
				if err := x.Close(); err != nil {
					t.Error(err)
				}
			}()
			for i, p := range paths[n*50 : n*50+50] {
				write(t, root, p, fmt.Sprintf("# page %d of %d\n[[%d]]\n", i, n, i))
			}
			if err := x.Refresh(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	x := open(t, root, dir)
	refresh(t, x)
	fresh := open(t, root, "")
	if got, want := snapshot(x), snapshot(fresh); got != want {
		t.Error(firstDifference(got, want))
	}
	if w := x.Warnings(); len(w) > 0 {
		t.Error(w)
	}
}

// TestAllAtOnce asks everything of one index from several goroutines; the race detector is its judge.
func TestAllAtOnce(t *testing.T) {
	root := t.TempDir()
	paths, err := indextest.Write(root, indextest.Options{Pages: 450, Seed: 6})
	if err != nil {
		t.Fatal(err)
	}
	x := open(t, root, t.TempDir())
	var wg sync.WaitGroup
	for n := range 4 {
		wg.Go(func() {
			for i := range 10 {
				p := paths[(n*41+i*7)%len(paths)]
				switch n {
				case 0:
					x.SetBuffer(p, fmt.Appendf(nil, "# B %d\n[[%s]]", i, filepath.Base(paths[i])))
					x.DropBuffer(paths[i])
				case 1:
					write(t, root, p, fmt.Sprintf("# edited %d\n[[b]]", i))
					if i%5 == 4 {
						for _, q := range paths[100:400] { // enough for a new segment
							write(t, root, q, fmt.Sprintf("# again %d", i))
						}
						if err := x.Refresh(context.Background()); err != nil {
							t.Error(err)
						}
					}
				case 2:
					x.Search("edited page", 5)
					x.Backlinks(p)
					x.Summary(p)
				case 3:
					x.Resolve(p, filepath.Base(paths[i]))
					x.Similar(p, "t", nil)
					if page, ok := x.Page(p); ok && page.Path != p {
						t.Errorf("%s: %s", p, page.Path)
					}
					x.Paths()
				}
			}
		})
	}
	wg.Wait()
	for _, p := range paths {
		x.DropBuffer(p)
	}
	refresh(t, x)
	if got, want := snapshot(x), snapshot(open(t, root, "")); got != want {
		t.Error(firstDifference(got, want))
	}
}
