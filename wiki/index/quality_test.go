package index

import (
	"os"
	"path"
	"strings"
	"testing"
)

// TestQuestions asks questions of a wiki of Go design documents and looks for their page among the first five hits.
func TestQuestions(t *testing.T) {
	root := os.Getenv("RIG_QUESTIONS_WIKI")
	if root == "" {
		t.Skip("RIG_QUESTIONS_WIKI names no wiki of Go design documents (its raw/ holds the files that testdata/go-design.questions names)")
	}
	list, err := os.ReadFile("testdata/go-design.questions")
	if err != nil {
		t.Fatal(err)
	}
	x := open(t, root, "")
	asked, first, found := 0, 0, 0
	for line := range strings.Lines(string(list)) {
		file, question, ok := strings.Cut(strings.TrimSpace(line), "|")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		asked++
		_, bare, _ := strings.Cut(file, "-") // without the proposal's number
		at := -1
		for i, h := range x.Search(question, 5) {
			if base := path.Base(h.Path); at < 0 && (base == file || base == bare) {
				at = i
			}
		}
		if at < 0 {
			t.Logf("not among five: %s (%s)", question, file)
			continue
		}
		found++
		first += truth(at == 0)
	}
	t.Logf("%d questions: first %d, among five %d", asked, first, found)
	if asked < 60 || found*10 < asked*9 {
		t.Errorf("recall at five is %d of %d, want nine in ten", found, asked)
	}
}
