package index

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func TestWatch(t *testing.T) { // o-fs-09
	root := lay(t, map[string]string{"a.md": "[[x]]"})
	x := open(t, root, t.TempDir())
	ctx, cancel := context.WithCancel(context.Background())
	told, ended := make(chan struct{}, 100), make(chan error)
	go func() { ended <- x.Watch(ctx, func([]string) { told <- struct{}{} }) }()
	defer func() {
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}()
	<-told // the watches stand
	rename := func(from, to string) {
		if err := os.Rename(filepath.Join(root, from), filepath.Join(root, to)); err != nil {
			t.Fatal(err)
		}
	}
	// The answers come from the index's own lists, which read no file: only an event can have changed them.
	links := func(n int) func() bool {
		return func() bool {
			got := 0
			x.EachLink(func(from string, _ Link, _ []Match) bool { got++; return true })
			return got == n
		}
	}
	pages := func(want ...string) func() bool { return func() bool { return slices.Equal(x.Paths(), want) } }
	steps := []struct {
		name string
		do   func()
		ok   func() bool
	}{
		{"start", func() {}, links(1)},
		{"saved by renaming", func() { write(t, root, "a.md.tmp123", "[[x]] [[y]]\n"); rename("a.md.tmp123", "a.md") }, links(2)},
		{"and again", func() { write(t, root, "a.md.tmp124", "[[x]] [[y]] [[z]]\n"); rename("a.md.tmp124", "a.md") }, links(3)},
		{"in place", func() { write(t, root, "a.md", "[[x]]\n") }, links(1)},
		{"an editor's own files, and a page", func() {
			write(t, root, "4913", "")
			write(t, root, ".a.md.swp", "")
			_ = os.Remove(filepath.Join(root, "4913"))
			write(t, root, "b.md", "# b\n")
		}, pages("a.md", "b.md")},
		{"gone", func() { _ = os.Remove(filepath.Join(root, "b.md")) }, pages("a.md")},
		{"new folders", func() { write(t, root, "dir/sub/c.md", "# c\n") }, pages("a.md", "dir/sub/c.md")},
		{"in a new folder", func() { write(t, root, "dir/sub/d.md", "# d\n") }, pages("a.md", "dir/sub/c.md", "dir/sub/d.md")},
		{"folder renamed", func() { rename("dir", "rid") }, pages("a.md", "rid/sub/c.md", "rid/sub/d.md")},
		{"in the renamed folder", func() { write(t, root, "rid/e.md", "# e\n") }, pages("a.md", "rid/e.md", "rid/sub/c.md", "rid/sub/d.md")},
		{"folder gone", func() { _ = os.RemoveAll(filepath.Join(root, "rid")) }, pages("a.md")},
	}
	for _, step := range steps {
		step.do()
		deadline := time.After(time.Minute) // a guard against hanging
		for !step.ok() {
			select {
			case <-told:
			case <-deadline:
				t.Fatalf("%s: the index has %v", step.name, x.Paths())
			}
		}
	}
	if w := x.Warnings(); len(w) > 0 {
		t.Error(w)
	}
}
