package lsp

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rigwiki/rig/lsp/lsptest"
	"github.com/rigwiki/rig/wiki/proposal"
)

// TestShown holds that an editor learns from proposal.show where each page lies, and that links in our documents lead into the wiki.
func TestShown(t *testing.T) {
	root := newWiki(t, map[string]string{"a b.md": "# A\n", "concepts/other.md": "# Other\n"})
	pages := map[string]string{"a b.md": "# A\nsee [[other]]\n", "concepts/new.md": "# New\n"}
	e := session(t, newFakeHost(t, proposes(pages, nil)), lsptest.Options{Root: root, Profile: lsptest.VSCode(), Init: withMessage})
	run := ingest(t, e, root)
	until(t, e, run, proposal.Proposed)
	var shown struct {
		Title string
		Files []struct{ Path, URI string }
	}
	if err := e.Execute("rigwiki.proposal.show", map[string]string{"run": run}, &shown); err != nil {
		t.Fatal(err)
	}
	for _, f := range shown.Files {
		if f.URI != lsptest.URI(filepath.Join(root, f.Path)) {
			t.Errorf("%s is at %s", f.Path, f.URI)
		}
	}
	if len(shown.Files) != 2 || shown.Title != "ingest raw/src.md" {
		t.Errorf("%+v", shown)
	}
	proposed := "rigwiki://" + run + strings.TrimPrefix(shown.Files[0].URI, "file://")
	var to []struct{ URI, TargetURI string }
	at := map[string]any{"textDocument": map[string]string{"uri": proposed}, "position": map[string]int{"line": 1, "character": 7}}
	if err := e.Request("textDocument/definition", at, &to); err != nil || len(to) != 1 ||
		to[0].URI+to[0].TargetURI != lsptest.URI(filepath.Join(root, "concepts/other.md")) {
		t.Errorf("the link in %s leads to %+v, %v", proposed, to, err)
	}
}
