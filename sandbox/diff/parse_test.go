package diff

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		name, diff string
		want       []string
	}{
		{"nothing", "", nil},
		{"prose", "Hello,\n--- not a header\nOnly in theory\nFile under x\n+++ neither\n", nil},
		{"headers in content, no context", "--- a/x.md\n+++ b/x.md\n@@ -1 +1 @@\n--- a/schema.md\n+++ b/schema.md\n@@ -3 +3 @@\n-a\n+b\n", []string{"edit x.md"}},
		{"without prefix", "--- x.md\n+++ x.md\n@@ -1 +1 @@\n-a\n+b\n", []string{"edit x.md"}},
		{"mail", "From 12 Mon\nSubject: x\n\n---\n x.md | 2 +-\n\ndiff --git a/x.md b/x.md\nindex 1..2 100644\n--- a/x.md\n+++ b/x.md\n@@ -1 +1 @@ sec\n-a\n+b\n-- \n2.39.5\n", []string{"edit x.md"}},
		{"blank lost from an empty line", "--- a/x.md\n+++ b/x.md\n@@ -1,2 +1,2 @@\n\n-a\n+b\n", []string{"edit x.md"}},
		{"trailing blank", "diff --git a/x  b/x \n--- a/x \t\n+++ b/x \t\n@@ -1 +1 @@\n-a\n+b\n", []string{"edit x "}},
		{"only in", "Only in b: new.md\ndiff -ur a/x.md b/x.md\n--- a/x.md\t2026-01-05 10:00:00\n+++ b/x.md\t2026-01-05 10:00:00\n@@ -1 +1 @@\n-a\n+b\nOnly in a/sub: old: one.md\n",
			[]string{"create new.md absent", "edit x.md", "delete sub/old: one.md absent"}},
		{"only in, sides of other names", "Only in l: o.md\n--- l/x.md\n+++ r/x.md\n@@ -1 +1 @@\n-a\n+b\nOnly in r: n.md\n", []string{"delete o.md absent", "edit x.md", "create n.md absent"}},
		{"file and folder", "File before/wiki/area is a regular file while file after/wiki/area is a directory\n" +
			"File before/wiki/dir is a directory while file after/wiki/dir is a regular file\n" +
			"File before/wiki/topic.md is a regular empty file while file after/wiki/topic.md is a directory\n",
			[]string{"delete wiki/area absent", "create wiki/dir absent", "delete wiki/topic.md absent"}},
		{"binary, git", "diff --git a/p.bin b/p.bin\nnew file mode 100644\nindex 0..1\nGIT binary patch\nliteral 4\nLcmZQzWMXDvWn}\n\nliteral 0\nHcmV?d00001\n\n", []string{"create p.bin binary"}},
		{"binary, one side", "diff --git a/p.bin b/p.bin\ndeleted file mode 100644\nindex 1..0\nBinary files a/p.bin and /dev/null differ\n", []string{"delete p.bin binary"}},
		{"binary, names with and", "Binary files a/x and b/y and b/x and b/y differ\n", []string{"edit x and b/y binary"}},
		{"copy", "diff --git a/a.md b/b.md\nsimilarity index 90%\ncopy from a.md\ncopy to b.md\n--- a/a.md\n+++ b/b.md\n@@ -1 +1 @@\n-a\n+b\n", []string{"create b.md from a.md"}},
		{"rename, quoted", "diff --git \"a/\\303\\251.md\" \"b/\\t.md\"\nsimilarity index 100%\nrename from \"\\303\\251.md\"\nrename to \"\\t.md\"\n", []string{"rename \t.md from é.md"}},
		{"emptied", "--- a/x.md\n+++ b/x.md\n@@ -1 +0,0 @@\n-a\n", []string{"edit x.md"}},
		{"mode and text", "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", []string{"edit x"}},
		{"stored with CRLF", "--- a/x.md\r\n+++ b/x.md\r\n@@ -1 +1 @@\r\n-a\r\n+b\r\n", []string{"edit x.md"}},
		{"empty index only", "diff --git a/x b/x\nindex 1..1 100644\n", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			patches, err := Parse([]byte(c.diff))
			if got := describeAll(patches); err != nil || !slices.Equal(got, c.want) {
				t.Errorf("got %q, %v, want %q", got, err, c.want)
			}
			for _, p := range patches {
				if _, err := Reverse(p); (err != nil) != (p.Binary || p.Absent || p.Kind == Create && p.From != "") {
					t.Errorf("reverse %s: %v", describe(p), err)
				}
			}
		})
	}
	p, err := Parse([]byte("--- a/x.md\r\n+++ b/x.md\r\n@@ -1 +1 @@\r\n-a\r\n+b\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	checkApply(t, p[0], []byte("a\n"), []byte("b\n"))
}

func TestParseErrors(t *testing.T) {
	const names = "--- a/x\n+++ b/x\n"
	for _, c := range []struct{ diff, want string }{
		{"x\n@@ -1 +1 @@\n-a\n+b\n", "line 2: a hunk without the name of its file"},
		{names, "line 3: a hunk (\"@@ -\") is missing"},
		{names + "@@ -1 +1 @@\n-a\n", "line 5: the diff ends inside of a hunk"},
		{names + "@@ -1 +1 @@\n-a\n-b\n+c\n", "line 5: the lines of the hunk do not fit its header"},
		{names + "@@ -1 +1 @@\n-a\n+b\n+c\n", "line 6: the hunk has more lines than its header says"},
		{names + "@@ -1 +1 @@\n-a\n*b\n", "line 5: a line of a hunk starts with \"*\""},
		{names + "@@ -1 +x @@\n-a\n", "line 3: bad hunk header"},
		{names + "@@ -1,99999999999 +1 @@\n-a\n", "line 3: bad hunk header"},
		{names + "@@ -0,0 +0,0 @@\n", "line 3: the hunk has no lines"},
		{names + "@@ -0 +1 @@\n-a\n+b\n", "line 3: bad hunk header"},
		{names + "@@@ -1,2 -1,2 +1,2 @@@\n", "line 3: a combined diff"},
		{"--- \"a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "line 1: bad quoted name"},
		{"--- a/x\n+++ \"b/\\9\"\n@@ -1 +1 @@\n-a\n+b\n", "line 2: bad quoted name"},
		{"--- /dev/null\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "line 1: the diff creates the file and takes lines from it"},
		{"--- a/x\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n", "line 1: the diff deletes the file and leaves lines in it"},
		{"--- /dev/null\n+++ /dev/null\n@@ -0,0 +1 @@\n+b\n", "line 1: the file is there on neither side"},
		{names + "@@ -0,0 +1 @@\n+\n\\ No newline\n", "line 5: a mark of a missing LF without its line"},
		{names + "@@ -0,0 +1,2 @@\n+a\n\\ No newline\n\\ No newline\n+b\n", "line 6: a mark of a missing LF without its line"},
		{names + "@@ -0,0 +1 @@\n\\ No newline\n+b\n", "line 4: a mark of a missing LF without its line"},
		{"Only in x: y\n", "line 1: nothing tells whether \"x\" is the old or the new folder"},
		{"GIT binary patch\n", "binary patch without the name"},
	} {
		if _, err := Parse([]byte(c.diff)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v, want %q", c.diff, err, c.want)
		}
	}
	if _, err := Parse([]byte("--- a/" + strings.Repeat("x", maxHeader) + "\n+++ b/x\n")); err == nil {
		t.Error("no error for too long a header")
	}
	if _, err := Parse(make([]byte, maxInput+1)); err == nil {
		t.Error("no error for too long an input")
	}
}

func TestApplyErrors(t *testing.T) {
	const names = "--- a/x\n+++ b/x\n"
	for _, c := range []struct{ old, diff, want string }{
		{"a\nb\n", names + "@@ -1,2 +1,2 @@\n a\n-x\n+y\n", "apply to x: hunk 1: line 2 is not what the diff expects"},
		{"a\nb", names + "@@ -1,2 +1,2 @@\n a\n-b\n+y\n", "hunk 1: line 2 is not"},
		{"a\nb\n", names + "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+y\n", "hunk 1: line 2 is not"},
		{"a\n", names + "@@ -2 +2 @@\n-b\n+y\n", "hunk 1: line 2 is not"},
		{"a\n", names + "@@ -7,0 +8 @@\n+y\n", "hunk 1: it starts at line 7"},
		{"a\nb\nc\n", names + "@@ -2 +2 @@\n-b\n+y\n@@ -1 +1 @@\n-a\n+z\n", "hunk 2: it starts at line 1"},
		{"a", names + "@@ -1,0 +2 @@\n+y\n", "hunk 1: a line without LF would stand before others"},
		{"a\nb\n", names + "@@ -1 +1 @@\n-a\n+x\n\\ No newline at end of file\n", "a line without LF would stand before others"},
		{"a\n", "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n", "the file to be created has a text"},
		{"a\nb\n", "--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", "the deletion leaves 2 bytes"},
		{"a\n", "Binary files a/x and b/x differ\n", "a binary file"},
		{"", "Only in b: x\n", "the text is not in the diff"},
	} {
		patches, err := Parse([]byte(c.diff))
		if err != nil {
			t.Fatalf("%q: %v", c.diff, err)
		}
		if got, err := Apply([]byte(c.old), patches[0]); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %q, %v, want %q", c.diff, got, err, c.want)
		}
	}
}

// TestForeign parses what other programs print for a folder of odd pairs, and applies it.
func TestForeign(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the file system may refuse the odd names")
	}
	files := map[string][2][]byte{}
	for i, old := range oddTexts {
		for j, new := range oddTexts {
			files["t/"+string(rune('a'+i))+string(rune('a'+j))+".md"] = [2][]byte{old, new}
		}
	}
	for i, name := range oddNames {
		files["names/"+name] = [2][]byte{oddTexts[i%3], oddTexts[3+i%5]}
	}
	dir := t.TempDir()
	for path, pair := range files {
		for i, side := range []string{"a", "b"} {
			if pair[i] == nil {
				continue
			}
			path := filepath.Join(dir, side, path)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, pair[i], 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct {
		name  string
		argv  []string
		empty bool // it tells of empty files
	}{
		{"GNU", []string{"diff", "-urN", "--text", "a", "b"}, false},
		{"GNU without context", []string{"diff", "-rN", "-U0", "--text", "a", "b"}, false},
		{"git", []string{"git", "diff", "--no-index", "--no-prefix", "--no-renames", "--text", "a", "b"}, true},
		{"git without context", []string{"git", "diff", "--no-index", "--no-prefix", "--no-renames", "--text", "-U0", "a", "b"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := exec.LookPath(c.argv[0]); err != nil {
				t.Skipf("%s is not installed", c.argv[0])
			}
			text, _ := run(t, dir, nil, c.argv...) // status 1: they differ
			checkForeign(t, text, files, c.empty)
		})
	}
}

func checkForeign(t *testing.T, text string, files map[string][2][]byte, empty bool) {
	patches, err := Parse([]byte(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	got := map[string]Patch{}
	for _, p := range patches {
		got[p.Path] = p
	}
	if len(got) != len(patches) {
		t.Errorf("%d patches for %d files", len(patches), len(got))
	}
	for path, pair := range files {
		p, ok := got[path]
		delete(got, path)
		old, new := pair[0], pair[1]
		kind := change(path, old, new).Kind
		switch {
		case bytes.Equal(old, new) && (!empty || kind == Edit || old == nil && new == nil):
			if ok {
				t.Errorf("%q did not change: %s", path, describe(p))
			}
		case !ok:
			t.Errorf("%q is missing", path)
		case p.Kind != kind:
			t.Errorf("%q: %s, want %s", path, p.Kind, kind)
		default:
			checkApply(t, p, old, new)
		}
	}
	for path := range got {
		t.Errorf("%q is no file of ours", path)
	}
}
