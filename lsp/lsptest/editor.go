package lsptest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Hang is how long the editor waits for anything before it calls that a hang.
const Hang = time.Minute

// Options say what kind of editor to start.
type Options struct {
	Root        string // workspace folder; "" opens none
	Folders     []string
	Profile     Profile
	Init        string // initializationOptions.rigwiki as JSON
	NoHandshake bool   // do not send initialize
	WantError   bool   // the session is meant to end with an error
	// Answer decides about a request of the server before the editor's own answer. Without ok the editor answers; Silent stays unanswered.
	Answer func(method string, params json.RawMessage) (result any, ok bool)
}

// Silent is the answer that is never sent.
var Silent = &struct{ never bool }{true}

// Message is one message from the server.
type Message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *Error          `json:"error"`
}

// Error is an error answer.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *Error) Error() string { return fmt.Sprintf("%d: %s", e.Code, e.Message) }

// Editor is a fake editor in one session.
type Editor struct {
	t     testing.TB
	opt   Options
	model *Model
	conn  net.Conn
	Init  json.RawMessage // the server's answer to initialize

	mu       sync.Mutex
	cond     *sync.Cond
	nextID   int
	sent     map[string]string // id -> method
	answers  map[string]Message
	notes    []Message // notifications of the server, in order
	requests []Message // requests of the server, in order
	buffers  map[string]*Buffer
	problems []string
	exit     int
	exited   chan struct{}
	encoding string
}

// Start connects an editor to a server that serve runs.
func Start(t testing.TB, serve func(context.Context, io.ReadWriteCloser) (int, error), o Options) *Editor {
	t.Helper()
	model, err := loadModel()
	if errors.Is(err, fs.ErrNotExist) && os.Geteuid() > 0 {
		t.Skipf("the protocol's model is in a module cache that this user cannot read: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := net.Pipe()
	e := &Editor{t: t, opt: o, model: model, conn: ours, sent: map[string]string{}, answers: map[string]Message{}, buffers: map[string]*Buffer{},
		exited: make(chan struct{}), encoding: "utf-16"}
	e.cond = sync.NewCond(&e.mu)
	go func() {
		defer close(e.exited)
		code, err := serve(context.Background(), theirs)
		if err != nil && !o.WantError && !strings.Contains(err.Error(), "closed pipe") {
			e.problem("serve: %v", err)
		}
		e.mu.Lock()
		e.exit = code
		e.mu.Unlock()
	}()
	go e.read()
	t.Cleanup(e.cleanup)
	if !o.NoHandshake {
		e.handshake()
	}
	return e
}

func (e *Editor) cleanup() {
	e.conn.Close()
	select {
	case <-e.exited:
	case <-time.After(Hang):
		e.t.Error("the server did not end")
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, p := range e.problems {
		e.t.Error(p)
	}
}

// InitParams are the params of initialize.
func (e *Editor) InitParams() map[string]any {
	p := map[string]any{"processId": os.Getpid(), "rootUri": nil, "capabilities": e.opt.Profile.Capabilities, "clientInfo": map[string]string{"name": e.opt.Profile.Name}}
	folders := e.opt.Folders
	if e.opt.Root != "" {
		p["rootUri"] = URI(e.opt.Root)
		folders = append([]string{e.opt.Root}, folders...)
	}
	list := []map[string]string{}
	for _, f := range folders {
		list = append(list, map[string]string{"uri": URI(f), "name": filepath.Base(f)})
	}
	p["workspaceFolders"] = list
	if e.opt.Init != "" {
		p["initializationOptions"] = map[string]json.RawMessage{"rigwiki": json.RawMessage(e.opt.Init)}
	}
	return p
}

func (e *Editor) handshake() {
	e.t.Helper()
	if err := e.Request("initialize", e.InitParams(), &e.Init); err != nil {
		e.t.Fatalf("initialize: %v", err)
	}
	var r struct {
		Capabilities struct {
			PositionEncoding string `json:"positionEncoding"`
		} `json:"capabilities"`
	}
	if err := json.Unmarshal(e.Init, &r); err == nil && r.Capabilities.PositionEncoding != "" {
		e.encoding = r.Capabilities.PositionEncoding
	}
	e.Notify("initialized", struct{}{})
}

// Shutdown ends the session in order and gives the exit code.
func (e *Editor) Shutdown() int {
	e.t.Helper()
	if err := e.Request("shutdown", nil, nil); err != nil {
		e.t.Errorf("shutdown: %v", err)
	}
	e.Notify("exit", nil)
	return e.Exit()
}

// Exit waits for the server's end and gives its exit code.
func (e *Editor) Exit() int {
	e.t.Helper()
	select {
	case <-e.exited:
	case <-time.After(Hang):
		e.t.Fatal("the server did not end")
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.exit
}

// Hangup closes the editor's side, as a killed editor does.
func (e *Editor) Hangup() { e.conn.Close() }

// Raw writes bytes to the server as they are.
func (e *Editor) Raw(b []byte) {
	if _, err := e.conn.Write(b); err != nil {
		e.problem("write: %v", err)
	}
}

func (e *Editor) write(v any) {
	b, err := json.Marshal(v)
	if err != nil {
		e.problem("encode: %v", err)
		return
	}
	if _, err := fmt.Fprintf(e.conn, "Content-Length: %d\r\n\r\n%s", len(b), b); err != nil {
		e.mu.Lock()
		e.cond.Broadcast()
		e.mu.Unlock()
	}
}

// Notify sends a notification.
func (e *Editor) Notify(method string, params any) {
	m := map[string]any{"jsonrpc": "2.0", "method": method}
	if params != nil {
		m["params"] = params
	}
	e.write(m)
}

// Send sends a request and gives its id.
func (e *Editor) Send(method string, params any) string {
	e.mu.Lock()
	e.nextID++
	n := e.nextID
	id := strconv.Itoa(n)
	e.sent[id] = method
	e.mu.Unlock()
	m := map[string]any{"jsonrpc": "2.0", "id": n, "method": method}
	if params != nil {
		m["params"] = params
	}
	e.write(m)
	return id
}

// Await waits for the answer to a request.
func (e *Editor) Await(id string, result any) error {
	e.t.Helper()
	var m Message
	e.Until("the answer to request "+id, func() bool {
		var ok bool
		m, ok = e.answers[id]
		return ok
	})
	if m.Error != nil {
		return m.Error
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(m.Result, result)
}

// Request sends a request and waits for its answer.
func (e *Editor) Request(method string, params, result any) error {
	e.t.Helper()
	return e.Await(e.Send(method, params), result)
}

// Execute runs a command with one argument object.
func (e *Editor) Execute(command string, arg, result any) error {
	e.t.Helper()
	return e.Request("workspace/executeCommand", map[string]any{"command": command, "arguments": []any{arg}}, result)
}

// Until waits until pred holds; it is called with the editor's lock held, whenever something came.
func (e *Editor) Until(what string, pred func() bool) {
	e.t.Helper()
	deadline := time.Now().Add(Hang)
	stop := time.AfterFunc(Hang, func() { e.mu.Lock(); e.cond.Broadcast(); e.mu.Unlock() })
	defer stop.Stop()
	e.mu.Lock()
	defer e.mu.Unlock()
	for !pred() {
		if time.Now().After(deadline) {
			var seen []string
			for _, n := range append(append([]Message{}, e.requests...), e.notes...) {
				seen = append(seen, n.Method+" "+string(n.Params))
			}
			e.t.Fatalf("never saw %s; seen:\n%s", what, strings.Join(seen, "\n"))
		}
		e.cond.Wait()
	}
}

// Notes gives the notifications of a method so far.
func (e *Editor) Notes(method string) []json.RawMessage {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.pick(e.notes, method)
}

// Requests gives the server's requests of a method so far.
func (e *Editor) Requests(method string) []json.RawMessage {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.pick(e.requests, method)
}

func (e *Editor) pick(list []Message, method string) []json.RawMessage {
	var out []json.RawMessage
	for _, n := range list {
		if n.Method == method {
			out = append(out, n.Params)
		}
	}
	return out
}

func (e *Editor) problem(format string, a ...any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.problems = append(e.problems, fmt.Sprintf(format, a...))
	e.cond.Broadcast()
}

// Held gives the notifications of a method so far; for use within Until, where the lock is held.
func (e *Editor) Held(method string) []json.RawMessage { return e.pick(e.notes, method) }

// HeldRequests gives the server's requests of a method so far; for use within Until, where the lock is held.
func (e *Editor) HeldRequests(method string) []json.RawMessage { return e.pick(e.requests, method) }

// ReplyTo answers the server's first request of a method, which was left unanswered.
func (e *Editor) ReplyTo(method string, result any) {
	e.mu.Lock()
	var id json.RawMessage
	for _, r := range e.requests {
		if r.Method == method && id == nil {
			id = r.ID
		}
	}
	e.mu.Unlock()
	e.Reply(id, result)
}
