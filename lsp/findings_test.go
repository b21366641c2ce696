package lsp

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rigwiki/rig/lsp/lsptest"
)

type wireReport struct {
	Kind, ResultID string
	Items          []wireFinding
}

type wireFinding struct {
	Range         wireRange
	Code, Message string
}

func (d *study) pull(rel, previous string) wireReport {
	d.t.Helper()
	more := map[string]any{}
	if previous != "" {
		more["previousResultId"] = previous
	}
	var got wireReport
	if err := d.ask("textDocument/diagnostic", rel, "", more, &got); err != nil {
		d.t.Fatal(err)
	}
	return got
}

func codes(list []wireFinding) string {
	var out []string
	for _, f := range list {
		out = append(out, f.Code+" "+f.Range.String())
	}
	return strings.Join(out, ", ")
}

// TestPullDiagnostics is cases o-ls-01 and o-wk-14: positions in each encoding; an answer that did not change is said to be so; a client that pulls is
// not pushed the same, and is asked to pull again when another page changes what is right.
func TestPullDiagnostics(t *testing.T) {
	for enc, want := range map[string]string{
		"utf-16": "broken-link 1:20-1:36, broken-link 2:4-2:16, broken-link 3:9-3:18, broken-link 4:6-4:15",
		"utf-8":  "broken-link 1:24-1:40, broken-link 2:12-2:38, broken-link 3:12-3:22, broken-link 4:6-4:15",
		"utf-32": "broken-link 1:18-1:34, broken-link 2:4-2:16, broken-link 3:9-3:18, broken-link 4:6-4:15",
	} {
		d := newStudy(t, full(enc), "", map[string]string{"page.md": string(input(t, "o-ls-01", "page.md"))})
		if got := codes(d.pull("page.md", "").Items); got != want {
			t.Errorf("%s: %s, want %s", enc, got, want)
		}
	}
	d := studyOn(t, full("utf-16"), "", testdata(t)+"/o-wk-14/wiki")
	first := d.pull("a.md", "")
	if got, want := codes(first.Items), "non-canonical-link 0:0-0:13, non-canonical-link 1:0-1:13, non-canonical-link 2:0-2:21, non-canonical-link 3:0-3:22, broken-link 4:0-4:9"; got != want {
		t.Errorf("o-wk-14: %s, want %s", got, want)
	}
	if again := d.pull("a.md", first.ResultID); again.Kind != "unchanged" || again.ResultID != first.ResultID {
		t.Errorf("again: %+v", again)
	}
	write(t, d.path("leaky.md"), "# L\n")
	d.e.Notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": lsptest.URI(d.path("leaky.md")), "type": 1}}})
	d.e.Until("the wish to pull again", func() bool { return len(d.e.HeldRequests("workspace/diagnostic/refresh")) > 0 })
	if now := d.pull("a.md", first.ResultID); now.Kind != "full" || strings.Contains(codes(now.Items), "broken-link") {
		t.Errorf("after the page came: %+v", now)
	}
	if pushed := d.e.Notes("textDocument/publishDiagnostics"); len(pushed) > 0 {
		t.Errorf("pushed as well: %s", pushed)
	}
}

func TestPushedFindings(t *testing.T) {
	root := newWiki(t, map[string]string{"concepts/a.md": "# A\n\n[[nope]]\n"})
	d := studyOn(t, lsptest.VSCode(), "", root)
	d.open("concepts/a.md")
	d.e.Until("the findings", func() bool {
		last := lastFindings(d.e, d.path("concepts/a.md"))
		return strings.Contains(last, "broken-link") && strings.Contains(last, "index-missing-page")
	})
}

// TestFindingsOfOtherPages: an edit in a buffer makes the findings of the other open pages right, whether they are pushed or pulled.
func TestFindingsOfOtherPages(t *testing.T) {
	pages := map[string]string{"concepts/a.md": "# A\n\n[[b]]\n", "concepts/b.md": "# B\n\n[[a#Later]]\n", "concepts/c.md": "# C\n\n[[a]]\n"}
	pushed := studyOn(t, lsptest.VSCode(), "", newWiki(t, pages))
	for rel := range pages {
		pushed.open(rel)
	}
	says := func(rel, code string) func() bool {
		return func() bool { return strings.Contains(lastFindings(pushed.e, pushed.path(rel)), code) }
	}
	pushed.e.Until("the broken heading", says("concepts/b.md", "broken-heading"))
	pushed.e.Until("the orphan", says("concepts/c.md", `"orphan"`))
	pushed.e.Change(pushed.path("concepts/a.md"), "# A\n\n[[b]] [[c]]\n\n## Later\n")
	pushed.e.Until("the heading", func() bool { return !says("concepts/b.md", "broken-heading")() })
	pushed.e.Until("the link", func() bool { return !says("concepts/c.md", `"orphan"`)() })

	pulled := studyOn(t, full("utf-16"), "", newWiki(t, pages))
	pulled.open("concepts/a.md")
	if got := codes(pulled.pull("concepts/b.md", "").Items); !strings.Contains(got, "broken-heading") {
		t.Error(got)
	}
	pulled.e.Change(pulled.path("concepts/a.md"), "# A\n\n[[b]]\n\n## Later\n")
	pulled.e.Until("the wish to pull again", func() bool { return len(pulled.e.HeldRequests("workspace/diagnostic/refresh")) > 0 })
	if got := codes(pulled.pull("concepts/b.md", "").Items); strings.Contains(got, "broken-heading") {
		t.Error(got)
	}
}

type wireAction struct {
	Title, Kind string
	Edit        json.RawMessage
	Diagnostics []wireFinding
}

// fixes gives the quick fixes at a place.
func (d *study) fixes(rel, piece string) []wireAction {
	d.t.Helper()
	d.open(rel)
	at := d.pos(rel, piece)
	var got []wireAction
	if err := d.e.Request("textDocument/codeAction", map[string]any{"textDocument": map[string]string{"uri": lsptest.URI(d.path(rel))},
		"range": map[string]any{"start": at, "end": at}, "context": map[string]any{"diagnostics": []any{}, "only": []string{"quickfix"}}}, &got); err != nil {
		d.t.Fatal(err)
	}
	return got
}

func titles(list []wireAction) (out []string) {
	for _, a := range list {
		out = append(out, a.Title)
	}
	return out
}

// TestQuickFixes is a table of what is wrong, how it is mended, and what becomes of the pages.
func TestQuickFixes(t *testing.T) {
	today := time.Now().Format(time.DateOnly)
	pages := map[string]string{
		"schema.md": "# Schema\n\n| key | on | value |\n|---|---|---|\n| type | every page | source, entity, concept, synthesis or query |\n| sources | every page | list of slugs |\n" +
			"| ingested-at | every page | day, YYYY-MM-DD |\n| source-path | source pages | the file |\n\nFolders: entities/ and concepts/. A file name is a slug.\n",
		"purpose.md": "# Purpose\n", "raw/x.md": "# X\n", "log.md": "# Log\n", "index.md": "# Index\n\n## Concepts\n\n- [[kettle]]\n\n## Entities\n\n- [[ana]]\n",
		"concepts/kettle.md": "---\ntitle: Kettle\naliases: [Pot]\n---\n# Kettle\n\n[[ana]] [[speam]]\n",
		"concepts/steam.md":  "---\ntitle: Steam\naliases:\n  - Vapour\n---\n# Steam\n\n[[kettle]]\n",
		"concepts/new.md":    "# New thing\r\n\r\n[[kettle]]\r\n",
		"entities/ana.md":    "---\ntitle: Ana\n---\n# Ana\n\n| a | [[Green Tea]] |\n\n[[ketle]] [[Water Boiler|boiler]] [m](kettle%20two.md) [[steams]] [[Kettle]]\n",
	}
	for _, c := range []struct {
		name, rel, at, title string
		want                 map[string]string
	}{
		{"create, in a table", "entities/ana.md", "[[Green ‸Tea", "Create page concepts/green-tea.md", map[string]string{
			"concepts/green-tea.md": "---\ntype: concept\nsources: []\ningested-at: " + today + "\n---\n# Green Tea\n",
			"entities/ana.md":       strings.Replace(pages["entities/ana.md"], "[[Green Tea]]", "[[green-tea\\|Green Tea]]", 1)}},
		{"create, with a text", "entities/ana.md", "[[Water ‸", "Create page concepts/water-boiler.md", map[string]string{
			"concepts/water-boiler.md": "---\ntype: concept\nsources: []\ningested-at: " + today + "\n---\n# Water Boiler\n",
			"entities/ana.md":          strings.Replace(pages["entities/ana.md"], "[[Water Boiler|boiler]]", "[[water-boiler|boiler]]", 1)}},
		{"create, by a path", "entities/ana.md", "(kettle‸%20", "Create page entities/kettle two.md", map[string]string{
			"entities/kettle two.md": "---\ntype: entity\nsources: []\ningested-at: " + today + "\n---\n# Kettle two\n"}},
		{"did you mean", "entities/ana.md", "[[ket‸le", "Link to kettle instead", map[string]string{"entities/ana.md": strings.Replace(pages["entities/ana.md"], "[[ketle]]", "[[kettle]]", 1)}},
		{"did you mean, a wrong letter", "concepts/kettle.md", "[[spe‸am", "Link to steam instead", map[string]string{"concepts/kettle.md": strings.Replace(pages["concepts/kettle.md"], "[[speam]]", "[[steam]]", 1)}},
		{"alias in a list on one line", "entities/ana.md", "[[ket‸le", "Add alias ketle to concepts/kettle.md", map[string]string{
			"concepts/kettle.md": strings.Replace(pages["concepts/kettle.md"], "[Pot]", "[Pot, ketle]", 1)}},
		{"alias in a list", "entities/ana.md", "[[stea‸ms", "Add alias steams to concepts/steam.md", map[string]string{
			"concepts/steam.md": strings.Replace(pages["concepts/steam.md"], "  - Vapour\n", "  - Vapour\n  - steams\n", 1)}},
		{"front matter", "concepts/new.md", "# N‸ew", "Add front matter", map[string]string{
			"concepts/new.md": "---\r\ntype: concept\r\nsources: []\r\ningested-at: " + today + "\r\n---\r\n" + pages["concepts/new.md"]}},
		{"index", "concepts/new.md", "# N‸ew", "Add to index.md", map[string]string{
			"index.md": "# Index\n\n## Concepts\n\n- [[kettle]]\n- [[new]] — New thing\n\n## Entities\n\n- [[ana]]\n"}},
		{"spelling", "entities/ana.md", "[[Ket‸tle", "Write concepts/kettle", map[string]string{"entities/ana.md": strings.Replace(pages["entities/ana.md"], "[[Kettle]]", "[[concepts/kettle]]", 1)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newStudy(t, full("utf-16"), "", pages)
			list := d.fixes(c.rel, c.at)
			i := slices.IndexFunc(list, func(a wireAction) bool { return a.Title == c.title })
			if i < 0 {
				t.Fatalf("offers %q", titles(list))
			}
			if a := list[i]; a.Kind != "quickfix" || len(a.Diagnostics) != 1 {
				t.Errorf("%+v", a)
			}
			if err := d.e.ApplyEdit(json.RawMessage(`{"edit":` + string(list[i].Edit) + `}`)); err != nil {
				t.Fatal(err)
			}
			for rel, want := range c.want {
				if got := d.now(rel); got != want {
					t.Errorf("%s:\n got %q\nwant %q", rel, got, want)
				}
			}
		})
	}
	d := newStudy(t, full("utf-16"), `{"features":{"codeAction":false}}`, pages)
	if list := d.fixes("entities/ana.md", "[[ket‸le"); len(list) > 0 {
		t.Errorf("switched off: %+v", list)
	}
	loose := newStudy(t, full("utf-16"), "", map[string]string{"notes/a.md": "# A\n\n[[Some Page]]\n"})
	list := loose.fixes("notes/a.md", "[[Some‸")
	if len(list) != 1 || list[0].Title != "Create page notes/Some Page.md" || !strings.Contains(string(list[0].Edit), `"newText":"# Some Page\n"`) {
		t.Errorf("in a folder of plain markdown: %+v", list)
	}
}
