package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rigwiki/rig/lsp/lsptest"
	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/proposal"
	"go.lsp.dev/jsonrpc2"
)

func code(err error) int {
	var e *lsptest.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return 0
}

// TestLifecycle holds the order of initialize, shutdown and exit (trap T46).
func TestLifecycle(t *testing.T) {
	h := newFakeHost(t, nil)
	e := session(t, h, lsptest.Options{Root: newWiki(t, nil), Profile: lsptest.VSCode(), NoHandshake: true})
	hover := map[string]any{"textDocument": map[string]string{"uri": "file:///w/a.md"}, "position": map[string]int{"line": 0, "character": 0}}
	if err := e.Request("textDocument/hover", hover, nil); code(err) != -32002 {
		t.Errorf("before initialize: %v", err)
	}
	e.Notify("textDocument/didOpen", map[string]any{"nonsense": 1})
	if err := e.Request("initialize", e.InitParams(), nil); err != nil {
		t.Fatal(err)
	}
	if err := e.Request("initialize", e.InitParams(), nil); code(err) != -32600 {
		t.Errorf("a second initialize: %v", err)
	}
	e.Notify("initialized", struct{}{})
	if err := e.Request("shutdown", nil, nil); err != nil {
		t.Errorf("shutdown: %v", err)
	}
	if err := e.Request("textDocument/hover", hover, nil); code(err) != -32600 {
		t.Errorf("after shutdown: %v", err)
	}
	e.Notify("exit", nil)
	if got := e.Exit(); got != 0 {
		t.Errorf("exit code %d", got)
	}
}

// TestExitWithoutShutdown has exit code 1.
func TestExitWithoutShutdown(t *testing.T) {
	e := session(t, newFakeHost(t, nil), lsptest.Options{Profile: lsptest.VSCode()})
	e.Notify("exit", nil)
	if got := e.Exit(); got != 1 {
		t.Errorf("exit code %d", got)
	}
}

// TestDeadClient holds that a server ends when the process of its client is gone although the stream stays open.
func TestDeadClient(t *testing.T) {
	child := exec.Command("sh", "-c", "read x")
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	e := session(t, newFakeHost(t, nil), lsptest.Options{Profile: lsptest.VSCode(), NoHandshake: true})
	p := e.InitParams()
	p["processId"] = child.Process.Pid
	if err := e.Request("initialize", p, nil); err != nil {
		t.Fatal(err)
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // its status does not matter
	if got := e.Exit(); got != 1 {
		t.Errorf("exit code %d", got)
	}
}

// TestNothingEndsTheServer is trap T44: what a client must not send, and may.
func TestNothingEndsTheServer(t *testing.T) {
	root := newWiki(t, nil)
	e := session(t, newFakeHost(t, nil), lsptest.Options{Root: root, Profile: lsptest.VSCode()})
	for _, n := range []struct {
		method string
		params any
	}{
		{"$/unknown", nil}, {"foo/bar", []int{1}}, {"textDocument/willSave", map[string]any{}}, {"textDocument/didOpen", map[string]any{"textDocument": 7}},
		{"textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": "file:///nowhere.md", "version": 2}, "contentChanges": []any{}}},
		{"$/cancelRequest", map[string]any{"id": nil}}, {"$/cancelRequest", map[string]any{"id": 99999}}, {"$/setTrace", map[string]any{"value": "verbose"}},
		{"workspace/didChangeConfiguration", map[string]any{"settings": nil}}, {"textDocument/didSave", nil},
		{"textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": "untitled:x", "languageId": "markdown", "version": 1, "text": ""}}},
	} {
		e.Notify(n.method, n.params)
	}
	for _, c := range []struct {
		method string
		params any
		code   int
	}{
		{"foo/bar", nil, -32601},
		{"textDocument/codeAction", map[string]any{"textDocument": 7}, -32602},
		{"workspace/executeCommand", map[string]any{"command": "no.such"}, -32602},
		{"workspace/executeCommand", map[string]any{"command": "rigwiki.ingest", "arguments": []any{1, 2}}, -32602},
		{"workspace/executeCommand", map[string]any{"command": "rigwiki.ingest", "arguments": []any{"x"}}, -32602},
		{"workspace/executeCommand", map[string]any{"command": "rigwiki.ingest", "arguments": []any{map[string]any{}}}, -32602},
		{"workspace/executeCommand", map[string]any{"command": "rigwiki.proposal.show", "arguments": []any{map[string]any{"run": "none"}}}, -32602},
		{"workspace/textDocumentContent", map[string]any{"uri": "rigwiki://none/x.md"}, -32602},
	} {
		if err := e.Request(c.method, c.params, nil); code(err) != c.code {
			t.Errorf("%s %v: %v, want %d", c.method, c.params, err, c.code)
		}
	}
	err := e.Execute("rigwiki.ingest", map[string]any{"uri": lsptest.URI(filepath.Join(root, "raw/src.md")), "URI": "x", "zeal": 1}, nil)
	if code(err) != -32602 || !strings.Contains(err.Error(), `"URI", "zeal"`) {
		t.Errorf("unknown keys: %v", err)
	}
	for command, want := range map[string]string{"rigwiki.status": "(it knows no keys)", "rigwiki.work": "needs uri"} {
		given := map[string]any{"zeal": 1}
		if command == "rigwiki.work" {
			given = map[string]any{}
		}
		if err := e.Execute(command, given, nil); code(err) != -32602 || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", command, err)
		}
	}
	var s struct{ Wikis []struct{ Rung string } }
	if err := e.Execute("rigwiki.status", map[string]any{}, &s); err != nil || len(s.Wikis) != 1 || s.Wikis[0].Rung != "annotations" {
		t.Errorf("status %v, %v", s, err)
	}
	if got := e.Shutdown(); got != 0 {
		t.Errorf("exit code %d", got)
	}
}

// TestPanic holds that a handler that panics answers one error and the server lives.
func TestPanic(t *testing.T) {
	h := newFakeHost(t, nil)
	e := session(t, panicHost{h}, lsptest.Options{Root: newWiki(t, nil), Profile: lsptest.VSCode()})
	if err := e.Execute("rigwiki.agent.list", map[string]any{}, nil); code(err) != -32603 {
		t.Errorf("%v", err)
	}
	if err := e.Execute("rigwiki.status", map[string]any{}, nil); err != nil {
		t.Error(err)
	}
	if got := e.Shutdown(); got != 0 {
		t.Errorf("exit code %d", got)
	}
}

type panicHost struct{ *fakeHost }

func (panicHost) Agents(context.Context, *wiki.Wiki, *wiki.Settings) ([]wiki.AgentInfo, error) {
	panic("as tested")
}

// TestCancelRequest cancels a request by id. Ids of nobody, and none, are ignored (trap T37).
func TestCancelRequest(t *testing.T) {
	entered := make(chan struct{})
	h := blockingHost{newFakeHost(t, nil), entered}
	root := newWiki(t, nil)
	e := session(t, h, lsptest.Options{Root: root, Profile: lsptest.VSCode()})
	id := e.Send("workspace/executeCommand", map[string]any{"command": "rigwiki.agent.list", "arguments": []any{map[string]any{}}})
	<-entered
	for _, nobody := range []any{nil, 987654, "nobody"} {
		e.Notify("$/cancelRequest", map[string]any{"id": nobody})
	}
	if got := actionTitles(t, e, filepath.Join(root, "index.md")); got == nil {
		t.Error("no answer after those")
	}
	e.Notify("$/cancelRequest", map[string]any{"id": json.RawMessage(id)})
	if err := e.Await(id, nil); code(err) != -32800 {
		t.Errorf("%v", err)
	}
}

type blockingHost struct {
	*fakeHost
	entered chan struct{}
}

func (b blockingHost) Agents(ctx context.Context, _ *wiki.Wiki, _ *wiki.Settings) ([]wiki.AgentInfo, error) {
	close(b.entered)
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestMapError holds the codes of errors.
func TestMapError(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		ctx  context.Context
		err  error
		code jsonrpc2.Code
	}{
		{t.Context(), errors.New("x"), -32803}, {ended, context.Canceled, -32800}, {t.Context(), context.Canceled, -32803},
		{t.Context(), fmt.Errorf("wrapped: %w", invalid("x")), -32602},
	} {
		var e *jsonrpc2.Error
		if !errors.As(mapError(c.ctx, c.err), &e) || e.Code != c.code {
			t.Errorf("%v: %v, want %d", c.err, e, c.code)
		}
	}
}

// TestPipelined sends initialize and didOpen in one write, as case o-ls-12's bytes do, and nothing after them: the page is checked all the same.
func TestPipelined(t *testing.T) {
	root := filepath.Join(t.TempDir(), "知")
	write(t, filepath.Join(root, "x.md"), "# x\n")
	e := session(t, newFakeHost(t, nil), lsptest.Options{Profile: lsptest.VSCode(), NoHandshake: true})
	var bytes []byte
	for _, m := range []map[string]any{
		{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": map[string]any{"processId": nil, "rootUri": lsptest.URI(root), "capabilities": map[string]any{}}},
		{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": map[string]any{"textDocument": map[string]any{"uri": lsptest.URI(filepath.Join(root, "x.md")),
			"languageId": "markdown", "version": 1, "text": "# 知识库 \U0001F331\n[[缺页]]\n"}}},
	} {
		body, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		bytes = fmt.Appendf(bytes, "Content-Length: %d\r\n\r\n%s", len(body), body)
	}
	e.Raw(bytes)
	e.Until("the finding", func() bool {
		got := lastFindings(e, filepath.Join(root, "x.md"))
		return strings.Contains(got, `"range":{"start":{"line":1,"character":0},"end":{"line":1,"character":6}}`)
	})
}

// TestBytes is case o-ls-12: lengths count bytes, also of CJK text, and the server's lengths are right (the editor reads by them).
func TestBytes(t *testing.T) {
	root := filepath.Join(t.TempDir(), "知识")
	write(t, filepath.Join(root, "schema.md"), "# 知\n")
	write(t, filepath.Join(root, "raw/源.md"), "# 源\n")
	e := session(t, newFakeHost(t, proposes(map[string]string{"页.md": "# 页 \U0001F331\n"}, nil)), lsptest.Options{Root: root, Profile: lsptest.VSCode(), Init: withPane})
	src := filepath.Join(root, "raw/源.md")
	e.Open(src)
	var got struct{ Run string }
	if err := e.Execute("rigwiki.ingest", map[string]string{"uri": lsptest.URI(src)}, &got); err != nil {
		t.Fatal(err)
	}
	if n := until(t, e, got.Run, proposal.Applied); n.Title != "ingest raw/源.md" {
		t.Errorf("title %q", n.Title)
	}
	if read(t, filepath.Join(root, "页.md")) != "# 页 \U0001F331\n" {
		t.Error("bytes differ")
	}
}
