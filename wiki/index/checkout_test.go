package index

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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

// TestGitCheckout goes to another commit and back by git, with pages edited, added, deleted, moved, and renamed in case only: refreshed, the index says what a new one
// says, searches and near copies included; so does one that is opened by another process afterwards.
func TestGitCheckout(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not on PATH")
	}
	root, dir := t.TempDir(), t.TempDir()
	paths, err := indextest.Write(root, indextest.Options{Pages: 400, Seed: 13, Unresolved: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", root, "-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false", "-c", "core.ignorecase=false"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	git("init", "-q", "-b", "one")
	git("add", ".")
	git("commit", "-q", "-m", "one")
	git("checkout", "-q", "-b", "two")
	checkout(t, root, paths)
	for i := 3; i < len(paths); i += 40 { // those that checkout left alone
		from := filepath.Join(root, filepath.FromSlash(paths[i]))
		if err := os.Rename(from, filepath.Join(filepath.Dir(from), strings.ToUpper(filepath.Base(paths[i][:len(paths[i])-3]))+".md")); err != nil {
			t.Fatal(err)
		}
	}
	git("add", "-A")
	git("commit", "-q", "-m", "two")
	git("checkout", "-q", "one")
	x := open(t, root, dir)
	answers(x)
	for _, branch := range []string{"two", "one"} {
		git("checkout", "-q", branch)
		refresh(t, x)
		fresh := open(t, root, "")
		if got, want := snapshot(x)+answers(x), snapshot(fresh)+answers(fresh); got != want {
			t.Errorf("%s: %s", branch, firstDifference(got, want))
		}
		if got, want := snapshot(open(t, root, dir)), snapshot(fresh); got != want {
			t.Errorf("%s, opened again: %s", branch, firstDifference(got, want))
		}
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
