package lsp

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rigwiki/rig/lsp/lsptest"
	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/proposal"
	"go.lsp.dev/protocol"
)

// TestOrdered is case o-ls-09: touching, equal-start and overlapping edits.
func TestOrdered(t *testing.T) {
	var list []struct {
		Text   string
		Edits  [][5]any
		Valid  bool
		Result string
		Why    string
	}
	if err := json.Unmarshal(input(t, "o-ls-09", "lists.json"), &list); err != nil || len(list) == 0 {
		t.Fatal(err)
	}
	for i, c := range list {
		var ranges []protocol.Range
		for _, e := range c.Edits {
			n := func(i int) uint32 { return uint32(e[i].(float64)) }
			ranges = append(ranges, protocol.Range{Start: protocol.Position{Line: n(0), Character: n(1)}, End: protocol.Position{Line: n(2), Character: n(3)}})
		}
		if err := ordered(ranges); (err == nil) != c.Valid {
			t.Errorf("list %d (%s): %v", i, c.Why, err)
		}
	}
}

// TestAppend is case o-ls-15: adding a line at the end of a text with and without a last newline, and of none.
func TestAppend(t *testing.T) {
	for _, c := range []struct {
		file       string
		after      string
		line, col  uint32
		text, want string
	}{
		{"with-nl.md", "# A\n- x\n", 1, 0, "- x\n", ""},
		{"no-nl.md", "# A\n- x", 0, 3, "\n- x", ""},
		{"empty.md", "- x\n", 0, 0, "- x\n", ""},
	} {
		old := input(t, "o-ls-15", c.file)
		got := textEdits(planned(t, old, []byte(c.after)), nil, capabilities{encoding: encodings[1]})
		if len(got) != 1 || got[0].NewText != c.text || got[0].Range.Start != (protocol.Position{Line: c.line, Character: c.col}) || got[0].Range.Start != got[0].Range.End {
			t.Errorf("%s: %+v", c.file, got)
		}
	}
}

// TestCaseEdits holds that the edits of the diff cases give the bytes after, in every encoding, and are small.
func TestCaseEdits(t *testing.T) {
	for _, c := range []struct{ id, page string }{{"o-df-02", "wiki/log.md"}, {"o-df-08", "wiki/win.md"}} {
		old, after := input(t, c.id, "before", c.page), input(t, c.id, "after", c.page)
		for _, enc := range encodings {
			edits := textEdits(planned(t, old, after), nil, capabilities{encoding: enc})
			if got := applyAll(old, edits, enc); !bytes.Equal(got, after) {
				t.Errorf("%s in %s: %q, want %q", c.id, enc, got, after)
			}
			if len(edits) != 1 {
				t.Errorf("%s: %d edits", c.id, len(edits))
			}
		}
	}
	one := textEdits(planned(t, input(t, "o-df-02", "before/wiki/log.md"), input(t, "o-df-02", "after/wiki/log.md")), nil, capabilities{encoding: encodings[1]})
	if one[0].Range.Start != (protocol.Position{Line: 0, Character: 10}) || one[0].NewText != "\n" {
		t.Errorf("the missing newline is %+v", one)
	}
}

// TestByteOrderMark is case o-df-09: editors take the mark off, so line 0 begins after it.
func TestByteOrderMark(t *testing.T) {
	got := textEdits(planned(t, input(t, "o-df-09", "before/wiki/bom.md"), []byte("\ufeff---\ntitle: New\n---\ntext\n")), nil, capabilities{encoding: encodings[1]})
	if len(got) != 1 || got[0].Range.Start.Line != 1 || got[0].Range.Start.Character != 0 {
		t.Errorf("%+v", got)
	}
	got = textEdits(planned(t, []byte("\ufeff# Old\n"), []byte("\ufeff# New\n")), nil, capabilities{encoding: encodings[1]})
	if len(got) != 1 || got[0].NewText != "# New\n" || got[0].Range.Start != (protocol.Position{}) {
		t.Errorf("on the mark's line: %+v", got)
	}
}

// planned makes the plan of one page through a real store.
func planned(t testing.TB, old, after []byte) proposal.Planned {
	t.Helper()
	store, err := proposal.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	rec := proposal.Record{Run: "r-1", State: proposal.Proposed, Wiki: t.TempDir()}
	if err := store.Create(rec); err != nil {
		t.Fatal(err)
	}
	if err := store.Propose(&rec, []proposal.Draft{{File: proposal.File{Path: "a.md", Kind: proposal.Edited}, BaseText: old, NewText: after}}, nil); err != nil {
		t.Fatal(err)
	}
	plan, err := store.Plan("r-1", proposal.Selection{}, func(string) ([]byte, bool, error) { return old, true, nil })
	if err != nil || len(plan.Files) != 1 {
		t.Fatalf("%v %+v", err, plan)
	}
	return plan.Files[0]
}

// applyAll applies edits from the end, as every client may.
func applyAll(text []byte, edits []protocol.TextEdit, enc protocol.PositionEncodingKind) []byte {
	l := newLines(text, enc)
	out := bytes.Clone(text)
	for i := len(edits) - 1; i >= 0; i-- {
		start, end := l.offset(edits[i].Range.Start), l.offset(edits[i].Range.End)
		out = bytes.Join([][]byte{out[:start], []byte(edits[i].NewText), out[end:]}, nil)
	}
	return out
}

// TestInsideWiki holds what no editor is ever told to write.
func TestInsideWiki(t *testing.T) {
	root := newWiki(t, nil)
	outside := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(root, "out")); err != nil {
		t.Fatal(err)
	}
	w, err := wiki.Find(filepath.Join(root, "index.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"../x.md", "/etc/passwd", "a/../../x.md", "raw/new.md", "schema.md", "purpose.md", ".git/config", "a/.hidden/x.md", "out/x.md", "", ".", "a//b.md", "./a.md"} {
		if p, err := insideWiki(w, bad); err == nil {
			t.Errorf("%q is let through as %s", bad, p)
		}
	}
	for _, good := range []string{"index.md", "new/folder/x.md", "rawer/x.md", "a b%.md"} {
		if _, err := insideWiki(w, good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
}

// TestKindsOfClients is cases o-ls-03 and o-ls-04: an edit and a new page, in each kind of client.
func TestKindsOfClients(t *testing.T) {
	for _, c := range []struct {
		file     string
		edits    int // applyEdit requests after the user's yes
		contains []string
		lacks    []string
	}{
		{"vscode-like.json", 1, []string{`"kind":"create"`, `"annotationId"`, `"version":null`, `"version":1`}, []string{"ignoreIfExists", "overwrite", `"changes":`}},
		{"neovim-like.json", 1, []string{`"documentChanges"`, `"kind":"create"`}, []string{"annotationId", `"changes":`}},
		{"plain.json", 1, []string{`"changes":`}, []string{"documentChanges", "annotationId", "new.md"}},
		{"no-apply.json", 0, nil, nil},
	} {
		t.Run(c.file, func(t *testing.T) {
			var p struct{ Capabilities json.RawMessage }
			if err := json.Unmarshal(input(t, "o-ls-04", c.file), &p); err != nil {
				t.Fatal(err)
			}
			root := newWiki(t, map[string]string{"concepts/a.md": "old text\n"})
			h := newFakeHost(t, proposes(map[string]string{"concepts/a.md": "new text\n", "concepts/new.md": "# B\n"}, nil))
			e := session(t, h, lsptest.Options{Root: root, Profile: lsptest.Profile{Name: "any", Capabilities: p.Capabilities}, Init: withMessage})
			a := filepath.Join(root, "concepts/a.md")
			e.Open(a)
			run := ingest(t, e, root)
			until(t, e, run, proposal.Proposed)
			if n := len(e.Requests("workspace/applyEdit")); n != 0 {
				t.Fatalf("%d edits before any yes", n)
			}
			if err := e.Execute("rigwiki.proposal.apply", map[string]string{"run": run}, nil); err != nil {
				t.Fatal(err)
			}
			until(t, e, run, proposal.Applied)
			reqs := e.Requests("workspace/applyEdit")
			if len(reqs) != c.edits {
				t.Fatalf("%d edits", len(reqs))
			}
			for _, r := range reqs {
				for _, part := range c.contains {
					if !strings.Contains(string(r), part) {
						t.Errorf("lacks %s: %s", part, r)
					}
				}
				for _, part := range c.lacks {
					if strings.Contains(string(r), part) {
						t.Errorf("has %s: %s", part, r)
					}
				}
			}
			now := e.Buffer(a).Text
			if c.edits == 0 {
				now = read(t, a)
			}
			if now != "new text\n" || read(t, filepath.Join(root, "concepts/new.md")) != "# B\n" {
				t.Errorf("a.md is %q", now)
			}
		})
	}
}

// TestRename is case o-df-15: a page renamed and edited is a rename, then an edit under the new name, then the index.
func TestRename(t *testing.T) {
	before := func(p string) string { return string(input(t, "o-df-15", "before", p)) }
	after := func(p string) string { return string(input(t, "o-df-15", "after", p)) }
	oldName, newName := "concepts/Vector-DB.md", "concepts/Vector-Database.md"
	root := newWiki(t, map[string]string{oldName: before(oldName), "index.md": before("index.md")})
	h := newFakeHost(t, renames(oldName, newName, after(newName), map[string]string{"index.md": after("index.md")}))
	e := session(t, h, lsptest.Options{Root: root, Profile: lsptest.VSCode(), Init: withPane})
	run := ingest(t, e, root)
	until(t, e, run, proposal.Applied)
	var p struct {
		Edit struct {
			DocumentChanges []struct {
				Kind, NewURI string
				TextDocument struct{ URI string }
			}
		}
	}
	if err := json.Unmarshal(e.Requests("workspace/applyEdit")[0], &p); err != nil {
		t.Fatal(err)
	}
	c := p.Edit.DocumentChanges
	if len(c) != 3 || c[0].Kind != "rename" || c[1].TextDocument.URI != c[0].NewURI || !strings.HasSuffix(c[2].TextDocument.URI, "/index.md") {
		t.Errorf("order: %+v", c)
	}
	if read(t, filepath.Join(root, newName)) != after(newName) || read(t, filepath.Join(root, "index.md")) != after("index.md") || exists(filepath.Join(root, oldName)) {
		t.Error("the bytes differ")
	}
}
