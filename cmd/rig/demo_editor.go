package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// editor plays a small editor over JSON-RPC: it starts the language server as a child, keeps what arrives and applies workspace edits to disk, as an editor does
// that saves at once. It asks for UTF-8 positions, so that a column is a byte.
type editor struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	wiki  string
	write sync.Mutex

	mu      sync.Mutex // guards what follows
	next    int
	answers map[int]chan message
	onEdit  func(params json.RawMessage) bool
	err     error // why the stream ended

	notes chan message // notifications of the server, in order
}

// message is any JSON-RPC message.
type message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

// startEditor starts `rig wiki lsp` and shakes hands with it.
func startEditor(ctx context.Context, self, wiki string, env []string, log io.Writer) (*editor, error) {
	e := &editor{cmd: exec.CommandContext(ctx, self, "wiki", "lsp", "--stdio"), wiki: wiki, answers: map[int]chan message{}, notes: make(chan message, 1000)}
	e.cmd.Env, e.cmd.Dir, e.cmd.Stderr, e.cmd.WaitDelay = env, wiki, log, 5*time.Second
	var err error
	if e.in, err = e.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := e.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := e.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the language server: %w", err)
	}
	go e.read(bufio.NewReader(out))
	caps := `{"workspace":{"applyEdit":true,"workspaceEdit":{"documentChanges":true,"resourceOperations":["create","rename","delete"],"changeAnnotationSupport":{"groupsOnLabel":true}}},` +
		`"textDocument":{"codeAction":{"codeActionLiteralSupport":{"codeActionKind":{"valueSet":["quickfix","refactor"]}}},"hover":{"contentFormat":["markdown"]}},` +
		`"window":{"workDoneProgress":true,"showMessage":{}},"general":{"positionEncodings":["utf-8"]}}`
	params := map[string]any{"processId": os.Getpid(), "rootUri": fileURI(wiki), "capabilities": json.RawMessage(caps), "clientInfo": map[string]string{"name": "rig demo"},
		"initializationOptions": map[string]any{"rigwiki": map[string]any{"notifications": true, "preview": "annotations"}}}
	if err := e.request(ctx, "initialize", params, nil); err != nil {
		return nil, err
	}
	return e, e.send(map[string]any{"jsonrpc": "2.0", "method": "initialized", "params": map[string]any{}})
}

// close shuts the server down and waits for it.
func (e *editor) close(ctx context.Context) error {
	err := e.request(ctx, "shutdown", nil, nil)
	_ = e.send(map[string]any{"jsonrpc": "2.0", "method": "exit"})
	_ = e.in.Close()
	if werr := e.cmd.Wait(); err == nil {
		err = werr
	}
	return err
}

func (e *editor) send(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	e.write.Lock()
	defer e.write.Unlock()
	_, err = fmt.Fprintf(e.in, "Content-Length: %d\r\n\r\n%s", len(text), text)
	return err
}

// request sends one request and decodes its result into to.
func (e *editor) request(ctx context.Context, method string, params, to any) error {
	e.mu.Lock()
	e.next++
	id, ch := e.next, make(chan message, 1)
	if e.answers[id] = ch; e.err != nil {
		close(ch)
	}
	e.mu.Unlock()
	if err := e.send(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params}); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case m, ok := <-ch:
		if !ok {
			e.mu.Lock()
			defer e.mu.Unlock()
			return fmt.Errorf("%s: the server ended: %w", method, e.err)
		}
		if m.Error != nil {
			return fmt.Errorf("%s: %s", method, m.Error.Message)
		}
		if to == nil {
			return nil
		}
		return json.Unmarshal(m.Result, to)
	}
}

// answerEdits says what this editor does with the workspace edits that come from now on.
func (e *editor) answerEdits(f func(params json.RawMessage) bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.onEdit = f
}

// command is workspace/executeCommand with one object as argument.
func (e *editor) command(ctx context.Context, name string, arg map[string]any, to any) error {
	return e.request(ctx, "workspace/executeCommand", map[string]any{"command": name, "arguments": []any{arg}}, to)
}

// read sorts what arrives until the stream ends.
func (e *editor) read(r *bufio.Reader) {
	for {
		m, err := readMessage(r)
		if err != nil {
			e.mu.Lock()
			e.err = err
			for _, ch := range e.answers {
				close(ch)
			}
			clear(e.answers)
			e.mu.Unlock()
			close(e.notes)
			return
		}
		switch {
		case m.Method != "" && m.ID != nil:
			go e.answer(m)
		case m.Method != "":
			e.notes <- m
		default:
			id, _ := strconv.Atoi(string(m.ID))
			e.mu.Lock()
			if ch := e.answers[id]; ch != nil {
				ch <- m
				delete(e.answers, id)
			}
			e.mu.Unlock()
		}
	}
}

func readMessage(r *bufio.Reader) (m message, err error) {
	length := 0
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return m, err
		}
		if line = strings.TrimSpace(line); line == "" {
			break
		}
		if v, ok := strings.CutPrefix(line, "Content-Length:"); ok {
			if length, err = strconv.Atoi(strings.TrimSpace(v)); err != nil {
				return m, err
			}
		}
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(r, body); err != nil {
		return m, err
	}
	return m, json.Unmarshal(body, &m)
}

// answer answers a request of the server.
func (e *editor) answer(m message) {
	var result any
	if m.Method == "workspace/applyEdit" {
		e.mu.Lock()
		onEdit := e.onEdit
		e.mu.Unlock()
		result = map[string]bool{"applied": onEdit != nil && onEdit(m.Params)}
	}
	if err := e.send(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": result}); err != nil {
		e.mu.Lock()
		e.err = err
		e.mu.Unlock()
	}
}

// fileURI is the file: URI of an absolute path.
func fileURI(path string) string {
	p := filepath.ToSlash(path)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p
	}
	return (&url.URL{Scheme: "file", Path: p}).String()
}

func uriPath(uri string) string {
	u, err := url.Parse(uri)
	if err != nil {
		return ""
	}
	return filepath.FromSlash(u.Path)
}

// workspaceEdit is what the demo reads of one.
type workspaceEdit struct {
	Edit struct {
		DocumentChanges   []docChange `json:"documentChanges"`
		ChangeAnnotations map[string]struct {
			Label             string `json:"label"`
			Description       string `json:"description"`
			NeedsConfirmation bool   `json:"needsConfirmation"`
		} `json:"changeAnnotations"`
	} `json:"edit"`
}

type docChange struct {
	Kind, URI, OldURI, NewURI string
	AnnotationID              string `json:"annotationId"`
	TextDocument              struct{ URI string }
	Edits                     []struct {
		Range        struct{ Start, End struct{ Line, Character int } }
		NewText      string `json:"newText"`
		AnnotationID string `json:"annotationId"`
	}
}

// apply carries a workspace edit out on disk.
func (w workspaceEdit) apply() error {
	for _, c := range w.Edit.DocumentChanges {
		if err := c.apply(); err != nil {
			return err
		}
	}
	return nil
}

func (c docChange) apply() error {
	switch c.Kind {
	case "create":
		path := uriPath(c.URI)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if err != nil {
			return err
		}
		return f.Close()
	case "rename":
		return os.Rename(uriPath(c.OldURI), uriPath(c.NewURI))
	case "delete":
		return os.Remove(uriPath(c.URI))
	}
	path := uriPath(c.TextDocument.URI)
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for _, e := range slices.Backward(c.Edits) {
		start, end := offsetAt(text, e.Range.Start.Line, e.Range.Start.Character), offsetAt(text, e.Range.End.Line, e.Range.End.Character)
		text = slices.Concat(text[:start], []byte(e.NewText), text[end:])
	}
	return os.WriteFile(path, text, 0o644)
}

// offsetAt is the byte offset of a UTF-8 position, clamped to the text. The demo's pages end lines with LF.
func offsetAt(text []byte, line, character int) int {
	at := 0
	for ; line > 0; line-- {
		i := slices.Index(text[at:], '\n')
		if i < 0 {
			return len(text)
		}
		at += i + 1
	}
	return min(at+character, len(text))
}
