package index

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
)

// manyPages lays out more pages than one step takes in.
func manyPages(t *testing.T) *Index {
	t.Helper()
	files := map[string]string{}
	for i := range 4 * 64 {
		files[fmt.Sprintf("p%03d.md", i)] = "# P\n"
	}
	return open(t, lay(t, files), t.TempDir())
}

// TestTableLetsWritersPass holds that a keystroke is laid in while the table of a large wiki is made: who writes waits for a step, never for the table.
func TestTableLetsWritersPass(t *testing.T) {
	x := manyPages(t)
	var writer sync.WaitGroup
	begun, laidIn := false, false
	l := NewLookup(func(rel string, _ func() FrontMatter) []string {
		if rel == "new.md" {
			return []string{"new"}
		}
		if !begun {
			begun = true
			writer.Go(func() { x.SetBuffer("new.md", []byte("# N\n")) })
			for x.mu.TryRLock() { // until it waits for us
				x.mu.RUnlock()
				runtime.Gosched()
			}
		}
		_, laidIn = x.buffers["new.md"]
		return []string{"old"}
	})
	old := l.Find(x, "old")
	writer.Wait()
	if !laidIn {
		t.Error("the page was laid in only after the whole table was made")
	}
	if found := l.Find(x, "new"); len(old) != 4*stepRows || len(found) != 1 {
		t.Errorf("%d old pages, want %d; new: %q", len(old), 4*stepRows, found)
	}
}

// TestTableOfReplacedBase holds that a table whose base is laid out anew while it is made is made of the new one.
func TestTableOfReplacedBase(t *testing.T) {
	x := manyPages(t)
	var writer sync.WaitGroup
	begun := 0
	l := NewLookup(func(string, func() FrontMatter) []string {
		if begun++; begun == 1 {
			writer.Go(func() {
				if err := x.buildAgain(context.Background(), errFormat); err != nil {
					t.Error(err)
				}
			})
		}
		return []string{"key"}
	})
	for range 3 {
		if got := l.Find(x, "key"); len(got) != 4*64 {
			t.Errorf("%d pages, want %d", len(got), 4*stepRows)
		}
		writer.Wait()
	}
}

// TestNamesWhileTyped asks for names from several goroutines while another types and lays the index out anew.
func TestNamesWhileTyped(t *testing.T) {
	x := manyPages(t)
	want := len(x.Names("p1", 1000))
	if want < 100 {
		t.Fatalf("%d names, want the 100 that begin so", want)
	}
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			for range 20 {
				if got := x.Names("p1", 1000); len(got) != want {
					t.Errorf("%d names, want %d", len(got), want)
				}
				if got := x.Near("p0011", 5); len(got) == 0 {
					t.Error("nothing is near p0011")
				}
			}
		})
	}
	group.Go(func() {
		for i := range 60 {
			x.SetBuffer("p200.md", fmt.Appendf(nil, "# Q%d\n", i))
			if i%20 == 0 {
				if err := x.buildAgain(context.Background(), errFormat); err != nil {
					t.Error(err)
				}
			}
		}
	})
	group.Wait()
}
