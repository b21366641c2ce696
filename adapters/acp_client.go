package adapters

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/coder/acp-go-sdk"
)

// SessionUpdate turns what the agent tells into events.
func (c *acpClient) SessionUpdate(_ context.Context, n acp.SessionNotification) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return nil
	}
	u := n.Update
	switch {
	case u.AgentMessageChunk != nil:
		if t := u.AgentMessageChunk.Content.Text; t != nil {
			c.text.add([]byte(t.Text)...)
		}
	case u.ToolCall != nil:
		c.text.reset() // the answer is what comes after the last tool call
		t := u.ToolCall
		c.progress(t.ToolCallId, &t.Status, acpCall{t.Kind, t.Title, t.RawInput, t.Locations, t.Content})
	case u.ToolCallUpdate != nil:
		t := u.ToolCallUpdate
		call := acpCall{raw: t.RawInput, at: t.Locations, content: t.Content}
		if t.Kind != nil {
			call.kind = *t.Kind
		}
		if t.Title != nil {
			call.title = *t.Title
		}
		c.progress(t.ToolCallId, t.Status, call)
	case u.Plan != nil:
		var steps []string
		for _, e := range u.Plan.Entries {
			steps = append(steps, string(e.Status)+": "+e.Content)
		}
		c.feed.send(Event{Kind: "plan", Summary: "plan", Detail: strings.Join(steps, "\n")})
	}
	return nil
}

// An acpCall is what is known of a tool call.
type acpCall struct {
	kind    acp.ToolKind
	title   string
	raw     any
	at      []acp.ToolCallLocation
	content []acp.ToolCallContent
}

// with adds what an update tells.
func (a acpCall) with(u acpCall) acpCall {
	a.kind = acp.ToolKind(firstOf(string(u.kind), string(a.kind)))
	a.title = firstOf(u.title, a.title)
	if m, empty := u.raw.(map[string]any); u.raw != nil && !(empty && len(m) == 0) {
		a.raw = u.raw
	}
	if len(u.at) > 0 {
		a.at = u.at
	}
	if len(u.content) > 0 {
		a.content = u.content
	}
	return a
}

// progress follows a call. Some agents announce it bare and tell later what it is about: it is shown as running only then.
func (c *acpClient) progress(id acp.ToolCallId, status *acp.ToolCallStatus, u acpCall) {
	call := c.calls[id].with(u)
	if c.calls == nil || len(c.calls) >= 4*maxOpen {
		c.calls = map[acp.ToolCallId]acpCall{}
	}
	c.calls[id] = call
	if c.told != nil {
		close(c.told)
		c.told = nil
	}
	if status == nil || *status == acp.ToolCallStatusPending && call.raw == nil && len(call.at) == 0 {
		return
	}
	e := c.event(call)
	c.feed.start(string(id), string(call.kind), e)
	if *status != acp.ToolCallStatusCompleted && *status != acp.ToolCallStatusFailed {
		return
	}
	c.calls[id] = acpCall{kind: call.kind, title: call.title, at: call.at} // what it held of files is not needed any more
	detail := diffDetail(call.content)
	_, known := c.feed.finish(string(id), truth(*status == acp.ToolCallStatusCompleted), detail)
	if known && *status == acp.ToolCallStatusFailed && refused(detail) {
		c.denials = withDenial(c.denials, Denial{Tool: firstOf(string(call.kind), call.title), Target: target(e)})
	}
}

// acpKinds maps the protocol's tool kinds to ours; what is missing is "other".
var acpKinds = map[acp.ToolKind]string{
	acp.ToolKindRead: "read", acp.ToolKindEdit: "edit", acp.ToolKindDelete: "edit", acp.ToolKindMove: "edit",
	acp.ToolKindSearch: "search", acp.ToolKindExecute: "command", acp.ToolKindFetch: "web", acp.ToolKindThink: "plan",
}

func (c *acpClient) event(call acpCall) Event {
	e := Event{Kind: acpKinds[call.kind], Summary: call.title}
	if files := paths(call); len(files) > 0 {
		e.File = acpRel(c.gate.cwd, files[0])
		if !strings.Contains(e.Summary, " ") { // the bare name of a tool
			e.Summary = firstOf(e.Kind, e.Summary) + " " + e.File
		}
	}
	if cmd := commandOf(call); cmd != "" {
		e.Cmd, e.Kind, e.File = cmd, commandKind(cmd), ""
	}
	return e
}

// paths are the files that a call is about: its locations, and those of its diffs.
func paths(call acpCall) []string {
	var list []string
	for _, l := range call.at {
		list = append(list, l.Path)
	}
	for _, c := range call.content {
		if c.Diff != nil {
			list = append(list, c.Diff.Path)
		}
	}
	return list
}

// diffDetail shows a diff in few words, or the first text of the content.
func diffDetail(content []acp.ToolCallContent) string {
	for _, c := range content {
		switch {
		case c.Diff != nil && c.Diff.OldText != nil:
			return "- " + *c.Diff.OldText + "\n+ " + c.Diff.NewText
		case c.Diff != nil:
			return "+ " + c.Diff.NewText
		case c.Content != nil && c.Content.Content.Text != nil:
			return c.Content.Content.Text.Text
		}
	}
	return ""
}

// commandOf is the command of a call that executes one: from its raw input, else its title without backquotes.
func commandOf(call acpCall) string {
	if call.kind != acp.ToolKindExecute {
		return ""
	}
	title := strings.Trim(call.title, "`")
	b, err := json.Marshal(call.raw)
	if err != nil {
		return title
	}
	var in toolInput
	_ = json.Unmarshal(b, &in) // another shape: the title says it
	return firstOf(bareCommand(commandText(in.Command)), in.Cmd, title)
}

// RequestPermission answers from the grant.
func (c *acpClient) RequestPermission(ctx context.Context, p acp.RequestPermissionRequest) (acp.RequestPermissionResponse, error) {
	call := c.asked(p.ToolCall)
	why := c.judge(call)
	if why != "" && call.vague() {
		c.await(ctx, p.ToolCall.ToolCallId)
		call = c.asked(p.ToolCall)
		why = c.judge(call)
	}
	want := []acp.PermissionOptionKind{acp.PermissionOptionKindAllowOnce, acp.PermissionOptionKindAllowAlways}
	if why != "" {
		want = []acp.PermissionOptionKind{acp.PermissionOptionKindRejectOnce, acp.PermissionOptionKindRejectAlways}
		c.mu.Lock()
		c.denials = withDenial(c.denials, Denial{Tool: firstOf(string(call.kind), "other"), Target: target(c.event(call))})
		c.mu.Unlock()
	}
	for _, k := range want {
		for _, o := range p.Options {
			if o.Kind == k {
				return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeSelected(o.OptionId)}, nil
			}
		}
	}
	return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeCancelled()}, nil
}

// asked is what is known of the call that a request is about: what was told of it before, and what the request says.
func (c *acpClient) asked(t acp.ToolCallUpdate) acpCall {
	c.mu.Lock()
	call := c.calls[t.ToolCallId]
	c.mu.Unlock()
	u := acpCall{raw: t.RawInput, at: t.Locations, content: t.Content}
	if t.Kind != nil {
		u.kind = *t.Kind
	}
	if t.Title != nil {
		u.title = *t.Title
	}
	return call.with(u)
}

// await waits, as long as c.wait, until an update told what a call is about. The library hands requests on beside the updates that came before them, so that one may be
// here first (acp-go-sdk v0.13.0, connection.go).
func (c *acpClient) await(ctx context.Context, id acp.ToolCallId) {
	late := time.After(c.wait)
	for {
		c.mu.Lock()
		told := !c.calls[id].vague()
		if c.told == nil {
			c.told = make(chan struct{})
		}
		more := c.told
		c.mu.Unlock()
		if told {
			return
		}
		select {
		case <-more:
		case <-late:
			return
		case <-ctx.Done():
			return
		}
	}
}

// vague tells whether it is not known what a call is about.
func (a acpCall) vague() bool {
	switch a.kind {
	case acp.ToolKindEdit, acp.ToolKindDelete, acp.ToolKindMove:
		return len(paths(a)) == 0
	case acp.ToolKindExecute:
		return commandOf(a) == ""
	}
	return a.kind == ""
}

// judge gives the reason why a call may not be made, or "". What says nothing of what it touches is refused where it could write.
func (c *acpClient) judge(call acpCall) string {
	switch call.kind {
	case acp.ToolKindRead, acp.ToolKindSearch, acp.ToolKindThink:
		return ""
	case acp.ToolKindEdit, acp.ToolKindDelete, acp.ToolKindMove:
		files := paths(call)
		if len(files) == 0 {
			return "it does not say which file"
		}
		for _, f := range files {
			if why := c.gate.mayWrite(f); why != "" {
				return why
			}
		}
		return ""
	case acp.ToolKindExecute:
		return c.gate.mayRun(commandOf(call))
	case acp.ToolKindFetch:
		if c.gate.grant.Web {
			return ""
		}
	}
	return "it is not part of what this run may do"
}

// errNoClientFiles answers what we do not offer: agents work on the file system that they see, terminals are their own.
var errNoClientFiles = errors.New("rig offers neither files nor terminals: use the file system")

// ReadTextFile is not offered.
func (c *acpClient) ReadTextFile(context.Context, acp.ReadTextFileRequest) (acp.ReadTextFileResponse, error) {
	return acp.ReadTextFileResponse{}, errNoClientFiles
}

// WriteTextFile is not offered.
func (c *acpClient) WriteTextFile(context.Context, acp.WriteTextFileRequest) (acp.WriteTextFileResponse, error) {
	return acp.WriteTextFileResponse{}, errNoClientFiles
}

// CreateTerminal is not offered.
func (c *acpClient) CreateTerminal(context.Context, acp.CreateTerminalRequest) (acp.CreateTerminalResponse, error) {
	return acp.CreateTerminalResponse{}, errNoClientFiles
}

// KillTerminal is not offered.
func (c *acpClient) KillTerminal(context.Context, acp.KillTerminalRequest) (acp.KillTerminalResponse, error) {
	return acp.KillTerminalResponse{}, errNoClientFiles
}

// TerminalOutput is not offered.
func (c *acpClient) TerminalOutput(context.Context, acp.TerminalOutputRequest) (acp.TerminalOutputResponse, error) {
	return acp.TerminalOutputResponse{}, errNoClientFiles
}

// ReleaseTerminal is not offered.
func (c *acpClient) ReleaseTerminal(context.Context, acp.ReleaseTerminalRequest) (acp.ReleaseTerminalResponse, error) {
	return acp.ReleaseTerminalResponse{}, errNoClientFiles
}

// WaitForTerminalExit is not offered.
func (c *acpClient) WaitForTerminalExit(context.Context, acp.WaitForTerminalExitRequest) (acp.WaitForTerminalExitResponse, error) {
	return acp.WaitForTerminalExitResponse{}, errNoClientFiles
}
