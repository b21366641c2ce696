package lsp

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rigwiki/rig/lsp/lsptest"
	"github.com/rigwiki/rig/wiki/proposal"
)

// TestEditorDies holds what the next session finds where an editor died while it was asked to apply: before it did, between its pages, and after
// it did without a word. The proposal waits, can be applied, and can be taken back; no page is half.
func TestEditorDies(t *testing.T) {
	for _, c := range []struct {
		when  string
		does  int
		state proposal.State
	}{{"before", 0, proposal.Proposed}, {"between", 1, proposal.Partly}, {"after", 2, proposal.Applied}} {
		t.Run(c.when, func(t *testing.T) {
			root := newWiki(t, nil)
			h := realHost(t, `echo '- x' >> log.md; echo '- new' >> index.md`)
			var e *lsptest.Editor
			ready, asked := make(chan struct{}), make(chan struct{})
			e = session(t, h, lsptest.Options{Root: root, Profile: lsptest.VSCode(), Init: withPane, Answer: onApply(func(params json.RawMessage) any {
				<-ready
				if c.does > 0 {
					if err := e.ApplyEdit(firstChanges(params, c.does)); err != nil {
						t.Error(err)
					}
				}
				close(asked)
				return lsptest.Silent
			})})
			close(ready)
			run := ingest(t, e, root)
			<-asked
			e.Hangup()
			e.Exit()
			_, store, err := h.Locate(run)
			if err != nil {
				t.Fatal(err)
			}
			if rec, err := store.Load(run); err != nil || rec.State != c.state {
				t.Fatalf("the run is %s, %v", rec.State, err)
			}
			e = connect(t, h, lsptest.Options{Root: root, Profile: lsptest.VSCode(), Init: withMessage})
			if c.state != proposal.Applied {
				e.Until("what waits", func() bool {
					return strings.Contains(lastFindings(e, filepath.Join(root, "log.md"))+lastFindings(e, filepath.Join(root, "index.md")), "proposal-waits")
				})
				if err := e.Execute("rigwiki.proposal.apply", map[string]string{"run": run}, nil); err != nil {
					t.Fatal(err)
				}
				until(t, e, run, proposal.Applied)
			}
			if read(t, filepath.Join(root, "log.md")) != "# Log\n- x\n" || read(t, filepath.Join(root, "index.md")) != "# Index\n- new\n" {
				t.Error("the pages are not as proposed, once")
			}
			if err := e.Execute("rigwiki.run.undo", map[string]string{"run": run}, nil); err != nil {
				t.Fatal(err)
			}
			until(t, e, run, proposal.Discarded)
			if read(t, filepath.Join(root, "log.md")) != "# Log\n" || read(t, filepath.Join(root, "index.md")) != "# Index\n" {
				t.Error("the pages are not as before")
			}
		})
	}
}

// TestUnsavedDelete is trap T21: a page with unsaved text is not deleted, whatever was accepted.
func TestUnsavedDelete(t *testing.T) {
	root := newWiki(t, map[string]string{"a.md": "# A\n"})
	page := filepath.Join(root, "a.md")
	flags := map[string]proposal.Flag{"a.md": {Rule: "deletes-page", Reason: "the page would go"}}
	e := session(t, newFakeHost(t, proposes(map[string]string{"a.md": deleted}, flags)), lsptest.Options{Root: root, Profile: lsptest.VSCode(), Init: withMessage})
	e.Open(page)
	run := ingest(t, e, root)
	until(t, e, run, proposal.Proposed)
	e.Change(page, "# A\nmine\n")
	var a applyAnswer
	if err := e.Execute("rigwiki.proposal.apply", map[string]any{"run": run, "paths": []string{"a.md"}}, &a); err != nil || len(a.Conflicts) != 1 {
		t.Errorf("%+v, %v", a, err)
	}
	if !exists(page) || len(e.Requests("workspace/applyEdit")) > 0 {
		t.Error("the page was deleted, or its deletion asked for")
	}
}

// TestRenameOfOpenPage renames a page that is open with unsaved text: the file is moved and the edit is of the text as the user sees it.
func TestRenameOfOpenPage(t *testing.T) {
	root := newWiki(t, map[string]string{"old.md": "# Old\n\ntext\n"})
	h := newFakeHost(t, renames("old.md", "new.md", "# New\n\ntext\n", nil))
	e := session(t, h, lsptest.Options{Root: root, Profile: lsptest.VSCode(), Init: withPane})
	e.Open(filepath.Join(root, "old.md"))
	run := ingest(t, e, root)
	until(t, e, run, proposal.Applied)
	if exists(filepath.Join(root, "old.md")) || read(t, filepath.Join(root, "new.md")) != "# New\n\ntext\n" {
		t.Error("not renamed")
	}
}
