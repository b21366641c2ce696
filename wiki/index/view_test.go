package index

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/rigwiki/rig/wiki/index/indextest"
)

// TestView opens a kept index for copies of the files and for the files themselves, changed since: it says what an index of its own would say, and leaves the
// kept one as it was, also where that is broken or not there.
func TestView(t *testing.T) {
	root, dir := t.TempDir(), t.TempDir()
	paths, err := indextest.Write(root, indextest.Options{Pages: 60, Seed: 8, Unresolved: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	if err := open(t, root, dir).Close(); err != nil {
		t.Fatal(err)
	}
	seen := filepath.Join(t.TempDir(), "view")
	if err := os.CopyFS(seen, os.DirFS(root)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, root, dir string
		view            View
	}{
		{"copied", seen, dir, Copied}, {"mounted", root, dir, Mounted}, {"nothing kept", seen, filepath.Join(dir, "none"), Copied}, {"broken", seen, damaged(t, dir), Copied},
	} {
		t.Run(c.name, func(t *testing.T) {
			write(t, c.root, paths[3], "# quokka\nlives on an island\n")
			write(t, c.root, "concepts/new.md", "# bilby\n[[quokka]]\n")
			same, err := os.ReadFile(filepath.Join(c.root, paths[4]))
			if err != nil {
				t.Fatal(err)
			}
			same[len(same)/2] ^= 1 // the size stays
			write(t, c.root, paths[4], string(same))
			if err := os.Remove(filepath.Join(c.root, paths[5])); err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
			before := listing(t, c.dir)
			x, err := Open(context.Background(), Options{Root: c.root, Dir: c.dir, View: c.view})
			if err != nil {
				t.Fatal(err)
			}
			if got, want := snapshot(x), snapshot(open(t, c.root, "")); got != want {
				t.Error(firstDifference(got, want))
			}
			if h := x.Search("bilby", 3); len(h) == 0 || h[0].Path != "concepts/new.md" {
				t.Errorf("%+v", h)
			}
			if err := x.Close(); err != nil {
				t.Error(err)
			}
			if after := listing(t, c.dir); after != before {
				t.Errorf("the kept index was written:\n%s\n%s", before, after)
			}
		})
	}
}

// damaged is a copy of a kept index with a byte of a segment changed.
func damaged(t *testing.T, dir string) string {
	to := filepath.Join(t.TempDir(), "broken")
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(to, "*"+segmentSuffix))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)/2] ^= 0xff
	if err := os.WriteFile(files[0], text, 0o600); err != nil {
		t.Fatal(err)
	}
	return to
}

func listing(t *testing.T, dir string) string {
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	out := ""
	for _, d := range entries {
		fi, err := d.Info()
		if err != nil {
			t.Fatal(err)
		}
		out += d.Name() + " " + fi.ModTime().String() + "\n"
	}
	return out
}

// TestLinkedFolder: a page behind a link to a folder is no page: the link may lead out of the wiki.
func TestLinkedFolder(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	write(t, outside, "secret.md", "a secret\n")
	write(t, root, "a.md", "a\n")
	if err := os.Symlink(outside, filepath.Join(root, "out")); err != nil {
		t.Skip("links cannot be made here:", err)
	}
	x := open(t, root, "")
	for _, rel := range []string{"out/secret.md", "../" + filepath.Base(outside) + "/secret.md", outside + "/secret.md"} {
		if text, ok := x.Source(rel); ok {
			t.Errorf("%s was read: %q", rel, text)
		}
	}
}
