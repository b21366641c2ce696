package lsp

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rigwiki/rig/lsp/lsptest"
	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/proposal"
	"go.lsp.dev/protocol"
)

// countsIn announces one position encoding and no more, "" none.
func countsIn(name string) lsptest.Profile {
	offered := `{}`
	if name != "" {
		offered = `{"positionEncodings":["` + name + `"]}`
	}
	return lsptest.Profile{Name: "any", Capabilities: json.RawMessage(`{"workspace":{"applyEdit":true,"workspaceEdit":{"documentChanges":true,"resourceOperations":["create","rename","delete"]}},
"window":{"showMessage":{}},"general":` + offered + `}`)}
}

// TestEncodings is trap T25: the same edit of a page with emoji, CJK and combining marks makes the same bytes in each unit of positions.
func TestEncodings(t *testing.T) {
	const before = "# 漢字 😀\r\nA face 😀 takes one é column 👩‍👩‍👧 here\r\nend 😀"
	const after = "# 漢字 😀\r\nA face 😀 takes two é columns 👩‍👩‍👧 there\r\nend 😀 more"
	for _, name := range []string{"utf-8", "utf-16", "utf-32", ""} {
		t.Run("units "+name, func(t *testing.T) {
			root := newWiki(t, map[string]string{"a.md": before})
			page := filepath.Join(root, "a.md")
			e := session(t, newFakeHost(t, proposes(map[string]string{"a.md": after}, nil)), lsptest.Options{Root: root, Profile: countsIn(name), Init: withMessage})
			e.Open(page)
			run := ingest(t, e, root)
			until(t, e, run, proposal.Proposed)
			if err := e.Execute("rigwiki.proposal.apply", map[string]string{"run": run}, nil); err != nil {
				t.Fatal(err)
			}
			until(t, e, run, proposal.Applied)
			if got := e.Buffer(page).Text; got != after {
				t.Errorf("the page is %q", got)
			}
			raw := string(e.Requests("workspace/applyEdit")[0])
			if strings.Contains(raw, `"snippet"`) || strings.Contains(raw, `"insertTextFormat"`) {
				t.Errorf("a snippet to a client that has none (T26): %s", raw)
			}
		})
	}
}

// TestVersions is trap T5: the key is there in each text edit, a number for an open page and null for a closed one.
func TestVersions(t *testing.T) {
	root := newWiki(t, map[string]string{"open.md": "# A\n", "closed.md": "# B\n"})
	pages := map[string]string{"open.md": "# A\nx\n", "closed.md": "# B\nx\n", "new.md": "# C\n"}
	e := session(t, newFakeHost(t, proposes(pages, nil)), lsptest.Options{Root: root, Profile: lsptest.Neovim(), Init: withMessage})
	e.Open(filepath.Join(root, "open.md"))
	run := ingest(t, e, root)
	until(t, e, run, proposal.Proposed)
	if err := e.Execute("rigwiki.proposal.apply", map[string]string{"run": run}, nil); err != nil {
		t.Fatal(err)
	}
	var p struct {
		Edit struct {
			DocumentChanges []struct {
				TextDocument map[string]json.RawMessage
			}
		}
	}
	if err := json.Unmarshal(e.Requests("workspace/applyEdit")[0], &p); err != nil {
		t.Fatal(err)
	}
	versions := map[string]string{}
	for _, c := range p.Edit.DocumentChanges {
		var uri string
		if c.TextDocument != nil && json.Unmarshal(c.TextDocument["uri"], &uri) == nil {
			versions[filepath.Base(uri)] = string(c.TextDocument["version"])
		}
	}
	if len(versions) != 3 || versions["open.md"] != "1" || versions["closed.md"] != "null" || versions["new.md"] != "null" {
		t.Errorf("versions %q", versions)
	}
}

// TestUndefinedAnnotation is trap T13: VS Code would apply such an edit without asking, Neovim would fail.
func TestUndefinedAnnotation(t *testing.T) {
	create := &protocol.CreateFile{Kind: "create", URI: "file:///x.md"}
	create.AnnotationID = "nobody"
	text := &protocol.TextDocumentEdit{}
	text.Edits = append(text.Edits, &protocol.AnnotatedTextEdit{AnnotationID: "nobody"})
	for _, c := range []protocol.DocumentChange{create, text} {
		if err := checkEdit(&protocol.WorkspaceEdit{DocumentChanges: []protocol.DocumentChange{c}}); err == nil {
			t.Errorf("%T passes", c)
		}
	}
	if err := checkEdit(&protocol.WorkspaceEdit{}); err == nil {
		t.Error("an empty edit passes (T9)")
	}
}

// TestRootPathAlone is trap T29: Helix without a root marker sends rootUri null, no folders, and rootPath; an empty rootUri is no root.
func TestRootPathAlone(t *testing.T) {
	root := newWiki(t, nil)
	for _, c := range []struct {
		name   string
		params map[string]any
		want   string
	}{
		{"rootPath alone", map[string]any{"rootPath": root}, "1 wiki"},
		{"empty rootUri", map[string]any{"rootUri": "", "rootPath": root}, "1 wiki"},
		{"folders null", map[string]any{"workspaceFolders": nil, "rootUri": lsptest.URI(root)}, "1 wiki"},
		{"nothing", nil, ""},
		{"the root of all", map[string]any{"rootUri": "file:///"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := session(t, newFakeHost(t, proposes(twoPages, nil)), lsptest.Options{NoHandshake: true})
			params := map[string]any{"processId": nil, "rootUri": nil, "workspaceFolders": []any{}, "capabilities": map[string]any{}}
			for k, v := range c.params {
				params[k] = v
			}
			if err := e.Request("initialize", params, nil); err != nil {
				t.Fatal(err)
			}
			e.Notify("initialized", struct{}{})
			err := e.Execute("rigwiki.query", map[string]string{"question": "why?"}, nil) // without uri it means the one wiki of the workspace
			if (err == nil) != (c.want != "") {
				t.Errorf("query: %v", err)
			}
			// A page's own folders lead to its wiki whatever the client said.
			if got := actionTitles(t, e, filepath.Join(root, "raw/src.md")); !has(got, "Ingest") {
				t.Errorf("actions %q", got)
			}
		})
	}
}

// TestResolveIsAnEcho is traps T33 and T34: what an action is asked to be resolved to is the action, and nothing starts.
func TestResolveIsAnEcho(t *testing.T) {
	root := newWiki(t, nil)
	h := newFakeHost(t, proposes(twoPages, nil))
	e := session(t, h, lsptest.Options{Root: root, Profile: lsptest.VSCode(), Init: notifying})
	action := map[string]any{"title": "x", "edit": map[string]any{"changes": map[string]any{}}, "data": "kept"}
	var got map[string]any
	if err := e.Request("codeAction/resolve", action, &got); err != nil || got["data"] != "kept" || got["edit"] == nil {
		t.Errorf("%v, %v", got, err)
	}
	if len(h.jobs) > 0 || len(e.Requests("workspace/applyEdit")) > 0 {
		t.Error("resolve did something")
	}
}

// TestAnsweredAtOnce is traps T35 and T38: a command that starts a run is answered while the agent works, whose progress has a token of the
// server's own.
func TestAnsweredAtOnce(t *testing.T) {
	root := newWiki(t, nil)
	release := make(chan struct{})
	h := newFakeHost(t, func(ctx context.Context, _ wiki.Job, _ func(wiki.Update)) outcome {
		select {
		case <-release:
		case <-ctx.Done():
		}
		return outcome{state: proposal.Empty, message: "nothing"}
	})
	e := session(t, h, lsptest.Options{Root: root, Profile: lsptest.Neovim(), Init: notifying})
	run := ingest(t, e, root) // answered, or it hangs: the agent is not released before
	e.Until("the token", func() bool { return len(e.HeldRequests("window/workDoneProgress/create")) == 1 })
	if token := string(e.Requests("window/workDoneProgress/create")[0]); !strings.Contains(token, tokenPrefix+run) {
		t.Errorf("the token is %s", token)
	}
	source := filepath.Join(root, "raw/src.md")
	if got := actionTitles(t, e, source); !has(got, "Cancel ingest raw/src.md") {
		t.Errorf("no way to cancel among %q", got)
	}
	close(release)
	until(t, e, run, proposal.Empty)
	eventually(t, "nothing to cancel", func() bool { return !has(actionTitles(t, e, source), "Cancel") })
}

// TestCommandsAreAnnounced is traps T39 and T40: no action or lens names a command that the server did not announce, the menu of Ctrl+. shows the kinds of
// all actions, and none is sent as disabled.
func TestCommandsAreAnnounced(t *testing.T) {
	known := map[string]bool{}
	for _, name := range commandNames() {
		known[name] = true
	}
	root := newWiki(t, map[string]string{"a.md": "# A\nold\n"})
	page := filepath.Join(root, "a.md")
	e := session(t, newFakeHost(t, proposes(map[string]string{"a.md": "# A\nnew\n"}, nil)), lsptest.Options{Root: root, Profile: lsptest.Neovim(), Init: withMessage})
	e.Open(page)
	until(t, e, ingest(t, e, root), proposal.Proposed)
	type commanded struct {
		Kind     string
		Disabled json.RawMessage
		Command  struct{ Command string }
	}
	var actions, lenses []commanded
	at := map[string]int{"line": 0, "character": 0}
	if err := e.Request("textDocument/codeAction", map[string]any{"textDocument": map[string]string{"uri": lsptest.URI(page)},
		"range": map[string]any{"start": at, "end": at}, "context": map[string]any{"diagnostics": []any{}}}, &actions); err != nil {
		t.Fatal(err)
	}
	if err := e.Request("textDocument/codeLens", map[string]any{"textDocument": map[string]string{"uri": lsptest.URI(page)}}, &lenses); err != nil {
		t.Fatal(err)
	}
	if len(actions) == 0 || len(lenses) == 0 {
		t.Fatalf("%d actions, %d lenses", len(actions), len(lenses))
	}
	for _, a := range actions {
		if a.Kind != "quickfix" && !strings.HasPrefix(a.Kind, kindRoot) || a.Disabled != nil {
			t.Errorf("an action of kind %q, disabled: %s", a.Kind, a.Disabled)
		}
	}
	for _, c := range append(actions, lenses...) {
		if !known[c.Command.Command] {
			t.Errorf("%q is not announced", c.Command.Command)
		}
	}
}

// TestNoWatching is trap T42: nothing is registered for watching, and a page that changed on disk is seen without a word from the client.
func TestNoWatching(t *testing.T) {
	root := newWiki(t, map[string]string{"a.md": "# A\nold\n"})
	page := filepath.Join(root, "a.md")
	e := session(t, newFakeHost(t, proposes(map[string]string{"a.md": "# A\nnew\n"}, nil)), lsptest.Options{Root: root, Profile: lsptest.Neovim(), Init: withMessage})
	run := ingest(t, e, root)
	until(t, e, run, proposal.Proposed)
	write(t, page, "top\n\n# A\nold\n")
	if err := e.Execute("rigwiki.proposal.apply", map[string]string{"run": run}, nil); err != nil {
		t.Fatal(err)
	}
	until(t, e, run, proposal.Applied)
	if got := read(t, page); got != "top\n\n# A\nnew\n" {
		t.Errorf("the page is %q", got)
	}
	if n := len(e.Requests("client/registerCapability")); n > 0 {
		t.Errorf("%d registrations", n)
	}
}

// TestEglot holds that eglot is asked (rung 3) though it does not announce that it can be, under each name that it gives itself.
func TestEglot(t *testing.T) {
	for _, name := range []string{"Eglot", "GNU Emacs", "emacs"} {
		p := protocol.InitializeParams{}
		p.ClientInfo = protocol.ClientInfo{Name: name}
		p.Capabilities.Window = &protocol.WindowClientCapabilities{}
		if !readCapabilities(&p).confirm {
			t.Errorf("%s is not asked", name)
		}
	}
}

// TestEglotLineEnds is trap T24 for eglot, which takes the \r off when it opens a page and puts it back when it saves: neither makes the page look
// changed, no \r is sent, and the undo finds what it wrote.
func TestEglotLineEnds(t *testing.T) {
	const before, after = "# A\r\n\r\nold\r\nend\r\n", "# A\r\n\r\nnew\r\nmore\r\nend\r\n"
	bare := strings.NewReplacer("\r", "")
	root := newWiki(t, map[string]string{"open.md": before, "closed.md": before})
	open, closed := filepath.Join(root, "open.md"), filepath.Join(root, "closed.md")
	h := newFakeHost(t, proposes(map[string]string{"open.md": after, "closed.md": after}, nil))
	var e *lsptest.Editor
	ready := make(chan struct{})
	e = session(t, h, lsptest.Options{Root: root, Init: withMessage, Profile: lsptest.Profile{Name: "Eglot",
		Capabilities: json.RawMessage(`{"workspace":{"applyEdit":true,"workspaceEdit":{"documentChanges":true}},"window":{},"general":{"positionEncodings":["utf-32"]}}`)},
		Answer: onApply(func(params json.RawMessage) any {
			<-ready
			if strings.Contains(string(params), `\r`) {
				t.Errorf("a carriage return is sent: %s", params)
			}
			if err := e.ApplyEdit(params); err != nil {
				t.Error(err)
			}
			write(t, closed, string(withCR([]byte(bare.Replace(read(t, closed))))))
			return map[string]any{"applied": true}
		})})
	close(ready)
	e.OpenAs(lsptest.URI(open), bare.Replace(before), 0)
	run := ingest(t, e, root)
	until(t, e, run, proposal.Proposed)
	if len(h.jobs[0].Buffers) > 0 {
		t.Error("the page counts as unsaved")
	}
	apply := func(command, text string) {
		t.Helper()
		if err := e.Execute(command, map[string]string{"run": run}, nil); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the edit in the buffer", func() bool { return e.Buffer(open).Text == bare.Replace(text) })
		eventually(t, "word of what waits to be saved", func() bool {
			list := told(e.Notes(methodRun), run)
			return strings.Contains(list[len(list)-1].Message, "waiting to be saved: open.md")
		})
		write(t, open, text)
		e.Notify("textDocument/didSave", map[string]any{"textDocument": map[string]string{"uri": lsptest.URI(open)}})
		eventually(t, "word of the save", func() bool {
			list := told(e.Notes(methodRun), run)
			return list[len(list)-1].Message == "open.md is saved"
		})
		if got := read(t, closed); got != text {
			t.Errorf("the closed page is %q", got)
		}
	}
	apply("rigwiki.proposal.apply", after)
	until(t, e, run, proposal.Applied)
	apply("rigwiki.run.undo", before)
	until(t, e, run, proposal.Discarded)
}

// TestUndoAtOnce holds that an undo takes back what is in the pages and not yet in the books: a user, or a script, may be that quick.
func TestUndoAtOnce(t *testing.T) {
	const before = "# A\n\nold\n"
	root := newWiki(t, map[string]string{"a.md": before})
	page := filepath.Join(root, "a.md")
	var e *lsptest.Editor
	ready := make(chan struct{})
	e = session(t, newFakeHost(t, proposes(map[string]string{"a.md": "# A\n\nnew\n", "log.md": "# Log\n- x\n"}, nil)), lsptest.Options{Root: root, Profile: lsptest.Neovim(), Init: withMessage,
		Answer: onApply(func(params json.RawMessage) any {
			<-ready
			if err := e.ApplyEdit(params); err != nil {
				t.Error(err)
			}
			return map[string]any{"applied": true}
		})})
	close(ready)
	e.Open(page)
	run := ingest(t, e, root)
	until(t, e, run, proposal.Proposed)
	for _, command := range []string{"rigwiki.proposal.apply", "rigwiki.run.undo"} {
		if err := e.Execute(command, map[string]string{"run": run}, nil); err != nil {
			t.Fatal(err)
		}
	}
	until(t, e, run, proposal.Discarded)
	if got := e.Buffer(page).Text; got != before || read(t, filepath.Join(root, "log.md")) != "# Log\n" {
		t.Errorf("after the undo the page is %q", got)
	}
}

// TestChangeBeforeOpen holds what Helix 25.01 does when it edits a page that it has not open: the change comes first, then the page as it was. A change
// of another version is not of that page.
func TestChangeBeforeOpen(t *testing.T) {
	root := newWiki(t, map[string]string{"a.md": "# A\nold\n"})
	page := filepath.Join(root, "a.md")
	for version, want := range map[int]int{1: 1, 7: 0} {
		h := newFakeHost(t, proposes(twoPages, nil))
		e := session(t, h, lsptest.Options{Root: root, Profile: lsptest.Neovim(), Init: notifying})
		at := func(line int) map[string]int { return map[string]int{"line": line, "character": 0} }
		e.Notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": lsptest.URI(page), "version": version},
			"contentChanges": []any{map[string]any{"range": map[string]any{"start": at(1), "end": at(2)}, "text": "new\n"}}})
		e.OpenAs(lsptest.URI(page), "# A\nold\n", 0)
		until(t, e, ingest(t, e, root), proposal.Proposed)
		if got := h.jobs[0].Buffers["a.md"]; len(h.jobs[0].Buffers) != want || want == 1 && string(got.Text) != "# A\nnew\n" {
			t.Errorf("version %d: the page is %q in %d buffers", version, got.Text, len(h.jobs[0].Buffers))
		}
	}
}
