package lsp

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rigwiki/rig/lsp/lsptest"
	"github.com/rigwiki/rig/wiki/proposal"
)

// inTurn works raw/<n>.md in: a page that links to the last one of the index, and a line at the end of the index.
const inTurn = `src=$(ls .rig-readonly | grep -v schema.md | grep -v purpose.md)
n=${src%.md}
last=$(tail -1 index.md)
printf -- '---\ntype: concept\nsources: [raw/%s]\n---\n# %s\n\nAfter %s\n' $src $n "$last" > $n.md
echo "[[$n]]" >> index.md
echo "INGEST DONE: $n"`

// ingestAll starts an ingest of several sources, each on top of the ones before it.
func ingestAll(t *testing.T, e *lsptest.Editor, root string, names ...string) []string {
	t.Helper()
	var uris []string
	for _, n := range names {
		uris = append(uris, lsptest.URI(filepath.Join(root, "raw", n)))
	}
	var got struct {
		Run  string
		Runs []string
	}
	if err := e.Execute("rigwiki.ingest", map[string]any{"uris": uris, "stacked": true}, &got); err != nil || len(got.Runs) != len(names) || got.Run != got.Runs[0] {
		t.Fatalf("%+v, %v", got, err)
	}
	return got.Runs
}

// TestStacked works three sources in, each on top of what the ones before it propose: its proposal is its own change alone, and is not applied before them.
func TestStacked(t *testing.T) {
	root := newWiki(t, map[string]string{"raw/one.md": "# One\n", "raw/two.md": "# Two\n", "raw/three.md": "# Three\n"})
	h := realHost(t, inTurn)
	e := session(t, h, lsptest.Options{Root: root, Profile: lsptest.VSCode(), Init: withMessage})
	runs := ingestAll(t, e, root, "one.md", "two.md", "three.md")
	for i, run := range runs {
		until(t, e, run, proposal.Proposed)
		_, store, err := h.Locate(run)
		if err != nil {
			t.Fatal(err)
		}
		rec, err := store.Load(run)
		if err != nil || !slices.Equal(rec.Stack, runs[:i]) {
			t.Errorf("%s is made on top of %q, %v", run, rec.Stack, err)
		}
	}
	if err := e.Execute("rigwiki.proposal.apply", map[string]string{"run": runs[1]}, nil); err == nil || !strings.Contains(err.Error(), "ingest raw/one.md") {
		t.Errorf("the second before the first: %v", err)
	}
	for _, run := range runs {
		if err := e.Execute("rigwiki.proposal.apply", map[string]string{"run": run}, nil); err != nil {
			t.Fatal(err)
		}
		until(t, e, run, proposal.Applied)
	}
	if text := read(t, filepath.Join(root, "index.md")); text != "# Index\n[[one]]\n[[two]]\n[[three]]\n" {
		t.Errorf("the index is %q", text)
	}
	if text := read(t, filepath.Join(root, "three.md")); !strings.HasSuffix(text, "After [[two]]\n") {
		t.Errorf("the third is %q", text)
	}
}

// TestStackedPreviews: where the editor is sent what it previews, what stands on an undecided proposal is held back, which is said, and sent when that is
// decided: applied or discarded.
func TestStackedPreviews(t *testing.T) {
	root := newWiki(t, map[string]string{"raw/one.md": "# One\n", "raw/two.md": "# Two\n"})
	edits := make(chan json.RawMessage, 8)
	e := session(t, realHost(t, inTurn), lsptest.Options{Root: root, Profile: lsptest.VSCode(), Init: withPane,
		Answer: onApply(func(params json.RawMessage) any { // the pane stays open until it is closed without a yes
			edits <- params
			return lsptest.Silent
		})})
	runs := ingestAll(t, e, root, "one.md", "two.md")
	until(t, e, runs[1], proposal.Proposed)
	e.Until("word of what waits", func() bool {
		return slices.ContainsFunc(e.Held("window/showMessage"), func(m json.RawMessage) bool {
			return strings.Contains(string(m), "ingest raw/two.md is made on top of ingest raw/one.md, which waits")
		})
	})
	sent := func() string {
		t.Helper()
		select {
		case params := <-edits:
			return string(params)
		case <-time.After(time.Minute):
			t.Fatal("nothing is sent")
			return ""
		}
	}
	if first := sent(); !strings.Contains(first, "one.md") || len(edits) != 0 {
		t.Errorf("sent %s and %d more", first, len(edits))
	}
	if err := e.Execute("rigwiki.proposal.discard", map[string]string{"run": runs[0]}, nil); err != nil {
		t.Fatal(err)
	}
	if next := sent(); !strings.Contains(next, "wiki/two.md") || strings.Contains(next, "wiki/one.md") {
		t.Errorf("sent %s", next)
	}
}
