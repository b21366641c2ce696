package index

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rigwiki/rig/wiki/index/indextest"
)

func TestHiddenAndSpecial(t *testing.T) { // o-fs-02, o-fs-05
	root := t.TempDir()
	for _, f := range []string{"wiki/a.md", "wiki/.md-notes.md", "wiki/my.obsidian.notes/b.md", "wiki/.obsidian/plugins/x/README.md", "wiki/.trash/old.md",
		"wiki/.git/description.md", "wiki/node_modules/p/README.md", "wiki/.venv/lib/LICENSE.md", "wiki/__pycache__/z.md"} {
		write(t, root, f, "# x\n[[.trash/old]]\n")
	}
	if err := makeFIFO(filepath.Join(root, "wiki/pipe.md")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a.md", filepath.Join(root, "wiki/link.md")); err != nil {
		t.Fatal(err)
	}
	x := open(t, root, "")
	if got := x.Paths(); !slices.Equal(got, []string{"wiki/a.md", "wiki/my.obsidian.notes/b.md"}) {
		t.Error(got)
	}
	if got := broken(x, "wiki/a.md"); !slices.Equal(got, []int{1}) {
		t.Error(got)
	}
	if w := x.Warnings(); len(w) != 1 || !strings.Contains(w[0], "pipe.md") {
		t.Error(w)
	}
	for _, rel := range []string{"wiki/.trash/old.md", "wiki/pipe.md", "wiki/link.md", "../x.md", "/etc/hosts.md", ""} {
		if _, ok := x.Page(rel); ok {
			t.Errorf("%s is a page", rel)
		}
	}
}

func TestConflictCopies(t *testing.T) { // o-fs-01
	root := lay(t, map[string]string{
		"Route 2.md": "# Route 2\n[[tea]]\n", "tea (Ana's conflicted copy 2026-03-01).md": "# Tea\nwater at 90 C\n", "tea 2.md": "# Tea\nwater at 95 C\n\n",
		"tea.md": "# Tea\nwater at 95 C\n", "tea.sync-conflict-20260301-101112-ABCDEF1.md": "# Tea\nwater at 80 C\n",
	})
	x := open(t, root, "")
	if got := x.Paths(); !slices.Equal(got, []string{"Route 2.md", "tea.md"}) {
		t.Error(got)
	}
	c := x.Conflicts()
	if len(c) != 3 || slices.ContainsFunc(c, func(c Conflict) bool { return c.Of != "tea.md" }) {
		t.Error(c)
	}
}

func TestText(t *testing.T) {
	root, dir := lay(t, map[string]string{"a.md": "one"}), t.TempDir()
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(root, "a.md"), old, old); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(time.Minute)
	for { // ctime cannot be set: wait until it is old enough to be trusted
		st, err := lstat(filepath.Join(root, "a.md"))
		if err != nil || time.Now().After(deadline) {
			t.Fatal(err)
		}
		if trusted(st.id) == st.id {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	st, _ := lstat(filepath.Join(root, "a.md"))
	x := open(t, root, dir)
	write(t, root, "a.md", "two, longer")
	refresh(t, x)
	for _, x := range []*Index{x, open(t, root, dir)} {
		if text, ok := x.Text("a.md", st.id); !ok || string(text) != "one" {
			t.Errorf("%q %v", text, ok)
		}
		other := st.id
		other.Mtime++
		if _, ok := x.Text("a.md", other); ok {
			t.Error("text of another identity")
		}
	}
}

func TestSummary(t *testing.T) {
	x := open(t, t.TempDir(), "")
	for text, want := range map[string]string{
		"---\ntitle: T\n---\n# H\n\n> [!note] no\n\nFirst *line*\nand [[a|more]].\n\nSecond": "First line and more.",
		"# H\n": "", "": "", "| a |\n|---|\n\n```\ncode\n```\ntext": "text", "> quoted\n> on": "quoted on",
	} {
		x.SetBuffer("p.md", []byte(text))
		if got := x.Summary("p.md"); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestOpenCancelled(t *testing.T) {
	root, dir := t.TempDir(), t.TempDir()
	if _, err := indextest.Write(root, indextest.Options{Pages: 300, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Open(ctx, Options{Root: root, Dir: dir}); err == nil {
		t.Error("a cancelled build has no error")
	}
	left, _ := filepath.Glob(filepath.Join(dir, "*"+textSuffix))
	if len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
	if got := len(open(t, root, dir).Paths()); got < 300 {
		t.Errorf("%d pages after a second try", got)
	}
	if _, err := Open(context.Background(), Options{Root: filepath.Join(root, "nowhere")}); err == nil {
		t.Error("no error for a folder that is not there")
	}
}

func TestCacheFolderIsTakenAway(t *testing.T) {
	for name, spoil := range map[string]func(dir string) error{
		"removed": os.RemoveAll,
		"a file":  func(dir string) error { return errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o600)) },
	} {
		root, dir := t.TempDir(), filepath.Join(t.TempDir(), "cache")
		paths, err := indextest.Write(root, indextest.Options{Pages: 310, Seed: 2})
		if err != nil {
			t.Fatal(err)
		}
		x := open(t, root, dir)
		if err := spoil(dir); err != nil {
			t.Fatal(err)
		}
		for _, p := range paths[:keepInMemory+10] {
			write(t, root, p, "# again\n[[x]]")
		}
		refresh(t, x)
		if got, want := snapshot(x), snapshot(open(t, root, "")); got != want {
			t.Errorf("%s: %s", name, firstDifference(got, want))
		}
		if w := x.Warnings(); (name == "removed") != (len(w) == 0) {
			t.Errorf("%s: warnings %q", name, w)
		}
	}
}
