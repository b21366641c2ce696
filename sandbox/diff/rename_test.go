package diff

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// numbered is a text of n lines, of which those in edited differ.
func numbered(n int, edited ...int) []byte {
	var out []byte
	for i := range n {
		word := "line"
		if slices.Contains(edited, i) {
			word = "edit"
		}
		out = fmt.Appendf(out, "%s %02d of the page\n", word, i)
	}
	return out
}

func TestPair(t *testing.T) {
	gone := func(path string, text []byte) FileDiff { return FileDiff{Path: path, Kind: Delete, Old: text} }
	made := func(path string, text []byte) FileDiff { return FileDiff{Path: path, Kind: Create, New: text} }
	for _, c := range []struct {
		name          string
		deleted       []FileDiff
		created       []FileDiff
		renames, rest []string
	}{
		{"edited", []FileDiff{gone("a.md", numbered(10))}, []FileDiff{made("b.md", numbered(10, 3))}, []string{"a.md -> b.md"}, nil},
		{"too little alike", []FileDiff{gone("a.md", numbered(10))}, []FileDiff{made("b.md", numbered(10, 0, 1, 2, 3, 4, 5))}, nil, []string{"a.md", "b.md"}},
		{"half alike", []FileDiff{gone("a.md", numbered(10))}, []FileDiff{made("b.md", numbered(10, 0, 1, 2, 3, 4))}, []string{"a.md -> b.md"}, nil},
		{"another extension", []FileDiff{gone("a.md", numbered(10))}, []FileDiff{made("a.txt", numbered(10))}, nil, []string{"a.md", "a.txt"}},
		{"empty", []FileDiff{gone("a.md", nil)}, []FileDiff{made("b.md", []byte{})}, nil, []string{"a.md", "b.md"}},
		{"case only, all new", []FileDiff{gone("rag.md", []byte("x\n"))}, []FileDiff{made("RAG.md", []byte("y\n"))}, []string{"rag.md -> RAG.md"}, nil},
		{"case only wins over the same text", []FileDiff{gone("rag.md", numbered(9))}, []FileDiff{made("b.md", numbered(9)), made("RAG.md", []byte("y\n"))}, []string{"rag.md -> RAG.md"}, []string{"b.md"}},
		{"one to one, best first", []FileDiff{gone("a.md", numbered(10)), gone("b.md", numbered(10, 9))},
			[]FileDiff{made("c.md", numbered(10, 9)), made("d.md", numbered(10, 1))}, []string{"b.md -> c.md", "a.md -> d.md"}, nil},
		{"one deleted, two created", []FileDiff{gone("a.md", numbered(10))}, []FileDiff{made("b.md", numbered(10, 1, 2)), made("c.md", numbered(10, 1))},
			[]string{"a.md -> c.md"}, []string{"b.md"}},
		{"equal texts keep their base name", []FileDiff{gone("x/a.md", numbered(5)), gone("x/b.md", numbered(5))},
			[]FileDiff{made("y/b.md", numbered(5)), made("y/c.md", numbered(5))}, []string{"x/b.md -> y/b.md", "x/a.md -> y/c.md"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			renames, rest := Pair(c.deleted, c.created)
			var got, left []string
			for _, f := range renames {
				if f.Kind != Rename || f.Old == nil || f.New == nil {
					t.Errorf("%+v", f)
				}
				got = append(got, f.From+" -> "+f.Path)
			}
			for _, f := range rest {
				left = append(left, f.Path)
			}
			if !slices.Equal(got, c.renames) || !slices.Equal(left, c.rest) {
				t.Errorf("got %q and %q, want %q and %q", got, left, c.renames, c.rest)
			}
		})
	}
}

// TestPairMany pairs more files than are compared one by one.
func TestPairMany(t *testing.T) {
	var deleted, created []FileDiff
	for i := range 1100 {
		text := numbered(6, i%6)
		text = fmt.Appendf(text, "page %d of many pages of one kind\n", i)
		deleted = append(deleted, FileDiff{Path: fmt.Sprintf("a/%d.md", i), Kind: Delete, Old: text})
		created = append(created, FileDiff{Path: fmt.Sprintf("b/%d.md", i), Kind: Create, New: append(text[:len(text):len(text)], "more\n"...)})
	}
	renames, rest := Pair(deleted, created)
	if len(renames) != len(deleted) || len(rest) != 0 {
		t.Errorf("%d renames, %d left", len(renames), len(rest))
	}
	for _, f := range renames {
		if f.From[1:] != f.Path[1:] {
			t.Fatalf("%s -> %s", f.From, f.Path)
		}
	}
}

// TestSimilarityAsGit holds our index to git's, which rounds down to a whole percent.
func TestSimilarityAsGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	long := strings.Repeat("a long paragraph on one line goes on and on, ", 9)
	for i, c := range [][2][]byte{
		{numbered(20), numbered(20, 3)},
		{numbered(20), numbered(20, 3, 4, 5, 6, 7, 8)},
		{numbered(20), numbered(30)},
		{[]byte(long + "end\n"), []byte(long + "other end\n")},
		{[]byte("a\r\nb b b\r\nccc\r\n"), []byte("a\nb b b\nccc\n")},
		{read(t, "o-df-15", "before", "concepts/Vector-DB.md"), read(t, "o-df-15", "after", "concepts/Vector-Database.md")},
	} {
		dir := t.TempDir()
		for side, text := range map[string][]byte{"a/x.md": c[0], "b/y.md": c[1]} {
			path := filepath.Join(dir, side)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		out, _ := run(t, dir, nil, "git", "diff", "--no-index", "-M1%", "a", "b") // status 1: they differ
		_, after, _ := strings.Cut(out, "similarity index ")
		var want int
		if _, err := fmt.Sscanf(after, "%d%%", &want); err != nil {
			t.Fatalf("%d: %v of %q", i, err, out)
		}
		if got := int(100 * Similarity(c[0], c[1])); got < want-1 || got > want+1 {
			t.Errorf("%d: %d %%, git says %d %%", i, got, want)
		}
	}
}
