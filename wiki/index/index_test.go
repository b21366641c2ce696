package index

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rigwiki/rig/wiki/index/indextest"
)

// open opens an index of root that is closed with the test.
func open(t testing.TB, root, dir string) *Index {
	t.Helper()
	x, err := Open(context.Background(), Options{Root: root, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return x
}

// lay writes files ("name": "text") below a new folder.
func lay(t testing.TB, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		write(t, root, name, text)
	}
	return root
}

func write(t testing.TB, root, name, text string) {
	t.Helper()
	file := filepath.Join(root, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// broken gives the lines of a page's links that lead nowhere, headings and blocks included.
func broken(x *Index, rel string) []int {
	p, _ := x.Page(rel)
	text, _ := x.Source(rel)
	var out []int
	for _, l := range p.Links {
		if l.External() {
			continue
		}
		m := x.ResolveLink(rel, l)
		ok := len(m) > 0
		if ok && isPage(m[0].Path) && (l.Heading != "" || l.Block != "") {
			to, _ := x.Page(m[0].Path)
			_, found := to.Anchor(l)
			ok = found && l.Heading != "" || l.Block != "" && to.HasBlock(l.Block)
		}
		if !ok {
			out = append(out, strings.Count(string(text[:l.Start]), "\n"))
		}
	}
	return out
}

func TestBrokenLinksOfCases(t *testing.T) {
	for _, tt := range []struct {
		dir, page string
		want      []int
	}{
		{"o-wk-01/wiki", "stores.md", nil}, {"o-wk-02/wiki", "scripts.md", nil}, {"o-wk-04/wiki", "other/b.md", nil},
		{"o-wk-05/wiki", "src.md", []int{7}}, {"o-wk-06/wiki", "links.md", []int{7, 11}}, {"o-wk-07/wiki", "page.md", []int{4, 5, 6}},
		{"o-wk-08/wiki", "adr.md", nil}, {"o-wk-08/wiki", "tools.md", nil}, {"o-wk-12/wiki", "log.md", []int{25, 25}}, {"o-wk-13/wiki", "odd.md", nil},
		{"o-wk-14/wiki", "a.md", []int{4}}, {"o-wk-15/wiki", "pots.md", nil}, {"o-lw-06/wiki", "sources/memo.md", nil},
	} {
		x := open(t, "testdata/cases/"+tt.dir, t.TempDir())
		if got := broken(x, tt.page); !slices.Equal(got, tt.want) {
			t.Errorf("%s/%s: broken lines %v, want %v", tt.dir, tt.page, got, tt.want)
		}
	}
}

func TestResolve(t *testing.T) {
	root := lay(t, map[string]string{
		"todo.md": "# t", "garden/todo.md": "# t", "garden/a.md": "[[todo]]", "other/b.md": "", "sources/Leaky-Gut.md": "# Leaky gut",
		"Cafe\u0301.md": "# c", "raw/memo.md": "x", "sources/memo.md": "# m", "notes.v2.md": "# n", "assets/pic.png": "x", "deep/er/x y.md": "# x",
		"people/ana.md": "---\naliases: [Ana B., 'a/b']\n---\n", "Tea.md": "", "sub/tea.md": "", "README": "x",
	})
	tests := []struct{ from, target, want string }{
		{"garden/a.md", "todo", "0 garden/todo.md, 0 todo.md"}, {"other/b.md", "todo", "0 todo.md, 0 garden/todo.md"},
		{"other/b.md", "garden/todo", "0 garden/todo.md"}, {"other/b.md", "/todo", "0 todo.md"}, {"other/b.md", "todo.md", "0 todo.md, 0 garden/todo.md"},
		{"garden/a.md", "./todo", "0 garden/todo.md"}, {"garden/a.md", "../todo", "0 todo.md"}, {"garden/a.md", "../../todo", ""}, {"garden/a.md", "../x", ""},
		{"todo.md", "Caf\u00e9", "0 Cafe\u0301.md"}, {"todo.md", "caf\u00e9", "1 Cafe\u0301.md"},
		{"todo.md", "memo", "0 sources/memo.md, 0 raw/memo.md"}, {"raw/x.md", "memo", "0 raw/memo.md, 0 sources/memo.md"},
		{"todo.md", "notes.v2", "0 notes.v2.md"}, {"todo.md", "pic.png", "0 assets/pic.png"}, {"todo.md", "pic", ""},
		{"todo.md", "er/x y", "0 deep/er/x y.md"}, {"todo.md", "x-y", "3 deep/er/x y.md"}, {"todo.md", "er/X_Y", "3 deep/er/x y.md"},
		{"todo.md", "wrong/x y", "4 deep/er/x y.md"}, {"todo.md", "wrong/todo", ""},
		{"todo.md", "ana b.", "2 people/ana.md"}, {"todo.md", "A/b", "2 people/ana.md"},
		{"other/b.md", "tea", "0 sub/tea.md, 1 Tea.md"}, {"other/b.md", "TEA", "1 Tea.md, 1 sub/tea.md"}, {"other/b.md", "README", "0 README"},
		{"todo.md", "Leaky Gut", "3 sources/Leaky-Gut.md"}, {"todo.md", "leaky-gut", "1 sources/Leaky-Gut.md"}, {"todo.md", "Leaky", ""},
		{"todo.md", "concepts/Leaky-Gut", "4 sources/Leaky-Gut.md"}, {"todo.md", "sources/Leaky Gut", "3 sources/Leaky-Gut.md"},
		{"todo.md", "", "0 todo.md"}, {"todo.md", "..", ""}, {"todo.md", "/", ""}, {"todo.md", ".", ""}, {"todo.md", "a\x00b", ""},
	}
	for _, dir := range []string{"", t.TempDir()} {
		x := open(t, root, dir)
		for _, tt := range tests {
			var got []string
			for _, m := range x.ResolveLink(tt.from, Link{Target: tt.target, Kind: Wiki}) {
				got = append(got, fmt.Sprint(int(m.How), " ", m.Path))
			}
			if s := strings.Join(got, ", "); s != tt.want {
				t.Errorf("%s [[%s]]: %s, want %s", tt.from, tt.target, s, tt.want)
			}
		}
		for target, want := range map[string]string{"todo.md": "garden/todo.md", "b.md": "other/b.md", "/todo.md": "todo.md", "x-y.md": "", "../Tea.md": "Tea.md"} {
			m := x.ResolveLink("garden/a.md", Link{Target: target, Kind: Markdown})
			if got := fmt.Sprint(m); want == "" && len(m) > 0 || want != "" && (len(m) == 0 || m[0].Path != want) {
				t.Errorf("(%s): %s, want %s", target, got, want)
			}
		}
	}
}

func TestHowOfCase(t *testing.T) { // o-wk-14: hints 0 1 2, warning 3, broken 4, ok 5
	x := open(t, "testdata/cases/o-wk-14/wiki", "")
	p, _ := x.Page("a.md")
	var got []string
	for _, l := range p.Links {
		how := "broken"
		if m := x.ResolveLink("a.md", l); len(m) > 0 {
			how = map[How]string{Exact: "ok", Folded: "hint", NearMiss: "hint", Elsewhere: "warning"}[m[0].How]
		}
		got = append(got, how)
	}
	if s := strings.Join(got, " "); s != "hint hint hint warning broken ok" {
		t.Error(s)
	}
}

func TestSimilar(t *testing.T) { // o-lw-07
	x := open(t, "testdata/cases/o-lw-07/wiki", "")
	got := append(x.Similar("Knowledge-Graph.md", "Knowledge Graph", nil), "Knowledge-Graph.md")
	slices.Sort(got)
	want := []string{"Knowledge-Graph.md", "KnowledgeGraph.md", "knowledge graphs.md", "knowledge-graph-kg.md"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	for _, tt := range []struct{ a, b string }{{"RAG 检索增强", "rag-检索增强"}, {"Café Crème", "cafe-creme"}, {"Ｆｕｌｌ", "full"}} {
		if Idea(tt.a) != Idea(tt.b) {
			t.Errorf("%s and %s: %q, %q", tt.a, tt.b, Idea(tt.a), Idea(tt.b))
		}
	}
	for _, tt := range []struct{ a, b string }{{"ガイド", "カイト"}, {"大语言模型", "断路器"}, {"news", "new"}, {"class", "clas"}} {
		if Idea(tt.a) == Idea(tt.b) {
			t.Errorf("%s and %s are one idea", tt.a, tt.b)
		}
	}
}

func TestBacklinksAndBuffers(t *testing.T) {
	root := lay(t, map[string]string{"a.md": "[[b]] [[c|x]]", "b.md": "# B\nself [[b]]", "d/e.md": "[x](../b.md) [[Bee]]", "c.md": ""})
	x := open(t, root, t.TempDir())
	refs := func(rel string) string {
		var out []string
		for _, r := range x.Backlinks(rel) {
			out = append(out, fmt.Sprint(r.From, ":", r.Link.Start))
		}
		return strings.Join(out, " ")
	}
	check := func(rel, want string) {
		t.Helper()
		if got := refs(rel); got != want {
			t.Errorf("%s: %q, want %q", rel, got, want)
		}
	}
	check("b.md", "a.md:0 d/e.md:0")
	x.SetBuffer("b.md", []byte("---\naliases: Bee\n---\n"))
	check("b.md", "a.md:0 d/e.md:0 d/e.md:13")
	x.SetBuffer("a.md", []byte("nothing"))
	check("b.md", "d/e.md:0 d/e.md:13")
	x.SetBuffer("d/b.md", []byte("# other"))
	x.SetBuffer("d/f.md", []byte("[[b]]"))
	check("d/b.md", "d/f.md:0")
	if p, ok := x.Page("d/b.md"); !ok || p.Title != "other" {
		t.Errorf("page in a buffer: %+v %v", p, ok)
	}
	x.DropBuffer("a.md")
	x.DropBuffer("b.md")
	x.DropBuffer("d/b.md")
	x.DropBuffer("d/f.md")
	check("b.md", "a.md:0 d/e.md:0")
	if _, ok := x.Page("d/b.md"); ok {
		t.Error("a page without buffer and file is still there")
	}
}

// snapshot tells all that an index answers, to compare two.
func snapshot(x *Index) string {
	var b strings.Builder
	for _, p := range x.Paths() {
		page, _ := x.Page(p)
		fmt.Fprintf(&b, "%s %q %q %d\n", p, page.Title, page.Aliases, len(page.Links))
		for _, r := range x.Backlinks(p) {
			fmt.Fprintf(&b, "  < %s:%d\n", r.From, r.Link.Start)
		}
		fmt.Fprintln(&b, "  ~", x.Similar(p, page.Title, page.Aliases))
	}
	return b.String()
}

func TestRefreshIsExact(t *testing.T) {
	root, dir := t.TempDir(), t.TempDir()
	paths, err := indextest.Write(root, indextest.Options{Pages: 600, Seed: 3, Unresolved: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	x := open(t, root, dir)
	same := func(step string) {
		t.Helper()
		fresh := open(t, root, "")
		if got, want := snapshot(x), snapshot(fresh); got != want {
			t.Fatalf("%s: the index differs from one built anew:\n%s", step, firstDifference(got, want))
		}
	}
	same("built")
	write(t, root, paths[0], "# new [["+strings.TrimSuffix(filepath.Base(paths[1]), ".md")+"]]")
	write(t, root, "concepts/made/here.md", "---\naliases: [zzz]\n---\n[[zzz]]")
	for _, p := range paths[10:20] {
		if err := os.Remove(filepath.Join(root, p)); err != nil {
			t.Fatal(err)
		}
	}
	refresh(t, x)
	same("few changes")
	for i, p := range paths[100:500] { // more than memory is meant for: goes to a segment
		write(t, root, p, fmt.Sprintf("# moved %d\n[[zzz]] [[%d]]\n", i, i))
	}
	refresh(t, x)
	same("many changes")
	if err := os.Rename(filepath.Join(root, "concepts"), filepath.Join(root, "notions")); err != nil {
		t.Fatal(err)
	}
	refresh(t, x)
	same("folder renamed")
	if err := x.Changed(context.Background(), "nothing/here.md", paths[0]); err != nil {
		t.Fatal(err)
	}
	again := open(t, root, dir)
	if got, want := snapshot(again), snapshot(x); got != want {
		t.Fatalf("kept index: %s", firstDifference(got, want))
	}
	if w := x.Warnings(); len(w) > 0 {
		t.Error(w)
	}
}

func refresh(t testing.TB, x *Index) {
	t.Helper()
	if err := x.Refresh(context.Background()); err != nil {
		t.Fatal(err)
	}
}

func firstDifference(a, b string) string {
	la, lb := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range la {
		if i >= len(lb) || la[i] != lb[i] {
			return fmt.Sprintf("line %d:\n got %s\nwant %s", i, la[i], strings.Join(lb[min(i, len(lb)):min(i+1, len(lb))], ""))
		}
	}
	return "the second is longer"
}

func TestOpenSeesWhatCameAndWent(t *testing.T) {
	root, dir := lay(t, map[string]string{"a.md": "[[b]]", "b.md": "# B", "d/x.md": "# X"}), t.TempDir()
	open(t, root, dir)
	write(t, root, "d/new/y.md", "# Y")
	if err := os.Remove(filepath.Join(root, "b.md")); err != nil {
		t.Fatal(err)
	}
	write(t, root, "tmp", "---\naliases: [Gee]\n---\n") // an editor's way to save: other file, renamed over
	if err := os.Rename(filepath.Join(root, "tmp"), filepath.Join(root, "d/x.md")); err != nil {
		t.Fatal(err)
	}
	x := open(t, root, dir)
	if got := x.Paths(); !slices.Equal(got, []string{"a.md", "d/new/y.md", "d/x.md"}) {
		t.Error(got)
	}
	if got := x.Resolve("a.md", "Gee"); !slices.Equal(got, []string{"d/x.md"}) {
		t.Error(got)
	}
	write(t, root, "d/x.md", "---\naliases: [Haa]\n---\n# long enough to differ in size")
	if p, ok := x.Page("d/x.md"); !ok || p.Aliases[0] != "Haa" {
		t.Errorf("%+v", p)
	}
	if got := x.Resolve("a.md", "Haa"); !slices.Equal(got, []string{"d/x.md"}) {
		t.Errorf("an alias of a page that was asked for: %v", got)
	}
}

func TestBrokenIndexIsBuiltAnew(t *testing.T) {
	root := lay(t, map[string]string{"a.md": "[[b]]", "b.md": "# B\nwater"})
	for _, spoil := range []func(file string, b []byte) []byte{
		func(_ string, b []byte) []byte { return b[:len(b)/2] },
		func(_ string, b []byte) []byte { b[len(b)/2] ^= 0xff; return b },
		func(_ string, b []byte) []byte { return nil },
		func(_ string, b []byte) []byte { return []byte("rigname0 and something of another version") },
	} {
		dir := t.TempDir()
		open(t, root, dir)
		files, _ := filepath.Glob(filepath.Join(dir, "*"))
		for _, f := range files {
			if strings.HasSuffix(f, textSuffix) {
				continue
			}
			b, _ := os.ReadFile(f)
			if len(b) > 0 {
				if err := os.WriteFile(f, spoil(f, b), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		x := open(t, root, dir)
		if got := x.Backlinks("b.md"); len(got) != 1 {
			t.Errorf("backlinks %v", got)
		}
		if got := x.Search("water", 5); len(got) != 1 {
			t.Errorf("hits %v", got)
		}
		if w := x.Warnings(); len(w) != 1 || !strings.Contains(w[0], "built anew") {
			t.Errorf("warnings %q", w)
		}
	}
}
