package lsp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rigwiki/rig/lsp/lsptest"
)

// fetchedText is a source as a fetch writes it.
func fetchedText(url, more string) string {
	return "---\ntitle: T\nsource-url: " + url + "\n" + more + "fetched-at: 2026-03-04T12:00:00Z\nfetcher: rig\n---\n\nsee https://elsewhere.example/x\n"
}

type addressHover struct {
	Contents struct{ Value string }
	Range    struct {
		Start, End struct{ Line, Character int }
	}
}

func hoverWhole(t *testing.T, e *lsptest.Editor, path string, line, col int) (got *addressHover) {
	t.Helper()
	if err := e.Request("textDocument/hover", map[string]any{"textDocument": map[string]string{"uri": lsptest.URI(path)},
		"position": map[string]int{"line": line, "character": col}}, &got); err != nil {
		t.Fatal(err)
	}
	return got
}

// addressWiki holds sources of several addresses and a page that names them, with where hovers are to be.
func addressWiki(t *testing.T) (root string, page string) {
	text := strings.Join([]string{
		"# A https://e.org/one and after",
		"知识 \U0001F600 (https://e.org/x_(y)), 见https://zh.example/知识。后",
		"[the page](HTTPS://E.org:443/One/?a=1&amp;b=2#top) here",
		"code `https://canonical.example/two/` and `[[one]]`",
		"<https://e.org/nowhere> and ftp://e.org/one",
		"[ref]: https://e.org/one 'title'",
		"https://old.example/", ""}, "\n")
	root = newWiki(t, map[string]string{"a.md": text, "notes.txt": "see https://e.org/one\n",
		"raw/2026-03-04-one.md":      fetchedText("https://e.org/one", ""),
		"raw/2025-01-01-one.md":      strings.Replace(fetchedText("https://e.org/one/", ""), "2026", "2025", 1),
		"raw/2026-03-04-paren.md":    fetchedText("https://e.org/x_%28y%29", ""),
		"raw/sub/2026-03-04-知识.md":   fetchedText("https://zh.example/%E7%9F%A5%E8%AF%86", ""),
		"raw/2026-03-04-query.md":    fetchedText("https://e.org/One?a=1&b=2", ""),
		"raw/2026-03-04-two.md":      fetchedText("https://e.org/2", "canonical-url: https://canonical.example/two\n"),
		"raw/assets/2026-03-04-z.md": fetchedText("https://e.org/nowhere", ""),
		"concepts/liar.md":           fetchedText("https://e.org/nowhere", ""),
		"sources/one.md":             "---\nsource-path: raw/2026-03-04-one.md\n---\n# One\n",
		"sources/two.md":             "---\nsource: \"[[raw/2026-03-04-two]]\"\n---\n# Two\n"})
	return root, filepath.Join(root, "a.md")
}

// TestHoverAddress holds what a web address shows: the sources that came from it, when, and what rests on them; else that there is none.
func TestHoverAddress(t *testing.T) {
	root, page := addressWiki(t)
	e := session(t, newFakeHost(t, nil), lsptest.Options{Root: root, Profile: lsptest.VSCode()})
	e.Open(page)
	notes := filepath.Join(root, "notes.txt")
	e.OpenAs(lsptest.URI(notes), "see https://e.org/one\n", 1)
	eventually(t, "a hover", func() bool { return hoverAt(t, e, page, 0, 6) != "" })
	const missing = "Not in raw/. The code action **Fetch into raw/**"
	for _, c := range []struct {
		name      string
		path      string
		line, col int
		span      [2]int
		want      []string
	}{
		{"two sources, newest first", page, 0, 4, [2]int{4, 21}, []string{"In raw/: [raw/2026-03-04-one.md](file://", ", fetched 2026-03-0", "Ingested: [sources/one.md](file://", "raw/2025-01-01-one.md", "No page rests on it yet."}},
		{"its last character", page, 0, 20, [2]int{4, 21}, []string{"raw/2026-03-04-one.md"}},
		{"behind it", page, 0, 21, [2]int{}, nil},
		{"parentheses behind CJK and emoji", page, 1, 10, [2]int{7, 26}, []string{"raw/2026-03-04-paren.md", "No page rests on it yet."}},
		{"its inner bracket", page, 1, 25, [2]int{7, 26}, []string{"raw/2026-03-04-paren.md"}},
		{"the bracket around it", page, 1, 26, [2]int{}, nil},
		{"CJK in it and close around", page, 1, 30, [2]int{30, 51}, []string{"raw/sub/2026-03-04-%E7%9F%A5%E8%AF%86.md"}},
		{"the text of a link", page, 2, 3, [2]int{0, 50}, []string{"raw/2026-03-04-query.md"}},
		{"the link's address", page, 2, 20, [2]int{0, 50}, []string{"raw/2026-03-04-query.md"}},
		{"in a code span", page, 3, 12, [2]int{6, 36}, []string{"raw/2026-03-04-two.md", "Ingested: [sources/two.md]"}},
		{"a wikilink in a code span", page, 3, 45, [2]int{}, nil},
		{"no source: an asset and a page say so", page, 4, 5, [2]int{1, 22}, []string{missing}},
		{"no address of the web", page, 4, 30, [2]int{}, nil},
		{"a definition", page, 5, 10, [2]int{7, 24}, []string{"raw/2026-03-04-one.md"}},
		{"a plain text", notes, 0, 5, [2]int{4, 21}, []string{"raw/2026-03-04-one.md"}},
	} {
		got := hoverWhole(t, e, c.path, c.line, c.col)
		if c.want == nil {
			if got != nil {
				t.Errorf("%s: it shows %q", c.name, got.Contents.Value)
			}
			continue
		}
		if got == nil {
			t.Errorf("%s: it shows nothing", c.name)
			continue
		}
		for at, w := 0, 0; w < len(c.want); w++ {
			i := strings.Index(got.Contents.Value[at:], c.want[w])
			if i < 0 {
				t.Errorf("%s: it shows %q, lacks %q", c.name, got.Contents.Value, c.want[w])
				break
			}
			at += i
		}
		if r := got.Range; r.Start.Line != c.line || r.Start.Character != c.span[0] || r.End.Character != c.span[1] {
			t.Errorf("%s: it spans %v", c.name, r)
		}
		if strings.Contains(got.Contents.Value, "source-url") || strings.Contains(got.Contents.Value, "concepts/liar") {
			t.Errorf("%s: it shows %q", c.name, got.Contents.Value)
		}
	}
}

// TestHoverAddressComes holds that a source is known as soon as it lies there, by no word of the editor's, and no longer when it is gone or says otherwise.
func TestHoverAddressComes(t *testing.T) {
	root, page := addressWiki(t)
	e := session(t, newFakeHost(t, nil), lsptest.Options{Root: root, Profile: lsptest.VSCode()})
	e.Open(page)
	eventually(t, "a hover", func() bool { return strings.Contains(hoverAt(t, e, page, 6, 6), "Not in raw/") })
	source := filepath.Join(root, "raw", "new", "2026-03-04-old.md")
	write(t, source, fetchedText("http://old.example", ""))
	if got := hoverAt(t, e, page, 6, 6); !strings.Contains(got, "Not in raw/") {
		t.Errorf("another scheme is taken for it: %q", got)
	}
	write(t, filepath.Join(root, "raw", "newer", "2026-03-04-old.md"), fetchedText("https://old.example", ""))
	// The watcher may be looking just then: a hover does not wait for it.
	eventually(t, "the new source", func() bool { return strings.Contains(hoverAt(t, e, page, 6, 6), "raw/newer/2026-03-04-old.md") })
	write(t, filepath.Join(root, "raw", "newer", "2026-03-04-old.md"), fetchedText("https://other.example", ""))
	if got := hoverAt(t, e, page, 6, 6); !strings.Contains(got, "Not in raw/") {
		t.Errorf("a source that says otherwise is shown: %q", got)
	}
	if got := hoverAt(t, e, page, 0, 6); !strings.Contains(got, "raw/2026-03-04-one.md") {
		t.Errorf("%q", got)
	}
	for _, name := range []string{"2026-03-04-one.md", "2025-01-01-one.md"} {
		if err := os.Remove(filepath.Join(root, "raw", name)); err != nil {
			t.Fatal(err)
		}
	}
	if got := hoverAt(t, e, page, 0, 6); !strings.Contains(got, "Not in raw/") {
		t.Errorf("a source that is gone is shown: %q", got)
	}
	e.OpenAs(lsptest.URI(filepath.Join(root, "raw", "mine.md")), fetchedText("https://e.org/one", ""), 1)
	eventually(t, "the open source", func() bool { return strings.Contains(hoverAt(t, e, page, 0, 6), "raw/mine.md") })
}

// TestHoverAddressNot holds where an address shows nothing: hovers are off, the folder has no raw/ of ours, raw/ is a link that the index does not follow.
func TestHoverAddressNot(t *testing.T) {
	root, page := addressWiki(t)
	e := session(t, newFakeHost(t, nil), lsptest.Options{Root: root, Profile: lsptest.VSCode(), Init: `{"features":{"hover":false}}`})
	e.Open(page)
	eventually(t, "the index", func() bool {
		var links []any
		err := e.Request("textDocument/documentLink", map[string]any{"textDocument": map[string]string{"uri": lsptest.URI(page)}}, &links)
		return err == nil && links != nil
	})
	if got := hoverAt(t, e, page, 0, 6); got != "" {
		t.Errorf("switched off it shows %q", got)
	}
	linked, page := addressWiki(t)
	away := filepath.Join(t.TempDir(), "raw")
	if err := os.Rename(filepath.Join(linked, "raw"), away); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(away, filepath.Join(linked, "raw")); err != nil {
		t.Fatal(err)
	}
	e = session(t, newFakeHost(t, nil), lsptest.Options{Root: linked, Profile: lsptest.VSCode()})
	e.Open(page)
	e.OpenAs(lsptest.URI(filepath.Join(linked, "b.md")), "[[sources/one]]\n", 1)
	eventually(t, "the index", func() bool { return hoverAt(t, e, filepath.Join(linked, "b.md"), 0, 3) != "" })
	if got := hoverAt(t, e, page, 0, 6); got != "" {
		t.Errorf("of a raw/ that is a link it says %q", got)
	}
}
