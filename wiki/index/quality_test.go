package index

import (
	"archive/zip"
	"flag"
	"fmt"
	"hash/fnv"
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

// halves parts the questions: the ranking is tuned on the first half (see TestTuning) and judged by the second, which no parameter was chosen by. All questions
// about a file are in the same half. What is no number (the tokenizer, the words left out, the weights of fields) was made before there were halves, with all questions in view.
func halves(asked []question) (tuning, heldOut []question) {
	for _, q := range asked {
		h := fnv.New32a()
		h.Write([]byte(q.file))
		if h.Sum32()%2 == 0 {
			tuning = append(tuning, q)
		} else {
			heldOut = append(heldOut, q)
		}
	}
	return tuning, heldOut
}

// recall is how many of the questions find their page among the first five, and how many find it first.
func recall(asked []question, find func(text string) []string) (five, first int) {
	for _, q := range asked {
		hits := find(q.text)
		at := slices.IndexFunc(hits[:min(5, len(hits))], q.answers)
		five += truth(at >= 0)
		first += truth(at == 0)
	}
	return five, first
}

func ours(x *Index) func(text string) []string {
	return func(text string) (out []string) {
		for _, h := range x.Search(text, 5) {
			out = append(out, h.Path)
		}
		return out
	}
}

// TestQuestions asks questions of a wiki of Go design documents that the ranking was not tuned on, and looks for their page among the first five: nine in ten, and
// more than the peers find. The other half is told beside.
func TestQuestions(t *testing.T) {
	root, asked := designWiki(t), questions(t)
	x := open(t, root, "")
	tuning, heldOut := halves(asked)
	told := func(name string, find func(text string) []string) int {
		five, first := recall(tuning, find)
		t.Logf("%s: tuned on %d questions, first %d, among five %d", name, len(tuning), first, five)
		five, first = recall(heldOut, find)
		t.Logf("%s: held out %d questions, first %d, among five %d", name, len(heldOut), first, five)
		return five
	}
	five := told("ours", ours(x))
	if len(heldOut) < 60 || 10*five < 9*len(heldOut) {
		t.Errorf("%d of %d questions find their page among five, want 9 of 10 of at least 60", five, len(heldOut))
	}
	if rg := told("matching lines", newLineCounts(x).rank); five <= rg {
		t.Errorf("ranking by matching lines finds %d, we %d", rg, five)
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
		if fts := told("FTS5, bm25, words joined by"+fmt.Sprintf("%q", operator), func(text string) []string { return answers[text] }); five <= fts {
			t.Errorf("SQLite FTS5 finds %d, we %d", fts, five)
		}
	}
}

var tune = flag.Bool("tune", false, "choose the ranking's parameters on the half of the questions that is for it")

// TestTuning is how the parameters are chosen: by the questions of the first half only.
//
//	go test -run TestTuning -tune -v ./wiki/index
func TestTuning(t *testing.T) {
	if !*tune {
		t.Skip("asks every question with every choice of parameters; run it with -tune")
	}
	x := open(t, designWiki(t), "")
	tuning, heldOut := halves(questions(t))
	for _, k := range []float64{0.8, 1.2, 1.6, 2.0} {
		for _, b := range []float64{0.3, 0.45, 0.6, 0.75} {
			x.rank = ranking{k, b}
			five, first := recall(tuning, ours(x))
			heldFive, heldFirst := recall(heldOut, ours(x))
			t.Logf("k %.1f b %.2f: among five %d, first %d of %d (held out, not to be chosen by: %d, %d of %d)", k, b, five, first, len(tuning), heldFive, heldFirst, len(heldOut))
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
