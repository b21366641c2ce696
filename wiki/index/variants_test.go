package index

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestLinksOfOtherInputs has other inputs for what the cases show: each line belongs to the case that it is like.
func TestLinksOfOtherInputs(t *testing.T) {
	tests := []struct{ like, text, want string }{
		{"o-wk-01", "> | a |\n> |---|\n> | [[x#h\\|y]] |\n", "2:4-14 x#h|y"},
		{"o-wk-01", "- | [[x\\|y]] | ![[p.png\\|300]] |\n", "0:4-12 x|y, !0:15-30 p.png w=300"},
		{"o-wk-01", "a | b\n---|---\n[[x\\|y]] | `[[no\\|z]]`\n", "2:0-8 x|y"},
		{"o-wk-01", "| [[日本語\\|別名]] | [[👩‍👩‍👧\\|a\\|b]] |", "0:2-23 日本語|別名, 0:26-54 👩‍👩‍👧|a|b"},
		{"o-wk-02", "<div>[[no]]</div>\n\n[[yes]]", "2:0-7 yes"},
		{"o-wk-02", "<details>\n<summary>[[no]]</summary>\n\n[[yes]]\n\n</details>\n", "3:0-7 yes"},
		{"o-wk-02", "a <span title=\"[[no]]\">[[yes]]</span>", "0:23-30 yes"},
		{"o-wk-02", "a <!-- [[no]] --> b <?php [[no]] ?> c <![CDATA[ [[no]] ]]> [[yes]]", "0:59-66 yes"},
		{"o-wk-02", "<!--> [[yes]]\n", "0:6-13 yes"}, {"o-wk-02", "<!-- [[no]]\n\n[[no]]", ""},
		{"o-wk-02", "`` [[no]] ` [[no]] `` [[yes]] ``` [[too]]", "0:22-29 yes, 0:34-41 too"},
		{"o-wk-02", "1. a\n   > ```\n   > [[no]]\n   > ```\n   > [[yes]]\n", "4:5-12 yes"},
		{"o-wk-02", "~~~~\n[[no]]\n~~~\n[[no]]\n~~~~~\n[[yes]]", "5:0-7 yes"}, {"o-wk-02", "- a\n\n\t[[yes]]\n\n\t\t[[no]]", "2:1-8 yes"},
		{"o-wk-02", "1. \n\n    [[no]]", ""}, {"o-wk-02", "> a\n2. [[yes]]\n", "1:3-10 yes"},
		{"o-wk-02", "> %%\n> [[no]]\n> %%\n> [[yes]]", "3:2-9 yes"}, {"o-wk-02", "%%[[no]]%% `%%` [[yes]] `%%`", "0:16-23 yes"},
		{"o-wk-05", "[[Tea#C#]] [[Tea#]] [[##Tea]]", "0:0-10 Tea#C#, 0:11-19 Tea, 0:20-29 ##Tea"},
		{"o-wk-06", "[a](x.md 'it''s') [b](<x\\>y.md>) [c](x y.md) [d](%zz.md) [e](x%23y.md#z)", "0:18-32 x>y.md|b, 0:45-56 %zz.md|d, 0:57-72 x#y.md#z|e"},
		{"o-wk-06", "[a](x.md (b(c))) [r]: no\n\n# [r]: /no [d](e)", "2:11-17 e|d"},
		{"o-wk-06", "[r]:\n  <a b.md>\n  'T'\n[s]: c.md\n===\n", "0:0-21 a b.md|r, 3:0-9 c.md|s"},
		{"o-wk-06", "<https://e.org/[a](b.md)> <a@b.org> [c](d.md)", "0:36-45 d.md|c"},
		{"o-wk-07", "![[p.png|alt|300]] ![alt|300x20](p.png) ![[p.png|x300]]", "!0:0-18 p.png|alt w=300, !0:19-39 p.png|alt w=300x20, !0:40-55 p.png|x300"},
		{"o-wk-07", "![[n#h]] ![[n#^b|40]] [[m.pdf#page=3|p. 3]]", "!0:0-8 n#h, !0:9-21 n^b w=40, 0:22-43 m.pdf#page=3|p. 3"},
		{"o-wk-08", "---\na: '[[it''s|d''or]]'\nb: \"[[q \\\"r\\\"]]\"\n---\n", "1:4-19 it's|d'or, 2:4-15 q \"r\""},
		{"o-wk-09", "\ufeff---\r\nup: \"[[a]]\"\r\n---\r\n[[b]]", "1:5-10 a, 3:0-5 b"},
		{"o-wk-10", "***\nSubject: [[a]]\n---\n", "1:9-14 a"}, {"o-wk-10", "---\nno key here\n---\n[[a]]", "3:0-5 a"},
		{"o-wk-13", "[[a]](b.md) ![[c]](d.png) [[e]] (f) [[g]][h]", "0:0-11 b.md|[a], !0:12-25 d.png|[c], 0:26-31 e, 0:36-41 g"},
		{"o-wk-13", "[[[[a]]]] [[b]]]] \\![[c]] !\\[[no]]", "0:2-7 a, 0:10-15 b, 0:20-25 c"},
		{"o-wk-13", "m[[0]] M[[1, 2], [3, 4]] $x[[0]]$ \\$[[a]]$ $$[[no]]\n[[no]]$$ [[b]]", "0:36-41 a, 1:9-14 b"},
		{"o-wk-13", "m[[0]][[1]][[22]] x[[1]][[b]] [[1]][[2]] ]][[3]] m[[]][[4]]", "0:24-29 b, 0:30-35 1, 0:35-40 2, 0:43-48 3, 0:54-59 4"},
		{"o-wk-13", "==[[a]]== **[[b]]** ~~[[c]]~~ ^[note [[d]]]", "0:2-7 a, 0:12-17 b, 0:22-27 c, 0:37-42 d"},
		{"o-wk-15", "+++\n[[menu.main]]\nname = \"[[no]]\"\n+++\n[[a]]", "4:0-5 a"},
		{"o-ls-10", "x\r[[a]]\r\r> [[b]]\r", "0:2-7 a, 0:11-16 b"},
	}
	for _, tt := range tests {
		var got []string
		for _, l := range Links([]byte(tt.text)) {
			s := place([]byte(tt.text), l)
			if l.Width != "" {
				s += " w=" + l.Width
			}
			got = append(got, s)
		}
		if s := strings.Join(got, ", "); s != tt.want {
			t.Errorf("like %s, %q:\n got %s\nwant %s", tt.like, tt.text, s, tt.want)
		}
	}
}

// TestAnchorsOfOtherInputs: like o-wk-05, o-wk-07 and o-wk-12.
func TestAnchorsOfOtherInputs(t *testing.T) {
	p := ParsePage([]byte("# Tea\n\n## **Green** & [[white|White]] tea!\n\n## `code` in Straße\n\n## Last ^s1\n\n## ÉTUDE: 1/2 (draft)\n\n## 東京 — 天気？\n\n## 🍵 Tea\n\n" +
		"## a_b\n\n## Notes\n\n### Sub\n\n## Notes\n\n### Sub\n\nSetext\nof two lines\n---\n\nfact ^f-1\n\n- item ^i2\n\n> quote ^Q3\n\n`x ^no` `^no2`\n"))
	tests := []struct {
		anchor   string
		wiki, md bool // found by either kind of link
	}{
		{"**Green** & white White tea!", true, true}, {"Green White tea", true, true}, {"green & white tea!", true, true}, {"green--white-tea", false, true},
		{"code in STRASSE", true, true}, {"étude 1/2 (draft)", true, true}, {"E\u0301tude: 1 2 draft", true, true}, {"étude-12-draft", false, true},
		{"東京 — 天気？", true, true}, {"東京--天気", false, true}, {"🍵 Tea", true, true}, {"-tea", false, true},
		{"Notes#Sub", true, true}, {"notes-1", false, true}, {"sub-1", false, true}, {"notes-2", false, false}, {"Sub#Notes", false, false},
		{"Setext of two lines", true, true}, {"Gren", false, false}, {"!!", false, false}, {"Tea#a_b", true, true},
		{"Green%20White%20tea", true, true}, {"%zz", false, false},
	}
	for _, tt := range tests {
		for kind, want := range map[Kind]bool{Wiki: tt.wiki, Markdown: tt.md} {
			if _, ok := p.Anchor(Link{Kind: kind, Heading: tt.anchor}); ok != want {
				t.Errorf("%s link to #%s: found %v, want %v", kind, tt.anchor, ok, want)
			}
		}
	}
	for _, id := range []string{"s1", "f-1", "i2", "q3", "no", "no2", "f"} {
		if got, want := p.HasBlock(id), !slices.Contains([]string{"no", "no2", "f"}, id); got != want {
			t.Errorf("^%s: %v, want %v", id, got, want)
		}
	}
}

// TestResolveOfOtherInputs: like o-wk-03, o-wk-04, o-wk-06, o-wk-07 and o-wk-14.
func TestResolveOfOtherInputs(t *testing.T) {
	root := lay(t, map[string]string{
		"Straße.md": "", "İstanbul.md": "", "日本/東京.md": "", "👩\u200d👩\u200d👧.md": "", "A\u030angstro\u0308m.md": "", "Node.js.md": "", "v1.2 notes.md": "", "data.json.md": "",
		"drawing.excalidraw.md": "", "chart.canvas": "", "a/b/deep.md": "", "a/deep.md": "", "z/deep.md": "", "a/pic.png": "x", "z/pic.png": "x", "the brief.md": "",
		"100%.md": "", "q?.md": "", "UP.MD": "", "o'brien.md": "", "a^b.md": "", "C#.md": "", "x.markdown": "", "concepts/tea.md": "---\naliases: [Chá, 'Té: verde']\n---\n",
		"people/x/index.md": "", "folder.md/inner.md": "", "dash – en.md": "",
	})
	x := open(t, root, t.TempDir())
	tests := []struct {
		from, target string
		kind         Kind
		want         string
	}{
		{"q.md", "STRASSE", Wiki, "1 Straße.md"}, {"q.md", "i\u0307stanbul", Wiki, "1 İstanbul.md"}, {"q.md", "istanbul", Wiki, ""}, {"q.md", "東京", Wiki, "0 日本/東京.md"},
		{"q.md", "👩\u200d👩\u200d👧", Wiki, "0 👩\u200d👩\u200d👧.md"}, {"q.md", "👩👩👧", Wiki, ""}, {"q.md", "\u00c5ngstr\u00f6m", Wiki, "0 A\u030angstro\u0308m.md"},
		{"q.md", "Node.js", Wiki, "0 Node.js.md"}, {"q.md", "v1.2 notes", Wiki, "0 v1.2 notes.md"}, {"q.md", "v1.2-notes", Wiki, "3 v1.2 notes.md"},
		{"q.md", "data.json", Wiki, "0 data.json.md"}, {"q.md", "drawing.excalidraw", Wiki, "0 drawing.excalidraw.md"}, {"q.md", "chart.canvas", Wiki, "0 chart.canvas"}, {"q.md", "chart", Wiki, ""},
		{"a/q.md", "deep", Wiki, "0 a/deep.md, 0 z/deep.md, 0 a/b/deep.md"}, {"z/q.md", "deep", Wiki, "0 z/deep.md, 0 a/deep.md, 0 a/b/deep.md"},
		{"q.md", "b/deep", Wiki, "0 a/b/deep.md"}, {"a/b/q.md", "../deep", Wiki, "0 a/deep.md"}, {"a/b/q.md", "./deep", Wiki, "0 a/b/deep.md"}, {"a/b/q.md", "../../../deep", Wiki, ""},
		{"a/q.md", "pic.png", Wiki, "0 a/pic.png, 0 z/pic.png"}, {"q.md", "PIC.PNG", Wiki, "1 a/pic.png, 1 z/pic.png"}, {"q.md", "pic.jpg", Wiki, ""},
		{"q.md", "the%20brief", Wiki, "3 the brief.md"}, {"q.md", "the%2520brief", Wiki, ""}, {"q.md", "100%", Wiki, "0 100%.md"}, {"q.md", "q?", Wiki, "0 q?.md"},
		{"q.md", "up", Wiki, "1 UP.MD"}, {"q.md", "UP", Wiki, "1 UP.MD"}, {"q.md", "o'brien", Wiki, "0 o'brien.md"}, {"q.md", "a^b", Wiki, "0 a^b.md"}, {"q.md", "C#", Markdown, "0 C#.md"},
		{"q.md", "x.markdown", Wiki, "0 x.markdown"}, {"q.md", "chá", Wiki, "2 concepts/tea.md"}, {"q.md", "TÉ: VERDE", Wiki, "2 concepts/tea.md"}, {"q.md", "chá", Markdown, ""},
		{"q.md", "x/index", Wiki, "0 people/x/index.md"}, {"q.md", "index", Wiki, "0 people/x/index.md"}, {"q.md", "folder.md/inner", Wiki, "0 folder.md/inner.md"}, {"q.md", "dash - en", Wiki, "3 dash – en.md"},
		{"q.md", "concepts\\tea", Wiki, "0 concepts/tea.md"}, {"q.md", "/tea", Wiki, "4 concepts/tea.md"}, {"q.md", "concepts//tea", Wiki, "0 concepts/tea.md"}, {"q.md", "tea.md.md", Wiki, ""},
		{"a/q.md", "deep.md", Markdown, "0 a/deep.md"}, {"a/q.md", "b/deep", Markdown, "0 a/b/deep.md"}, {"a/q.md", "concepts/tea.md", Markdown, "0 concepts/tea.md"}, {"a/q.md", "/concepts/tea.md", Markdown, "0 concepts/tea.md"},
		{"a/q.md", "../concepts/tea.md", Markdown, "0 concepts/tea.md"}, {"a/q.md", "../../tea.md", Markdown, ""}, {"a/q.md", "c:/tea.md", Markdown, ""}, {"q.md", "Concepts/Tea.md", Markdown, "1 concepts/tea.md"},
		{"q.md", "https://e.org/tea", Wiki, ""}, {"q.md", strings.Repeat("../", 9000) + "tea", Wiki, ""}, {"q.md", strings.Repeat("t", 100_000), Wiki, ""},
	}
	for _, tt := range tests {
		var got []string
		for _, m := range x.ResolveLink(tt.from, Link{Target: tt.target, Kind: tt.kind}) {
			got = append(got, fmt.Sprint(int(m.How), " ", m.Path))
		}
		if s := strings.Join(got, ", "); s != tt.want {
			t.Errorf("%s, %s link to %.40q: %s, want %s", tt.from, tt.kind, tt.target, s, tt.want)
		}
	}
}
