package lint

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rigwiki/rig/wiki/index"
)

// TestFolders is case o-lw-04: a folder that the schema does not know, and a type that lies in another folder.
func TestFolders(t *testing.T) {
	r := rules()
	r.Pages = "wiki"
	r.Known = []string{"wiki/entities", "wiki/concepts", "wiki/methodology"}
	r.Types = map[string]string{"entity": "wiki/entities", "concept": "wiki/concepts", "methodology": "wiki/methodology"}
	x := open(t, lay(t, map[string]string{
		"wiki/methodologies/firing.md": "---\ntype: methodology\n---\n# Firing\n", "wiki/concepts/oven.md": "---\ntype: entity\n---\n# Oven\n", "wiki/methodology/glazing.md": "---\ntype: methodology\n---\n# G\n",
		"wiki/conecpts/clay.md": "# Clay\n", "wiki/diary/today.md": "# Today\n", "wiki/loose.md": "# Loose\n", "elsewhere/x.md": "# X\n", "wiki/concepts/deep/y.md": "---\ntype: concept\n---\n# Y\n",
	}))
	var got []string
	for _, f := range all(t, x, r) {
		if f.Code == "unknown-directory" || f.Code == "type-directory-mismatch" {
			to := ""
			if len(f.Fixes) > 0 {
				to = f.Fixes[0].Move
			}
			got = append(got, fmt.Sprint(f.Path, " ", f.Line, " ", f.Code, " ", f.Severity, " ", to))
		}
	}
	want := []string{"wiki/concepts/oven.md 2 type-directory-mismatch warning wiki/entities/oven.md", "wiki/conecpts/clay.md 1 unknown-directory warning wiki/concepts/clay.md",
		"wiki/diary/today.md 1 unknown-directory hint ", "wiki/methodologies/firing.md 1 unknown-directory warning wiki/methodology/firing.md"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestPlaceholders is case o-lw-03 and its like: text that stands for text, and text that only looks so.
func TestPlaceholders(t *testing.T) {
	if got := lines(all(t, open(t, "testdata/o-lw-03"), rules()), "placeholder-text"); !strings.HasPrefix(got, "index.md:") || strings.Contains(got, ",") {
		t.Errorf("o-lw-03: %s", got)
	}
	for _, text := range []string{
		"... (28 more entries unchanged)", "- … 12 other pages as before", "[rest of the page unchanged]", "<!-- existing content here -->", "The rest is unchanged.", "(remaining sections omitted)",
		"[TODO: describe the kiln]", "TODO", "TBD: dates", "*The table was shortened for brevity.*", "Lorem ipsum dolor sit amet", "<insert summary>", "> ... previous content ...",
	} {
		x := open(t, lay(t, map[string]string{"a.md": "# A\n\n" + text + "\n"}))
		if got := lines(Page(x, rules(), "a.md"), "placeholder-text"); got != "a.md:3 placeholder-text" {
			t.Errorf("%q: %s", text, got)
		}
	}
	for _, text := range []string{
		"The old octal form stays valid; the rest of the grammar is unchanged from the previous release.", "Insert the key and turn it.", "Existing programs keep working.", "The remaining 20 pages of the report describe glazes.",
		"```\n... (28 more entries unchanged)\n```", "    ... (28 more lines unchanged)", "[insert](https://example.org)", "Todo lists are pages.", "The interface is unchanged.", "See [todo](todo.md).",
	} {
		x := open(t, lay(t, map[string]string{"a.md": "# A\n\n" + text + "\n"}))
		if got := lines(Page(x, rules(), "a.md"), "placeholder-text"); got != "" {
			t.Errorf("%q: %s", text, got)
		}
	}
}

func TestContradictions(t *testing.T) {
	x := open(t, lay(t, map[string]string{
		"concepts/a.md": "# A\n\n> Contradiction: a year vs a month (see [[a]], [[b]])\n\n> [!contradiction] colours\n> [[c]] says red.\n",
		"concepts/b.md": "# B\n\n> **Contradiction**: a month vs a year (see [[a]], [[b]])\n", "concepts/c.md": "# C\n\nRed. A contradiction: in prose.\n\n```\n> Contradiction: [[a]]\n```\n",
	}))
	want := "concepts/a.md:3 contradiction, concepts/a.md:5 one-sided-contradiction, concepts/a.md:5 contradiction, concepts/b.md:3 contradiction"
	if got := lines(all(t, x, rules()), "contradiction", "one-sided-contradiction"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestReviewsAndLog(t *testing.T) {
	for _, tt := range []struct{ log, want string }{
		{"# Log\n\n## 2026-09-01 — ingest a\n\n## 2026-10-01 — ingest b\n", ""},
		{"# Log\n\n## 2026-10-01 — ingest a\n\n## 2026-09-01 — ingest b\n", "log.md:5 log-order"},
		{"## [2026-09-01] ingest | A\n## [2026-10-01] ingest | B\n## [2026-09-15] ingest | C\n## [2026-09-20] ingest | D\n## [2026-10-02] ingest | E\n", "log.md:3 log-order, log.md:4 log-order"},
		{"## 2026-10-03\n## 2026-10-02\n## 2026-10-01\n", ""}, // the newest first, throughout
		{"## 2026-10-01T10:00:00Z — a\n## 2026-10-01T09:59:00Z — b\n", "log.md:2 log-order"},
		{"## 2026-10-01 10:00 — a\n## 2026-10-01 — b\n## 2026-10-01 11:00 — c\n", ""},
		{"```\n## 2026-10-01\n## 2026-09-01\n```\n## older notes\n", ""},
	} {
		if got := lines(Page(open(t, lay(t, map[string]string{"log.md": tt.log, "other/log.md": tt.log})), rules(), "log.md"), "log-order"); got != tt.want {
			t.Errorf("%q: %s, want %s", tt.log, got, tt.want)
		}
	}
	x := open(t, lay(t, map[string]string{"reviews.md": "# Reviews\n\n- [ ] Is it so? ([[a]])\n- [x] It was.\n  * [ ] And this?\n```\n- [ ] code\n```\n- [ ]\n", "a.md": "- [ ] a task\n"}))
	if got := lines(all(t, x, rules()), "open-review"); got != "reviews.md:3 open-review, reviews.md:5 open-review" {
		t.Error(got)
	}
}

// TestSuggestTypos: did-you-mean finds names that are mistyped, letters swapped among them, also where the search knows the words.
func TestSuggestTypos(t *testing.T) {
	x := open(t, lay(t, map[string]string{
		"concepts/compost.md": "# Compost\n", "concepts/water-temperature.md": "# Water temperature\n", "entities/gooseneck-kettle.md": "---\naliases: [Gooseneck]\n---\n# Gooseneck kettle\n",
		"a.md": "[[compsot]] [[copmost]] [[ompost]] [[water-temprature]] [[gooseneck-kettel]] [[zebra]] [[Kompost]]\n", "files/compsot.txt": "x",
	}))
	for target, want := range map[string]string{"compsot": "concepts/compost.md", "copmost": "concepts/compost.md", "ompost": "concepts/compost.md", "Kompost": "concepts/compost.md",
		"water-temprature": "concepts/water-temperature.md", "gooseneck-kettel": "entities/gooseneck-kettle.md", "zebra": ""} {
		got := Suggest(x, "a.md", index.Link{Target: target, Kind: index.Wiki})
		if (len(got) > 0) != (want != "") || want != "" && got[0] != want {
			t.Errorf("%s: %v, want %s", target, got, want)
		}
	}
}
