package adapters

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/acp-go-sdk"
)

// fakeACP is an agent at the other end of a pipe: it plays one turn.
type fakeACP struct {
	acp.Agent // what is not overridden is not asked for
	conn      *acp.AgentSideConnection
	turn      func(ctx context.Context, f *fakeACP, p acp.PromptRequest) (acp.StopReason, error)
	mode      string
	leave     func() // ends its stdout
	out       io.Writer
	cancelled chan struct{}
	once      sync.Once
}

func (f *fakeACP) Initialize(context.Context, acp.InitializeRequest) (acp.InitializeResponse, error) {
	return acp.InitializeResponse{ProtocolVersion: acp.ProtocolVersionNumber}, nil
}

func (f *fakeACP) NewSession(_ context.Context, r acp.NewSessionRequest) (acp.NewSessionResponse, error) {
	if r.Cwd == "/leave" {
		f.leave()
		return acp.NewSessionResponse{}, errors.New("nobody hears this")
	}
	if r.Cwd == "/login" {
		return acp.NewSessionResponse{}, &acp.RequestError{Code: -32000, Message: "Authentication required"}
	}
	return acp.NewSessionResponse{SessionId: "s-1", Modes: &acp.SessionModeState{
		CurrentModeId: "auto", AvailableModes: []acp.SessionMode{{Id: "auto", Name: "Auto"}, {Id: "read-only", Name: "Ask"}},
	}}, nil
}

func (f *fakeACP) SetSessionMode(_ context.Context, r acp.SetSessionModeRequest) (acp.SetSessionModeResponse, error) {
	f.mode = string(r.ModeId)
	return acp.SetSessionModeResponse{}, nil
}

func (f *fakeACP) Cancel(context.Context, acp.CancelNotification) error {
	f.once.Do(func() { close(f.cancelled) })
	return nil
}

func (f *fakeACP) Prompt(ctx context.Context, p acp.PromptRequest) (acp.PromptResponse, error) {
	reason, err := f.turn(ctx, f, p)
	return acp.PromptResponse{StopReason: reason}, err
}

func (f *fakeACP) tell(ctx context.Context, u acp.SessionUpdate) {
	_ = f.conn.SessionUpdate(ctx, acp.SessionNotification{SessionId: "s-1", Update: u})
}

// ask announces a call, asks for it, and completes it by the answer.
func (f *fakeACP) ask(ctx context.Context, id string, kind acp.ToolKind, at string, raw any) bool {
	f.tell(ctx, acp.StartToolCall(acp.ToolCallId(id), id, acp.WithStartKind(kind), acp.WithStartStatus(acp.ToolCallStatusPending), acp.WithStartRawInput(raw), acp.WithStartLocations(locations(at))))
	res, err := f.conn.RequestPermission(ctx, acp.RequestPermissionRequest{
		SessionId: "s-1", ToolCall: acp.ToolCallUpdate{ToolCallId: acp.ToolCallId(id), Kind: &kind, RawInput: raw, Locations: locations(at)},
		Options: []acp.PermissionOption{{Kind: acp.PermissionOptionKindAllowAlways, OptionId: "always"}, {Kind: acp.PermissionOptionKindAllowOnce, OptionId: "yes"}, {Kind: acp.PermissionOptionKindRejectOnce, OptionId: "no"}},
	})
	yes := err == nil && res.Outcome.Selected != nil && res.Outcome.Selected.OptionId == "yes"
	status := acp.ToolCallStatusFailed
	if yes {
		status = acp.ToolCallStatusCompleted
	}
	f.tell(ctx, acp.UpdateToolCall(acp.ToolCallId(id), acp.WithUpdateStatus(status)))
	return yes
}

func locations(at string) []acp.ToolCallLocation {
	if at == "" {
		return nil
	}
	return []acp.ToolCallLocation{{Path: at}}
}

// talk plays a turn of the fake against the adapter.
func talk(t *testing.T, ctx context.Context, r Request, turn func(context.Context, *fakeACP, acp.PromptRequest) (acp.StopReason, error)) (decoded, *fakeACP) {
	t.Helper()
	toAgent, fromClient := io.Pipe()
	toClient, fromAgent := io.Pipe()
	f := &fakeACP{turn: turn, cancelled: make(chan struct{}), leave: func() { fromAgent.Close() }, out: fromAgent}
	f.conn = acp.NewAgentSideConnection(f, fromAgent, toAgent)
	f.conn.SetLogger(slog.New(slog.DiscardHandler))
	inv, err := acpAgent{}.Plan(r)
	if err != nil {
		t.Fatal(err)
	}
	var d decoded
	d.Outcome = inv.Talk(ctx, struct {
		io.Reader
		io.Writer
	}{toClient, fromClient}, func(e Event) { d.Events = append(d.Events, e) })
	fromClient.Close()
	toClient.CloseWithError(io.EOF)
	<-f.conn.Done()
	return d, f
}

func acpRequest(op string) Request {
	r := planRequest("acp", op)
	r.Detection.Path = "/opt/agents/bin/codex-acp"
	return r
}

func TestACPTurn(t *testing.T) {
	answers := map[string]bool{}
	d, f := talk(t, t.Context(), acpRequest("ingest"), func(ctx context.Context, f *fakeACP, p acp.PromptRequest) (acp.StopReason, error) {
		if got := p.Prompt[0].Text.Text; !strings.HasSuffix(got, "/do it: \"x\" — 温度") || !strings.HasPrefix(got, "You are the executor.") {
			t.Errorf("prompt %q", got)
		}
		f.tell(ctx, acp.UpdateAgentMessageText("I will look."))
		answers["inside"] = f.ask(ctx, "inside", acp.ToolKindEdit, "/wiki/pages/a.md", nil)
		answers["raw"] = f.ask(ctx, "raw", acp.ToolKindEdit, "/wiki/RAW/a.md", nil)
		answers["outside"] = f.ask(ctx, "outside", acp.ToolKindDelete, "/wiki/../etc/passwd", nil)
		answers["nowhere"] = f.ask(ctx, "nowhere", acp.ToolKindEdit, "", nil)
		answers["qmd"] = f.ask(ctx, "qmd", acp.ToolKindExecute, "", map[string]any{"command": "qmd search x"})
		answers["rm"] = f.ask(ctx, "rm", acp.ToolKindExecute, "", map[string]any{"command": "qmd search x; rm -rf ."})
		answers["redirect"] = f.ask(ctx, "redirect", acp.ToolKindExecute, "", map[string]any{"command": []string{"bash", "-lc", "qmd search x > raw/y"}})
		answers["web"] = f.ask(ctx, "web", acp.ToolKindFetch, "", nil)
		f.tell(ctx, acp.UpdateAgentMessageText("INGEST "))
		f.tell(ctx, acp.UpdateAgentMessageText("DONE: a"))
		return acp.StopReasonEndTurn, nil
	})
	for name, want := range map[string]bool{"inside": true, "raw": false, "outside": false, "nowhere": false, "qmd": true, "rm": false, "redirect": false, "web": false} {
		if answers[name] != want {
			t.Errorf("%s: %v", name, answers[name])
		}
	}
	o := d.Outcome
	if !o.OK || o.Text != "INGEST DONE: a" || o.Session != "s-1" || len(o.Denials) != 6 {
		t.Errorf("outcome %+v", o)
	}
	if f.mode != "read-only" {
		t.Errorf("mode %q", f.mode)
	}
	first, last := d.Events[0], d.Events[len(d.Events)-1]
	if first.Kind != "session" || last.Kind != "idle" || last.OK == nil || !*last.OK {
		t.Errorf("events %+v", d.Events)
	}
	if e := d.Events[2]; e.Kind != "edit" || e.File != "pages/a.md" || e.Running || e.OK == nil || !*e.OK {
		t.Errorf("the edit: %+v", e)
	}
}

func TestACPReadOnly(t *testing.T) {
	d, _ := talk(t, t.Context(), acpRequest("query"), func(ctx context.Context, f *fakeACP, _ acp.PromptRequest) (acp.StopReason, error) {
		if f.ask(ctx, "edit", acp.ToolKindEdit, "/wiki/a.md", nil) {
			t.Error("a query may edit")
		}
		if !f.ask(ctx, "read", acp.ToolKindRead, "/wiki/a.md", nil) {
			t.Error("a query may not read")
		}
		return acp.StopReasonCancelled, nil // as some do after a refusal
	})
	if !d.Outcome.OK || len(d.Outcome.Denials) != 1 {
		t.Errorf("outcome %+v", d.Outcome)
	}
}

func TestACPFailures(t *testing.T) {
	for name, c := range map[string]struct {
		reason acp.StopReason
		err    error
		cwd    string
		kind   string
		says   string // all of the message, "" for whatever
	}{
		"refusal":  {reason: acp.StopReasonRefusal, kind: "other"},
		"too long": {reason: acp.StopReasonMaxTokens, kind: "truncated"},
		"login":    {cwd: "/login", kind: "auth"},
		"rate":     {err: &acp.RequestError{Code: -32603, Message: "Internal error", Data: "API Error: 429 rate limited"}, kind: "rate-limit"},
		"unknown":  {err: errors.New("it broke"), kind: "other"},
		"nested":   {err: &acp.RequestError{Code: -32603, Message: "Internal error", Data: map[string]any{"code": 402, "error": map[string]any{"message": "Your credit balance is too low"}}}, kind: "api-error", says: "Your credit balance is too low"},
		"said":     {err: &acp.RequestError{Code: -32603, Message: "Internal error: invalid x-api-key", Data: map[string]any{"errorName": "APIError"}}, kind: "auth", says: "invalid x-api-key"},
	} {
		r := acpRequest("query")
		if c.cwd != "" {
			r.Cwd = c.cwd
		}
		d, _ := talk(t, t.Context(), r, func(context.Context, *fakeACP, acp.PromptRequest) (acp.StopReason, error) { return c.reason, c.err })
		if o := d.Outcome; o.OK || o.Failure == nil || o.Failure.Kind != c.kind || c.says != "" && o.Failure.Message != c.says {
			t.Errorf("%s: %+v, failure %+v", name, o, o.Failure)
		}
	}
}

// A cancelled run asks the agent to end its turn, which ends the agent's own commands.
func TestACPCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	d, f := talk(t, ctx, acpRequest("ingest"), func(_ context.Context, f *fakeACP, _ acp.PromptRequest) (acp.StopReason, error) {
		cancel()
		select {
		case <-f.cancelled:
		case <-time.After(time.Minute):
			t.Error("no session/cancel came")
		}
		return acp.StopReasonCancelled, nil
	})
	if d.Outcome.OK || d.Outcome.Failure == nil {
		t.Errorf("outcome %+v", d.Outcome)
	}
	select {
	case <-f.cancelled:
	default:
		t.Error("the agent was not told")
	}
}

func TestGate(t *testing.T) {
	g := gate{cwd: "/wiki", readOnly: []string{"raw", "schema.md"}, grant: Grant{Write: true, Commands: []string{"git push", "echo"}, Exact: []string{"git send origin x"}, Denied: []string{"git push --force", "git push -f"}}}
	for cmd, want := range map[string]bool{
		"git push": true, "git push origin HEAD": true, "git  push": true, "git push --force": false, `git push "--force"`: false, "git push '-f'": false,
		"git pushx": false, "git push && rm x": false, "git push; echo done": true, "F=--force; git push $F": false, "echo `id`": false, "echo 'a > b'": true,
		"echo a > b": false, "": false, "echo a\nrm b": false, "bash -c 'git push'": false, "echo 'open": true,
		"git send origin x": true, "git send origin x -f": false, "git send origin": false, "git send origin x; git send origin x": true, "git  send origin x": true,
	} {
		if got := g.mayRun(cmd) == ""; got != want {
			t.Errorf("mayRun(%q) = %v", cmd, got)
		}
	}
	for file, want := range map[string]bool{
		"/wiki/a.md": true, "a.md": true, "/wiki": false, "/wikix/a.md": false, "/wiki/raw/a": false, "/wiki/raws/a": true, "/wiki/SCHEMA.md": false, "../x": false,
		"/wiki/x/../raw/a": false, "/wiki/.git/hooks/x": false, "": false,
	} {
		if got := g.mayWrite(file) == ""; got != want {
			t.Errorf("mayWrite(%q) = %v", file, got)
		}
	}
}

// An agent may say things that no version of the protocol knew, print words of its own between them, and talk without end: the turn goes on.
func TestACPOddTalk(t *testing.T) {
	d, _ := talk(t, t.Context(), acpRequest("ingest"), func(ctx context.Context, f *fakeACP, _ acp.PromptRequest) (acp.StopReason, error) {
		for _, line := range []string{
			"Loaded cached credentials.\r\n", "\xef\xbb\xbf\x1b]0;title\x07", "{\n  code: 'ENOENT'\n}\n", "{\"half\":\n", "\n\r\n\x00\n",
			`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-1","update":{"sessionUpdate":"from_the_future","x":1}}}` + "\n",
			`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":7,"update":null}}` + "\r\n",
			`{"jsonrpc":"2.0","method":"session/update","params":null}` + "\n",
			`{"jsonrpc":"2.0","method":"_vendor/told","params":{}}` + "\n",
			`{"jsonrpc":"2.0","id":99,"result":{"nobody":"asked"}}` + "\n",
			`{"jsonrpc":"2.0","method":"session/update","params":{"x":"` + strings.Repeat("y", 11<<20) + `"}}` + "\n",
		} {
			if _, err := io.WriteString(f.out, line); err != nil {
				t.Error(err)
			}
		}
		f.tell(ctx, acp.UpdateAgentMessageText("温"))
		f.tell(ctx, acp.UpdateAgentMessageText("度 done"))
		return acp.StopReasonEndTurn, nil
	})
	if o := d.Outcome; !o.OK || o.Text != "温度 done" {
		t.Errorf("%+v, failure %+v", o, o.Failure)
	}
	for name, reason := range map[string]acp.StopReason{"none": "", "unknown": "from_the_future"} {
		d, _ := talk(t, t.Context(), acpRequest("query"), func(context.Context, *fakeACP, acp.PromptRequest) (acp.StopReason, error) { return reason, nil })
		if o := d.Outcome; o.OK || o.Failure == nil || strings.HasSuffix(o.Failure.Message, ": ") || strings.HasSuffix(o.Failure.Message, ":") {
			t.Errorf("%s: %+v, failure %+v", name, o, o.Failure)
		}
	}
}

// A request may be handed on before the updates that say what its call is about: it is judged when they are here.
func TestACPRequestBeforeItsUpdate(t *testing.T) {
	c := &acpClient{feed: newFeed("acp", nil), gate: gate{cwd: "/wiki", grant: Grant{Write: true}}, wait: time.Minute}
	pending, edit, other := acp.ToolCallStatusPending, acp.ToolKindEdit, acp.ToolKindOther
	once := []acp.PermissionOption{{Kind: acp.PermissionOptionKindAllowOnce, OptionId: "yes"}, {Kind: acp.PermissionOptionKindRejectOnce, OptionId: "no"}}
	ask := func(id acp.ToolCallId) chan string {
		answer := make(chan string, 1)
		go func() {
			r, err := c.RequestPermission(t.Context(), acp.RequestPermissionRequest{Options: once, ToolCall: acp.ToolCallUpdate{ToolCallId: id, RawInput: map[string]any{"file_path": "/wiki/a.md"}}})
			if err != nil || r.Outcome.Selected == nil {
				answer <- fmt.Sprint(err)
				return
			}
			answer <- string(r.Outcome.Selected.OptionId)
		}()
		return answer
	}
	tell := func(id acp.ToolCallId, kind acp.ToolKind, at ...string) {
		u := &acp.SessionUpdateToolCall{ToolCallId: id, Title: "Edit", Kind: kind, Status: pending}
		for _, p := range at {
			u.Locations = append(u.Locations, acp.ToolCallLocation{Path: p})
		}
		if err := c.SessionUpdate(t.Context(), acp.SessionNotification{Update: acp.SessionUpdate{ToolCall: u}}); err != nil {
			t.Error(err)
		}
	}
	waits := func() {
		t.Helper()
		for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
			c.mu.Lock()
			waiting := c.told != nil
			c.mu.Unlock()
			if waiting {
				return
			}
		}
		t.Fatal("the request was answered")
	}
	for want, file := range map[string]string{"yes": "/wiki/a.md", "no": "/etc/passwd"} {
		id := acp.ToolCallId(want)
		answer := ask(id)
		waits()
		tell("another", edit, "/wiki/b.md")
		waits()
		tell(id, edit) // announced bare
		waits()
		tell(id, edit, file)
		if got := <-answer; got != want {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
	answer := ask("odd")
	waits()
	tell("odd", other)
	if got := <-answer; got != "no" {
		t.Errorf("of no kind that is known: %s", got)
	}
}

// What is kept of a long turn has bounds.
func TestACPEndless(t *testing.T) {
	c := &acpClient{feed: newFeed("acp", nil), gate: gate{cwd: "/wiki"}}
	edit, done := acp.ToolKindEdit, acp.ToolCallStatusFailed
	for i := range 3 * maxOpen {
		id := acp.ToolCallId(strings.Repeat("x", i))
		_, err := c.RequestPermission(t.Context(), acp.RequestPermissionRequest{ToolCall: acp.ToolCallUpdate{ToolCallId: id, Kind: &edit}})
		if err != nil {
			t.Fatal(err)
		}
		c.progress(id, &done, acpCall{kind: edit, raw: "big", content: []acp.ToolCallContent{{Diff: &acp.ToolCallContentDiff{Path: "/wiki/a.md", NewText: "x"}}}})
		c.progress("open"+id, new(acp.ToolCallStatus), acpCall{kind: edit})
		c.text.add(make([]byte, 4<<10)...)
	}
	if len(c.denials) > maxDenials || len(c.calls) > 4*maxOpen || len(c.feed.open) > maxOpen || len(c.feed.order) > 3*maxOpen || len(c.text.buf) > 2*maxText {
		t.Errorf("%d refusals, %d calls, %d of them open in %d, %d bytes", len(c.denials), len(c.calls), len(c.feed.open), len(c.feed.order), len(c.text.buf))
	}
	for id, call := range c.calls {
		if call.raw != nil || call.content != nil {
			t.Fatalf("%.20s: what an ended call held is kept", id)
		}
	}
}

// An error of the model's API that comes as an answer is none (codex-acp 2.6.0); what an agent says of errors after work of its own is.
func TestACPDisguised(t *testing.T) {
	for said, kind := range map[string]string{
		"exceeded retry limit, last status: 429 Too Many Requests":                                       "rate-limit",
		"We\u2019re currently experiencing high demand, which may cause temporary errors.":               "api-error",
		"stream disconnected before completion: Transport error: network error: error decoding response": "api-error",
		"The gate opens at six.": "",
		"Rate limits are told on\ntwo pages: [[limits]] and [[quota]].": "",
	} {
		o := Outcome{OK: true, Ended: true, Started: true, Text: said}
		disguised(&o)
		if o.OK != (kind == "") || kind != "" && (o.Failure == nil || o.Failure.Kind != kind || o.Text != "") {
			t.Errorf("%q: %+v, failure %+v", said, o, o.Failure)
		}
		o = Outcome{OK: true, Ended: true, Started: true, Text: said, Usage: Usage{OutputTokens: 3}}
		if disguised(&o); !o.OK || o.Text != said {
			t.Errorf("%q with tokens: %+v", said, o)
		}
	}
}
