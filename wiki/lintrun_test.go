package wiki

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/rigwiki/rig/wiki/lint"
)

// TestSemanticFindings compares what is read of the lines in testdata/answers/lint.txtar with lint.golden.
func TestSemanticFindings(t *testing.T) {
	a, err := txtar.ParseFile(filepath.Join("testdata", "answers", "lint.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	x := answerIndex(t, a)
	var got strings.Builder
	for _, f := range a.Files {
		if strings.HasPrefix(f.Name, "pages/") {
			continue
		}
		found, odd := semanticFindings(x, string(f.Data))
		fmt.Fprintf(&got, "-- %s --\n", f.Name)
		for _, x := range found {
			line, err := json.Marshal(x)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&got, "%s\n", line)
		}
		for _, o := range odd {
			fmt.Fprintf(&got, "odd: %s\n", o)
		}
	}
	golden(t, filepath.Join("testdata", "answers", "lint.golden"), got.String())
}

// FuzzSemanticFindings: whatever an agent says, each finding names a page that is there and a line of it, in one line.
func FuzzSemanticFindings(f *testing.F) {
	a, err := txtar.ParseFile(filepath.Join("testdata", "answers", "lint.txtar"))
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range a.Files {
		f.Add(string(file.Data))
	}
	f.Add("Compost:AAA:*")
	f.Add("a.md:99999999999999999999: x: \x1b[31m")
	x := answerIndex(f, a)
	f.Fuzz(func(t *testing.T, answer string) {
		found, _ := semanticFindings(x, answer)
		for _, got := range found {
			text, ok := x.Source(got.Path)
			if !ok || got.Line < 1 || got.Line > bytes.Count(text, []byte("\n"))+1 {
				t.Errorf("%+v", got)
			}
			if strings.ContainsAny(got.Message+got.Code, "\n\x1b") || got.Message == "" {
				t.Errorf("%+v", got)
			}
		}
	})
}

// TestApplyEdits: edits that overlap wait, insertions at one place follow each other.
func TestApplyEdits(t *testing.T) {
	var taken []lint.Edit
	for _, e := range []lint.Edit{
		{Start: 3, End: 3, Text: "x"}, {Start: 3, End: 3, Text: "y"}, {Start: 3, End: 3, Text: "x"}, {Start: 2, End: 4}, {Start: 0, End: 1, Text: "A"}, {Start: 5, End: 6}, {Start: 5, End: 6, Text: "z"},
	} {
		if !overlaps(taken, e) {
			taken = append(taken, e)
		}
	}
	if got := string(applyEdits([]byte("abcdef"), taken)); got != "Abcxyde" {
		t.Errorf("got %q", got)
	}
}
