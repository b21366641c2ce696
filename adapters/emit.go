package adapters

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Emit reads what a wired agent tells (see Adapter.Wire) and emits events: one payload of a hook of claude or codex, or the lines of a plug-in of
// opencode or pi until the stream ends. What it does not understand it passes over: an emitter is no reason for a session to fail.
func Emit(agent string, r io.Reader, emit func(Event)) error {
	switch agent {
	case "claude", "codex":
		text, err := io.ReadAll(io.LimitReader(r, maxLine))
		if err != nil {
			return err
		}
		if e, ok := hookEventOf(agent, text); ok {
			emit(e.Capped())
		}
		return nil
	case "opencode", "pi":
		shimEvents(agent, r, emit)
		return nil
	}
	return fmt.Errorf("no emitter for %q", agent)
}

// A hookPayload is what claude and codex give a hook.
type hookPayload struct {
	Name     string          `json:"hook_event_name"`
	Session  string          `json:"session_id"`
	Cwd      string          `json:"cwd"`
	Model    string          `json:"model"`
	Tool     string          `json:"tool_name"`
	Input    json.RawMessage `json:"tool_input"`
	Error    string          `json:"error"`
	Reason   string          `json:"reason"`
	Last     string          `json:"last_assistant_message"`
	Response json.RawMessage `json:"tool_response"`
}

func hookEventOf(agent string, text []byte) (Event, bool) {
	var p hookPayload
	if json.Unmarshal(text, &p) != nil || p.Session == "" {
		return Event{}, false
	}
	e := Event{Session: p.Session}
	switch p.Name {
	case "SessionStart":
		e.Kind, e.Summary, e.Detail = "session", agent+" started", p.Model
	case "SessionEnd":
		e.Kind, e.Summary = "end", strings.TrimSpace(agent+" ended "+p.Reason)
	case "Stop":
		e.Kind, e.Summary, e.OK = "idle", firstOf(sentence(p.Last), agent+" waits"), truth(true)
	case "PreToolUse", "PostToolUse", "PostToolUseFailure":
		tool, input := hookCall(p)
		e = toolEvent(tool, input, p.Cwd)
		e.Session = p.Session
		switch p.Name {
		case "PreToolUse":
			e.Running = true
		case "PostToolUseFailure":
			e.OK, e.Detail = truth(false), p.Error
		default:
			e.OK, e.Detail = hookVerdict(agent, p), printed(e.Kind, responseText(p.Response))
		}
	default:
		return Event{}, false
	}
	return e, true
}

// hookVerdict is how a finished call went. Codex tells of its commands only what they printed.
func hookVerdict(agent string, p hookPayload) *bool {
	if agent == "codex" && p.Tool == "Bash" {
		return nil
	}
	return truth(true)
}

// responseText is what a command printed, as claude (an object) and codex (a text) tell hooks.
func responseText(raw json.RawMessage) string {
	var r struct {
		Stdout string `json:"stdout"`
		Stderr string `json:"stderr"`
	}
	if json.Unmarshal(raw, &r) == nil {
		return strings.TrimSpace(r.Stdout + "\n" + r.Stderr)
	}
	return contentText(raw)
}

// hookCall is a call's tool and arguments. A patch names its files in its text alone, and some models apply it by the shell.
func hookCall(p hookPayload) (tool string, input json.RawMessage) {
	var in struct {
		Command string `json:"command"`
	}
	if json.Unmarshal(p.Input, &in) != nil || p.Tool != "apply_patch" && !strings.HasPrefix(in.Command, "apply_patch") {
		return p.Tool, p.Input
	}
	for line := range strings.Lines(in.Command) {
		for _, lead := range []string{"*** Add File: ", "*** Update File: ", "*** Delete File: "} {
			if file, ok := strings.CutPrefix(strings.TrimSpace(line), lead); ok {
				out, _ := json.Marshal(map[string]string{"path": file}) // strings always marshal
				return "apply_patch", out
			}
		}
	}
	return p.Tool, p.Input
}

// A shimLine is what our plug-ins write, one form for all agents.
type shimLine struct {
	Type    string          `json:"type"` // session, start, end, idle, over
	Session string          `json:"session"`
	Cwd     string          `json:"cwd"`
	ID      string          `json:"id"`
	Tool    string          `json:"tool"`
	Args    json.RawMessage `json:"args"`
	OK      *bool           `json:"ok"`
	Detail  string          `json:"detail"`
	Text    string          `json:"text"`
}

func shimEvents(agent string, r io.Reader, emit func(Event)) {
	feeds := map[string]*feed{}
	defer func() {
		for _, f := range feeds {
			f.close()
			f.send(Event{Kind: "end", Summary: agent + " ended"})
		}
	}()
	stream := newObjects(r)
	for {
		obj, err := stream.next()
		if err != nil {
			return // the agent ended
		}
		var l shimLine
		if json.Unmarshal(obj, &l) != nil || l.Session == "" {
			continue
		}
		f := feeds[l.Session]
		if f == nil {
			f = newFeed("", emit)
			f.session, f.cwd = l.Session, l.Cwd
			feeds[l.Session] = f
			f.send(Event{Kind: "session", Summary: agent + " started"})
		}
		if f.shim(agent, l); l.Type == "over" {
			delete(feeds, l.Session)
		}
	}
}

func (f *feed) shim(agent string, l shimLine) {
	switch l.Type {
	case "start":
		f.start(l.ID, l.Tool, toolEvent(l.Tool, l.Args, f.cwd))
	case "end":
		if _, known := f.finish(l.ID, l.OK, l.Detail); !known {
			e := toolEvent(l.Tool, l.Args, f.cwd)
			e.OK, e.Detail = l.OK, l.Detail
			f.send(e)
		}
	case "idle":
		f.close()
		f.send(Event{Kind: "idle", Summary: firstOf(sentence(l.Text), agent+" waits"), OK: l.OK})
	case "over":
		f.close()
		f.send(Event{Kind: "end", Summary: agent + " ended"})
	}
}
