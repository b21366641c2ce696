package diff

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"maps"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// oddNames are file names that diff tools trip over.
var oddNames = []string{
	"plain.md", "a b.md", " lead.md", "trail.md ", "tab\there.md", "new\nline.md", "q\"uote.md", `back\slash.md`, "naïve café.md",
	"知识库/换盆.md", "bad\xff\xfe.md", "cr.md\r", "bell\a.md", "x\n+++ b/schema.md", "-- dashes.md", "a/b/c.md", "b and a.md", "dev/null",
	"'single'.md", "a b/c d.md", "trail /x.md", "del\x7f.md", "x differ",
}

// oddTexts are texts whose pairs cover what a diff can get wrong. nil is no file.
var oddTexts = [][]byte{
	nil, []byte(""), []byte("\n"), []byte("a"), []byte("a\n"), []byte("a\nb"), []byte("a\nb\n"), []byte("a\r\nb\r\n"), []byte("a\r\nb\nc\r\n"),
	[]byte("-- x\n++ y\n@@ -1 +1 @@\n"), []byte("-- a/z.md\n++ b/z.md\n"), []byte("\\ No newline at end of file\n"), []byte("\n\n\n"),
	[]byte("\ufeffa\n"), []byte("x \u2028diff --git a/y b/y\nb\n"), []byte("a\rb\r"), []byte("\xff\xfe\x00\n\x00"), []byte(" \n\t\n"),
	[]byte("# One\n1\n2\n3\n4\n5\n6\n7\n8\n9\n# Two \xff\r\n1\n2\n3\n4\n5\n6\n7\n8\nend"),
	[]byte("# One\n1\n2\n3\nfour\n5\n6\n7\n8\n9\n# Two \xff\r\n1\n2\n3\n4\n5\n6\nseven\n8\nend\n"),
}

func change(path string, old, new []byte) FileDiff {
	f := FileDiff{Path: path, Kind: Edit, Old: old, New: new}
	switch {
	case old == nil:
		f.Kind = Create
	case new == nil:
		f.Kind = Delete
	}
	return f
}

func printed(t *testing.T, files []FileDiff) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := Print(&out, files); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// checkPrinted parses what was printed and applies it both ways.
func checkPrinted(t *testing.T, files []FileDiff) {
	t.Helper()
	text := printed(t, files)
	patches, err := Parse(text)
	if err != nil {
		t.Fatalf("%v in\n%q", err, text)
	}
	byPath := map[string]Patch{}
	for _, p := range patches {
		byPath[p.Path] = p
	}
	if len(byPath) != len(patches) {
		t.Fatalf("%q: a path twice", describeAll(patches))
	}
	n := 0
	for _, f := range files {
		if f.Kind == Edit && bytes.Equal(f.Old, f.New) {
			continue
		}
		n++
		p, ok := byPath[f.Path]
		if !ok || p.Kind != f.Kind || p.From != "" || p.Binary || p.Absent || p.ModeOnly {
			t.Fatalf("%q %s: got %q of\n%s", f.Path, f.Kind, describeAll(patches), text)
		}
		checkApply(t, p, f.Old, f.New)
	}
	if n != len(patches) {
		t.Fatalf("%d files, printed as %q", n, describeAll(patches))
	}
}

func TestPrintOddNames(t *testing.T) {
	for _, pair := range [][2][]byte{{nil, []byte("x\n")}, {[]byte("x"), nil}, {[]byte("x\n"), []byte("y")}, {nil, {}}, {{}, nil}} {
		var files []FileDiff
		for _, name := range oddNames {
			checkPrinted(t, []FileDiff{change(name, pair[0], pair[1])})
			files = append(files, change(name, pair[0], pair[1]))
		}
		checkPrinted(t, files)
	}
}

func TestPrintOddTexts(t *testing.T) {
	for _, old := range oddTexts {
		for _, new := range oddTexts {
			if old != nil || new != nil {
				checkPrinted(t, []FileDiff{change("wiki/x.md", old, new)})
			}
		}
	}
}

func TestPrintStable(t *testing.T) {
	files := []FileDiff{
		{Path: "RAG.md", From: "rag.md", Kind: Rename, Old: []byte("a\n"), New: []byte("b\n")},
		change("wiki/dir", nil, []byte("a file now\n")), change("wiki/dir/x.md", []byte("x\n"), nil), change("b.md", []byte("1"), []byte("2")),
	}
	want := printed(t, files)
	if got, want := strings.Count(string(want), "deleted file mode"), 2; got != want {
		t.Errorf("%d deletions, want %d", got, want)
	}
	if last, first := bytes.LastIndex(want, []byte("deleted file")), bytes.Index(want, []byte("new file")); last > first {
		t.Errorf("a creation stands before a deletion:\n%s", want)
	}
	for range 10 {
		rand.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
		if got := printed(t, files); !bytes.Equal(got, want) {
			t.Fatalf("got\n%s\nwant\n%s", got, want)
		}
	}
}

func TestPrintErrors(t *testing.T) {
	for _, f := range []FileDiff{{Kind: Create}, {Path: "a", Kind: Rename}, {Path: "a\x00", Kind: Create}, {Path: "a"}} {
		if err := Print(io.Discard, []FileDiff{f}); err == nil {
			t.Errorf("%+v: no error", f)
		}
	}
	broken := errors.New("broken")
	if err := Print(failing{broken}, []FileDiff{change("a", nil, []byte("x"))}); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// tools are the programs that take our diffs.
var tools = []struct {
	name string
	argv []string
}{
	{"git", []string{"git", "apply", "-p1", "--whitespace=nowarn"}},
	{"patch", []string{"patch", "-p1", "--binary", "--batch", "--no-backup-if-mismatch"}},
}

// checkTool applies the printed diff with a program and compares the whole folder.
func checkTool(t *testing.T, argv []string, files []FileDiff) {
	t.Helper()
	dir := t.TempDir()
	// A repository of its own keeps git apply from looking at one around the folder.
	run(t, dir, nil, "git", "init", "-q")
	want := map[string]string{}
	for _, f := range files {
		if f.Old != nil {
			path := filepath.Join(dir, f.Path)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, f.Old, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if f.New != nil {
			want[f.Path] = string(f.New)
		}
	}
	text := printed(t, files)
	if out, err := run(t, dir, text, argv...); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, text)
	}
	got := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d != nil && d.Name() == ".git" {
				return filepath.SkipDir
			}
			return err
		}
		text, err := os.ReadFile(path)
		got[filepath.ToSlash(path[len(dir)+1:])] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(got, want) {
		t.Fatalf("got %q\nwant %q\nof\n%s", got, want, text)
	}
}

func run(t *testing.T, dir string, stdin []byte, argv ...string) (string, error) {
	t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(stdin)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "LC_ALL=C", "HOME="+dir)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func TestTools(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the file system may refuse the odd names")
	}
	for _, tool := range tools {
		t.Run(tool.name, func(t *testing.T) {
			for _, name := range []string{"git", tool.argv[0]} {
				if _, err := exec.LookPath(name); err != nil {
					t.Skipf("%s is not installed", name)
				}
			}
			for _, pair := range [][2][]byte{{nil, []byte("x\n")}, {[]byte("x"), nil}, {[]byte("x\n"), []byte("y")}, {nil, {}}, {{}, nil}} {
				var files []FileDiff
				for _, name := range oddNames {
					files = append(files, change(name, pair[0], pair[1]))
				}
				checkTool(t, tool.argv, files)
			}
			var files []FileDiff
			for i, old := range oddTexts {
				for j, new := range oddTexts {
					if i != j {
						files = append(files, change(filepath.ToSlash(filepath.Join("t", string(rune('a'+i)), string(rune('a'+j))+".md")), old, new))
					}
				}
			}
			checkTool(t, tool.argv, files)
		})
	}
}

// TestSwap is o-df-13: a file becomes a folder and back. Only git apply takes it (see Print).
func TestSwap(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	files := []FileDiff{
		change("wiki/area/child.md", nil, []byte("c\n")), change("wiki/area", []byte("plain file\n"), nil),
		change("wiki/dir", nil, []byte("now a file\n")), change("wiki/dir/x.md", []byte("x\n"), nil),
		change("wiki/topic.md/part.md", nil, []byte("# p\n")), change("wiki/topic.md", []byte("# t\n"), nil),
	}
	checkPrinted(t, files)
	checkTool(t, tools[0].argv, files)
}
