package lsp

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rigwiki/rig/lsp/lsptest"
	"github.com/rigwiki/rig/wiki/proposal"
)

// TestCreatedUnsaved is trap T18: an editor makes the file of a new page at once and leaves its text in the buffer. The page counts as applied and waiting
// to be saved, other pages see its text, and nobody takes the empty file for it.
func TestCreatedUnsaved(t *testing.T) {
	const text = "# Vessel\n\nA vessel holds water.\n"
	root := newWiki(t, map[string]string{"a.md": "# A\n\nSee [[vessel]].\n"})
	a, made := filepath.Join(root, "a.md"), filepath.Join(root, "vessel.md")
	var e *lsptest.Editor
	ready := make(chan struct{})
	e = session(t, newFakeHost(t, proposes(map[string]string{"vessel.md": text}, nil)), lsptest.Options{Root: root, Profile: lsptest.VSCode(), Init: withMessage,
		Answer: onApply(func(json.RawMessage) any {
			<-ready
			write(t, made, "")
			e.OpenAs(lsptest.URI(made), "", 1)
			e.Change(made, text)
			return map[string]any{"applied": true}
		})})
	close(ready)
	e.Open(a)
	run := ingest(t, e, root)
	until(t, e, run, proposal.Proposed)
	if err := e.Execute("rigwiki.proposal.apply", map[string]string{"run": run}, nil); err != nil {
		t.Fatal(err)
	}
	if n := until(t, e, run, proposal.Applied); !strings.Contains(n.Message, "waiting to be saved: vessel.md") {
		t.Errorf("message %q", n.Message)
	}
	eventually(t, "the new page's text in a hover", func() bool { return strings.Contains(hoverAt(t, e, a, 2, 7), "A vessel holds water.") })
	if got := read(t, made); got != "" {
		t.Errorf("the server wrote %q", got)
	}
	e.Save(made)
	eventually(t, "word of the save", func() bool {
		list := told(e.Notes(methodRun), run)
		return list[len(list)-1].Message == "vessel.md is saved"
	})
}
