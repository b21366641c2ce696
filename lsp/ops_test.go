package lsp

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rigwiki/rig/lsp/lsptest"
	"github.com/rigwiki/rig/wiki/proposal"
)

// TestQuery asks from a heading: the run answers its id at once, and the answer is opened as a document.
func TestQuery(t *testing.T) {
	root := newWiki(t, map[string]string{"a.md": "# A\n\n## What is wet?\n"})
	e := session(t, realHost(t, `echo 'Water is, says [[a]].'`), lsptest.Options{Root: root, Profile: lsptest.VSCode(), Init: notifying})
	page := filepath.Join(root, "a.md")
	e.Open(page)
	var got struct{ Run string }
	if err := e.Execute("rigwiki.query", map[string]string{"question": "What is wet?", "uri": lsptest.URI(page)}, &got); err != nil {
		t.Fatal(err)
	}
	until(t, e, got.Run, proposal.Done)
	e.Until("the answer's document", func() bool { return len(e.HeldRequests("window/showDocument")) == 1 })
	doc := "rigwiki://" + got.Run + ".answer/answer.md"
	if shown := string(e.Requests("window/showDocument")[0]); !strings.Contains(shown, doc) {
		t.Errorf("shown: %s", shown)
	}
	if text := content(t, e, doc); !strings.Contains(text, "Water is, says [[a]]") {
		t.Errorf("the answer is %q", text)
	}
	checkProgressEnds(t, e, got.Run)
}

// TestHoverAnswer holds that a question that was asked shows its answer on hover, above the passages, and why it does not hold any more.
func TestHoverAnswer(t *testing.T) {
	root := newWiki(t, map[string]string{"a.md": "# A\n\n> [!question] What is wet?\n", "b.md": "# B\n\nWater is wet.\n"})
	e := session(t, realHost(t, `echo 'Water is, says [[b]].'`), lsptest.Options{Root: root, Profile: lsptest.VSCode(), Init: notifying})
	page := filepath.Join(root, "a.md")
	e.Open(page)
	shows := func(part string) func() bool {
		return func() bool { return strings.Contains(hoverAt(t, e, page, 2, 16), part) }
	}
	eventually(t, "the passages", shows("Water is wet"))
	if shows("answered by")() {
		t.Error("an answer before it was asked for")
	}
	var got struct{ Run string }
	if err := e.Execute("rigwiki.query", map[string]string{"question": "What is wet?", "uri": lsptest.URI(page)}, &got); err != nil {
		t.Fatal(err)
	}
	until(t, e, got.Run, proposal.Done)
	eventually(t, "the answer", shows("Water is, says [[b]]."))
	if text := hoverAt(t, e, page, 2, 16); !strings.Contains(text, "answered by ") || strings.Contains(text, "out of date") || !strings.Contains(text, "`b.md`") {
		t.Errorf("the hover is %q", text)
	}
	b := filepath.Join(root, "b.md")
	e.Open(b)
	e.Change(b, "# B\n\nWater is wet and cold.\n")
	eventually(t, "word that a page changed", shows("out of date: b.md changed"))
}

// TestAnswerFile files an answer from the document that shows it: what is proposed is asked about, and applied by that yes alone.
func TestAnswerFile(t *testing.T) {
	root := newWiki(t, map[string]string{"a.md": "---\ntype: concept\nsources: [raw/src.md]\n---\n# A\n\nWater is wet.\n"})
	e := session(t, realHost(t, `echo 'Water is, says [[a]].'`), lsptest.Options{Root: root, Profile: lsptest.Neovim(), Init: withMessage,
		Answer: func(method string, _ json.RawMessage) (any, bool) {
			return map[string]string{"title": "Apply"}, method == "window/showMessageRequest"
		}})
	page := filepath.Join(root, "a.md")
	e.Open(page)
	var got, filed struct{ Run, Answer string }
	if err := e.Execute("rigwiki.query", map[string]string{"question": "What is wet?", "uri": lsptest.URI(page)}, &got); err != nil {
		t.Fatal(err)
	}
	until(t, e, got.Run, proposal.Done)
	e.Until("the answer's document", func() bool { return len(e.HeldRequests("window/showDocument")) == 1 })
	var doc struct{ URI string }
	if err := json.Unmarshal(e.Requests("window/showDocument")[0], &doc); err != nil {
		t.Fatal(err)
	}
	for _, uri := range []string{doc.URI, "rigwiki://" + got.Run + ".answer/answer.md"} {
		if titles := actionTitlesAt(t, e, uri); len(titles) != 1 || titles[0] != "File the answer as a page" {
			t.Errorf("in %s: %q", uri, titles)
		}
	}
	if err := e.Execute("rigwiki.answer.file", map[string]string{"run": got.Run}, &filed); err != nil || filed.Answer != got.Run {
		t.Fatalf("%+v, %v", filed, err)
	}
	if n := until(t, e, filed.Run, proposal.Proposed); n.Preview != "diff" {
		t.Errorf("the page is shown by %q", n.Preview)
	}
	if n := until(t, e, filed.Run, proposal.Applied, proposal.Partly); n.State != proposal.Applied || !strings.HasPrefix(n.Title, "file the answer as queries/") {
		t.Errorf("%+v, %+v", n, n.Proposal)
	}
	if text := read(t, filepath.Join(root, "queries/what-is-wet.md")); !strings.Contains(text, "Water is, says [[a]]") {
		t.Errorf("the page is %q", text)
	}
	if err := e.Execute("rigwiki.answer.file", map[string]string{"run": "none"}, nil); code(err) != -32602 {
		t.Errorf("a run that is not there: %v", err)
	}
	if err := e.Execute("rigwiki.answer.file", map[string]string{"run": filed.Run}, nil); code(err) != int(codeRequestFailed) {
		t.Errorf("a run without an answer: %v", err)
	}
}

// TestRevise runs the agent again from a proposal: the new run says what it revises, and the old proposal goes when the new one is there.
func TestRevise(t *testing.T) {
	root := newWiki(t, nil)
	e := session(t, realHost(t, `if grep -q '^- x$' log.md; then echo '- better' >> log.md; else echo '- x' >> log.md; fi`),
		lsptest.Options{Root: root, Profile: lsptest.VSCode(), Init: withMessage})
	run := ingest(t, e, root)
	until(t, e, run, proposal.Proposed)
	if err := e.Execute("rigwiki.proposal.revise", map[string]string{"run": run}, nil); code(err) != -32602 {
		t.Errorf("without text: %v", err)
	}
	var got struct{ Run, Revises string }
	if err := e.Execute("rigwiki.proposal.revise", map[string]string{"run": run, "text": "say more"}, &got); err != nil || got.Revises != run || got.Run == run {
		t.Fatalf("%+v, %v", got, err)
	}
	until(t, e, got.Run, proposal.Proposed)
	until(t, e, run, proposal.Discarded)
	if err := e.Execute("rigwiki.proposal.apply", map[string]string{"run": got.Run}, nil); err != nil {
		t.Fatal(err)
	}
	until(t, e, got.Run, proposal.Applied)
	if text := read(t, filepath.Join(root, "log.md")); text != "# Log\n- x\n- better\n" {
		t.Errorf("log.md is %q", text)
	}
}

// TestQueue starts two ingests at once: the second waits its turn, is told so, and both come.
func TestQueue(t *testing.T) {
	root := newWiki(t, map[string]string{"raw/two.md": "# Two\n"})
	e := session(t, realHost(t, `echo '- x' >> log.md`), lsptest.Options{Root: root, Profile: lsptest.VSCode(), Init: withMessage})
	var got struct {
		Run  string
		Runs []string
	}
	uris := []string{lsptest.URI(filepath.Join(root, "raw/src.md")), lsptest.URI(filepath.Join(root, "raw/two.md"))}
	if err := e.Execute("rigwiki.ingest", map[string]any{"uris": uris}, &got); err != nil || len(got.Runs) != 2 || got.Run != got.Runs[0] {
		t.Fatalf("%+v, %v", got, err)
	}
	for _, run := range got.Runs {
		until(t, e, run, proposal.Proposed)
	}
	if n := told(e.Notes(methodRun), got.Runs[1])[0]; n.State != proposal.Queued || n.Op != "ingest" || n.Title != "ingest raw/two.md" || n.Wiki != root {
		t.Errorf("first told %+v", n)
	}
	for _, run := range got.Runs { // both add to the log: neither entry is lost
		if err := e.Execute("rigwiki.proposal.apply", map[string]string{"run": run}, nil); err != nil {
			t.Fatal(err)
		}
		until(t, e, run, proposal.Applied)
	}
	if text := read(t, filepath.Join(root, "log.md")); strings.Count(text, "- x\n") == 0 {
		t.Errorf("log.md is %q", text)
	}
}
