package lsp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/rigwiki/rig/lsp/lsptest"
	"github.com/rigwiki/rig/wiki/proposal"
)

// TestUndoneFoldersGo holds that folders which came with a run's pages go with them, and that one with something of the user's in it stays.
func TestUndoneFoldersGo(t *testing.T) {
	for _, profile := range []lsptest.Profile{lsptest.VSCode(), lsptest.Plain()} {
		t.Run(profile.Name, func(t *testing.T) {
			root := newWiki(t, nil)
			pages := map[string]string{"new/deep/er/p.md": "# P\n", "kept/deep/q.md": "# Q\n"}
			e := session(t, newFakeHost(t, proposes(pages, nil)), lsptest.Options{Root: root, Profile: profile, Init: withMessage})
			run := ingest(t, e, root)
			until(t, e, run, proposal.Proposed)
			if err := e.Execute("rigwiki.proposal.apply", map[string]string{"run": run}, nil); err != nil {
				t.Fatal(err)
			}
			until(t, e, run, proposal.Applied)
			write(t, filepath.Join(root, "kept/mine.md"), "mine\n")
			if err := e.Execute("rigwiki.run.undo", map[string]string{"run": run}, nil); err != nil {
				t.Fatal(err)
			}
			until(t, e, run, proposal.Discarded)
			if exists(filepath.Join(root, "new")) || exists(filepath.Join(root, "kept/deep")) {
				t.Error("empty folders are left")
			}
			if read(t, filepath.Join(root, "kept/mine.md")) != "mine\n" {
				t.Error("the user's page is gone")
			}
		})
	}
}

// TestRefusedFoldersGo plays an editor that makes the folder of a new page and then says no.
func TestRefusedFoldersGo(t *testing.T) {
	root := newWiki(t, nil)
	e := session(t, newFakeHost(t, proposes(map[string]string{"new/deep/p.md": "# P\n"}, nil)), lsptest.Options{Root: root, Profile: lsptest.VSCode(), Init: withMessage,
		Answer: func(method string, _ json.RawMessage) (any, bool) {
			if method != "workspace/applyEdit" {
				return nil, false
			}
			if err := os.MkdirAll(filepath.Join(root, "new/deep"), 0o755); err != nil {
				t.Error(err)
			}
			return map[string]any{"applied": false}, true
		}})
	run := ingest(t, e, root)
	until(t, e, run, proposal.Proposed)
	if err := e.Execute("rigwiki.proposal.apply", map[string]string{"run": run}, nil); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the folders to go", func() bool { return !exists(filepath.Join(root, "new")) })
	var shown proposal.Shown
	if err := e.Execute("rigwiki.proposal.show", map[string]string{"run": run}, &shown); err != nil || shown.State != proposal.Proposed {
		t.Errorf("%s, %v", shown.State, err)
	}
}
