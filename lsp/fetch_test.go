package lsp

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rigwiki/rig/lsp/lsptest"
	"github.com/rigwiki/rig/wiki/proposal"
)

// TestFetch offers to fetch the address under the cursor and nowhere else; an address of this machine is refused, with the reason.
func TestFetch(t *testing.T) {
	root := newWiki(t, map[string]string{"a.md": "# A\n\nSee [it](http://127.0.0.1:9/x_(y).html), and more.\n\nno address here\n"})
	e := session(t, realHost(t, `false`), lsptest.Options{Root: root, Profile: lsptest.VSCode(), Init: notifying})
	page := filepath.Join(root, "a.md")
	e.Open(page)
	want := "http://127.0.0.1:9/x_(y).html"
	for _, c := range []struct {
		line, char uint32
		want       bool
	}{{2, 12, true}, {2, 38, true}, {2, 2, false}, {2, 44, false}, {4, 3, false}} {
		if got := fetchOffer(t, e, page, c.line, c.char); (got == want) != c.want {
			t.Errorf("at %d:%d it offers %q", c.line, c.char, got)
		}
	}
	var got struct{ Run string }
	if err := e.Execute("rigwiki.fetch", map[string]string{"url": want, "uri": lsptest.URI(page)}, &got); err != nil {
		t.Fatal(err)
	}
	until(t, e, got.Run, proposal.Failed)
	if err := e.Execute("rigwiki.fetch", map[string]string{"uri": lsptest.URI(page)}, &got); err == nil {
		t.Error("a fetch without an address is taken")
	}
}

// fetchOffer is the address that the menu offers to fetch at a place.
func fetchOffer(t *testing.T, e *lsptest.Editor, page string, line, char uint32) string {
	t.Helper()
	at := map[string]any{"line": line, "character": char}
	var actions []struct {
		Title   string
		Kind    string
		Command struct {
			Command   string
			Arguments []json.RawMessage
		}
	}
	err := e.Request("textDocument/codeAction", map[string]any{"textDocument": map[string]string{"uri": lsptest.URI(page)}, "range": map[string]any{"start": at, "end": at}, "context": map[string]any{"diagnostics": []any{}}}, &actions)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range actions {
		if strings.HasPrefix(a.Title, "Fetch into raw/") && a.Kind == kindRoot+"fetch" && a.Command.Command == "rigwiki.fetch" {
			var arg struct{ URL string }
			if err := json.Unmarshal(slices.Concat(a.Command.Arguments...), &arg); err != nil {
				t.Fatal(err)
			}
			return arg.URL
		}
	}
	return ""
}
