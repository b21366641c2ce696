package lsp

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rigwiki/rig/lsp/lsptest"
	"go.lsp.dev/protocol"
)

// TestChanges holds that random changes of random texts, in each encoding, give what an editor that counts by itself has.
func TestChanges(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	bits := []string{"a", "bc ", "é", "日本", "\U0001F600", "\n", "\r\n", "\r", "e\u0301", "# T\n"}
	random := func(n int) string {
		var b strings.Builder
		for range r.IntN(n + 1) {
			b.WriteString(bits[r.IntN(len(bits))])
		}
		return b.String()
	}
	for _, enc := range encodings {
		s := &server{editor: editor{docs: newDocuments(), unsaved: newUnsavedPages(), caps: capabilities{encoding: enc}}, desk: desk{after: newAftermath(), pages: newPages()}}
		mine := random(30)
		s.docs.set(&document{uri: "file:///w/a.md", path: "/w/a.md", version: 1, text: []byte(mine)})
		for v := int32(2); v < 400; v++ {
			var changes []protocol.TextDocumentContentChangeEvent
			for range 1 + r.IntN(3) { // each is about the text that the one before it made
				start := protocol.Position{Line: uint32(r.IntN(8)), Character: uint32(r.IntN(12))}
				end := protocol.Position{Line: start.Line + uint32(r.IntN(3)), Character: uint32(r.IntN(12))}
				at := func(p protocol.Position) int { return lsptest.Offset(mine, int(p.Line), int(p.Character), string(enc)) }
				// An editor never names a place inside a character.
				l := newLines([]byte(mine), enc)
				start, end = l.position(l.offset(start)), l.position(l.offset(end))
				if at(end) < at(start) {
					start, end = end, start
				}
				text := random(6)
				changes = append(changes, &protocol.TextDocumentContentChangePartial{Range: protocol.Range{Start: start, End: end}, Text: text})
				mine = mine[:at(start)] + text + mine[at(end):]
			}
			p := &protocol.DidChangeTextDocumentParams{ContentChanges: changes}
			p.TextDocument.URI, p.TextDocument.Version = "file:///w/a.md", v
			if err := s.didChange(t.Context(), p); err != nil {
				t.Fatal(err)
			}
			doc, _ := s.docs.get("/w/a.md")
			if string(doc.text) != mine || doc.version != v {
				t.Fatalf("%s, version %d: %q, the editor has %q", enc, v, doc.text, mine)
			}
		}
	}
}

// TestBothNames holds that a page which is open by one name of its folder is found by the other one (case o-ls-08): what is unsaved in it counts, and
// an edit names its version. Each message of the client is about the spelling that it names.
func TestBothNames(t *testing.T) {
	root := newWiki(t, map[string]string{"concepts/a.md": "# A\n", "entities/x.md": "# X\n"})
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(root, link); err != nil {
		t.Fatal(err)
	}
	real, linked := filepath.Join(root, "concepts/a.md"), filepath.Join(link, "concepts/a.md")
	d := newDocuments()
	mine := &document{uri: pathURI(real), path: real, version: 7, text: []byte("typed\n")}
	d.set(mine)
	if doc, ok := d.get(linked); !ok || doc != mine {
		t.Errorf("by the link: %v", doc)
	}
	if u, v := d.spelled(linked); u != mine.uri || v == nil || *v != 7 {
		t.Errorf("an edit names %s", u)
	}
	if _, ok := d.exactly(linked); ok {
		t.Error("a message about the link is taken for one about the other name")
	}
	for _, other := range []string{filepath.Join(link, "a.md"), filepath.Join(link, "entities/a.md"), filepath.Join(link, "concepts/b.md"), filepath.Join(link, "nowhere/a.md")} {
		if doc, ok := d.get(other); ok {
			t.Errorf("%s is taken for %s", other, doc.path)
		}
	}
	d.drop(linked)
	if doc, _ := d.get(linked); doc != mine {
		t.Error("closing what was not open closed the other name")
	}
	d.drop(real)
	if _, ok := d.get(linked); ok {
		t.Error("a closed page is found")
	}
}

// TestTextOf holds that the buffer wins over the disk, and that a byte order mark that the editor took off is put back.
func TestTextOf(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.md")
	d := newDocuments()
	if _, ok, err := d.textOf(path); ok || err != nil {
		t.Errorf("a page that is not there: %v, %v", ok, err)
	}
	write(t, path, "\ufeff# A\r\n")
	d.set(&document{path: path, version: 1, text: []byte("# A\r\n")})
	doc, _ := d.get(path)
	if text, _, _ := d.textOf(path); string(text) != "\ufeff# A\r\n" || d.unsaved(doc) {
		t.Errorf("%q, unsaved %v", text, d.unsaved(doc))
	}
	d.set(&document{path: path, version: 2, text: []byte("# B\r\n")})
	doc, _ = d.get(path)
	if text, _, _ := d.textOf(path); string(text) != "\ufeff# B\r\n" || !d.unsaved(doc) {
		t.Errorf("%q, unsaved %v", text, d.unsaved(doc))
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if text, ok, _ := d.textOf(path); !ok || string(text) != "# B\r\n" {
		t.Errorf("%q, %v", text, ok)
	}
}
