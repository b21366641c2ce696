package wiki

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/rigwiki/rig/wiki/index"
)

// TestCheckAnswer compares what is said of the answers in testdata/answers/marks.txtar with marks.golden.
func TestCheckAnswer(t *testing.T) {
	a, err := txtar.ParseFile(filepath.Join("testdata", "answers", "marks.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	x := answerIndex(t, a)
	var got strings.Builder
	for _, f := range a.Files {
		if strings.HasPrefix(f.Name, "pages/") {
			continue
		}
		c := checkAnswer(x, strings.TrimSpace(string(f.Data)))
		fmt.Fprintf(&got, "-- %s --\n%s\n", f.Name, c.text)
		for _, cite := range c.citations {
			line, err := json.Marshal(cite)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&got, "%s\n", line)
		}
		for _, w := range c.warnings {
			fmt.Fprintf(&got, "warning: %s\n", w)
		}
	}
	golden(t, filepath.Join("testdata", "answers", "marks.golden"), got.String())
}

// TestCitationsFound is case o-lw-11.
func TestCitationsFound(t *testing.T) {
	x, err := index.Open(t.Context(), index.Options{Root: filepath.Join("testdata", "o-lw-11", "wiki")})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	text, err := os.ReadFile(filepath.Join("testdata", "o-lw-11", "answer.md"))
	if err != nil {
		t.Fatal(err)
	}
	c := checkAnswer(x, string(text))
	there := map[string]bool{}
	for _, cite := range c.citations {
		there[cite.Slug] = cite.Why != noPage && cite.Why != noHeading
	}
	want := map[string]bool{"glaze": true, "glaze#Firing": true, "glaze-defects": false, "glaze#Cooling": false}
	if fmt.Sprint(there) != fmt.Sprint(want) {
		t.Errorf("found %v, want %v", there, want)
	}
	for _, mark := range []string{"glaze-defects (page not found)", "glaze#Cooling (no such heading)", "`[[sample]]`"} {
		if !strings.Contains(c.text, mark) {
			t.Errorf("%q is not in %q", mark, c.text)
		}
	}
	if strings.Contains(c.text, "[[glaze-defects]]") {
		t.Errorf("a missing page is still a link: %q", c.text)
	}
}

func answerIndex(t testing.TB, a *txtar.Archive) *index.Index {
	t.Helper()
	dir := t.TempDir()
	for _, f := range a.Files {
		rel, ok := strings.CutPrefix(f.Name, "pages/")
		if !ok {
			continue
		}
		file := filepath.Join(dir, filepath.FromSlash(rel))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	x, err := index.Open(t.Context(), index.Options{Root: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

// FuzzCheckAnswer: whatever an agent says, no byte of it is lost but the brackets of links that lead nowhere, each citation is judged, and nothing panics.
func FuzzCheckAnswer(f *testing.F) {
	a, err := txtar.ParseFile(filepath.Join("testdata", "answers", "marks.txtar"))
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range a.Files {
		f.Add(string(file.Data))
	}
	f.Add("[[compost]]. [[shade]].\n\n- [[")
	f.Add("…\xff[[compost#\xff]]。。[[x|]]")
	x := answerIndex(f, a)
	f.Fuzz(func(t *testing.T, answer string) {
		c := checkAnswer(x, answer)
		cited := 0
		for _, claim := range claimsOf(answer) {
			cited += len(claim.cites)
		}
		links := 0
		for _, l := range index.Links([]byte(answer)) {
			if l.Kind == index.Wiki && !l.Embed && (l.Target != "" || l.Heading != "" || l.Block != "") {
				links++
			}
		}
		if cited != links {
			t.Errorf("%d citations in the sentences, %d in the answer", cited, links)
		}
		for _, cite := range c.citations {
			if !cite.OK && cite.Why == "" {
				t.Errorf("no reason: %+v", cite)
			}
		}
		if len(c.citations) == 0 && c.text != answer {
			t.Errorf("%q became %q", answer, c.text)
		}
		if utf8.ValidString(answer) && !utf8.ValidString(c.text) {
			t.Errorf("%q became %q", answer, c.text)
		}
	})
}
