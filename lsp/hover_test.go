package lsp

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rigwiki/rig/lsp/lsptest"
)

func hoverAt(t testing.TB, e *lsptest.Editor, path string, line, col int) string {
	t.Helper()
	var got *struct{ Contents struct{ Kind, Value string } }
	if err := e.Request("textDocument/hover", map[string]any{"textDocument": map[string]string{"uri": lsptest.URI(path)},
		"position": map[string]int{"line": line, "character": col}}, &got); err != nil {
		t.Fatal(err)
	}
	if got == nil {
		return ""
	}
	return got.Contents.Value
}

// TestHover holds what a wikilink and a question show.
func TestHover(t *testing.T) {
	raw := "# Source\n"
	sum := sha256.Sum256([]byte(raw))
	page := func(sha string) string {
		return "---\nsource-path: raw/src.md\nsource-sha: " + sha + "\n---\n# Kettle\n\nKettles boil [[water]].\n"
	}
	root := newWiki(t, map[string]string{"sources/kettle.md": page(hex.EncodeToString(sum[:])), "sources/old.md": page("00"),
		"concepts/water.md": "# Water\n\nIt is wet.\n", "concepts/a.md": "# A\n\n\U0001F600 [[kettle]] and [[old]] and [[nope]].\n\n## What boils?\n"})
	a := filepath.Join(root, "concepts/a.md")
	e := session(t, newFakeHost(t, nil), lsptest.Options{Root: root, Profile: lsptest.VSCode()})
	e.Open(a)
	// The first hover may find the index still being opened, and shows nothing then.
	eventually(t, "a hover", func() bool { return hoverAt(t, e, a, 2, 5) != "" })
	for _, c := range []struct {
		line, col int
		want      []string
	}{
		{2, 5, []string{"**Kettle** `sources/kettle.md`", "Kettles boil water.", "`raw/src.md` is unchanged", "Linked from concepts/a.md"}},
		{2, 19, []string{"has changed since it was ingested"}},
		{2, 32, []string{"There is no page `nope`"}},
		{4, 4, []string{"Kettle", "boil"}},
		{0, 1, nil},
	} {
		got := hoverAt(t, e, a, c.line, c.col)
		for _, w := range c.want {
			if !strings.Contains(got, w) {
				t.Errorf("%d:%d shows %q, lacks %q", c.line, c.col, got, w)
			}
		}
		if c.want == nil && got != "" || strings.Contains(got, "source-sha") {
			t.Errorf("%d:%d shows %q", c.line, c.col, got)
		}
	}
	var hits struct{ Hits []hit }
	if err := e.Execute("rigwiki.search", map[string]any{"terms": "wet"}, &hits); err != nil || len(hits.Hits) != 1 || hits.Hits[0].Path != "concepts/water.md" {
		t.Errorf("search: %+v, %v", hits, err)
	}
}

// TestBrokenLinks is cases o-ls-08 and o-ls-12: in a folder of plain markdown that was opened through a link, a broken link is shown once, under the
// link's path, at the right columns; it goes when the page comes, and when the page is closed.
func TestBrokenLinks(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "data", "wiki-real"), filepath.Join(dir, "wiki")
	write(t, filepath.Join(real, "a.md"), "# 知识 \U0001F331\n[[缺页]] [[b]] [x](https://e.org) [[#知识 \U0001F331]]\n")
	write(t, filepath.Join(real, "b.md"), "# B\n[[a]]\n")
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	e := session(t, newFakeHost(t, nil), lsptest.Options{Root: link, Profile: lsptest.VSCode()})
	a := filepath.Join(link, "a.md")
	e.Open(a)
	e.Until("the finding", func() bool { return strings.Contains(lastFindings(e, a), "broken-link") })
	var p struct {
		URI         string
		Diagnostics []struct {
			Range struct{ Start, End struct{ Line, Character int } }
		}
	}
	all := e.Notes("textDocument/publishDiagnostics")
	if err := json.Unmarshal(all[0], &p); err != nil || len(all) != 1 || len(p.Diagnostics) != 1 {
		t.Fatalf("%s, %v", all, err)
	}
	if r := p.Diagnostics[0].Range; p.URI != lsptest.URI(a) || r.Start.Line != 1 || r.Start.Character != 0 || r.End.Character != 6 {
		t.Errorf("%s", all[0])
	}
	write(t, filepath.Join(real, "缺页.md"), "# 缺页\n")
	e.Notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": lsptest.URI(filepath.Join(link, "缺页.md")), "type": 1}}})
	e.Until("its end", func() bool { return strings.Contains(lastFindings(e, a), `"diagnostics":[]`) })
	e.Change(a, "# A\n[[nope]]\n")
	e.Until("the next one", func() bool { return strings.Contains(lastFindings(e, a), "no page nope") })
	e.Close(a)
	e.Until("its end", func() bool { return strings.Contains(lastFindings(e, a), `"diagnostics":[]`) })
	if got := actionTitles(t, e, a); len(got) != 0 {
		t.Errorf("a folder of plain markdown offers %q", got)
	}
}
