package fetch

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// TestOthersPages measures the same on pages that others saved from the web and marked: those that the extraction library is tested with (most of them
// Mozilla's). What they expect is what Readability finds, so that the figures tell how far we are from it, and that no page breaks us.
func TestOthersPages(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "codeberg.org/readeck/go-readability/v2").Output()
	pages, _ := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "test-pages", "*"))
	if err != nil || len(pages) == 0 {
		t.Skipf("the library's pages are not in a module cache that this user can read (%v)", err)
	}
	whole := len(pages)
	if raced { // all of them would take minutes
		var some []string
		for nine := range slices.Chunk(pages, 9) {
			some = append(some, nine[0])
		}
		pages = some
	}
	var gold, kept, noise, out int
	for _, page := range pages {
		source, err := os.ReadFile(filepath.Join(page, "source.html"))
		if err != nil {
			continue
		}
		expected, err := os.ReadFile(filepath.Join(page, "expected.html"))
		if err != nil {
			continue
		}
		want := words(blockText(t, string(expected)))
		a := &answer{status: http.StatusOK, header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}, body: source}
		if a.url, err = parseAddress("http://fakehost/test/page.html"); err != nil {
			t.Fatal(err)
		}
		p, next, err := New(Options{}).read(t.Context(), a)
		if err != nil || next != nil {
			if count(want) > minLetters {
				t.Errorf("%s: %v %v", filepath.Base(page), err, next)
			}
			continue
		}
		got := words(plain(string(p.Text)))
		gold, kept = gold+count(want), kept+count(want)-count(differ(want, got))
		out, noise = out+count(got), noise+count(differ(got, want))
	}
	k, n := 100*float64(kept)/float64(gold), 100*float64(noise)/float64(out)
	t.Logf("%d pages, %d words: kept %.2f %%, noise %.2f %%", len(pages), gold, k, n)
	if len(pages) == whole && (k < 98 || n > 4) {
		t.Errorf("kept %.2f %%, noise %.2f %%: it was better", k, n)
	}
}

// blockText is the text of a page with blanks between its blocks.
func blockText(t *testing.T, source string) string {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(source))
	if err != nil {
		t.Fatal(err)
	}
	strip(doc)
	var b strings.Builder
	walk(doc, func(n *html.Node) bool {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		} else if n.Type == html.ElementNode && strings.Contains(" p li td th div br h1 h2 h3 h4 h5 h6 pre ", " "+n.Data+" ") {
			b.WriteByte(' ')
		}
		return true
	})
	return b.String()
}
