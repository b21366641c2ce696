package adapters

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// opencodeStream decodes `opencode run --format json`: finished tools only, no running ones. The last step_finish with a reason other
// than "tool-calls" is terminal, and so is an error line, whatever the exit status (case o-ag-07).
type opencodeStream struct {
	feed    *feed
	out     Outcome
	message string // of the text that is being collected
	text    tail
}

type opencodeLine struct {
	Type    string `json:"type"`
	Session string `json:"sessionID"`
	Part    struct {
		Message string `json:"messageID"`
		Text    string `json:"text"`
		Tool    string `json:"tool"`
		Reason  string `json:"reason"`
		Cost    amount `json:"cost"`
		Tokens  struct {
			Input     count `json:"input"`
			Output    count `json:"output"`
			Reasoning count `json:"reasoning"`
			Cache     struct {
				Read  count `json:"read"`
				Write count `json:"write"`
			} `json:"cache"`
		} `json:"tokens"`
		State struct {
			Status   string          `json:"status"`
			Input    json.RawMessage `json:"input"`
			Error    words           `json:"error"`
			Output   json.RawMessage `json:"output"`
			Metadata struct {
				Exit fault `json:"exit"`
			} `json:"metadata"`
		} `json:"state"`
	} `json:"part"`
	Error any `json:"error"`
}

func (s *opencodeStream) read(r io.Reader) Outcome {
	for l := range linesOf[opencodeLine](r, nil) {
		if s.line(l); s.out.Ended {
			break
		}
	}
	o := s.out
	o.Text = s.text.String()
	switch {
	case !o.Ended && !o.Started:
		o.Failure = noTurn("opencode")
	case !o.Ended:
		o.Failure = truncated("opencode")
	case o.Failure == nil:
		o.OK, o.Question = true, AsksBack(o.Text)
	default:
		o.Text = "" // what was said before an error is no answer
	}
	return o
}

func (s *opencodeStream) line(l opencodeLine) {
	if l.Session != "" && s.feed.session == "" {
		s.feed.session, s.out.Session = l.Session, l.Session
		s.feed.send(Event{Kind: "session", Summary: "opencode started"})
	}
	switch l.Type {
	case "step_start":
		s.out.Started = true
		s.out.Turns++
	case "text":
		// The parts of one message belong together; the last message is the answer.
		if l.Part.Message != s.message || len(s.text.buf) == 0 {
			s.message = l.Part.Message
			s.text.reset()
		} else {
			s.text.add('\n')
		}
		s.text.add([]byte(l.Part.Text)...)
	case "tool_use":
		s.tool(l)
	case "step_finish":
		s.finish(l)
	case "error":
		s.end(opencodeFailure(l))
	}
}

func (s *opencodeStream) tool(l opencodeLine) {
	st := l.Part.State
	e := toolEvent(l.Part.Tool, st.Input, s.feed.cwd)
	good := st.Status == "completed" && !bool(st.Metadata.Exit)
	e.OK = truth(good)
	if e.Detail = string(st.Error); good {
		e.Detail = printed(e.Kind, contentText(st.Output))
	}
	s.feed.send(e)
	if refused(string(st.Error)) {
		s.out.Denials = withDenial(s.out.Denials, Denial{Tool: l.Part.Tool, Target: target(e)})
	}
}

func (s *opencodeStream) finish(l opencodeLine) {
	t := l.Part.Tokens
	s.out.Usage.InputTokens += t.Input.n + t.Cache.Read.n + t.Cache.Write.n
	s.out.Usage.OutputTokens += t.Output.n + t.Reasoning.n
	s.out.Usage.CostUSD += float64(l.Part.Cost)
	switch l.Part.Reason {
	case "tool-calls", "unknown", "":
		return // the loop goes on
	case "stop":
		s.end(nil)
	case "length":
		s.end(&Failure{Kind: "truncated", Message: "opencode's answer was cut off at the model's output limit", Hint: "ask for less at once, or choose another model"})
	default:
		s.end(newFailure("opencode", 0, "opencode stopped: "+l.Part.Reason))
	}
}

func (s *opencodeStream) end(f *Failure) {
	s.out.Ended, s.out.Failure = true, f
	s.feed.send(Event{Kind: "idle", Summary: sentence(s.text.String()), OK: truth(f == nil)})
}

// opencodeFailure says what an error line tells: its message, or its name and what it names (a model).
func opencodeFailure(l opencodeLine) *Failure {
	fields, _ := l.Error.(map[string]any)
	name, _ := fields["name"].(string)
	data, _ := fields["data"].(map[string]any)
	status := 0
	if n, ok := number(fmt.Append(nil, data["statusCode"])); ok {
		status = int(n)
	}
	message := firstOf(dataText(fields["data"]), dataText(l.Error))
	if message == "" {
		parts := []string{name}
		for _, k := range slices.Sorted(maps.Keys(data)) {
			if v, ok := data[k].(string); ok {
				parts = append(parts, fmt.Sprintf("%s %s", k, v))
			}
		}
		message = strings.Join(parts, ", ")
	}
	if status == 0 {
		status = statusIn(message)
	}
	if status == 0 && strings.Contains(name, "Auth") { // ProviderAuthError
		status = 401
	}
	return newFailure("opencode", status, message)
}
