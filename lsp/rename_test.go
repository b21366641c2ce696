package lsp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rigwiki/rig/lsp/lsptest"
)

// rename asks for a rename, applies it as the editor does, and gives the edit.
func (d *study) rename(rel, piece, name string) (json.RawMessage, error) {
	d.t.Helper()
	var edit json.RawMessage
	if err := d.ask("textDocument/rename", rel, piece, map[string]any{"newName": name}, &edit); err != nil {
		return nil, err
	}
	if string(edit) == "null" {
		return edit, nil
	}
	return edit, d.e.ApplyEdit(json.RawMessage(`{"edit":` + string(edit) + `}`))
}

// now gives a page's text in its buffer, else on disk; "" where there is none.
func (d *study) now(rel string) string {
	if b := d.e.Buffer(d.path(rel)); b.URI != "" {
		return b.Text
	}
	b, err := os.ReadFile(d.path(rel))
	if err != nil {
		return ""
	}
	return string(b)
}

func renamePages() map[string]string {
	return map[string]string{
		"schema.md": "# Schema\n\nA slug. See [[tea]].\n", "index.md": "# Index\n\n- [[tea]]: all of it\n", "log.md": "# Log\n", "raw/src.md": "# Source of [[tea]]\n",
		"concepts/tea.md":    "---\ntitle: Tea\naliases: [Chai]\n---\n# Tea\n\n## Green tea\n\n[[tea]] [[#Green tea]] [up](../index.md) ![[pic.png]]\n",
		"concepts/a.md":      "\ufeff---\nr: '[[tea]]'\n---\n# A\r\n\r\n\U0001F600 [[tea|cup]] [[Tea#Green tea|g]] [[concepts/tea.md]] [[Chai]] ![[/concepts/tea]] [m](tea.md#green-tea \"t\") [n](<./tea.md>)\r\n",
		"concepts/sub/b.md":  "| [[concepts/tea\\|t]] | [[../tea]] |\n|---|---|\n\n`[[tea]]` [r](../tea.md) [[tea#Green tea#x]]\n",
		"entities/coffee.md": "# Coffee\n\n[[mocha]]\n",
		"entities/mocha.md":  "# Mocha\n",
		"assets/pic.png":     "x",
	}
}

// TestRenamePage is a table of renames of one page and what becomes of the texts that link to it.
func TestRenamePage(t *testing.T) {
	for _, c := range []struct {
		name, rel, at, to string
		want              map[string]string // page -> text; "" is gone
	}{
		{"by a link", "concepts/a.md", "[[te‸a|cup]]", "green leaf", map[string]string{
			"concepts/tea.md":        "",
			"concepts/green leaf.md": "---\ntitle: Tea\naliases: [Chai]\n---\n# Tea\n\n## Green tea\n\n[[green leaf]] [[#Green tea]] [up](../index.md) ![[pic.png]]\n",
			"concepts/a.md":          "\ufeff---\nr: '[[green leaf]]'\n---\n# A\r\n\r\n\U0001F600 [[green leaf|cup]] [[green leaf#Green tea|g]] [[concepts/green leaf.md]] [[Chai]] ![[/concepts/green leaf]] [m](green%20leaf.md#green-tea \"t\") [n](<./green leaf.md>)\r\n",
			"concepts/sub/b.md":      "| [[concepts/green leaf\\|t]] | [[../green leaf]] |\n|---|---|\n\n`[[tea]]` [r](../green%20leaf.md) [[green leaf#Green tea#x]]\n",
			"index.md":               "# Index\n\n- [[green leaf]]: all of it\n",
			"schema.md":              "# Schema\n\nA slug. See [[tea]].\n",
			"raw/src.md":             "# Source of [[tea]]\n",
		}},
		{"by its title", "concepts/tea.md", "# Te‸a\n", "Herbal: Tea", map[string]string{
			"concepts/herbal-tea.md": "---\ntitle: \"Herbal: Tea\"\naliases: [Chai]\n---\n# Herbal: Tea\n\n## Green tea\n\n[[herbal-tea]] [[#Green tea]] [up](../index.md) ![[pic.png]]\n",
			"index.md":               "# Index\n\n- [[herbal-tea]]: all of it\n",
		}},
		{"by front matter's title", "concepts/tea.md", "title: Te‸a\n", "Mate", map[string]string{
			"concepts/mate.md": "---\ntitle: Mate\naliases: [Chai]\n---\n# Mate\n\n## Green tea\n\n[[mate]] [[#Green tea]] [up](../index.md) ![[pic.png]]\n",
		}},
		{"to another folder", "concepts/a.md", "[[te‸a|cup]]", "entities/x/tea", map[string]string{
			"concepts/tea.md":   "",
			"entities/x/tea.md": "---\ntitle: Tea\naliases: [Chai]\n---\n# Tea\n\n## Green tea\n\n[[tea]] [[#Green tea]] [up](../../index.md) ![[pic.png]]\n",
			"concepts/a.md":     "\ufeff---\nr: '[[tea]]'\n---\n# A\r\n\r\n\U0001F600 [[tea|cup]] [[Tea#Green tea|g]] [[entities/x/tea.md]] [[Chai]] ![[/entities/x/tea]] [m](../entities/x/tea.md#green-tea \"t\") [n](<../entities/x/tea.md>)\r\n",
			"concepts/sub/b.md": "| [[entities/x/tea\\|t]] | [[../../entities/x/tea]] |\n|---|---|\n\n`[[tea]]` [r](../../entities/x/tea.md) [[tea#Green tea#x]]\n",
		}},
		{"to a name that another page has", "concepts/a.md", "[[te‸a|cup]]", "mocha", map[string]string{
			"concepts/mocha.md":  "---\ntitle: Tea\naliases: [Chai]\n---\n# Tea\n\n## Green tea\n\n[[concepts/mocha]] [[#Green tea]] [up](../index.md) ![[pic.png]]\n",
			"index.md":           "# Index\n\n- [[concepts/mocha]]: all of it\n",
			"entities/coffee.md": "# Coffee\n\n[[mocha]]\n", // its own folder's
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newStudy(t, full("utf-16"), "", renamePages())
			if c.rel == "concepts/a.md" { // editors take a byte order mark off
				d.e.OpenAs(lsptest.URI(d.path(c.rel)), strings.TrimPrefix(read(t, d.path(c.rel)), "\ufeff"), 1)
			}
			edit, err := d.rename(c.rel, c.at, c.to)
			if err != nil {
				t.Fatal(err)
			}
			for rel, want := range c.want {
				if d.e.Buffer(d.path(rel)).URI != "" {
					want = strings.TrimPrefix(want, "\ufeff")
				}
				if got := d.now(rel); want == "" && exists(d.path(rel)) || got != want {
					t.Errorf("%s:\n got %q\nwant %q\nedit %s", rel, got, want, edit)
				}
			}
			if !strings.Contains(string(edit), `"gate":{`) || strings.Index(string(edit), `"rename"`) > strings.Index(string(edit), `"textDocument"`) {
				t.Errorf("more than one file without a gate, or the rename comes late: %s", edit)
			}
		})
	}
}

// TestRenameCases is case o-wk-01: the escaped pipe of a table stays; and a name that a page elsewhere would lose its links to.
func TestRenameCases(t *testing.T) {
	d := studyOn(t, full("utf-16"), "", filepath.Join(testdata(t), "o-wk-01", "wiki"))
	if _, err := d.rename("stores.md", "[[db/vec‸tor-store|", "vectors"); err != nil {
		t.Fatal(err)
	}
	got := d.now("stores.md")
	for _, want := range []string{`| [[db/vectors\|vectors]] |`, `prose: [[db/vectors|vectors]] again`, `[[db/graph#Limits\|limits]]`} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %q:\n%s", want, got)
		}
	}
	d = newStudy(t, full("utf-16"), "", map[string]string{"a/n.md": "# N\n\n[[todo]] [[x]]\n", "a/x.md": "# X\n", "b/todo.md": "# T\n"})
	if _, err := d.rename("a/n.md", "[[‸x]]", "todo"); err != nil {
		t.Fatal(err)
	}
	if got, want := d.now("a/n.md"), "# N\n\n[[b/todo]] [[a/todo]]\n"; got != want {
		t.Errorf("%q, want %q: a link must not change what it means", got, want)
	}
}

// TestRenameSource renames a page of sources/, which other pages name by its slug in front matter.
func TestRenameSource(t *testing.T) {
	d := newStudy(t, full("utf-16"), "", map[string]string{"schema.md": "# S\n", "purpose.md": "# P\n", "sources/leaf.md": "---\nsources: [leaf]\n---\n# Leaf\n",
		"concepts/a.md": "---\nsources: [leaf-two, leaf, \"leaf\"]\n---\n# A\n\nleaf\n", "concepts/b.md": "---\nsources:\n  - leaf\n  - other\n---\n# B [[leaf]]\n",
		"concepts/c.md": "---\ntitle: leaf\n---\n# C\n"})
	if _, err := d.rename("concepts/b.md", "[[le‸af]]", "blatt"); err != nil {
		t.Fatal(err)
	}
	for rel, want := range map[string]string{"sources/blatt.md": "---\nsources: [blatt]\n---\n# Leaf\n", "concepts/a.md": "---\nsources: [leaf-two, blatt, \"blatt\"]\n---\n# A\n\nleaf\n",
		"concepts/b.md": "---\nsources:\n  - blatt\n  - other\n---\n# B [[blatt]]\n", "concepts/c.md": "---\ntitle: leaf\n---\n# C\n"} {
		if got := d.now(rel); got != want {
			t.Errorf("%s: %q, want %q", rel, got, want)
		}
	}
}

func TestRenameHeading(t *testing.T) {
	pages := map[string]string{
		"a.md": "# A\n\n## One ##\n\nText\n\nTwo\n---\n\n## One\n\n[[#One]] [self](#one-1)\n",
		"b.md": "[[a#One|o]] [[a#A#One]] [m](a.md#one) [n](a.md#one-1 'x') [[a#Two]] | [[a#One\\|t]]\n",
	}
	for _, c := range []struct{ name, rel, at, to, a, b string }{
		{"in its page", "a.md", "## On‸e ##", "Half: [x] | #2", "# A\n\n## Half: [x] | #2 ##\n\nText\n\nTwo\n---\n\n## One\n\n[[#Half: %5Bx%5D 2]] [self](#one)\n",
			"[[a#Half: %5Bx%5D 2|o]] [[a#A#Half: %5Bx%5D 2]] [m](a.md#half-x--2) [n](a.md#one 'x') [[a#Two]] | [[a#Half: %5Bx%5D 2\\|t]]\n"},
		{"by a link", "b.md", "[[a#Tw‸o]]", "Drei", "# A\n\n## One ##\n\nText\n\nDrei\n---\n\n## One\n\n[[#One]] [self](#one-1)\n",
			"[[a#One|o]] [[a#A#One]] [m](a.md#one) [n](a.md#one-1 'x') [[a#Drei]] | [[a#One\\|t]]\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newStudy(t, full("utf-8"), "", pages)
			edit, err := d.rename(c.rel, c.at, c.to)
			if err != nil {
				t.Fatal(err)
			}
			if got := d.now("a.md"); got != c.a {
				t.Errorf("a.md:\n got %q\nwant %q\nedit %s", got, c.a, edit)
			}
			if got := d.now("b.md"); got != c.b {
				t.Errorf("b.md:\n got %q\nwant %q\nedit %s", got, c.b, edit)
			}
		})
	}
}

// TestPrepareRename tells what would be renamed, and what is refused with which words.
func TestPrepareRename(t *testing.T) {
	d := newStudy(t, full("utf-16"), "", renamePages())
	for _, c := range []struct{ rel, at, want string }{
		{"concepts/sub/b.md", "[[../t‸ea]]", "0:26-0:32 tea"},
		{"concepts/tea.md", "# T‸ea\n", "4:2-4:5 Tea"},
		{"concepts/tea.md", "## Gr‸een", "6:3-6:12 Green tea"},
		{"concepts/tea.md", "[[#Gr‸een", "8:11-8:20 Green tea"},
		{"concepts/tea.md", "![[pi‸c", ""},
		{"concepts/tea.md", "alia‸ses", ""},
		{"index.md", "# In‸dex", "index.md has its name from the wiki's layout"},
		{"schema.md", "# Sch‸ema", "schema.md is protected"},
		{"raw/src.md", "# Sou‸rce", "raw/src.md is protected"},
	} {
		var got *struct {
			Range       wireRange
			Placeholder string
		}
		err := d.ask("textDocument/prepareRename", c.rel, c.at, nil, &got)
		said := ""
		switch {
		case err != nil:
			said = err.Error()
		case got != nil:
			said = got.Range.String() + " " + got.Placeholder
		}
		if said != c.want && (err == nil || c.want == "" || !strings.Contains(said, c.want)) {
			t.Errorf("%s in %s: %q, want %q", c.at, c.rel, said, c.want)
		}
	}
	for to, want := range map[string]string{
		"mocha": "", "../out": "does not stay in the wiki", "raw/x": "protected", "schema": "", "sub/b": "", "a": "concepts/a.md exists already", "CON": "Windows keeps the name",
		"x?": "which Windows does not allow; call it", "x#y": "none of [ ] # ^", ".x": "is hidden", "A": "differs from concepts/a.md only by case", "a\nb": "one line",
	} {
		_, err := d.rename("concepts/tea.md", "[[te‸a]]", to)
		if want == "" {
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "-32803") {
			t.Errorf("%q: %v, want %q", to, err, want)
		}
	}
	plain := newStudy(t, lsptest.Plain(), "", renamePages())
	if _, err := plain.rename("concepts/tea.md", "[[te‸a]]", "x"); err == nil || !strings.Contains(err.Error(), "does not rename files") {
		t.Errorf("a client that renames no files: %v", err)
	}
	if edit, err := plain.rename("concepts/tea.md", "## Gr‸een", "Red"); err != nil || !strings.Contains(plain.now("concepts/a.md"), "[[Tea#Red|g]]") {
		t.Errorf("a heading needs no file operation: %s, %v", edit, err)
	}
}

// TestMovedFromRoot holds that a markdown link of a page that leaves its folder still counts from there, though we would find it from the root too.
func TestMovedFromRoot(t *testing.T) {
	d := newStudy(t, full("utf-16"), "", map[string]string{"a.md": "# A\n\n[o](o.md#h \"t\") [n](<s/n.md>) [[o|x]]\n", "o.md": "# O\n\n## H\n", "s/n.md": "# N\n"})
	var edit json.RawMessage
	files := []map[string]string{{"oldUri": lsptest.URI(d.path("a.md")), "newUri": lsptest.URI(d.path("s/a.md"))}}
	if err := d.e.Request("workspace/willRenameFiles", map[string]any{"files": files}, &edit); err != nil {
		t.Fatal(err)
	}
	if err := d.e.ApplyEdit(json.RawMessage(`{"edit":` + string(edit) + `}`)); err != nil {
		t.Fatal(err)
	}
	if got, want := d.now("a.md"), "# A\n\n[o](../o.md#h \"t\") [n](<n.md>) [[o|x]]\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestFileOperations holds what happens to links when the editor itself moves and deletes files.
func TestFileOperations(t *testing.T) {
	d := newStudy(t, full("utf-16"), "", renamePages())
	will := func(from, to string) {
		t.Helper()
		var edit json.RawMessage
		files := []map[string]string{{"oldUri": lsptest.URI(d.path(from)), "newUri": lsptest.URI(d.path(to))}}
		if err := d.e.Request("workspace/willRenameFiles", map[string]any{"files": files}, &edit); err != nil {
			t.Fatal(err)
		}
		if string(edit) != "null" {
			if err := d.e.ApplyEdit(json.RawMessage(`{"edit":` + string(edit) + `}`)); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Rename(d.path(from), d.path(to)); err != nil {
			t.Fatal(err)
		}
		var changes []any
		for _, rel := range []string{from, to, "concepts/a.md", "concepts/sub/b.md", "concepts/tea.md"} {
			changes = append(changes, map[string]any{"uri": lsptest.URI(d.path(rel)), "type": 2})
		}
		d.e.Notify("workspace/didChangeWatchedFiles", map[string]any{"changes": changes})
	}
	will("concepts/tea.md", "entities/mate.md")
	if got, want := d.now("concepts/sub/b.md"), "| [[entities/mate\\|t]] | [[../../entities/mate]] |\n|---|---|\n\n`[[tea]]` [r](../../entities/mate.md) [[mate#Green tea#x]]\n"; got != want {
		t.Errorf("a file is moved: %q, want %q", got, want)
	}
	links := "concepts/a.md, concepts/sub/b.md, index.md"
	follow := func() {
		eventually(t, "the index to follow", func() bool {
			got := d.references("index.md", "[[ma‸te]]", false)
			return !slices.ContainsFunc(strings.Split(links, ", "), func(rel string) bool { return !strings.Contains(got, rel+" ") })
		})
	}
	follow()
	will("entities", "people")
	if got, want := d.now("concepts/sub/b.md"), "| [[people/mate\\|t]] | [[../../people/mate]] |\n|---|---|\n\n`[[tea]]` [r](../../people/mate.md) [[mate#Green tea#x]]\n"; got != want {
		t.Errorf("a folder is moved: %q, want %q", got, want)
	}
	follow()
	var edit any
	if err := d.e.Request("workspace/willDeleteFiles", map[string]any{"files": []map[string]string{{"uri": lsptest.URI(d.path("people/mate.md"))}}}, &edit); err != nil || edit != nil {
		t.Errorf("a delete edits: %v, %v", edit, err)
	}
	if said := d.e.Notes("window/showMessage"); !slices.ContainsFunc(said, func(m json.RawMessage) bool { return strings.Contains(string(m), "3 pages linked to people/mate.md") }) {
		t.Errorf("messages: %s", said)
	}
}
