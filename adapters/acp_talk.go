package adapters

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/coder/acp-go-sdk"
)

// cancelGrace is how long an agent has to end its turn after session/cancel, before the host ends its processes.
const cancelGrace = 3 * time.Second

// announceWait is long for an update that was sent already, and short for a call that is refused since nobody tells what it is.
const announceWait = 2 * time.Second

// acpClient is our side of the protocol. Updates come one at a time and in order, requests for permission beside them, and both may still
// come when the turn was given up: the lock is held while an event is handed on, so that none is after Talk has returned.
type acpClient struct {
	name string // of the program
	gate gate
	wait time.Duration // of a request for the update that tells what its call is about

	mu      sync.Mutex // guards what follows
	feed    *feed
	text    tail // of the agent since its last tool call
	calls   map[acp.ToolCallId]acpCall
	told    chan struct{} // closed at the next update of a call; nil where nobody waits for it
	denials []Denial
	over    bool
}

// An acpSession is how a session is opened.
type acpSession struct {
	program, mode string
	meta          map[string]any
	modelByArgs   bool // the model was chosen on the command line
}

// talkACP drives one turn: initialize, session/new, session/prompt.
func talkACP(ctx context.Context, rw io.ReadWriter, emit func(Event), r Request, p acpSession) Outcome {
	c := &acpClient{feed: newFeed("acp", emit), name: p.program, gate: gate{r.Cwd, r.ReadOnly, r.Grant}, wait: announceWait}
	c.feed.cwd = r.Cwd
	conn := acp.NewClientSideConnection(c, rw, &objectReader{objects: newObjects(rw)})
	conn.SetLogger(slog.New(slog.DiscardHandler)) // this package does not log; what matters is in the outcome
	out := Outcome{}
	_, err := conn.Initialize(ctx, acp.InitializeRequest{
		ProtocolVersion: acp.ProtocolVersionNumber,
		ClientInfo:      &acp.Implementation{Name: "rig", Version: "1"},
	})
	if err != nil {
		out.Failure = c.failure("initialize", err)
		return out
	}
	session, err := conn.NewSession(ctx, acp.NewSessionRequest{Cwd: r.Cwd, McpServers: []acp.McpServer{}, Meta: p.meta})
	if err != nil {
		out.Failure = c.failure("open a session", err)
		return out
	}
	out.Session = string(session.SessionId)
	c.begin(out.Session)
	model := r.Model
	if p.modelByArgs {
		model = ""
	}
	if err := prepareACP(ctx, conn, session, model, p.mode); err != nil {
		out.Failure = c.failure("prepare the session", err)
		return out
	}
	if session.Models != nil {
		out.Model = string(session.Models.CurrentModelId)
	}
	if r.Model != "" {
		out.Model = r.Model
	}
	answer, err := promptACP(ctx, conn, session.SessionId, acpPrompt(r))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	c.feed.close()
	out.Started = err == nil || len(c.text.buf) > 0
	out.Denials = c.denials
	if err != nil {
		out.Failure = c.failure("the turn", err)
		return out
	}
	out.Text = strings.TrimSpace(c.text.String())
	out.Ended, out.Turns = true, 1
	if u := answer.Usage; u != nil {
		out.Usage = Usage{InputTokens: int64(u.InputTokens), OutputTokens: int64(u.OutputTokens)}
	}
	judgeACP(&out, answer.StopReason)
	if out.OK && len(c.calls) == 0 && p.program == "codex-acp" {
		disguised(&out)
	}
	c.feed.send(Event{Kind: "idle", Summary: sentence(out.Text), OK: truth(out.OK)})
	return out
}

// begin names the session: updates may already be on their way.
func (c *acpClient) begin(session string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.feed.session = session
	c.feed.send(Event{Kind: "session", Summary: "acp started"})
}

// prepareACP chooses model and mode where the agent offers them. An agent that knows no such model is an error; a mode is a wish, since the
// sandbox holds either way.
func prepareACP(ctx context.Context, conn *acp.ClientSideConnection, s acp.NewSessionResponse, model, mode string) error {
	if model != "" {
		if _, err := conn.UnstableSetSessionModel(ctx, acp.UnstableSetSessionModelRequest{SessionId: s.SessionId, ModelId: acp.UnstableModelId(model)}); err != nil {
			return fmt.Errorf("choose the model %s: %w", model, err)
		}
	}
	if s.Modes == nil {
		return nil
	}
	for _, m := range s.Modes.AvailableModes {
		if string(m.Id) == mode && m.Id != s.Modes.CurrentModeId {
			_, err := conn.SetSessionMode(ctx, acp.SetSessionModeRequest{SessionId: s.SessionId, ModeId: m.Id})
			return err
		}
	}
	return nil
}

// promptACP waits for the end of the turn. When the context ends it asks the agent to cancel, which ends the commands that the agent
// started, and waits a little for it to say so.
func promptACP(ctx context.Context, conn *acp.ClientSideConnection, id acp.SessionId, text string) (acp.PromptResponse, error) {
	turn, end := context.WithCancel(context.WithoutCancel(ctx)) // it outlives ctx by cancelGrace, on purpose
	defer end()
	type result struct {
		acp.PromptResponse
		error
	}
	done := make(chan result, 1)
	go func() {
		res, err := conn.Prompt(turn, acp.PromptRequest{SessionId: id, Prompt: []acp.ContentBlock{acp.TextBlock(text)}})
		done <- result{res, err}
	}()
	select {
	case r := <-done:
		return r.PromptResponse, r.error
	case <-ctx.Done():
	}
	if err := conn.Cancel(turn, acp.CancelNotification{SessionId: id}); err != nil {
		return acp.PromptResponse{}, ctx.Err()
	}
	select {
	case <-done:
	case <-time.After(cancelGrace):
	}
	return acp.PromptResponse{}, ctx.Err()
}

func judgeACP(out *Outcome, reason acp.StopReason) {
	switch reason {
	case acp.StopReasonEndTurn:
		out.OK, out.Question = true, AsksBack(out.Text)
	case acp.StopReasonMaxTokens:
		out.Failure = &Failure{Kind: "truncated", Message: "the agent's answer was cut off at the model's output limit", Hint: "ask for less at once, or choose another model"}
	case acp.StopReasonCancelled:
		// Some agents end the turn at the first refused request.
		if len(out.Denials) > 0 {
			out.OK = true
			return
		}
		out.Failure = &Failure{Kind: "other", Message: "the agent ended its turn as cancelled", Hint: "see the run's log", Retryable: true}
	default:
		out.Failure = &Failure{Kind: "other", Message: "the agent stopped: " + firstOf(strings.ReplaceAll(string(reason), "_", " "), "it did not say why"), Hint: "see the run's log"}
	}
}

// disguised judges a turn that ended well by its words alone: codex-acp 2.6.0 gives an error of its model's API as the answer, with the stop reason of
// a good end. It has used no tokens then, called no tool, and is one line.
func disguised(out *Outcome) {
	if out.Usage != (Usage{}) || strings.Contains(out.Text, "\n") || len(out.Text) > capShort {
		return
	}
	if f := newFailure("codex-acp", statusIn(out.Text), out.Text); out.Text != "" && f.Kind != "other" {
		out.OK, out.Text, out.Failure = false, "", f
	}
}

// peerLeft tells the library's own error for an agent that ended from one that an agent sent (acp-go-sdk v0.13.0, connection.go).
func peerLeft(re *acp.RequestError) bool {
	data, ok := re.Data.(map[string]any)
	if !ok {
		return false
	}
	text, _ := data["error"].(string)
	return strings.HasPrefix(text, "peer disconnected")
}

// failure judges an error of the protocol. Code -32000 is "authentication required".
func (c *acpClient) failure(doing string, err error) *Failure {
	var re *acp.RequestError
	if !errors.As(err, &re) {
		f := truncated(c.name)
		f.Message = sentence(fmt.Sprintf("%s: %v", doing, err))
		return f
	}
	if peerLeft(re) {
		if c.feed.session == "" {
			return noTurn(c.name) // what it said on stderr tells more
		}
		return truncated(c.name)
	}
	all, shown := re.Message, strings.TrimPrefix(strings.TrimPrefix(re.Message, "Internal error"), ": ")
	if re.Data != nil {
		if b, err := json.Marshal(re.Data); err == nil {
			all += " " + string(b)
			shown = firstOf(shown, dataText(re.Data), string(b))
		}
	}
	f := newFailure(c.name, statusIn(all), doing+": "+all)
	if re.Code == -32000 {
		f = newFailure(c.name, 401, all)
	}
	if databaseFailure(c.name, all) == nil { // which has a sentence of its own
		f.Message = firstOf(unwrapped(sentence(shown)), f.Message)
	}
	return f
}

// objectReader feeds the library clean lines: its own scanner would end the conversation at a line of 10 MiB and would not find an object
// behind an escape sequence (acp-go-sdk v0.13.0, connection.go).
type objectReader struct {
	objects *objects
	rest    []byte
}

func (o *objectReader) Read(p []byte) (int, error) {
	for len(o.rest) == 0 {
		obj, err := o.objects.next()
		if err != nil {
			return 0, err
		}
		if len(obj) < 10<<20-1 {
			o.rest = append(append(o.rest[:0], obj...), '\n')
		}
	}
	n := copy(p, o.rest)
	o.rest = o.rest[n:]
	return n, nil
}
