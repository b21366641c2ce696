package index

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// caseText is a page of a failure case's input.
func caseText(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata/cases", name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// place writes a link as "line:start-end target#heading^block|alias", with lines and byte columns from 0.
func place(text []byte, l Link) string {
	line := bytes.Count(text[:l.Start], []byte("\n"))
	ls := bytes.LastIndexByte(text[:l.Start], '\n') + 1
	s := fmt.Sprintf("%d:%d-%d %s", line, l.Start-ls, l.End-ls, l.Target)
	if l.Embed {
		s = "!" + s
	}
	if l.Heading != "" {
		s += "#" + l.Heading
	}
	if l.Block != "" {
		s += "^" + l.Block
	}
	if l.Alias != "" {
		s += "|" + l.Alias
	}
	return s
}

func TestLinksOfCases(t *testing.T) {
	tests := []struct {
		page string
		kind Kind // "" is all
		want []string
	}{
		{"o-wk-01/wiki/stores.md", "", []string{"4:2-30 db/vector-store|vectors", "5:2-14 db/graph", "5:28-55 db/graph#Limits|limits", "7:10-37 db/vector-store|vectors"}},
		{"o-wk-02/wiki/scripts.md", "", []string{"2:6-15 tools", "17:21-35 tools|here"}},
		{"o-wk-04/wiki/other/b.md", "", []string{"0:0-8 todo", "0:9-24 garden/todo", "0:25-34 /todo"}},
		{"o-wk-05/wiki/src.md", Wiki, []string{
			"0:0-23 Tea#Green %7C white", "1:0-24 Tea#What is \"umami\"?", "2:0-23 Tea#Brewing (short)",
			"3:0-40 Tea#What is \"umami\"?#Brewing (short)", "4:0-23 Tea#C# & .NET notes", "5:0-23 Tea#Time 3–5 min.",
			"6:0-24 Tea#time: 3–5 min.", "7:0-20 Tea#Missing part"}},
		{"o-wk-05/wiki/src.md", Markdown, []string{"8:0-25 Tea.md#green--white|md", "9:0-24 Tea.md#time-35-min|md"}},
		{"o-wk-06/wiki/links.md", "", []string{
			"0:0-19 the brief.md|a", "1:0-19 the brief.md|b", "2:0-16 brief(1).md|c", "3:0-31 brief(1).md|d",
			"4:0-34 the brief.md#Part%20one|e", "5:0-28 ./sub/../the brief.md|f", "!6:0-20 my pic.png|img", "7:0-22 missing page.md|g",
			"8:0-30 https://example.org/a%20b|h", "9:0-27 mailto:ana@example.org|i", "11:0-21 the%20brief.md|k"}},
		{"o-wk-07/wiki/page.md", "", []string{"!0:0-16 pic.png", "!1:0-27 assets/pic.png", "2:0-21 manual.pdf#page=3", "3:0-13 notes^k1",
			"4:0-13 notes^zz", "!5:0-13 gone.png", "!6:0-15 notes#Nope"}},
		{"o-wk-08/wiki/adr.md", "", []string{"6:0-9 tools"}},
		{"o-wk-10/wiki/letter.md", "", []string{"4:4-13 seeds"}},
		{"o-wk-13/wiki/odd.md", Wiki, []string{"8:1-9 deep", "8:15-23 deep", "8:30-38 deep", "15:0-14 deep|a | b", "15:28-36 deep", "17:10-18 deep"}},
		{"o-wk-13/wiki/odd.md", Markdown, []string{"6:0-35 https://example.org|[ Original ]", "6:40-57 deep.md|[deep]"}},
		{"o-wk-15/wiki/pots.md", "", []string{"7:0-8 kiln"}},
		{"o-ls-01/page.md", "", []string{"1:24-40 Missing Page", "2:12-38 別のページ|別名", "3:12-22 Étude", "4:6-15 Plain"}},
	}
	for _, tt := range tests {
		t.Run(tt.page+" "+string(tt.kind), func(t *testing.T) {
			text := caseText(t, tt.page)
			var got []string
			for _, l := range Links(text) {
				if tt.kind == "" || l.Kind == tt.kind {
					got = append(got, place(text, l))
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

func TestLinks(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"fence in a list", "- a\n  ```\n  [[no]]\n  ```\n  [[yes]]\n", "4:2-9 yes"},
		{"list item is no code", "- a\n\n    [[yes]]\n", "2:4-11 yes"},
		{"code in a list item", "- a\n\n      [[no]]\n", ""},
		{"quote", "> [[yes]]\n> more `[[no]]`\n", "0:2-9 yes"},
		{"code over lines of a quote", "> a `b\n> [[no]]` [[yes]]\n", "1:10-17 yes"},
		{"tick of one table row is not closed in the next", "| a ` | [[x]] |\n|---|---|\n| b ` | [[y]] |\n", "0:8-13 x, 2:8-13 y"},
		{"callout", "> [!question] Why [[a]]?\n", "0:18-23 a"},
		{"footnote", "a[^1] [[b]]\n\n[^1]: [[c]]\n", "0:6-11 b, 2:6-11 c"},
		{"display math over lines", "$$\n[[no]]\n$$\n[[yes]]\n", "3:0-7 yes"},
		{"lone display mark", "$$ and [[yes]]\n\n[[too]]\n", "0:7-14 yes, 2:0-7 too"},
		{"comment over blocks", "%%\n[[no]]\n\n# [[no]]\n%%\n[[yes]]\n", "5:0-7 yes"},
		{"percent", "100%% of [[yes]]\n", "0:9-16 yes"},
		{"html comment then text", "<!-- [[no]] --> [[yes]]\n", "0:16-23 yes"},
		{"script", "<script>\nx = [[no]]\n\n[[no]]\n</script>\n\n[[yes]]\n", "6:0-7 yes"},
		{"escaped", "\\[[no]] and \\\\[[yes]]", "0:14-21 yes"},
		{"image in a link", "[![i](a.png)](b.md)", "0:0-19 b.md|![i](a.png), !0:1-12 a.png|i"},
		{"wikilink in a link's text", "[a [[b]] c](d.md)", "0:0-17 d.md|a [[b]] c, 0:3-8 b"},
		{"self heading", "[[#Here]] [x](#here)", "0:0-9 #Here, 0:10-20 #here|x"},
		{"definition", "[a]: <b c.md> 'T'\n[d]: e.md\n\n[a] [d]\n", "0:0-17 b c.md|a, 1:0-9 e.md|d"},
		{"no dest", "[a] (b) [c]() [d]( \"t\" )", "0:14-24 \"t\"|d"},
		{"autolink", "<https://example.org/[[x]]> [[y]]", "0:28-33 y"},
		{"heading", "# [[a]] `[[no]]`\n\n[[b]]\n===\n", "0:2-7 a, 2:0-5 b"},
		{"front matter", "---\nrelated: [\"[[a|A]]\", \"[[b]]\"]\nup: '[[c#d]]'\n# [[no]]\n---\n[[e]]\n", "1:11-18 a|A, 1:22-27 b, 2:5-12 c#d, 5:0-5 e"},
		{"crlf", "---\r\ntitle: x\r\n---\r\n[[a]]\r\n[[b\r\nc]]\r\n", "3:0-5 a"},
		{"emoji and table", "| 🌱 [[a\\|b]] |", "0:7-15 a|b"},
		{"entity", "[a](x&amp;y.md)", "0:0-15 x&y.md|a"},
		{"windows drive is no scheme", "[a](c:/x.md)", "0:0-12 c:/x.md|a"},
		{"unclosed", "[[a", ""}, {"empty", "", ""},
	}
	for _, tt := range tests {
		var got []string
		for _, l := range Links([]byte(tt.text)) {
			got = append(got, place([]byte(tt.text), l))
		}
		if s := strings.Join(got, ", "); s != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, s, tt.want)
		}
	}
}

func TestLinkTargetRange(t *testing.T) {
	for text, want := range map[string]string{
		"[[ a b #h|x]]": "a b", "![[p.png|300]]": "p.png", "[x](<a b.md#h> \"t\")": "a b.md", "[x](a%20b.md#h)": "a%20b.md", "[[a\\|b]]": "a", "[[#h]]": "",
	} {
		l := Links([]byte(text))
		if len(l) != 1 || text[l[0].TargetStart:l[0].TargetEnd] != want {
			t.Errorf("%s: %+v, want %q", text, l, want)
		}
	}
	if l := Links([]byte("![[p.png|300x200]]"))[0]; l.Width != "300x200" || l.Alias != "" {
		t.Errorf("width: %+v", l)
	}
}

func TestHeadingsOfCases(t *testing.T) {
	anchors := func(name string) (out []string) {
		for _, h := range ParsePage(caseText(t, name)).Headings {
			out = append(out, h.Anchor)
		}
		return out
	}
	for name, want := range map[string]string{
		"o-wk-12/wiki/log.md":    "log breaking breaking-1 the-end---yay setext-title sub code-and-stars",
		"o-wk-05/wiki/Tea.md":    "tea-a-guide green--white what-is-umami brewing-short c--net-notes time-35-min",
		"o-wk-10/wiki/letter.md": "first-heading second-heading",
	} {
		if got := strings.Join(anchors(name), " "); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	tea, log := ParsePage(caseText(t, "o-wk-05/wiki/Tea.md")), ParsePage(caseText(t, "o-wk-12/wiki/log.md"))
	for i, l := range Links(caseText(t, "o-wk-05/wiki/src.md")) {
		if _, ok := tea.Anchor(l); ok != (i != 7) {
			t.Errorf("line %d, %s: found %v", i, l.Heading, ok)
		}
	}
	var broken []string
	for _, l := range log.Links {
		if _, ok := log.Anchor(l); !ok {
			broken = append(broken, l.Heading)
		}
	}
	if s := strings.Join(broken, " "); s != "not-a-heading breaking-2" {
		t.Errorf("broken anchors: %s", s)
	}
	notes := ParsePage(caseText(t, "o-wk-07/wiki/notes.md"))
	if !notes.HasBlock("k1") || notes.HasBlock("zz") {
		t.Errorf("blocks: %v", notes.Blocks)
	}
}

func TestHeadingText(t *testing.T) {
	for raw, want := range map[string]string{
		"## `code` and *stars* #": "code and stars", "# a_b _c_ ~~d~~": "a_b c d", "# [[x|Y]] and [z](u)": "Y and z", "# \\*a\\* &amp; b": "*a* & b",
		"# [a] b": "[a] b", "#": "", "# #": "", "# C#": "C#", "# x <b>y</b> 1 < 2": "x y 1 < 2",
	} {
		if p := ParsePage([]byte(raw)); len(p.Headings) != 1 || p.Headings[0].Text != want {
			t.Errorf("%s: %+v, want %q", raw, p.Headings, want)
		}
	}
}

func TestFrontMatterOfCases(t *testing.T) {
	tests := []struct {
		page, title, tags, faults string
		format                    Format
	}{
		{"o-wk-08/wiki/adr.md", "ADR-7: files as truth", "a b", "frontmatter-yaml", YAML},
		{"o-wk-08/wiki/ok.md", "a:b", "", "", YAML},
		{"o-wk-09/wiki/bom.md", "T", "", "", YAML}, {"o-wk-09/wiki/both.md", "T", "", "", YAML},
		{"o-wk-09/wiki/crlf.md", "T", "", "", YAML}, {"o-wk-09/wiki/eof.md", "T", "", "", YAML},
		{"o-wk-10/wiki/letter.md", "First heading", "", "", ""}, {"o-wk-10/wiki/rule-only.md", "", "", "", ""},
		{"o-wk-11/wiki/b.md", "no", "x 7", "", YAML}, {"o-wk-11/wiki/d.md", "2026-05-26", "a b", "tags-not-list", YAML},
		{"o-wk-11/wiki/l.md", "L", "", "title-not-text", YAML}, {"o-wk-11/wiki/n.md", "2024", "solo", "", YAML},
		{"o-wk-11/wiki/v.md", "1.10", "", "", YAML}, {"o-wk-11/wiki/z.md", "null", "", "", YAML},
		{"o-wk-15/wiki/pots.md", "Pots", "clay glaze", "toml-frontmatter", TOML},
	}
	for _, tt := range tests {
		p := ParsePage(caseText(t, tt.page))
		var faults []string
		for _, f := range p.Front.Faults {
			faults = append(faults, f.Code)
		}
		got := fmt.Sprint(p.Title, "|", strings.Join(p.Front.List("tags"), " "), "|", strings.Join(faults, " "), "|", p.Front.Format)
		if want := fmt.Sprint(tt.title, "|", tt.tags, "|", tt.faults, "|", tt.format); got != want {
			t.Errorf("%s: %s, want %s", tt.page, got, want)
		}
	}
	adr := caseText(t, "o-wk-08/wiki/adr.md")
	p := ParsePage(adr)
	if f := p.Front.Faults[0]; string(adr[f.Start:f.End]) != "ADR-7: files as truth" || f.Fix != `"ADR-7: files as truth"` {
		t.Errorf("fault %+v", f)
	}
	if n := bytes.Count(adr[:p.Front.End], []byte("\n")); n != 5 {
		t.Errorf("body begins at line %d", n)
	}
}

func TestFrontMatter(t *testing.T) {
	tests := []struct{ name, text, want string }{ // "key=values" with [] for lists, {} for mappings
		{"block list", "---\na:\n  - x\n- y\n---", ""},
		{"list at the margin", "---\na:\n- x\n- 'y z'\nb: 1\n---", "a=[x y z] b=1"},
		{"nested", "---\na:\n  b: 1\n  c: 2\nd: e\n---", "a={} d=e"},
		{"literal", "---\na: |\n  x\n  y\nb: c\n---", "a=x\ny b=c"},
		{"folded plain", "---\na: x\n  y\nb: c\n---", "a=x y b=c"},
		{"escapes", "---\na: \"x\\\"y\"\nb: 'it''s'\n---", "a=x\"y b=it's"},
		{"comment", "---\n# c\na: b # d\n---", "a=b"},
		{"empty value", "---\na:\nb: ~\nc: null\n---", "a= b=~ c=null"},
		{"anchor", "---\na: &x 1\nb: *x\n---", "a=1 b=x"},
		{"empty", "---\n---\nx", ""},
		{"unclosed", "---\na: b\n", ""},
		{"dots", "---\na: b\n...\n", "a=b"},
		{"quoted key", "---\n\"a b\": c\n---", "a b=c"},
		{"broken but read on", "---\na: x: y\nb: [c, d\ne: f\n---", "a=x: y b=[c d] e=f"},
		{"duplicate key", "---\na: 1\na: 2\n---", "a=1 a=2"},
		{"rule and heading", "---\n# Title\ntext: no\nplain\n---\n", ""},
		{"letter with a colon", "---\n\nSubject: order\n\nSee [[x]].\n\n---\n", ""},
		{"unicode key", "---\n标题: 值\n---", "标题=值"},
	}
	for _, tt := range tests {
		f := ParsePage([]byte(tt.text)).Front
		var got []string
		for _, x := range f.Fields {
			v := strings.Join(x.Values, " ")
			if x.List {
				v = "[" + v + "]"
			}
			if x.Map {
				v = "{}"
			}
			got = append(got, x.Key+"="+v)
		}
		if tt.name == "block list" {
			continue // YAML forbids it; TestSimpleMatchesLibrary covers what we read
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%s: %q, want %q (faults %v)", tt.name, s, tt.want, f.Faults)
		}
	}
}

// agree tells where the quick reader is sure and the library says something else.
func agree(block []byte) error {
	inner := span{0, len(block)}
	simple, ok := simpleFields(block, inner)
	if !ok {
		return nil
	}
	lib, _, err := libraryFields(block, inner)
	if err != nil {
		return fmt.Errorf("the library: %v; we: %v", err, simple)
	}
	if len(lib) != len(simple) {
		return fmt.Errorf("the library: %+v; we: %+v", lib, simple)
	}
	for i := range lib {
		if lib[i].Key != simple[i].Key || lib[i].List != simple[i].List && len(simple[i].Values) > 0 || !slices.Equal(lib[i].Values, simple[i].Values) {
			return fmt.Errorf("the library: %+v; we: %+v", lib[i], simple[i])
		}
	}
	return nil
}

func FuzzFrontMatter(f *testing.F) {
	for _, s := range []string{"a: b\nc: [d, e]\n", "a:\n- b\n- c\n", "a: 'x'\nb: \"y\"\n", "a: 1:2\nb: -x\n", "a: b: c\n", "k: |\n  x\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, block []byte) {
		text := append(append([]byte("---\n"), block...), "\n---\n"...)
		fm := ParsePage(text).Front
		for _, x := range fm.Fields {
			if x.Start < 0 || x.End > len(text) || x.Start > x.End || x.ValueStart < x.Start || x.ValueStart > x.End {
				t.Fatalf("%q: %+v", text, x)
			}
		}
		if !bytes.ContainsAny(block, "\x00\r\t") && !bytes.Contains(block, []byte("---")) {
			if err := agree(block); err != nil {
				t.Fatalf("%q: %v", block, err)
			}
		}
	})
}

func TestSimpleMatchesLibrary(t *testing.T) {
	for _, s := range []string{
		"a: b\n", "a: 'b c'\nd: \"e\"\n", "a: [b, c, 'd, e']\n", "a:\n- b\n- c\n", "a:\n  - b\n  - \"c\"\nd: 2026-01-02\n", "a: 1.10\nb: no\nc: null\n",
		"a: x:y\n", "a: -1\n", "a: (b)\n", "title: a — b\n", "a: b \n", "a: http://x.y/z\n", "a: []\n", "a: b-c_d\n", "a.b: c\n", "a: 07:30\n", "a: b 'c' d\n", "a: +1\n",
	} {
		if _, ok := simpleFields([]byte(s), span{0, len(s)}); !ok {
			t.Errorf("%q is not read quickly", s)
		}
		if err := agree([]byte(s)); err != nil {
			t.Errorf("%q: %v", s, err)
		}
	}
}

func FuzzLinks(f *testing.F) {
	_ = filepath.Walk("testdata/cases", func(p string, fi os.FileInfo, err error) error {
		if err == nil && strings.HasSuffix(p, ".md") {
			if b, err := os.ReadFile(p); err == nil {
				f.Add(b)
			}
		}
		return nil
	})
	f.Fuzz(func(t *testing.T, text []byte) {
		p := ParsePage(text)
		last := 0
		for _, l := range p.Links {
			if l.Start < last || l.End > len(text) || l.Start >= l.End || l.TargetStart < l.Start || l.TargetEnd > l.End || l.TargetStart > l.TargetEnd {
				t.Fatalf("%q: %+v", text, l)
			}
			last = l.Start
			p.Anchor(l)
		}
		for _, h := range p.Headings {
			if h.Start < 0 || h.End > len(text) || h.Start > h.End {
				t.Fatalf("%q: %+v", text, h)
			}
		}
	})
}

// TestHostileTexts parses what costs a careless parser the square of its length; the test's own deadline is the guard.
func TestHostileTexts(t *testing.T) {
	for _, unit := range []string{"[", "[[", "](", "](a \"", "$a ", "%%a ", "`a ``b ", "<!-- ", "<a", "> ", "- ", "* a\n", "![", "[a](<", "[a]: ", "# a\n", "|`|\n",
		"$$\n", "%%\n", "<pre>\n", "```\n", "a\\", "&", "# [", "\t", "---\n", "a: [", "^a\n", "[[a#b]] ", "((", "<? ", "<![CDATA[", "<!A ", "<a b=\"", "<a b='c\"", "<a b ", "<div>\n", "<b>\n", "a:\r", "# [a](b) c?\n[[#a!]]\n"} {
		text := []byte(strings.Repeat(unit, 120_000/len(unit)))
		for _, before := range []string{"", "x ", "# ", "---\n"} {
			all := append([]byte(before), text...)
			p := ParsePage(all)
			for _, l := range p.Links[:min(len(p.Links), 10)] {
				p.Anchor(l)
			}
			cachedPage{page: &p, text: all}.scanned().summary()
		}
	}
}

// TestTabs: a tab that indents a key or an item is told at its line, with the blanks that YAML wants; in a value of several lines it is the value's own.
func TestTabs(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"---\ntags:\n\t- a\n\t- b\n---\n", "3:\"  \" 4:\"  \""},
		{"---\nauthor:\n\tname: y\n---\n", "3:\"  \""},
		{"---\r\nsources:\r\n  - a\r\n\t- b\r\n---\r\n", "4:\"  \""},
		{"---\ntags:\n \t- a\n---\n", "3:\"   \""},
		{"---\nnote: a: b\ntags:\n\t- c\n---\n", "4:\"  \" 2:\"\\\"a: b\\\"\""},
		{"---\ntags:\n  -\ta\n---\n", ""},
		{"---\ntitle:\tx\n---\n", ""},
		{"---\nnote: |\n  a\n  \tkey: b\n---\n", ""},
		{"---\ntags: [a,\n\tb]\n---\n", ""},
	} {
		page := ParsePage([]byte(c.text))
		var got []string
		for _, f := range page.Front.Faults {
			if f.Code != "frontmatter-yaml" {
				t.Errorf("%q: code %s", c.text, f.Code)
			}
			got = append(got, fmt.Sprintf("%d:%q", 1+strings.Count(c.text[:f.Start], "\n"), f.Fix))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%q: %s, want %s", c.text, s, c.want)
		}
	}
}
