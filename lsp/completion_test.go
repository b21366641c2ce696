package lsp

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rigwiki/rig/lsp/lsptest"
)

type wireItem struct {
	Label, Detail string
	TextEdit      struct {
		Range   wireRange
		NewText string
	}
}

// complete types at the bar and gives the items, and the page's line as it would be with the first.
func (d *study) complete(rel, piece string) (list []wireItem, more bool, line string) {
	d.t.Helper()
	var got *struct {
		IsIncomplete bool
		Items        []wireItem
	}
	if err := d.ask("textDocument/completion", rel, piece, nil, &got); err != nil {
		d.t.Fatal(err)
	}
	if got == nil {
		return nil, false, ""
	}
	if len(got.Items) > 0 {
		line = d.with(rel, got.Items[0])
	}
	return got.Items, got.IsIncomplete, line
}

// with gives the line of a page with an item taken, in an editor whose positions are bytes.
func (d *study) with(rel string, i wireItem) string {
	d.t.Helper()
	if d.enc != "utf-8" {
		d.t.Fatal("positions are not bytes")
	}
	lines := strings.Split(d.e.Buffer(d.path(rel)).Text, "\n")
	line, r := lines[i.TextEdit.Range.Start.Line], i.TextEdit.Range
	if r.Start.Line != r.End.Line {
		d.t.Errorf("the edit spans lines: %s", r)
	}
	return line[:r.Start.Character] + i.TextEdit.NewText + line[r.End.Character:]
}

func completionPages() map[string]string {
	return map[string]string{
		"schema.md": "# Schema\n\n| key | on | value |\n|---|---|---|\n| type | every page | source, entity, concept or query |\n| sources | every page | list of slugs |\n| source-path | source pages | the file |\n\nFolders: concepts/ and sources/. Names are slugs.\n",
		"index.md":  "# Index\n", "raw/leaf.md": "# Raw leaf\n",
		"concepts/tea-kettle.md": "---\naliases: [Samovar]\n---\n# The Tea Kettle\n\n## How it [boils] | fast\n\n## Über\n\nA line. ^b1\n",
		"concepts/检索增强.md":       "# 检索增强生成\n",
		"concepts/todo.md":       "# Todo\n", "sources/todo.md": "# Source todo\n",
		"sources/leaf one.md": "# Leaf one\n",
		"assets/pic (1).png":  "x",
	}
}

// TestCompletion is a table of what stands around the cursor, and of what the line becomes with the first item.
func TestCompletion(t *testing.T) {
	for _, c := range []struct{ name, text, line, labels string }{
		{"a title", "See [[kettle‸", "See [[tea-kettle]]", "The Tea Kettle"},
		{"closed by the editor", "\U0001F600 [[kettle‸]] x", "\U0001F600 [[tea-kettle]] x", "The Tea Kettle"},
		{"in the middle of a link", "[[ket‸tle-old#A|b]]", "[[tea-kettle#A|b]]", "The Tea Kettle"},
		{"an alias", "[[samo‸", "[[tea-kettle|Samovar]]", "Samovar"},
		{"an alias in a table", "| a |\n|---|\n| [[samo‸ |", "| [[tea-kettle\\|Samovar]] |", "Samovar"},
		{"an alias where text is given", "[[samo‸|x]]", "[[tea-kettle|x]]", "Samovar"},
		{"CJK", "知識[[检索‸", "知識[[检索增强]]", "检索增强生成"},
		{"the shortest name that is unique", "[[todo‸", "[[concepts/todo]]", "Todo, Source todo"},
		{"a path", "[[sources/to‸]]", "[[sources/todo]]", "Source todo"},
		{"an embed", "![[pic‸]]", "![[pic (1).png]]", "pic (1).png"},
		{"no files in links", "[[pic‸]]", "", ""},
		{"headings", "[[tea-kettle#‸]]", "[[tea-kettle#The Tea Kettle]]", "The Tea Kettle, How it [boils] | fast, Über"},
		{"own headings", "# Mine\n\n[[#‸", "[[#Mine]]", "Mine"},
		{"blocks", "[[tea-kettle#^‸", "[[tea-kettle#^b1]]", "^b1"},
		{"what a link shows", "[[tea-kettle|‸", "", ""},
		{"a lone backquote", "`[[ket‸", "`[[tea-kettle]]", "The Tea Kettle"},
		{"closed code", "`[[ket‸` x", "-", ""},
		{"a fence", "```\n[[ket‸\n```\n", "-", ""},
		{"a markdown link", "[x](kettle‸)", "[x](../concepts/tea-kettle.md)", "The Tea Kettle"},
		{"blanks in a markdown link", "[x](leaf%20on‸", "[x](../sources/leaf%20one.md)", "Leaf one"},
		{"angle brackets", "[x](<leaf o‸>)", "[x](<../sources/leaf one.md>)", "Leaf one"},
		{"an image", "![x](pic‸)", "![x](../assets/pic%20%281%29.png)", "pic (1).png"},
		{"slugs of headings", "[x](../concepts/tea-kettle.md#‸)", "[x](../concepts/tea-kettle.md#the-tea-kettle)", "The Tea Kettle, How it [boils] | fast, Über"},
		{"an address", "[x](https://e.org/‸)", "-", ""},
		{"keys", "---\ntype: source\nso‸\n---\n", "sources: ", "sources, source-path, title, aliases, tags"},
		{"keys of front matter that is begun", "---\n‸", "type: ", "type, sources, source-path, title, aliases, tags"},
		{"values", "---\ntype: ‸\n---\n", "type: source", "source, entity, concept, query"},
		{"slugs of sources", "---\nsources: [lea‸]\n---\n", "sources: [leaf one]", "Leaf one"},
		{"a link in front matter", "---\nrelated: \"[[kett‸]]\"\n---\n", "related: \"[[tea-kettle]]\"", "The Tea Kettle"},
		{"plain text", "a word‸", "-", ""},
		{"a heading", "# Title‸", "-", ""},
	} {
		pages := completionPages()
		pages["notes/n.md"] = strings.Replace(c.text, "‸", "", 1)
		d := newStudy(t, lsptest.Neovim(), "", pages)
		at := c.text
		if i := strings.Index(at, "‸"); i < 3 {
			at = at[strings.LastIndex(at[:i], "\n")+1:]
		}
		items, _, line := d.complete("notes/n.md", at)
		var labels []string
		for _, i := range items {
			label := i.Label
			if c.name == "slugs of sources" {
				label = i.Detail
			}
			labels = append(labels, label)
		}
		if c.line == "-" {
			if items != nil {
				t.Errorf("%s: completes %q", c.name, labels)
			}
			continue
		}
		if line != c.line || strings.Join(labels, ", ") != c.labels {
			t.Errorf("%s: %q with %q, want %q with %q", c.name, line, strings.Join(labels, ", "), c.line, c.labels)
		}
	}
}

// TestCompletionIsBounded holds that an answer has at most 200 items and says that there are more, and that a buffer's own page is found at once.
func TestCompletionIsBounded(t *testing.T) {
	pages := map[string]string{"n.md": "[["}
	for i := range 250 {
		pages[fmt.Sprintf("p/page%d.md", i)] = "# P\n"
	}
	d := newStudy(t, lsptest.Neovim(), "", pages)
	d.open("n.md")
	if items, more, _ := d.complete("n.md", "[[‸"); len(items) != maxItems || !more {
		t.Errorf("%d items, more: %v", len(items), more)
	}
	d.e.Change(d.path("n.md"), "[[page24")
	items, more, _ := d.complete("n.md", "[[page24‸")
	if len(items) != 16 || more || items[0].Detail != "p/page24.md" || items[15].Detail != "p/page234.md" { // eleven begin so, five have the letters in order
		t.Errorf("%+v, more: %v", items, more)
	}
	d.open("p/page1.md")
	d.e.Change(d.path("p/page1.md"), "---\ntitle: Zeppelin\n---\n")
	d.e.Change(d.path("n.md"), "[[zepp")
	if items, _, line := d.complete("n.md", "[[zepp‸"); len(items) != 1 || line != "[[page1]]" {
		t.Errorf("%+v, %q", items, line)
	}
	if !slices.ContainsFunc(items, func(i wireItem) bool { return i.Detail == "p/page24.md" }) {
		t.Errorf("%+v", items)
	}
}
