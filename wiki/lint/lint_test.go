package lint

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rigwiki/rig/wiki/index"
)

func rules() Rules {
	return Rules{
		Human: []string{"raw", "purpose.md", "schema.md"}, Shared: []string{"index.md", "overview.md", "log.md", "reviews.md"},
		Folders: []string{"sources", "entities", "concepts", "synthesis", "queries"},
	}
}

func open(t testing.TB, root string) *index.Index {
	t.Helper()
	x, err := index.Open(context.Background(), index.Options{Root: root})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	return x
}

func all(t testing.TB, x *index.Index, r Rules) []Finding {
	t.Helper()
	found, err := All(context.Background(), x, r)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func lay(t testing.TB, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// lines writes findings of some codes as "path:line code".
func lines(found []Finding, codes ...string) string {
	var out []string
	for _, f := range found {
		if slices.Contains(codes, f.Code) {
			out = append(out, fmt.Sprintf("%s:%d %s", f.Path, f.Line, f.Code))
		}
	}
	return strings.Join(out, ", ")
}

func TestCases(t *testing.T) {
	links := []string{"broken-link", "broken-heading", "broken-block", "broken-embed"}
	for _, tt := range []struct {
		dir   string
		codes []string
		want  string
	}{
		{"o-lw-01/wiki", []string{"page-in-code-fence"}, "kettle.md:1 page-in-code-fence"},
		{"o-lw-02/wiki", []string{"index-missing-page", "index-dead-entry", "orphan", "broken-link"},
			"concepts/glaze.md:1 index-missing-page, entities/kiln.md:1 index-missing-page, index.md:5 index-dead-entry"},
		{"o-lw-05", []string{"bad-source"}, "wiki/e.md:4 bad-source, wiki/e.md:5 bad-source, wiki/e.md:6 bad-source, wiki/e.md:7 bad-source"},
		{"o-lw-06/wiki", append(links, "orphan"), "entities/lonely.md:1 orphan"},
		{"o-wk-04/wiki", append(links, "ambiguous-link"), "garden/a.md:1 ambiguous-link, other/b.md:1 ambiguous-link"},
		{"o-wk-05/wiki", links, "src.md:8 broken-heading"},
		{"o-wk-07/wiki", links, "page.md:5 broken-block, page.md:6 broken-embed, page.md:7 broken-embed"},
		{"o-wk-08/wiki", append(links, "frontmatter-yaml", "orphan"), "adr.md:2 frontmatter-yaml"},
		{"o-wk-10/wiki", append(links, "frontmatter-yaml", "duplicate-frontmatter"), ""},
		{"o-wk-11/wiki", []string{"tags-not-list", "title-not-text", "frontmatter-yaml"}, "d.md:3 tags-not-list, l.md:2 title-not-text"},
		{"o-wk-14/wiki", append(links, "non-canonical-link"),
			"a.md:1 non-canonical-link, a.md:2 non-canonical-link, a.md:3 non-canonical-link, a.md:4 non-canonical-link, a.md:5 broken-link"},
		{"o-wk-15/wiki", append(links, "toml-frontmatter", "missing-front-matter", "frontmatter-yaml"), "pots.md:1 toml-frontmatter"},
	} {
		if got := lines(all(t, open(t, "testdata/"+tt.dir), rules()), tt.codes...); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.dir, got, tt.want)
		}
	}
	found := all(t, open(t, "testdata/o-lw-07/wiki"), rules())
	if got := lines(found, "duplicate-page"); strings.Count(got, ",") != 3 || strings.Contains(got, "Graph.md:1,") && strings.HasPrefix(got, "Graph.md") {
		t.Errorf("o-lw-07: %s", got)
	}
}

func TestSeverities(t *testing.T) {
	x := open(t, "testdata/o-wk-14/wiki")
	var got []string
	for _, f := range Page(x, rules(), "a.md") {
		if f.Code == "non-canonical-link" {
			got = append(got, string(f.Severity))
		}
	}
	if s := strings.Join(got, " "); s != "hint hint hint warning" {
		t.Error(s)
	}
	broken := index.Link{Target: "Leaky", Kind: index.Wiki}
	if got := Suggest(x, "a.md", broken); !slices.Equal(got, []string{"sources/Leaky-Gut.md"}) {
		t.Errorf("suggestions %v", got)
	}
}

// mend applies the first fix of the findings of a code, last one first.
func mend(t *testing.T, text string, found []Finding, code string) string {
	t.Helper()
	for _, f := range slices.Backward(found) {
		if f.Code != code || len(f.Fixes) == 0 {
			continue
		}
		for _, e := range slices.Backward(f.Fixes[0].Edits) {
			text = text[:e.Start] + e.Text + text[e.End:]
		}
	}
	return text
}

func TestFixes(t *testing.T) {
	for _, tt := range []struct{ code, page, text, want string }{
		{"non-canonical-link", "a.md", "x [[Leaky Gut#h|y]] [[concepts/leaky-gut]]", "x [[sources/Leaky-Gut#h|y]] [[sources/Leaky-Gut]]"},
		{"frontmatter-yaml", "a.md", "---\ntitle: a: b\n---\nx", "---\ntitle: \"a: b\"\n---\nx"},
		{"tags-not-list", "a.md", "---\ntags: a, b\n---\nx", "---\ntags: [a, b]\n---\nx"},
		{"missing-front-matter", "concepts/a.md", "# A: b\r\nx", "---\r\ntitle: \"A: b\"\r\n---\r\n# A: b\r\nx"},
		{"missing-front-matter", "concepts/a.md", "\ufeff# A\nx", "\ufeff---\ntitle: A\n---\n# A\nx"},
		{"broken-heading", "a.md", "# Green tea\n[[#Gren tea|x]] [m](#gren-tea) [[#red]] [[a#Green#Gren tea]] | [[#Green tae\\|y]] [n](<a.md#geen-tea> \"t\")", "# Green tea\n[[#Green tea|x]] [m](#green-tea) [[#red]] [[a#Green#Gren tea]] | [[#Green tea\\|y]] [n](<a.md#green-tea> \"t\")"},
		{"index-dead-entry", "index.md", "# I\n- [[gone]]\n- [[sources/Leaky-Gut]]\n", "# I\n- [[sources/Leaky-Gut]]\n"},
		{"page-in-code-fence", "a.md", "```md\n# T\n```x\n```\n```\n", "# T\n```x\n```\n"},
		{"page-in-code-fence", "a.md", "```\n# comment of a shell\n```\ntext\n```\nx\n```\n", "```\n# comment of a shell\n```\ntext\n```\nx\n```\n"},
	} {
		x := open(t, lay(t, map[string]string{"sources/Leaky-Gut.md": "# L", tt.page: tt.text}))
		if got := mend(t, tt.text, Page(x, rules(), tt.page), tt.code); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.code, got, tt.want)
		}
	}
	kettle, _ := os.ReadFile("testdata/o-lw-01/wiki/kettle.md")
	fixed, _ := os.ReadFile("testdata/o-lw-01/fixed.md")
	if got := mend(t, string(kettle), Page(open(t, "testdata/o-lw-01/wiki"), rules(), "kettle.md"), "page-in-code-fence"); got != string(fixed) {
		t.Errorf("o-lw-01: %q", got)
	}
}

func TestEnlist(t *testing.T) {
	for listing, want := range map[string]string{
		"# Index\n\n## Concepts\n- [[b]]\n\n## Queries\n": "# Index\n\n## Concepts\n- [[b]]\n- [[a]] — The A\n\n## Queries\n",
		"# Index\n- [[b]]\n":                              "# Index\n- [[b]]\n- [[a]] — The A\n",
		"":                                                "\n- [[a]] — The A",
	} {
		x := open(t, lay(t, map[string]string{"index.md": listing, "concepts/a.md": "# The A\n[[b]]", "concepts/b.md": "# B\n[[a]]"}))
		if got := mend(t, listing, Page(x, rules(), "concepts/a.md"), "index-missing-page"); got != want {
			t.Errorf("%q: %q", listing, got)
		}
	}
}

// TestEnlistAwkward: an entry means its page where others have the name, and a title that is binary or of several lines leaves the index a text.
func TestEnlistAwkward(t *testing.T) {
	const listing = "# Index\n"
	for page, want := range map[string]string{
		"# A \x00b\xff\x1b[1m\n":                   "- [[a]] — A b[1m\n",
		"---\ntitle: \"A\\nB\\t C\"\n---\nText.\n": "- [[a]] — A B C\n",
		"# \x00\n": "- [[a]]\n",
	} {
		x := open(t, lay(t, map[string]string{"index.md": listing, "concepts/a.md": page}))
		if got := mend(t, listing, Page(x, rules(), "concepts/a.md"), "index-missing-page"); got != listing+want {
			t.Errorf("%q: %q", page, got)
		}
	}
	x := open(t, lay(t, map[string]string{"index.md": listing, "concepts/a.md": "# a\n", "entities/a.md": "# a\n"}))
	for _, page := range []string{"concepts/a", "entities/a"} {
		if got := mend(t, listing, Page(x, rules(), page+".md"), "index-missing-page"); got != listing+"- [["+page+"]]\n" {
			t.Errorf("%s: %q", page, got)
		}
	}
}

func TestProposedPagesAreBuffers(t *testing.T) {
	x := open(t, lay(t, map[string]string{"index.md": "- [[a]]", "concepts/a.md": "---\ntype: concept\n---\n[[new]]"}))
	if got := lines(Page(x, rules(), "concepts/a.md"), "broken-link"); got != "concepts/a.md:4 broken-link" {
		t.Error(got)
	}
	x.SetBuffer("concepts/new.md", []byte("---\ntype: concept\n---\n# New\n[[gone]]"))
	if got := lines(append(Page(x, rules(), "concepts/a.md"), Page(x, rules(), "concepts/new.md")...), "broken-link", "index-missing-page"); got != "concepts/new.md:1 index-missing-page, concepts/new.md:5 broken-link" {
		t.Error(got)
	}
}

func TestCollisionsAndConflicts(t *testing.T) {
	x := open(t, t.TempDir())
	for _, p := range []string{"Tea.md", "tea.md", "tea.sync-conflict-20260301-101112-ABCDEF1.md"} {
		x.SetBuffer(p, []byte("# T\n[[Tea]] [[tea]]"))
	}
	if got := lines(all(t, x, rules()), "case-collision"); got != "tea.md:1 case-collision" {
		t.Error(got)
	}
	x = open(t, lay(t, map[string]string{"tea.md": "x", "tea.sync-conflict-20260301-101112-ABCDEF1.md": "x"}))
	if got := lines(all(t, x, rules()), "sync-conflict"); got != "tea.sync-conflict-20260301-101112-ABCDEF1.md:1 sync-conflict" {
		t.Error(got)
	}
}

func FuzzPage(f *testing.F) {
	x, err := index.Open(f.Context(), index.Options{Root: "testdata/o-lw-02/wiki"})
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range []string{"---\na: b: c\n---\n[[x]]", "```md\n# T\n```\n", "[a](<b c.md>) ![[x#^y]]", "\ufeff---\n---\n---\n---\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		x.SetBuffer("concepts/fuzz.md", text)
		for _, found := range Page(x, rules(), "concepts/fuzz.md") {
			if found.Start < 0 || found.End > len(text) || found.Start > found.End || found.Line < 1 {
				t.Fatalf("%q: %+v", text, found)
			}
			for _, fix := range found.Fixes {
				for _, e := range fix.Edits {
					if e.Path == "concepts/fuzz.md" && (e.Start < 0 || e.End > len(text) || e.Start > e.End) {
						t.Fatalf("%q: %+v", text, fix)
					}
				}
			}
		}
	})
}

// TestOddSourcePaths: a path that goes up and comes back stays in the wiki, and is told how to be written; one that does not leaves it.
func TestOddSourcePaths(t *testing.T) {
	for entry, want := range map[string]string{
		"raw/../log.md": `goes through "..": write log.md`, "raw/x/../a.md": `goes through "..": write raw/a.md`, "raw/..": `goes through "..": write .`,
		"raw/../../a.md": "leaves the wiki", "../a.md": "leaves the wiki", "..": "leaves the wiki", "raw/../..": "leaves the wiki",
	} {
		if got := (&page{}).badSource(entry); got != want {
			t.Errorf("%s %s, want %s", entry, got, want)
		}
	}
}
