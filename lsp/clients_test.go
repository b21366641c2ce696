package lsp

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rigwiki/rig/lsp/lsptest"
	"github.com/rigwiki/rig/wiki/proposal"
)

// onApply answers workspace/applyEdit in its own way.
func onApply(f func(params json.RawMessage) any) func(string, json.RawMessage) (any, bool) {
	return func(method string, params json.RawMessage) (any, bool) {
		if method != "workspace/applyEdit" {
			return nil, false
		}
		return f(params), true
	}
}

var twoPages = map[string]string{"index.md": "# Index\n- new\n", "log.md": "# Log\n- x\n"}

// TestLyingClients holds that the client's word is not believed in either direction (traps T1, T2).
func TestLyingClients(t *testing.T) {
	for _, c := range []struct {
		name  string
		word  bool
		does  int // how many of the edit's changes the client really carries out
		state proposal.State
		says  string
	}{
		{"applied, and did nothing", true, 0, proposal.Proposed, "2 pages not applied"},
		{"applied, and did one", true, 1, proposal.Partly, "1 page applied"},
		{"not applied, and did one", false, 1, proposal.Partly, "1 page applied"},
		{"not applied, and did nothing", false, 0, proposal.Proposed, "not applied"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := newWiki(t, nil)
			var e *lsptest.Editor
			ready := make(chan struct{})
			o := lsptest.Options{Root: root, Profile: lsptest.VSCode(), Init: withPane, Answer: onApply(func(params json.RawMessage) any {
				<-ready
				if c.does > 0 {
					if err := e.ApplyEdit(firstChanges(params, c.does)); err != nil {
						t.Error(err)
					}
				}
				return map[string]any{"applied": c.word}
			})}
			e = sessionWithin(t, newFakeHost(t, proposes(twoPages, nil)), o, impatient(t))
			close(ready)
			run := ingest(t, e, root)
			eventually(t, "the read-back", func() bool {
				list := told(e.Notes(methodRun), run)
				return len(list) > 0 && list[len(list)-1].State == c.state && strings.Contains(list[len(list)-1].Message, c.says)
			})
		})
	}
}

// firstChanges keeps the first n of an edit's document changes.
func firstChanges(params json.RawMessage, n int) json.RawMessage {
	var p map[string]map[string]json.RawMessage
	var list []json.RawMessage
	_ = json.Unmarshal(params, &p) // label is no object: what is decoded is enough
	if err := json.Unmarshal(p["edit"]["documentChanges"], &list); err != nil {
		return params
	}
	some, _ := json.Marshal(list[:n])
	p["edit"]["documentChanges"] = some
	out, _ := json.Marshal(map[string]any{"edit": p["edit"]})
	return out
}

// TestSilentClient is case o-ls-11: a client that does not answer applyEdit. Hovers and shutdown go on, the command is answered in time, a
// late answer is harmless, and nothing is recorded as applied.
func TestSilentClient(t *testing.T) {
	root := newWiki(t, nil)
	e := sessionWithin(t, newFakeHost(t, proposes(twoPages, nil)), lsptest.Options{Root: root, Profile: lsptest.VSCode(), Init: withMessage,
		Answer: onApply(func(json.RawMessage) any { return lsptest.Silent })}, impatient(t))
	run := ingest(t, e, root)
	until(t, e, run, proposal.Proposed)
	id := e.Send("workspace/executeCommand", map[string]any{"command": "rigwiki.proposal.apply", "arguments": []any{map[string]string{"run": run}}})
	e.Until("the edit", func() bool { return len(e.HeldRequests("workspace/applyEdit")) == 1 })
	if got := actionTitles(t, e, filepath.Join(root, "index.md")); !has(got, "Review proposal of ingest raw/src.md") {
		t.Errorf("actions while the edit is unanswered: %q", got)
	}
	hoverAt(t, e, filepath.Join(root, "index.md"), 0, 0) // fails where there is no answer
	var a applyAnswer
	if err := e.Await(id, &a); err != nil || a.Applied || a.Reason == "" {
		t.Errorf("%+v, %v", a, err)
	}
	var show proposal.Shown
	if err := e.Execute("rigwiki.proposal.show", map[string]string{"run": run}, &show); err != nil || show.State != proposal.Proposed {
		t.Errorf("%+v, %v", show, err)
	}
	e.ReplyTo("workspace/applyEdit", map[string]any{"applied": true})
	eventually(t, "the read-back of the late answer", func() bool {
		list := told(e.Notes(methodRun), run)
		return strings.Contains(list[len(list)-1].Message, "2 pages not applied")
	})
	if got := e.Shutdown(); got != 0 {
		t.Errorf("exit code %d", got)
	}
}

// TestTypingMeanwhile is case o-ls-05 and its kind: the text moves on while the agent runs, and once more between our request and the client's
// look at it. The edit is planned anew on the newest version; no keystroke is lost.
func TestTypingMeanwhile(t *testing.T) {
	root := newWiki(t, map[string]string{"a.md": "# A\n\nold line\n"})
	page := filepath.Join(root, "a.md")
	var e *lsptest.Editor
	ready := make(chan struct{})
	var tries atomic.Int32
	e = session(t, newFakeHost(t, proposes(map[string]string{"a.md": "# A\n\nnew line\n"}, nil)), lsptest.Options{Root: root, Profile: lsptest.VSCode(), Init: withMessage,
		Answer: func(method string, params json.RawMessage) (any, bool) {
			<-ready
			if method == "workspace/applyEdit" && tries.Add(1) == 1 {
				e.Change(page, "typed first\n"+e.Buffer(page).Text)
			}
			return nil, false
		}})
	close(ready)
	e.OpenAs(lsptest.URI(page), "# A\n\nold line\n", 3)
	run := ingest(t, e, root)
	until(t, e, run, proposal.Proposed)
	e.Change(page, "# A\nuser text\n\nold line\n")
	if err := e.Execute("rigwiki.proposal.apply", map[string]string{"run": run}, nil); err != nil {
		t.Fatal(err)
	}
	until(t, e, run, proposal.Applied)
	if got := e.Buffer(page).Text; got != "typed first\n# A\nuser text\n\nnew line\n" {
		t.Errorf("the page is %q", got)
	}
	if tries.Load() != 2 {
		t.Errorf("%d edits", tries.Load())
	}
	for _, bad := range []string{`"version":3`, `"version":0`} {
		if strings.Contains(string(e.Requests("workspace/applyEdit")[0]), bad) {
			t.Errorf("sent %s", bad)
		}
	}
}

// TestMovedOn is case o-ls-05 to the letter: the user's line touches the agent's, so the page is a conflict, to be reviewed again; nothing of an old
// version is sent.
func TestMovedOn(t *testing.T) {
	root := newWiki(t, map[string]string{"a.md": "# A\nold line\n"})
	page := filepath.Join(root, "a.md")
	e := session(t, newFakeHost(t, proposes(map[string]string{"a.md": "# A\nnew line\n"}, nil)), lsptest.Options{Root: root, Profile: lsptest.VSCode(), Init: withMessage})
	e.OpenAs(lsptest.URI(page), "# A\nold line\n", 3)
	run := ingest(t, e, root)
	until(t, e, run, proposal.Proposed)
	for i, c := range []struct {
		line, col int
		text      string
	}{{0, 3, "\nuser"}, {1, 4, " text"}} {
		at := map[string]int{"line": c.line, "character": c.col}
		e.Notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": lsptest.URI(page), "version": 4 + i},
			"contentChanges": []any{map[string]any{"range": map[string]any{"start": at, "end": at}, "text": c.text}}})
	}
	var a applyAnswer
	if err := e.Execute("rigwiki.proposal.apply", map[string]string{"run": run}, &a); err != nil {
		t.Fatal(err)
	}
	if len(a.Conflicts) != 1 || len(e.Requests("workspace/applyEdit")) != 0 || read(t, page) != "# A\nold line\n" {
		t.Errorf("%+v", a)
	}
}

// TestTypingAfter holds that text typed right after an edit does not hide that it was applied.
func TestTypingAfter(t *testing.T) {
	root := newWiki(t, map[string]string{"a.md": "# A\nold line\n\nend\n"})
	page := filepath.Join(root, "a.md")
	var e *lsptest.Editor
	ready := make(chan struct{})
	var answer atomic.Bool
	e = session(t, newFakeHost(t, proposes(map[string]string{"a.md": "# A\nnew line\n\nend\n"}, nil)), lsptest.Options{Root: root, Profile: lsptest.VSCode(), Init: withPane,
		Answer: onApply(func(params json.RawMessage) any {
			<-ready
			if err := e.ApplyEdit(params); err != nil {
				t.Error(err)
			}
			if !answer.Load() {
				e.Change(page, e.Buffer(page).Text+"typed at once\n")
			}
			return map[string]any{"applied": true}
		})})
	close(ready)
	e.Open(page)
	run := ingest(t, e, root)
	if n := until(t, e, run, proposal.Applied); !strings.Contains(n.Message, "waiting to be saved: a.md") {
		t.Errorf("message %q", n.Message)
	}
	e.Save(page)
	eventually(t, "word of the save", func() bool {
		list := told(e.Notes(methodRun), run)
		return list[len(list)-1].Message == "a.md is saved, with later changes of yours"
	})
	answer.Store(true)
	if err := e.Execute("rigwiki.run.undo", map[string]string{"run": run}, nil); err != nil {
		t.Fatal(err)
	}
	until(t, e, run, proposal.Discarded)
	if got := e.Buffer(page).Text; got != "# A\nold line\n\nend\ntyped at once\n" {
		t.Errorf("after the undo the page is %q", got)
	}
}

// TestLateEdit is eglot's way: "applied" at once, and the edit when the user has looked at it.
func TestLateEdit(t *testing.T) {
	root := newWiki(t, map[string]string{"a.md": "# A\nold line\n"})
	page := filepath.Join(root, "a.md")
	e := sessionWithin(t, newFakeHost(t, proposes(map[string]string{"a.md": "# A\nnew line\n"}, nil)), lsptest.Options{Root: root, Profile: lsptest.VSCode(), Init: withPane,
		Answer: onApply(func(json.RawMessage) any { return map[string]any{"applied": true} })}, impatient(t))
	e.Open(page)
	run := ingest(t, e, root)
	eventually(t, "the read-back", func() bool {
		list := told(e.Notes(methodRun), run)
		return len(list) > 0 && strings.Contains(list[len(list)-1].Message, "not applied: a.md")
	})
	if err := e.ApplyEdit(e.Requests("workspace/applyEdit")[0]); err != nil {
		t.Fatal(err)
	}
	if n := until(t, e, run, proposal.Applied); n.Message != "a.md: waiting to be saved" {
		t.Errorf("message %q", n.Message)
	}
	e.Save(page)
	eventually(t, "word of the save", func() bool {
		list := told(e.Notes(methodRun), run)
		return list[len(list)-1].Message == "a.md is saved"
	})
}

// TestFormatter holds that what an editor changes on its own is told as the editor's.
func TestFormatter(t *testing.T) {
	root := newWiki(t, nil)
	var e *lsptest.Editor
	ready := make(chan struct{})
	e = session(t, newFakeHost(t, proposes(map[string]string{"log.md": "# Log\n- x  \n\n"}, nil)), lsptest.Options{Root: root, Profile: lsptest.VSCode(), Init: withPane,
		Answer: onApply(func(params json.RawMessage) any {
			<-ready
			if err := e.ApplyEdit(params); err != nil {
				t.Error(err)
			}
			write(t, filepath.Join(root, "log.md"), "# Log\n- x\n")
			return map[string]any{"applied": true}
		})})
	close(ready)
	run := ingest(t, e, root)
	if n := until(t, e, run, proposal.Applied); !strings.Contains(n.Message, "changed by the editor: log.md") {
		t.Errorf("message %q", n.Message)
	}
}

// TestQuestion is rung 3: what each answer does, and none.
func TestQuestion(t *testing.T) {
	for _, c := range []struct {
		answer any
		state  proposal.State
		shows  bool
	}{
		{map[string]string{"title": "Apply"}, proposal.Partly, false},
		{map[string]string{"title": "Discard"}, proposal.Discarded, false},
		{map[string]string{"title": "Review"}, proposal.Proposed, true},
		{nil, proposal.Proposed, false},
	} {
		raw, _ := json.Marshal(c.answer)
		t.Run(string(raw), func(t *testing.T) {
			root := newWiki(t, map[string]string{"concepts/gone.md": "# Gone\n"})
			pages := map[string]string{"log.md": "# Log\n- x\n", "concepts/gone.md": deleted}
			h := newFakeHost(t, proposes(pages, map[string]proposal.Flag{"concepts/gone.md": {Rule: "deletes-page", Reason: "the page would go"}}))
			asked := make(chan string, 1)
			e := session(t, h, lsptest.Options{Root: root, Profile: lsptest.Neovim(), Init: notifying, Answer: func(method string, params json.RawMessage) (any, bool) {
				if method == "window/showMessageRequest" {
					asked <- string(params)
				}
				return c.answer, method == "window/showMessageRequest"
			}})
			run := ingest(t, e, root)
			if q := <-asked; !strings.Contains(q, "1 deleted") || !strings.Contains(q, "deletes concepts/gone.md") {
				t.Errorf("the question is %s", q)
			}
			until(t, e, run, c.state)
			if !exists(filepath.Join(root, "concepts/gone.md")) {
				t.Error("a flagged page was deleted without its name being named")
			}
			if c.shows {
				e.Until("the diff document", func() bool { return len(e.HeldRequests("window/showDocument")) == 1 })
				if d := string(e.Requests("window/showDocument")[0]); !strings.Contains(d, "/ingest.diff") || !strings.Contains(d, "file:") {
					t.Errorf("shown: %s", d)
				}
			}
			for _, r := range e.Requests("workspace/applyEdit") {
				if strings.Contains(string(r), "annotationId") {
					t.Errorf("annotations for Neovim (o-ls-13): %s", r)
				}
			}
		})
	}
}

// TestOwnReview is rung 1, and a client that only has notifications: rigwiki/run comes, and nothing is done.
func TestOwnReview(t *testing.T) {
	for _, o := range []lsptest.Options{
		{Profile: lsptest.VSCode(), Init: `{"notifications":true,"review":true}`},
		{Profile: lsptest.NoApply(), Init: notifying},
	} {
		root := newWiki(t, nil)
		o.Root = root
		e := session(t, newFakeHost(t, proposes(twoPages, nil)), o)
		run := ingest(t, e, root)
		n := until(t, e, run, proposal.Proposed)
		if n.Proposal == nil || len(n.Proposal.Files) != 2 || n.Proposal.Files[0].Added != 1 {
			t.Errorf("%+v", n.Proposal)
		}
		if got := e.Shutdown(); got != 0 {
			t.Errorf("exit code %d", got)
		}
		if len(e.Requests("workspace/applyEdit"))+len(e.Requests("window/showMessageRequest")) > 0 {
			t.Error("acted by itself")
		}
	}
}

// TestSpelling holds that edits and findings name an open document as its client spells it (case o-ls-07).
func TestSpelling(t *testing.T) {
	root := newWiki(t, map[string]string{"a b&c (1).md": "# A\n"})
	page := filepath.Join(root, "a b&c (1).md")
	spelled := "file://" + strings.ReplaceAll(root, "/wiki", "/%77iki") + "/a%20b&c%20%281%29.md"
	e := session(t, newFakeHost(t, proposes(map[string]string{"a b&c (1).md": "# A\nx\n"}, nil)), lsptest.Options{Root: root, Profile: lsptest.VSCode(), Init: withPane})
	e.OpenAs(spelled, "# A\n", 1)
	run := ingest(t, e, root)
	until(t, e, run, proposal.Applied)
	if got := e.Buffer(page).Text; got != "# A\nx\n" {
		t.Errorf("the page is %q", got)
	}
}

// TestBounds holds that the waits of a session are what they say.
func TestBounds(t *testing.T) {
	if answerWait >= 30*time.Second || settleWait >= answerWait {
		t.Error("a command must be answered within 30 s")
	}
}

// TestEditInAction is rung 4: a client that takes no edits from a server gets them in the code action; the command behind it books them, and writes
// what is not open.
func TestEditInAction(t *testing.T) {
	caps := `{"textDocument":{"codeAction":{"codeActionLiteralSupport":{"codeActionKind":{"valueSet":["","refactor"]}}}},"workspace":{"workspaceEdit":{"documentChanges":true}}}`
	root := newWiki(t, map[string]string{"a.md": "# A\nold\n"})
	page := filepath.Join(root, "a.md")
	e := session(t, newFakeHost(t, proposes(map[string]string{"a.md": "# A\nnew\n", "log.md": "# Log\n- x\n", "b.md": "# B\n"}, nil)),
		lsptest.Options{Root: root, Profile: lsptest.Profile{Name: "Four", Capabilities: json.RawMessage(caps)}, Init: notifying})
	e.Open(page)
	run := ingest(t, e, root)
	until(t, e, run, proposal.Proposed)
	e.Change(page, "typed\n# A\nold\n")
	var action struct {
		Title   string
		Edit    json.RawMessage
		Command struct {
			Command   string
			Arguments []json.RawMessage
		}
	}
	at := map[string]int{"line": 0, "character": 0}
	eventually(t, "the edit in the action", func() bool {
		var got []json.RawMessage
		if err := e.Request("textDocument/codeAction", map[string]any{"textDocument": map[string]string{"uri": lsptest.URI(page)},
			"range": map[string]any{"start": at, "end": at}, "context": map[string]any{"diagnostics": []any{}}}, &got); err != nil {
			t.Fatal(err)
		}
		for _, raw := range got {
			if strings.Contains(string(raw), `"edit"`) && json.Unmarshal(raw, &action) == nil {
				return true
			}
		}
		return false
	})
	if !strings.Contains(string(action.Edit), `"version":2`) || strings.Contains(string(action.Edit), "log.md") {
		t.Errorf("the edit is %s", action.Edit)
	}
	params, err := json.Marshal(map[string]any{"edit": action.Edit})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.ApplyEdit(params); err != nil {
		t.Fatal(err)
	}
	if err := e.Execute(action.Command.Command, action.Command.Arguments[0], nil); err != nil {
		t.Fatal(err)
	}
	until(t, e, run, proposal.Applied)
	if e.Buffer(page).Text != "typed\n# A\nnew\n" || read(t, page) != "# A\nold\n" || read(t, filepath.Join(root, "log.md")) != "# Log\n- x\n" || read(t, filepath.Join(root, "b.md")) != "# B\n" {
		t.Error("the pages are not as proposed")
	}
	e.Save(page)
	if err := e.Execute("rigwiki.run.undo", map[string]string{"run": run}, nil); err != nil {
		t.Fatal(err)
	}
	until(t, e, run, proposal.Discarded)
	if read(t, page) != "typed\n# A\nold\n" || read(t, filepath.Join(root, "log.md")) != "# Log\n" || exists(filepath.Join(root, "b.md")) {
		t.Error("the pages are not as before")
	}
}
