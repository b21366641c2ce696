package lsp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/rigwiki/rig/wiki"
	"go.lsp.dev/uri"
)

// TestFilePath is case o-ls-07: spellings of addresses, on both kinds of system.
func TestFilePath(t *testing.T) {
	for file, platform := range map[string]uri.Platform{"posix.json": uri.PlatformPOSIX, "windows.json": uri.PlatformWindows} {
		var list []struct{ URI, Path string }
		if err := json.Unmarshal(input(t, "o-ls-07", file), &list); err != nil || len(list) == 0 {
			t.Fatal(err)
		}
		for _, c := range list {
			if got, ok := filePathOn(platform, c.URI); !ok || got != c.Path {
				t.Errorf("%s is %q (%v), want %q", c.URI, got, ok, c.Path)
			}
			if platform == uri.PlatformPOSIX {
				if back, ok := filePath(string(pathURI(c.Path))); !ok || back != c.Path {
					t.Errorf("%q is written as %s and read as %q", c.Path, pathURI(c.Path), back)
				}
			}
		}
	}
	for _, bad := range []string{"", "untitled:Untitled-1", "git:/w/a.md", "rigwiki://r1/w/a.md", "vscode-notebook-cell:/w/a.ipynb#x", "file://other/w/a.md", "file:///w/a%00.md", "relative.md", "%zz"} {
		if path, ok := filePath(bad); ok {
			t.Errorf("%q is taken for the file %q", bad, path)
		}
	}
	for _, loud := range []string{"FILE:///w/a.md", "File://localhost/w/a.md", "FILE:/w/a.md"} {
		if path, ok := filePath(loud); !ok || path != "/w/a.md" {
			t.Errorf("%s is %q (%v): a scheme has no case", loud, path, ok)
		}
	}
	if path, _ := filePath("file:///w/sub/..%2F..%2Fetc/passwd"); path != "/etc/passwd" {
		t.Errorf("dots are kept: %q", path)
	}
}

// TestFolderOf is case o-ls-14: two folders whose names share a beginning.
func TestFolderOf(t *testing.T) {
	var c struct {
		WorkspaceFolders []string
		Documents        []struct {
			URI    string
			Folder *int
		}
	}
	if err := json.Unmarshal(input(t, "o-ls-14", "folders.json"), &c); err != nil || len(c.Documents) == 0 {
		t.Fatal(err)
	}
	f := newFolders()
	var roots []string
	for _, u := range c.WorkspaceFolders {
		path, _ := filePath(u)
		roots = append(roots, path)
	}
	f.replace(roots)
	for _, d := range c.Documents {
		path, _ := filePath(d.URI)
		got, ok := f.folderOf(path)
		switch {
		case d.Folder == nil && ok:
			t.Errorf("%s is booked to %s", d.URI, got)
		case d.Folder != nil && got != roots[*d.Folder]:
			t.Errorf("%s is booked to %q, want %s", d.URI, got, roots[*d.Folder])
		}
	}
}

// TestWikiOf holds which files are of which wiki: also a wiki through a link keeps the link's path (case o-ls-08).
func TestWikiOf(t *testing.T) {
	root := newWiki(t, nil)
	dir := filepath.Dir(root)
	link := filepath.Join(dir, "link")
	if err := os.Symlink(root, link); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "plain/notes.md"), "# Notes\n")
	f := newFolders()
	f.replace([]string{link, filepath.Join(dir, "plain"), "/"})
	for _, c := range []struct {
		path, rel string
		layout    wiki.Layout
		root      string
	}{
		{filepath.Join(link, "concepts/a.md"), "concepts/a.md", wiki.Flat, link},
		{filepath.Join(dir, "plain/sub/x.md"), "sub/x.md", wiki.Links, filepath.Join(dir, "plain")},
		{filepath.Join(dir, "plainer/x.md"), "", "", ""},
		{"/etc/passwd", "", "", ""},
	} {
		w, rel, ok := f.wikiOf(c.path)
		if ok != (c.root != "") || ok && (rel != c.rel || w.Layout != c.layout || w.Root != c.root) {
			t.Errorf("%s: %v %q %v", c.path, w, rel, ok)
		}
	}
	f.replace(nil)
	if w, rel, ok := f.wikiOf(filepath.Join(root, "index.md")); !ok || rel != "index.md" || w.Root != root {
		t.Errorf("without folders: %v %q %v", w, rel, ok)
	}
}
