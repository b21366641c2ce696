package fetch

import (
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/encoding/htmlindex"
)

// The pages of testdata/pages are shapes that the web has, written for this test. What a reader would keep of each stands between ⟦ and ⟧, which are
// dropped before the page is served. A file called name.charset.html is served in that charset, without a header that says so.

// TestQuality measures how much of the marked text is kept over all pages, and how much of what is kept is not marked.
func TestQuality(t *testing.T) {
	files, err := filepath.Glob("testdata/pages/*.html")
	if err != nil || len(files) < 30 {
		t.Fatalf("%v, %d pages", err, len(files))
	}
	var gold, kept, noise, out int
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".html")
		marked, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		body, header := strings.NewReplacer("⟦", "", "⟧", "").Replace(string(marked)), "text/html; charset=utf-8"
		if _, charset, ok := strings.Cut(name, "."); ok {
			header = "text/html"
			e, err := htmlindex.Get(charset)
			if err != nil {
				t.Fatal(err)
			}
			if body, err = e.NewEncoder().String(body); err != nil {
				t.Fatal(name, err)
			}
		}
		p, err := fetchBytes(t, "https://site.example/dir/page", []byte(body), "Content-Type", header)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want, got := words(goldOf(string(marked))), words(plain(string(p.Text)))
		missing, extra := differ(want, got), differ(got, want)
		g, o := count(want), count(got)
		t.Logf("%-24s kept %5.1f %%, noise %4.1f %%", name, 100*float64(g-count(missing))/float64(g), 100*float64(count(extra))/float64(o))
		if k, n := float64(g-count(missing))/float64(g), float64(count(extra))/float64(o); k < 0.95 || n > 0.06 { // no page may hide behind the others
			t.Errorf("%s: kept %.1f %%, noise %.1f %%\nmissing %v\nextra %v\n%.3000s", name, 100*k, 100*n, missing, extra, p.Text)
		}
		gold, kept, noise, out = gold+g, kept+g-count(missing), noise+count(extra), out+o
	}
	k, n := 100*float64(kept)/float64(gold), 100*float64(noise)/float64(out)
	t.Logf("%d pages, %d words: kept %.2f %%, noise %.2f %%", len(files), gold, k, n)
	if k < 98 || n > 2 {
		t.Errorf("kept %.2f %% (98 are asked for), noise %.2f %% (2 are allowed)", k, n)
	}
}

var (
	goldRE   = regexp.MustCompile(`(?s)⟦(.*?)⟧`)
	inlineRE = regexp.MustCompile(`</?(?:span|a|b|em|code)\b[^>]*>`)
	tagRE    = regexp.MustCompile(`<[^>]*>`)
)

// goldOf is the marked text.
func goldOf(marked string) string {
	var b strings.Builder
	for _, m := range goldRE.FindAllStringSubmatch(marked, -1) {
		b.WriteString(html.UnescapeString(tagRE.ReplaceAllString(inlineRE.ReplaceAllString(m[1], ""), " ")) + " ")
	}
	return b.String()
}

var (
	imageTest = regexp.MustCompile(`!\[[^\]]*\]\([^)]*\)`)
	linkTest  = regexp.MustCompile(`\]\([^)\s]*\)`)
	noteTest  = regexp.MustCompile(`\[\^\d+\]:?`)
	fenceTest = regexp.MustCompile("(?m)^\\s*```+.*$")
	htmlTest  = regexp.MustCompile(`</?(?:sup|sub|br)>`)
)

// plain drops markdown's signs.
func plain(md string) string {
	for _, re := range []*regexp.Regexp{imageTest, linkTest, noteTest, fenceTest, htmlTest} {
		md = re.ReplaceAllString(md, " ")
	}
	return html.UnescapeString(strings.ReplaceAll(md, `\`, ""))
}

// words counts the words of a text; a letter of a script without blanks is one.
func words(s string) map[string]int {
	m := map[string]int{}
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if strings.ContainsFunc(w, func(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) }) {
			for _, r := range w {
				m[string(r)]++
			}
			continue
		}
		m[strings.ToLower(w)]++
	}
	return m
}

func differ(a, b map[string]int) map[string]int {
	out := map[string]int{}
	for w, n := range a {
		if n > b[w] {
			out[w] = n - b[w]
		}
	}
	return out
}

func count(m map[string]int) (n int) {
	for _, c := range m {
		n += c
	}
	return n
}
