package wiki

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rigwiki/rig/sandbox"
	"github.com/rigwiki/rig/wiki/index"
)

const schemaWithFront = "schema.md=Each page has YAML front matter. Folders: methods/\n"

func judgedIn(t *testing.T, w *Wiki, list ...sandbox.Change) Judgement {
	t.Helper()
	view, err := index.Open(context.Background(), index.Options{Root: w.Real, Hide: HideEntry})
	must(t, err)
	defer view.Close()
	slices.SortFunc(list, func(a, b sandbox.Change) int { return strings.Compare(a.Path, b.Path) })
	return Judge(Input{Wiki: w, Config: Defaults(), Op: "ingest", Writes: true, Changes: sandbox.Changes{List: list}, View: view})
}

func front(sources, body string) string {
	return "---\ntype: concept\nsources: " + sources + "\n---\n" + body
}

func TestLinkFlags(t *testing.T) {
	w := flatWiki(t, "schema.md=plain\n", "raw/tea.md=tea\n", "img/a.png=x", "entities/gofmt.md=# gofmt\n\nSee [[compat]].\n", "concepts/compat.md=# Compatibility\n", "concepts/only.md=# Only\n\n[gofmt](../entities/gofmt.md)\n",
		"index.md=# Index\n- [[gofmt]]\n- [[compat|Compatibility]]\n- [[gone]]\n")
	read := func(rel string) string {
		text, err := os.ReadFile(filepath.Join(w.Real, rel))
		must(t, err)
		return string(text)
	}
	indexText, gofmt, only := read("index.md"), read("entities/gofmt.md"), read("concepts/only.md")
	tests := []struct {
		name string
		list []sandbox.Change
		want []string
	}{
		{"links that lead somewhere", []sandbox.Change{create("sources/embed.md", "# Embed\n\nSee [[gofmt]], [[Compat#x|c]], [[raw/tea]], ![](../img/a.png), [[#here]], <https://x.org>, [m](mailto:a@b.c), `[[code]]`.\n")}, []string{"create sources/embed.md"}},
		{"links among new pages", []sandbox.Change{create("sources/embed.md", "# Embedding\n[[embed-fs]] [[EMBED FS title]]\n"), create("concepts/embed-fs.md", "# embed fs title\n[[sources/embed]] [up](../sources/embed.md)\n")}, []string{"create concepts/embed-fs.md", "create sources/embed.md"}},
		{"an alias that is new", []sandbox.Change{create("sources/embed.md", "[[formatter]]\n"), edit("entities/gofmt.md", gofmt, "---\naliases: [Formatter]\n---\n"+gofmt)}, []string{"edit entities/gofmt.md", "create sources/embed.md"}},
		{"broken", []sandbox.Change{create("sources/embed.md", "[[nowhere]] [x](../raw/ghost.md)\n")}, []string{"create sources/embed.md new-broken-link"}},
		{"broken before is let be", []sandbox.Change{edit("index.md", indexText, indexText+"- [[only]]\n")}, []string{"edit index.md"}},
		{"to a page that this run deletes", []sandbox.Change{remove("concepts/only.md", only), create("sources/embed.md", "[o](../concepts/only.md)\n")}, []string{"delete concepts/only.md deletes-page", "create sources/embed.md new-broken-link"}},
		{"links left behind by a deletion", []sandbox.Change{remove("concepts/compat.md", "# Compatibility\n")}, []string{"delete concepts/compat.md deletes-page new-broken-link"}},
		{"links that go with it", []sandbox.Change{remove("concepts/compat.md", "# Compatibility\n"), edit("index.md", indexText, strings.Replace(indexText, "- [[compat|Compatibility]]\n", "", 1)), edit("entities/gofmt.md", gofmt, "# gofmt\n")},
			[]string{"delete concepts/compat.md deletes-page", "edit entities/gofmt.md", "edit index.md"}},
		{"renamed to another folder", []sandbox.Change{remove("concepts/compat.md", "# Compatibility\n"), create("synthesis/compat.md", "# Compatibility\n")}, []string{"rename synthesis/compat.md from concepts/compat.md"}},
		{"renamed to another name", []sandbox.Change{remove("concepts/compat.md", "# Compatibility\n"), create("concepts/promise.md", "# Compatibility\n")}, []string{"rename concepts/promise.md from concepts/compat.md new-broken-link"}},
		{"moved with a relative link", []sandbox.Change{remove("concepts/only.md", only), create("only.md", only)}, []string{"rename only.md from concepts/only.md new-broken-link"}},
		{"out of the wiki", []sandbox.Change{create("a.md", "[x](../../../../../../../etc/passwd)\n")}, []string{"create a.md new-broken-link"}},
		{"index entry dropped", []sandbox.Change{edit("index.md", indexText, "# Index\n- [[entities/gofmt]]\n")}, []string{"edit index.md drops-index-entries"}},
		{"index entry of a deleted page", []sandbox.Change{remove("concepts/only.md", only), edit("index.md", indexText+"- [[only]]\n", indexText)}, []string{"delete concepts/only.md deletes-page", "edit index.md"}},
		{"dead entry dropped", []sandbox.Change{edit("index.md", indexText, strings.Replace(indexText, "- [[gone]]\n", "", 1))}, []string{"edit index.md"}},
		{"duplicate", []sandbox.Change{create("concepts/Gofmt.md", "x\n")}, []string{"create concepts/Gofmt.md duplicate-page"}},
		{"duplicate within the run", []sandbox.Change{create("concepts/new-idea.md", "x\n"), create("entities/new-ideas.md", "y\n")}, []string{"create concepts/new-idea.md", "create entities/new-ideas.md duplicate-page"}},
		{"a source in raw is no duplicate", []sandbox.Change{create("sources/tea.md", "x\n")}, []string{"create sources/tea.md"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { same(t, judgedIn(t, w, tt.list...), tt.want...) })
	}
}

// o-lw-03: a rewritten index lost most of its entries.
func TestIndexEntriesDropped(t *testing.T) {
	files := []string{"schema.md=x\n", "raw/"}
	for i := range 41 {
		files = append(files, fmt.Sprintf("p/page-%02d.md=# Page %d\n", i, i))
	}
	w := flatWiki(t, files...)
	before, err := os.ReadFile("testdata/o-lw-03/before/index.md")
	must(t, err)
	after, err := os.ReadFile("testdata/o-lw-03/after/index.md")
	must(t, err)
	j := judgedIn(t, w, edit("index.md", string(before), string(after)))
	for _, f := range j.Files[0].Flags {
		if f.Rule == "drops-index-entries" && strings.HasPrefix(f.Reason, "28 entries") && strings.Contains(f.Reason, "p/page-12") {
			return
		}
	}
	t.Errorf("flags %+v", j.Files[0].Flags)
}

func TestFrontMatterFlags(t *testing.T) {
	w := flatWiki(t, schemaWithFront, "raw/tea.md=tea\n", "raw/sub/Tee und Wasser.md=tee\n", "sources/tea.md=# Tea\n")
	lw05, err := os.ReadFile("testdata/o-lw-05/e.md")
	must(t, err)
	fence, err := os.ReadFile("testdata/o-lw-01/kettle.md")
	must(t, err)
	tests := []struct {
		name   string
		change sandbox.Change
		want   string
	}{
		{"slug, path, URL, wikilink", create("concepts/a.md", front(`[tea, raw/tea.md, "[[tea]]", "[[sources/tea|Tea]]", sources/tea.md, https://example.org/t]`, "# A\n")), ""},
		{"o-lw-05", create("concepts/e.md", string(lw05)), "sources-not-raw"},
		{"a page that is no source", create("concepts/a.md", front("[index.md]", "# A\n")), "sources-not-raw"},
		{"bad before is let be", edit("concepts/a.md", front("[ghost]", "# A\n"), front("[ghost, tea]", "# A\nmore\n")), ""},
		{"itself", create("sources/new.md", front("[new]", "# New\n")), ""},
		{"no front matter", create("concepts/a.md", "# A\n"), "missing-front-matter"},
		{"a folder of the schema", create("methods/a.md", "# A\n"), "missing-front-matter"},
		{"another folder", create("notes/a.md", "# A\n"), ""},
		{"shared page", create("overview.md", "# A\n"), ""},
		{"an index below", create("concepts/index.md", "# A\n"), ""},
		{"in a code fence", create("concepts/kettle.md", string(fence)), "missing-front-matter"},
		{"lost", edit("notes/a.md", front("[tea]", "# A\n"), "# A\n"), "missing-front-matter"},
		{"never had", edit("concepts/a.md", "# A\n", "# A\nmore\n"), ""},
		{"broken", edit("concepts/a.md", front("[tea]", "# A\n"), "---\ntype: [x\n---\n# A\n"), "missing-front-matter"},
		{"contradiction kept", edit("concepts/a.md", "> Contradiction: 1 vs 2 (see [[tea]], [[a]])\n", "new\n> **Contradiction**: one against two ([[a]], [[tea]])\n"), ""},
		{"contradiction dropped", edit("concepts/a.md", "a\n> Contradiction: 1 vs 2 (see [[tea]], [[a]])\n", "a\n"), "drops-contradiction"},
		{"one of two alike dropped", edit("concepts/a.md", "> Contradiction: x\n> Contradiction: x\n", "> Contradiction: x\n"), "drops-contradiction"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			j := judgedIn(t, w, tt.change)
			if len(j.Files) != 1 {
				t.Fatal(sum(j))
			}
			if got := rules(j.Files[0].Flags); got != tt.want {
				t.Errorf("flags %q, want %q: %+v", got, tt.want, j.Files[0].Flags)
			}
		})
	}
	j := judgedIn(t, w, create("concepts/e.md", string(lw05)))
	if r := j.Files[0].Flags[0].Reason; !strings.HasPrefix(r, "4 of its sources") || strings.Contains(r, "raw/tea.md") {
		t.Errorf("reason %q", r)
	}
	j = judged(flatWiki(t, "schema.md=plain\n", "raw/"), create("concepts/a.md", "# A\n"))
	same(t, j, "create concepts/a.md")
}
