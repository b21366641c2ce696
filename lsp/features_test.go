package lsp

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/rigwiki/rig/lsp/lsptest"
)

// study is an editor on a wiki of its own.
type study struct {
	t    testing.TB
	e    *lsptest.Editor
	root string
	enc  string
}

// full is an editor that announces all that the link features ask for.
func full(encoding string) lsptest.Profile {
	return lsptest.Profile{Name: "Visual Studio Code", Capabilities: json.RawMessage(`{"workspace":{"applyEdit":true,"workspaceEdit":{"documentChanges":true,
"resourceOperations":["create","rename","delete"],"changeAnnotationSupport":{}},"diagnostics":{"refreshSupport":true}},"textDocument":{"definition":{"linkSupport":true},
"documentSymbol":{"hierarchicalDocumentSymbolSupport":true},"diagnostic":{},"codeAction":{"codeActionLiteralSupport":{"codeActionKind":{"valueSet":[""]}}}},
"window":{"showMessage":{}},"general":{"positionEncodings":["` + encoding + `"]}}`)}
}

// newStudy starts a session on a wiki of the pages given; without schema.md it is a folder of plain markdown.
func newStudy(t testing.TB, profile lsptest.Profile, init string, pages map[string]string) *study {
	t.Helper()
	root := filepath.Join(t.TempDir(), "wiki")
	for p, text := range pages {
		write(t, filepath.Join(root, p), text)
	}
	return studyOn(t, profile, init, root)
}

func studyOn(t testing.TB, profile lsptest.Profile, init, root string) *study {
	t.Helper()
	d := &study{t: t, root: root, enc: "utf-16"}
	d.e = session(t, newFakeHost(t, nil), lsptest.Options{Root: root, Profile: profile, Init: init})
	var caps struct {
		Capabilities struct{ PositionEncoding string }
	}
	if err := json.Unmarshal(d.e.Init, &caps); err == nil && caps.Capabilities.PositionEncoding != "" {
		d.enc = caps.Capabilities.PositionEncoding
	}
	return d
}

func (d *study) path(rel string) string { return filepath.Join(d.root, filepath.FromSlash(rel)) }

// open opens a page, once.
func (d *study) open(rel string) {
	d.t.Helper()
	if d.e.Buffer(d.path(rel)).URI == "" {
		d.e.Open(d.path(rel))
	}
}

// pos is the position of the bar in a piece of a page's text: "[[ket|tle]]" is behind the t.
func (d *study) pos(rel, piece string) map[string]int {
	d.t.Helper()
	before, after, _ := strings.Cut(piece, "‸")
	text := d.e.Buffer(d.path(rel)).Text
	at := strings.Index(text, before+after)
	if at < 0 {
		d.t.Fatalf("%s has no %q", rel, before+after)
	}
	at += len(before)
	lines := strings.Split(strings.ReplaceAll(strings.ReplaceAll(text[:at], "\r\n", "\n"), "\r", "\n"), "\n")
	line, col := len(lines)-1, 0
	for _, r := range lines[len(lines)-1] {
		switch d.enc {
		case "utf-8":
			col += utf8.RuneLen(r)
		case "utf-32":
			col++
		default:
			col += utf16.RuneLen(r)
		}
	}
	return map[string]int{"line": line, "character": col}
}

// ask sends a request about a place in a page.
func (d *study) ask(method, rel, piece string, more map[string]any, result any) error {
	d.t.Helper()
	d.open(rel)
	params := map[string]any{"textDocument": map[string]string{"uri": lsptest.URI(d.path(rel))}}
	if piece != "" {
		params["position"] = d.pos(rel, piece)
	}
	for k, v := range more {
		params[k] = v
	}
	return d.e.Request(method, params, result)
}

type wireRange struct{ Start, End struct{ Line, Character int } }

func (r wireRange) String() string {
	return fmt.Sprintf("%d:%d-%d:%d", r.Start.Line, r.Start.Character, r.End.Line, r.End.Character)
}

// rel is a URI as a path of the wiki, with its fragment.
func (d *study) rel(uri string) string {
	uri, fragment, _ := strings.Cut(uri, "#")
	rel, err := filepath.Rel(d.root, lsptest.Path(uri))
	if err != nil {
		return uri
	}
	if fragment != "" {
		rel += "#" + fragment
	}
	return rel
}

// definition is where a place leads: "tea.md 2:0-2:8".
func (d *study) definition(rel, piece string) string {
	d.t.Helper()
	var got []struct {
		TargetURI            string
		TargetSelectionRange wireRange
		URI                  string
		Range                wireRange
	}
	if err := d.ask("textDocument/definition", rel, piece, nil, &got); err != nil {
		return err.Error()
	}
	var out []string
	for _, g := range got {
		if g.URI != "" {
			g.TargetURI, g.TargetSelectionRange = g.URI, g.Range
		}
		out = append(out, d.rel(g.TargetURI)+" "+g.TargetSelectionRange.String())
	}
	return strings.Join(out, ", ")
}

func (d *study) references(rel, piece string, declaration bool) string {
	d.t.Helper()
	var got []struct {
		URI   string
		Range wireRange
	}
	if err := d.ask("textDocument/references", rel, piece, map[string]any{"context": map[string]any{"includeDeclaration": declaration}}, &got); err != nil {
		return err.Error()
	}
	var out []string
	for _, g := range got {
		out = append(out, d.rel(g.URI)+" "+g.Range.String())
	}
	return strings.Join(out, ", ")
}

// linkPages is a small wiki with links of every kind, behind letters of every width.
func linkPages() map[string]string {
	return map[string]string{
		"schema.md": "# Schema\n\nSlugs.\n", "purpose.md": "# Purpose\n\nSee [[tea]].\n", "index.md": "# Index\n\n- [[tea]]\n",
		"raw/tea.md":          "# Raw tea\n\n[[tea]]\n",
		"concepts/tea.md":     "---\ntitle: Tea\naliases: [Chai]\nsources: [leaf]\n---\n# Tea\n\n## Green tea\n\nA leaf. ^leaf1\n\n## 緑茶\n\n[[#Green tea]]\n",
		"concepts/a.md":       "---\nrelated: \"[[tea]]\"\n---\n# A\n\n\U0001F600知識 [[tea]] [[tea#Green tea|green]] [[tea#^leaf1]] [[Chai]] [md](tea.md#green-tea) [[nope]] `[[tea]]`\n",
		"concepts/b c.md":     "# B\n\n| x | [[tea#緑茶\\|t]] |\n\n[[concepts/tea]] ![[tea]] [r](../sources/leaf.md) https://e.org\n",
		"sources/leaf.md":     "---\nsource-path: raw/tea.md\n---\n# Leaf\n",
		"assets/pic.png":      "x",
		"concepts/caps/IT.md": "# It\n",
	}
}

// TestDefinition leads from links of every kind, in front matter too, to page, heading and block, in every encoding.
func TestDefinition(t *testing.T) {
	for _, enc := range []string{"utf-16", "utf-8", "utf-32"} {
		d := newStudy(t, full(enc), "", linkPages())
		for _, c := range []struct{ rel, at, want string }{
			{"concepts/a.md", "知識 [[t‸ea]]", "concepts/tea.md 0:0-0:0"},
			{"concepts/a.md", "[[tea#Gre‸en", "concepts/tea.md 7:0-7:12"},
			{"concepts/a.md", "[[tea#^le‸af1]]", "concepts/tea.md 9:8-9:14"},
			{"concepts/a.md", "[[Ch‸ai]]", "concepts/tea.md 0:0-0:0"},
			{"concepts/a.md", "(tea.md#gr‸een", "concepts/tea.md 7:0-7:12"},
			{"concepts/a.md", "\"[[te‸a]]\"", "concepts/tea.md 0:0-0:0"},
			{"concepts/a.md", "[[no‸pe]]", ""},
			{"concepts/a.md", "`[[te‸a]]`", ""},
			{"concepts/b c.md", "](../so‸urces", "sources/leaf.md 0:0-0:0"},
			{"concepts/tea.md", "[[#Gr‸een", "concepts/tea.md 7:0-7:12"},
			{"concepts/tea.md", "sources: [le‸af]", "sources/leaf.md 0:0-0:0"},
			{"sources/leaf.md", "raw/t‸ea.md", "raw/tea.md 0:0-0:0"},
		} {
			if got := d.definition(c.rel, c.at); got != c.want {
				t.Errorf("%s: %s in %s leads to %q, want %q", enc, c.at, c.rel, got, c.want)
			}
		}
	}
}

// TestDefinitionCases is cases o-wk-03 (a decomposed file name), o-wk-04 (two pages of one name), o-wk-05 (anchors), o-wk-06 (markdown links) and
// o-wk-14 (near misses), through the protocol.
func TestDefinitionCases(t *testing.T) {
	decomposed := "Cafe\u0301 Cre\u0300me.md"
	d := newStudy(t, full("utf-16"), "", map[string]string{"menu.md": "# Coffee\n[[Caf\u00e9 Cr\u00e8me]]\n", decomposed: "# x\n[[menu]]\n"})
	var links []struct{ TargetURI string }
	if err := d.ask("textDocument/definition", "menu.md", "[[Ca‸f", nil, &links); err != nil || len(links) != 1 || !strings.HasSuffix(links[0].TargetURI, "/Cafe%CC%81%20Cre%CC%80me.md") {
		t.Errorf("o-wk-03: %+v, %v", links, err)
	}
	for _, c := range []struct{ id, rel, at, want string }{
		{"o-wk-04", "garden/a.md", "[[to‸do]]", "garden/todo.md"},
		{"o-wk-04", "other/b.md", "[[to‸do]]", "todo.md"},
		{"o-wk-04", "other/b.md", "[[garden/to‸do]]", "garden/todo.md"},
		{"o-wk-04", "other/b.md", "[[/to‸do]]", "todo.md"},
		{"o-wk-05", "src.md", "Green ‸%7C", "Tea.md 2:0-2:16"},
		{"o-wk-05", "src.md", "umami\"?#Bre‸wing", "Tea.md 6:0-6:19"},
		{"o-wk-05", "src.md", "C# & .‸NET", "Tea.md 8:0-8:18"},
		{"o-wk-05", "src.md", "time-35‸-min", "Tea.md 10:0-10:17"},
		{"o-wk-05", "src.md", "Missing‸ part", "Tea.md 0:0-0:0"},
		{"o-wk-06", "links.md", "[a](the%‸20brief", "the brief.md"},
		{"o-wk-06", "links.md", "[c](brief(‸1).md)", "brief(1).md"},
		{"o-wk-06", "links.md", "<my p‸ic.png>", "my pic.png"},
		{"o-wk-06", "links.md", "(missing‸%20page", ""},
		{"o-wk-06", "links.md", "the%2‸520brief", ""},
		{"o-wk-14", "a.md", "[[Lea‸ky Gut]]", "sources/Leaky-Gut.md"},
		{"o-wk-14", "a.md", "[[concepts/Lea‸ky", "sources/Leaky-Gut.md"},
		{"o-wk-14", "a.md", "[[Leaky‸]]", ""},
	} {
		d := studyOn(t, full("utf-16"), "", filepath.Join(testdata(t), c.id, "wiki"))
		got := d.definition(c.rel, c.at)
		if !strings.Contains(c.want, " ") || !strings.Contains(c.want, ":") {
			got = strings.TrimSuffix(got, " 0:0-0:0")
		}
		if got != c.want {
			t.Errorf("%s: %s in %s leads to %q, want %q", c.id, c.at, c.rel, got, c.want)
		}
	}
}

// testdata is a copy of this package's test data outside of a project, where no other wiki is above it.
func testdata(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestReferences(t *testing.T) {
	d := newStudy(t, full("utf-8"), "", linkPages())
	all := "concepts/a.md 1:10-1:17, concepts/a.md 5:11-5:18, concepts/a.md 5:19-5:42, concepts/a.md 5:43-5:57, concepts/a.md 5:58-5:66, concepts/a.md 5:67-5:89, " +
		"concepts/b c.md 2:6-2:23, concepts/b c.md 4:0-4:16, concepts/b c.md 4:17-4:25, index.md 2:2-2:9, purpose.md 2:4-2:11, concepts/tea.md 13:0-13:14"
	for _, c := range []struct {
		rel, at, want string
		declaration   bool
	}{
		{"concepts/b c.md", "[[concepts/te‸a]]", all, false},
		{"concepts/tea.md", "# Te‸a\n", all, false},
		{"concepts/tea.md", "## Green ‸tea", "concepts/tea.md 7:0-7:12, concepts/a.md 5:19-5:42, concepts/a.md 5:67-5:89, concepts/tea.md 13:0-13:14", true},
		{"concepts/tea.md", "## 緑‸茶", "concepts/b c.md 2:6-2:23", false},
		{"concepts/a.md", "[[tea#^l‸eaf1]]", "concepts/a.md 5:43-5:57", false},
		{"concepts/tea.md", "A le‸af.", "", false},
	} {
		if got := d.references(c.rel, c.at, c.declaration); got != c.want {
			t.Errorf("%s in %s:\n got %s\nwant %s", c.at, c.rel, got, c.want)
		}
	}
	// A buffer counts at once, the disk does not.
	d.open("index.md")
	d.e.Change(d.path("index.md"), "# Index\n\n- [[tea]] and [[tea#緑茶]]\n")
	if got, want := d.references("concepts/tea.md", "## 緑‸茶", false), "concepts/b c.md 2:6-2:23, index.md 2:14-2:28"; got != want {
		t.Errorf("after a change: %s, want %s", got, want)
	}
}

func TestDocumentLinks(t *testing.T) {
	d := newStudy(t, full("utf-16"), "", linkPages())
	for rel, want := range map[string]string{
		"concepts/a.md":   "1:10-1:17 concepts/tea.md, 5:5-5:12 concepts/tea.md, 5:13-5:36 concepts/tea.md#L8, 5:37-5:51 concepts/tea.md#L10, 5:52-5:60 concepts/tea.md, 5:66-5:72 concepts/tea.md#L8",
		"concepts/b c.md": "2:6-2:19 concepts/tea.md#L12, 4:0-4:16 concepts/tea.md, 4:17-4:25 concepts/tea.md, 4:30-4:48 sources/leaf.md",
		"concepts/tea.md": "13:0-13:14 concepts/tea.md#L8",
	} {
		var got []struct {
			Range  wireRange
			Target string
		}
		if err := d.ask("textDocument/documentLink", rel, "", nil, &got); err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, g := range got {
			out = append(out, g.Range.String()+" "+d.rel(g.Target))
		}
		if s := strings.Join(out, ", "); s != want {
			t.Errorf("%s:\n got %s\nwant %s", rel, s, want)
		}
	}
}

type wireSymbol struct {
	Name     string
	Range    wireRange
	Children []wireSymbol
	Location struct {
		URI   string
		Range wireRange
	}
}

func outline(list []wireSymbol) string {
	var out []string
	for _, s := range list {
		line := s.Name + " " + s.Range.String()
		if len(s.Children) > 0 {
			line += " (" + outline(s.Children) + ")"
		}
		out = append(out, line)
	}
	return strings.Join(out, ", ")
}

func TestSymbols(t *testing.T) {
	d := newStudy(t, full("utf-16"), "", linkPages())
	var got []wireSymbol
	if err := d.ask("textDocument/documentSymbol", "concepts/tea.md", "", nil, &got); err != nil {
		t.Fatal(err)
	}
	if s, want := outline(got), "Tea 5:0-14:0 (Green tea 7:0-11:0, 緑茶 11:0-14:0)"; s != want {
		t.Errorf("%s, want %s", s, want)
	}
	for query, want := range map[string][]string{
		"green": {"Green tea concepts/tea.md 7:0-7:12"},
		"tea":   {"Tea concepts/tea.md 0:0-0:0", "Raw tea raw/tea.md 0:0-0:0", "Green tea concepts/tea.md 7:0-7:12"},
		"緑茶":    {"緑茶 concepts/tea.md 11:0-11:5"},
		"chai":  {"Tea concepts/tea.md 0:0-0:0"},
		"zzz":   nil,
	} {
		got = nil
		if err := d.e.Request("workspace/symbol", map[string]string{"query": query}, &got); err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, s := range got {
			out = append(out, s.Name+" "+d.rel(s.Location.URI)+" "+s.Location.Range.String())
		}
		if !slices.Equal(out, want) {
			t.Errorf("%q finds %q, want %q", query, out, want)
		}
	}
	plain := newStudy(t, lsptest.Plain(), "", linkPages())
	got = nil
	if err := plain.ask("textDocument/documentSymbol", "concepts/tea.md", "", nil, &got); err != nil || len(got) != 3 || got[1].Location.Range.String() != "7:0-7:12" {
		t.Errorf("a client without trees: %+v, %v", got, err)
	}
}

// TestFeaturesOff holds that each feature can be switched off: by the client's settings it is not announced, and by any it answers null.
func TestFeaturesOff(t *testing.T) {
	names := []string{"completion", "definition", "references", "documentLink", "documentSymbol", "hover", "rename", "diagnostics", "workspaceSymbol"}
	off := map[string]bool{}
	for _, n := range names {
		off[n] = false
	}
	init, err := json.Marshal(map[string]any{"features": off})
	if err != nil {
		t.Fatal(err)
	}
	d := newStudy(t, full("utf-16"), string(init), linkPages())
	var caps struct{ Capabilities map[string]json.RawMessage }
	if err := json.Unmarshal(d.e.Init, &caps); err != nil {
		t.Fatal(err)
	}
	for _, n := range append(names, "workspaceSymbol", "diagnostic") {
		if c, there := caps.Capabilities[n+"Provider"]; there {
			t.Errorf("%s is announced: %s", n, c)
		}
	}
	for method, more := range map[string]map[string]any{
		"textDocument/completion": nil, "textDocument/definition": nil, "textDocument/hover": nil, "textDocument/prepareRename": nil,
		"textDocument/references": {"context": map[string]bool{"includeDeclaration": true}}, "textDocument/rename": {"newName": "x"},
		"textDocument/documentLink": nil, "textDocument/documentSymbol": nil,
	} {
		var got any
		if err := d.ask(method, "concepts/a.md", "[[t‸ea]]", more, &got); err != nil || got != nil {
			t.Errorf("%s answers %v, %v", method, got, err)
		}
	}
}
