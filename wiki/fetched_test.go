package wiki

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/rigwiki/rig/wiki/fetch"
)

func emptyWiki(t *testing.T) *Wiki {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "schema.md"), []byte("# Schema\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "raw"), 0o755); err != nil {
		t.Fatal(err)
	}
	w, err := Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestFetchedNames makes file names of titles that are none (case o-ft-07).
func TestFetchedNames(t *testing.T) {
	text, err := os.ReadFile("fetch/testdata/cases/o-ft-07/titles.json")
	if err != nil {
		t.Fatal(err)
	}
	var titles []string
	if err := json.Unmarshal(text, &titles); err != nil {
		t.Fatal(err)
	}
	titles = append(titles, "", "CON", "...", strings.Repeat("紫砂壶的保养", 40), "Intro to Node.js", "a\u0000b", strings.Repeat("🫖", 90))
	w := emptyWiki(t)
	at := time.Date(2026, 1, 5, 12, 0, 0, 0, time.Local)
	for i, title := range titles {
		p := &fetch.Page{URL: "https://pots.example/" + string(rune('a'+i)), Title: title, Text: []byte("text of " + title + "\n")}
		got, isNew, err := AddFetched(w, p, Fetching{By: "rig", At: at})
		if err != nil || !isNew {
			t.Errorf("%q: %v", title, err)
			continue
		}
		name := strings.TrimPrefix(got.Path, "raw/")
		if strings.ContainsAny(name, `/\:*?"<>|`) || len(name) > 200 || !utf8.ValidString(name) || !strings.HasPrefix(name, "2026-01-05-") || strings.HasSuffix(name, "-.md") || strings.ContainsFunc(name, func(r rune) bool { return r < 0x20 }) {
			t.Errorf("%q becomes %q", title, name)
		}
		if strings.TrimSpace(title) == "" && !strings.HasPrefix(name, "2026-01-05-pots-example") {
			t.Errorf("without a title: %q", name)
		}
		if title == "Intro to Node.js" && name != "2026-01-05-intro-to-node-js.md" {
			t.Errorf("%q", name)
		}
	}
}

// TestAddFetched never replaces a source: the same is said, what changed or comes from elsewhere is a new one.
func TestAddFetched(t *testing.T) {
	w := emptyWiki(t)
	at := time.Date(2026, 1, 5, 12, 0, 0, 0, time.Local)
	add := func(url, text string, at time.Time) (string, bool) {
		t.Helper()
		got, isNew, err := AddFetched(w, &fetch.Page{URL: url, Title: "Tea", Text: []byte(text)}, Fetching{By: "rig", At: at})
		if err != nil {
			t.Fatal(err)
		}
		return got.Path, isNew
	}
	for _, c := range []struct {
		url, text string
		at        time.Time
		want      string
		isNew     bool
	}{
		{"https://a.example/", "one\n", at, "raw/2026-01-05-tea.md", true},
		{"https://a.example/", "one\n", at.AddDate(0, 1, 0), "raw/2026-01-05-tea.md", false},
		{"https://b.example/", "one\n", at, "raw/2026-01-05-tea-2.md", true},
		{"https://a.example/", "two\n", at, "raw/2026-01-05-tea-3.md", true},
		{"https://a.example/", "three\n", at.AddDate(0, 0, 1), "raw/2026-01-06-tea.md", true},
		{"https://a.example/", "one\n", at, "raw/2026-01-05-tea.md", false},
	} {
		if path, isNew := add(c.url, c.text, c.at); path != c.want || isNew != c.isNew {
			t.Errorf("%s %q: %s, new %v", c.url, c.text, path, isNew)
		}
	}
	if text, err := os.ReadFile(filepath.Join(w.Root, "raw/2026-01-05-tea.md")); err != nil || !bytes.HasSuffix(text, []byte("---\n\none\n")) {
		t.Errorf("%v %s", err, text)
	}
	files, err := os.ReadDir(filepath.Join(w.Root, "raw"))
	if err != nil || len(files) != 4 {
		t.Errorf("%v %v", err, files)
	}
}

// TestAssets keeps a page's images and its own bytes beside it, and points the text there.
func TestAssets(t *testing.T) {
	w := emptyWiki(t)
	p := &fetch.Page{URL: "https://a.example/", Title: "Pots", Raw: []byte("<html>"), Ext: ".html", Text: []byte("![a](https://i.example/1.png) ![b](https://i.example/1.png?big)\n"),
		Assets: []fetch.Asset{{URL: "https://i.example/1.png", Ext: ".png", Bytes: []byte("\x89PNG")}}}
	got, _, err := AddFetched(w, p, Fetching{By: "rig", At: time.Date(2026, 1, 5, 12, 0, 0, 0, time.Local), Original: true})
	if err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(filepath.Join(w.Root, got.Path))
	if !strings.Contains(string(text), "![a](assets/2026-01-05-pots-1.png) ![b](https://i.example/1.png?big)") || !strings.Contains(string(text), `original: "assets/2026-01-05-pots.html"`) {
		t.Errorf("%s", text)
	}
	for name, want := range map[string]string{"2026-01-05-pots-1.png": "\x89PNG", "2026-01-05-pots.html": "<html>"} {
		if got, err := os.ReadFile(filepath.Join(w.Root, "raw/assets", name)); err != nil || string(got) != want {
			t.Errorf("%s: %v %q", name, err, got)
		}
	}
}
