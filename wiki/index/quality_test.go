package index

import (
	"archive/zip"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// question is a line of testdata/go-design.questions: what somebody may ask, and the file of raw/ that answers.
type question struct{ file, text string }

func questions(t *testing.T) (out []question) {
	list, err := os.ReadFile("testdata/go-design.questions")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(list)) {
		if file, text, ok := strings.Cut(strings.TrimSpace(line), "|"); ok && !strings.HasPrefix(line, "#") {
			out = append(out, question{file, text})
		}
	}
	return out
}

// answers tells whether a page is the question's: the file of raw/, or the page of the same name in sources/.
func (q question) answers(rel string) bool {
	_, bare, _ := strings.Cut(q.file, "-") // without the proposal's number
	return path.Base(rel) == q.file || path.Base(rel) == bare
}

// designWiki lays out the wiki of Go design documents (golang/proposal, BSD licence, see LICENSE-raw in it).
func designWiki(t *testing.T) string {
	z, err := zip.OpenReader("testdata/go-design.zip")
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	root := t.TempDir()
	if err := os.CopyFS(root, z); err != nil {
		t.Fatal(err)
	}
	return root
}

// TestQuestions asks questions of a wiki of Go design documents and looks for their page among the first five: nine in ten, and more than the peers find.
func TestQuestions(t *testing.T) {
	root, asked := designWiki(t), questions(t)
	x := open(t, root, "")
	recall := func(name string, find func(text string) []string) float64 {
		first, found := 0, 0
		for _, q := range asked {
			hits := find(q.text)
			at := slices.IndexFunc(hits[:min(5, len(hits))], q.answers)
			found += truth(at >= 0)
			first += truth(at == 0)
			if at < 0 && name == "ours" {
				t.Logf("not among five: %s (%s)", q.text, q.file)
			}
		}
		t.Logf("%s: %d questions, first %d, among five %d", name, len(asked), first, found)
		return float64(found) / float64(len(asked))
	}
	ours := recall("ours", func(text string) (out []string) {
		for _, h := range x.Search(text, 5) {
			out = append(out, h.Path)
		}
		return out
	})
	if len(asked) < 60 || ours < 0.9 {
		t.Errorf("recall at five is %.2f of %d questions, want 0.9 of 60", ours, len(asked))
	}
	lines := newLineCounts(x)
	if rg := recall("matching lines", lines.rank); ours <= rg {
		t.Errorf("ranking by matching lines finds %.2f, we %.2f", rg, ours)
	}
	if _, err := exec.LookPath("sqlite3"); err != nil {
		if strings.Contains(os.Getenv("RIG_REQUIRE"), "sqlite3") {
			t.Fatal(err)
		}
		t.Log("not compared with SQLite FTS5: there is no sqlite3 on PATH")
		return
	}
	for _, operator := range []string{" OR ", " "} {
		answers := fts5(t, x, asked, operator)
		if fts := recall("FTS5, bm25, words joined by"+fmt.Sprintf("%q", operator), func(text string) []string { return answers[text] }); ours <= fts {
			t.Errorf("SQLite FTS5 finds %.2f, we %.2f", fts, ours)
		}
	}
}

var wordRE = regexp.MustCompile(`[\pL\pN]+`)

// lineCounts ranks pages by the number of their lines that hold a word of the query, as `rg -icw 'word|word'` sorted by count does.
type lineCounts struct {
	paths []string
	words []map[string][]int // by page: word -> its lines
}

func newLineCounts(x *Index) lineCounts {
	c := lineCounts{paths: x.Paths()}
	for _, rel := range c.paths {
		page, _ := x.Source(rel)
		words, n := map[string][]int{}, 0
		for line := range strings.Lines(strings.ToLower(string(page))) {
			n++
			for _, w := range wordRE.FindAllString(line, -1) {
				if l := words[w]; len(l) == 0 || l[len(l)-1] != n {
					words[w] = append(l, n)
				}
			}
		}
		c.words = append(c.words, words)
	}
	return c
}

func (c lineCounts) rank(text string) []string {
	count := map[string]int{}
	for i, rel := range c.paths {
		lines := map[int]bool{}
		for _, w := range wordRE.FindAllString(strings.ToLower(text), -1) {
			for _, n := range c.words[i][w] {
				lines[n] = true
			}
		}
		count[rel] = len(lines)
	}
	paths := slices.Clone(c.paths)
	slices.SortStableFunc(paths, func(a, b string) int { return count[b] - count[a] })
	return paths
}

// fts5 asks SQLite's full-text engine with its default tokenizer and ranking; each word is quoted, as any text would be a syntax error otherwise.
func fts5(t *testing.T, x *Index, asked []question, operator string) map[string][]string {
	quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
	var sql strings.Builder
	sql.WriteString("CREATE VIRTUAL TABLE pages USING fts5(path UNINDEXED, text);\nBEGIN;\n")
	for _, rel := range x.Paths() {
		page, _ := x.Source(rel)
		fmt.Fprintf(&sql, "INSERT INTO pages VALUES(%s, %s);\n", quote(rel), quote(strings.ReplaceAll(string(page), "\x00", "")))
	}
	sql.WriteString("COMMIT;\n.mode list\n")
	for i, q := range asked {
		var words []string
		for _, w := range wordRE.FindAllString(q.text, -1) {
			words = append(words, `"`+w+`"`)
		}
		fmt.Fprintf(&sql, "SELECT %d, path FROM pages WHERE pages MATCH %s ORDER BY rank LIMIT 5;\n", i, quote(strings.Join(words, operator)))
	}
	cmd := exec.CommandContext(t.Context(), "sqlite3", filepath.Join(t.TempDir(), "fts.db"))
	cmd.Stdin = strings.NewReader(sql.String())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %.500s", err, out)
	}
	found := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		var i int
		n, rel, _ := strings.Cut(strings.TrimSpace(line), "|")
		if _, err := fmt.Sscan(n, &i); err != nil {
			t.Fatalf("%.200s", out)
		}
		found[asked[i].text] = append(found[asked[i].text], rel)
	}
	return found
}
