package proposal

import (
	"bytes"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/rigwiki/rig/sandbox/diff"
)

func reader(pages map[string]string) func(string) ([]byte, bool, error) {
	return func(path string) ([]byte, bool, error) {
		text, ok := pages[path]
		return []byte(text), ok, nil
	}
}

// played gives the pages after the drafts, which must fit them.
func played(t *testing.T, pages map[string]string, drafts []Draft) map[string]string {
	out := maps.Clone(pages)
	for _, d := range drafts {
		old := d.Path
		if d.Kind == Rename {
			old = d.From
		}
		if text, ok := pages[old]; ok != (d.Kind != Create) || d.Kind != Create && text != string(d.BaseText) {
			t.Errorf("draft of %s: base %q, page %q (%v)", d.Path, d.BaseText, text, ok)
		}
		if d.Kind == Rename || d.Kind == Delete {
			delete(out, old)
		}
	}
	for _, d := range drafts {
		if d.Kind != Delete {
			out[d.Path] = string(d.NewText)
		}
	}
	return out
}

// What Export prints comes back as it was, renames included.
func TestExportedIsImported(t *testing.T) {
	before := map[string]string{"a.md": long(), "d.md": "delete me\nor not\n", "e.md": "x\r\ny", "empty.md": "", "ä b.md": "1\n", "rag.md": "same\n"}
	after := map[string]string{"s/b.md": long("line 5", "five"), "e.md": "x\r\nz", "new/c.md": "no newline", "none.md": "", "ä b.md": "2\n", "RAG.md": "same\n"}
	f := newFixture(t, before)
	run := f.propose(after)
	var out bytes.Buffer
	if err := f.Export(run, &out); err != nil {
		t.Fatal(err)
	}
	drafts, err := FromPatch(out.Bytes(), reader(before))
	if err != nil {
		t.Fatal(err)
	}
	if got := played(t, before, drafts); !maps.Equal(got, after) {
		t.Errorf("got %q", got)
	}
	rec := f.record(run)
	for i, d := range drafts {
		if w := rec.Files[i]; d.Path != w.Path || d.Kind != w.Kind || d.From != w.From {
			t.Errorf("draft %s %s from %q, want %s %s from %q", d.Kind, d.Path, d.From, w.Kind, w.Path, w.From)
		}
	}
	again := f.keep(drafts)
	f.apply(again, Selection{})
	f.wantTree(after)
}

func TestFromPatch(t *testing.T) {
	pages := map[string]string{"a.md": "1\n2\n3\n", "b.md": "b\n"}
	cases := []struct{ name, patch, want, err string }{
		{"git edit", "diff --git a/a.md b/a.md\n--- a/a.md\n+++ b/a.md\n@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n", "edit a.md", ""},
		{"git rename", "diff --git a/a.md b/s/c.md\nsimilarity index 100%\nrename from a.md\nrename to s/c.md\n", "rename s/c.md", ""},
		{"gnu", "--- before/a.md\t2026-01-01\n+++ after/a.md\t2026-01-01\n@@ -2 +2 @@\n-2\n+two\n", "edit a.md", ""},
		{"not its base", "--- a/a.md\n+++ b/a.md\n@@ -2 +2 @@\n-two\n+2\n", "", "line 1: apply to a.md"},
		{"no such page", "--- a/z.md\n+++ b/z.md\n@@ -1 +1 @@\n-x\n+y\n", "", "line 1: z.md: there is no such page"},
		{"is there", "--- /dev/null\n+++ b/b.md\n@@ -0,0 +1 @@\n+x\n", "", "b.md: the page to be created is there"},
		{"leaves the wiki", "--- a/../x.md\n+++ b/../x.md\n@@ -1 +1 @@\n-x\n+y\n", "", "not a path inside the wiki"},
		{"absolute", "diff --git a/a.md b/a.md\nsimilarity index 100%\nrename from a.md\nrename to /etc/x.md\n", "", "not a path inside the wiki"},
		{"onto a page", "diff --git a/a.md b/b.md\nsimilarity index 100%\nrename from a.md\nrename to b.md\n", "", "is there already"},
		{"cut short", "--- a/a.md\n+++ b/a.md\n@@ -1,3 +1,3 @@\n 1\n-2\n", "", "parse a diff: line"},
		{"nothing", "hello\n", "", "changes nothing"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			drafts, err := FromPatch([]byte(c.patch), reader(pages))
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("error %v, drafts %+v", err, drafts)
				}
				return
			}
			if err != nil || len(drafts) != 1 || drafts[0].Kind+" "+drafts[0].Path != c.want {
				t.Errorf("drafts %+v, %v", drafts, err)
			}
			played(t, pages, drafts)
		})
	}
}

// Whatever a diff says, it is an error or drafts that fit the pages, inside the wiki; and they print as a diff that says the same.
func FuzzFromPatch(f *testing.F) {
	pages := map[string]string{"a.md": "1\n2\n3\n", "b.md": "b", "s/c.md": long()}
	for _, seed := range []string{
		"--- a/a.md\n+++ b/a.md\n@@ -2 +2 @@\n-2\n+two\n",
		"diff --git a/a.md b/n.md\nrename from a.md\nrename to n.md\n--- a/a.md\n+++ b/n.md\n@@ -2 +2 @@\n-2\n+two\n",
		"diff --git a/b.md b/b.md\ndeleted file mode 100644\n--- a/b.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n\\ No newline at end of file\n",
		"--- /dev/null\n+++ b/x/y.md\n@@ -0,0 +1 @@\n+x\n",
		"--- a/../../etc/passwd\n+++ b/../../etc/passwd\n@@ -0,0 +1 @@\n+x\n",
		"diff --git a/a.md b/z.md\ncopy from a.md\ncopy to z.md\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, patch []byte) {
		drafts, err := FromPatch(patch, reader(pages))
		if err != nil {
			return
		}
		var files []diff.FileDiff
		seen := map[string]bool{}
		for _, d := range drafts {
			if seen[d.Path] || strings.HasPrefix(d.Path, "/") || strings.Contains("/"+d.Path+"/", "/../") {
				t.Fatalf("path %q", d.Path)
			}
			seen[d.Path] = true
			files = append(files, diff.FileDiff{Path: d.Path, From: d.From, Kind: diff.Kind(d.Kind), Old: d.BaseText, New: d.NewText})
		}
		want := played(t, pages, drafts)
		var out bytes.Buffer
		if err := diff.Print(&out, files); err != nil {
			t.Fatal(err)
		}
		again, err := FromPatch(out.Bytes(), reader(pages))
		if err != nil {
			t.Fatalf("%v:\n%s", err, out.String())
		}
		if got := played(t, pages, again); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
