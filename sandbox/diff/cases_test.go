package diff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// describe writes a patch as "kind path", with "from" of a rename and what it lacks.
func describe(p Patch) string {
	s := string(p.Kind) + " " + p.Path
	if p.From != "" {
		s += " from " + p.From
	}
	for _, flag := range []struct {
		word string
		set  bool
	}{{" binary", p.Binary}, {" absent", p.Absent}, {" mode", p.ModeOnly}} {
		if flag.set {
			s += flag.word
		}
	}
	return s
}

func describeAll(patches []Patch) []string {
	var out []string
	for _, p := range patches {
		out = append(out, describe(p))
	}
	return out
}

func read(t *testing.T, elem ...string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(append([]string{"testdata"}, elem...)...))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// exists reads a file of a tree; nil where it has none.
func exists(t *testing.T, elem ...string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(append([]string{"testdata"}, elem...)...))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return text
}

// TestCases parses the stored diffs of the failure cases and, where the case has the two trees, applies and reverses them.
func TestCases(t *testing.T) {
	for _, c := range []struct {
		id, file string
		trees    bool
		want     []string
	}{
		{"o-df-01", "changes.diff", true, []string{"edit notes/query.md"}},
		{"o-df-02", "changes.diff", true, []string{"edit wiki/log.md"}},
		{"o-df-03", "changes.diff", true, []string{"edit wiki/long.md"}},
		{"o-df-06", "changes-utc.diff", true, []string{"edit wiki/emptied.md", "delete wiki/gone.md", "create wiki/new.md"}},
		{"o-df-06", "changes-plus1.diff", true, []string{"edit wiki/emptied.md", "delete wiki/gone.md", "create wiki/new.md"}},
		{"o-df-06", "changes-minus5.diff", true, []string{"edit wiki/emptied.md", "delete wiki/gone.md", "create wiki/new.md"}},
		{"o-df-07", "changes.diff", true, []string{"edit wiki/page.md"}},
		{"o-df-08", "changes.diff", true, []string{"edit wiki/win.md"}},
		{"o-df-09", "changes.diff", true, []string{"edit wiki/bom.md"}},
		{"o-df-10", "changes.diff", true, []string{"edit wiki/a.md"}},
		{"o-df-12", "changes.diff", true, []string{"edit assets/logo.png binary", "edit wiki/ok.md", "edit wiki/utf16.md binary"}},
		{"o-df-14", "changes.patch", false, []string{
			"edit assets/p.bin binary", "rename wiki/Containers.md from wiki/Pots.md", "edit wiki/my page.md",
			"rename wiki/new empty.md from wiki/stub.md", "rename wiki/soil.md from wiki/pure.md", "edit wiki/tool.md mode",
		}},
		{"o-df-14", "changes-norename.patch", false, []string{
			"edit assets/p.bin binary", "create wiki/Containers.md", "delete wiki/Pots.md", "edit wiki/my page.md",
			"create wiki/new empty.md", "delete wiki/pure.md", "create wiki/soil.md", "delete wiki/stub.md", "edit wiki/tool.md mode",
		}},
		{"o-df-15", "changes.diff", true, []string{"delete concepts/Vector-DB.md", "create concepts/Vector-Database.md", "edit index.md"}},
	} {
		t.Run(c.id+"/"+c.file, func(t *testing.T) {
			patches, err := Parse(read(t, c.id, c.file))
			if err != nil {
				t.Fatal(err)
			}
			if got := describeAll(patches); !slices.Equal(got, c.want) {
				t.Fatalf("got  %q\nwant %q", got, c.want)
			}
			for _, p := range patches {
				if c.trees && !p.Binary {
					checkApply(t, p, exists(t, c.id, "before", p.Path), exists(t, c.id, "after", p.Path))
				}
			}
		})
	}
}

func checkApply(t *testing.T, p Patch, old, new []byte) {
	t.Helper()
	got, err := Apply(old, p)
	if err != nil || !bytes.Equal(got, new) {
		t.Fatalf("%s: got %q, %v, want %q", describe(p), got, err, new)
	}
	back, err := Reverse(p)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Apply(new, back); err != nil || !bytes.Equal(got, old) {
		t.Fatalf("%s, reversed: got %q, %v, want %q", describe(p), got, err, old)
	}
}

// TestNames is o-df-04.
func TestNames(t *testing.T) {
	var want []string
	if err := json.Unmarshal(read(t, "o-df-04", "names.json"), &want); err != nil {
		t.Fatal(err)
	}
	patches, err := Parse(read(t, "o-df-04", "changes.diff"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range patches {
		if p.Kind != Edit || len(p.Hunks) != 1 {
			t.Errorf("%s, %d hunks", describe(p), len(p.Hunks))
		}
		got = append(got, p.Path)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestSplicesOfCases is the half of o-df-02, 03, 08 and 09 that is about edits.
func TestSplicesOfCases(t *testing.T) {
	for _, c := range []struct{ id, page, want string }{
		{"o-df-02", "wiki/log.md", `[10,10 "\n"]`},
		{"o-df-03", "wiki/long.md", `[0,12 "# New title\n"]`},
		{"o-df-08", "wiki/win.md", `[22,29 "alpha two\r\n"]`},
	} {
		got := fmt.Sprint(showSplices(read(t, c.id, "before", c.page), read(t, c.id, "after", c.page)))
		if got != c.want {
			t.Errorf("%s: got %s, want %s", c.id, got, c.want)
		}
	}
	old, mark := read(t, "o-df-09", "before", "wiki/bom.md"), []byte("\ufeff")
	if got := fmt.Sprint(showSplices(old, append(mark, read(t, "o-df-09", "after", "wiki/bom.md")...))); got != `[7,18 "title: New\n"]` {
		t.Errorf("o-df-09, with the mark: got %s", got)
	}
}

func showSplices(old, new []byte) []string {
	var out []string
	for _, s := range Splices(old, new) {
		out = append(out, fmt.Sprintf("%d,%d %q", s.Start, s.End, s.New))
	}
	return out
}

// TestZeroContext is o-df-16.
func TestZeroContext(t *testing.T) {
	old := read(t, "o-df-16", "before.md")
	for file, want := range map[string]string{
		"ins-mid": "l1\nl2\nl3\nNEW\nl4\nl5\n",
		"ins-top": "NEW\nl1\nl2\nl3\nl4\nl5\n",
		"ins-end": "l1\nl2\nl3\nl4\nl5\nNEW\n",
		"del-one": "l1\nl2\nl4\nl5\n",
		"chg-one": "l1\nL2\nl3\nl4\nl5\n",
		"del-all": "",
	} {
		patches, err := Parse(read(t, "o-df-16", file+".diff"))
		if err != nil || len(patches) != 1 || patches[0].Kind != Edit {
			t.Fatalf("%s: %v, %v", file, describeAll(patches), err)
		}
		checkApply(t, patches[0], old, []byte(want))
	}
}

// TestManyLines is o-df-17, and the same number of lines in another order, where nothing can be told apart in advance.
func TestManyLines(t *testing.T) {
	var old, new, shuffled []byte
	for i := range 80000 {
		old = fmt.Appendf(old, "old line %d aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n", i)
		new = fmt.Appendf(new, "new row %d bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\n", i*7)
		shuffled = fmt.Appendf(shuffled, "old line %d aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n", i*30011%80000)
	}
	for name, text := range map[string][]byte{"no line in common": new, "every line moved": shuffled} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		checkSplices(t, old, text)
		runtime.ReadMemStats(&after)
		took, mib := time.Since(start), (after.TotalAlloc-before.TotalAlloc)>>20
		t.Logf("%s: %v, %d MiB allocated in all", name, took, mib)
		if mib > 300 { // the time is for eyes: a busy machine with the race detector is slow
			t.Errorf("%s: %d MiB", name, mib)
		}
	}
}

// TestRenameCases is o-df-15 and o-fs-07.
func TestRenameCases(t *testing.T) {
	for _, c := range []struct{ id, from, path, want string }{
		{"o-df-15", "concepts/Vector-DB.md", "concepts/Vector-Database.md", `[4,21 "title: Vector Database\n" 36,48 "# Vector Database\n"]`},
		{"o-fs-07", "rag.md", "RAG.md", `[31,42 "more lines!\n"]`},
	} {
		old, new := read(t, c.id, "before", c.from), read(t, c.id, "after", c.path)
		renames, rest := Pair([]FileDiff{{Path: c.from, Kind: Delete, Old: old}}, []FileDiff{{Path: c.path, Kind: Create, New: new}})
		if len(renames) != 1 || len(rest) != 0 || renames[0].From != c.from || renames[0].Path != c.path || renames[0].Kind != Rename {
			t.Errorf("%s: %+v, %+v", c.id, renames, rest)
		}
		if got := fmt.Sprint(showSplices(old, new)); got != c.want {
			t.Errorf("%s: got %s, want %s", c.id, got, c.want)
		}
	}
}

// TestMovedOn is o-df-18.
func TestMovedOn(t *testing.T) {
	page := func(page string) Merged {
		return Merge(read(t, "o-df-18", "base", "wiki", page), read(t, "o-df-18", "current", "wiki", page), read(t, "o-df-18", "agent", "wiki", page))
	}
	if m := page("disjoint.md"); len(m.Conflicts) > 0 || string(m.Text) != "# D\n\nfirst para, user\n\nmiddle\n\nlast para, agent\n" {
		t.Errorf("disjoint: %q, %v", m.Text, m.Conflicts)
	}
	if m := page("agent-only.md"); len(m.Conflicts) > 0 || string(m.Text) != "y\n" {
		t.Errorf("agent only: %q, %v", m.Text, m.Conflicts)
	}
	m := page("overlap.md")
	if len(m.Conflicts) != 1 || !bytes.Equal(m.Text, read(t, "o-df-18", "current", "wiki", "overlap.md")) {
		t.Fatalf("overlap: %q, %v", m.Text, m.Conflicts)
	}
	c := m.Conflicts[0]
	if c.OursLine != 2 || !strings.Contains(string(c.Ours), "user") || !strings.Contains(string(c.Theirs), "agent") || !strings.Contains(string(c.Base), "3 percent") {
		t.Errorf("overlap: %+v", c)
	}
}
