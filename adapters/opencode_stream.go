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
}

type opencodeLine struct {
	Type    string `json:"type"`
	Session string `json:"sessionID"`
	Part    struct {
		Message string  `json:"messageID"`
		Text    string  `json:"text"`
		Tool    string  `json:"tool"`
		Reason  string  `json:"reason"`
		Cost    float64 `json:"cost"`
		Tokens  struct {
			Input     int64 `json:"input"`
			Output    int64 `json:"output"`
			Reasoning int64 `json:"reasoning"`
			Cache     struct {
				Read  int64 `json:"read"`
				Write int64 `json:"write"`
			} `json:"cache"`
		} `json:"tokens"`
		State struct {
			Status   string          `json:"status"`
			Input    json.RawMessage `json:"input"`
			Error    string          `json:"error"`
			Output   json.RawMessage `json:"output"`
			Metadata struct {
				Exit *int `json:"exit"`
			} `json:"metadata"`
		} `json:"state"`
	} `json:"part"`
	Error struct {
		Name string         `json:"name"`
		Data map[string]any `json:"data"`
	} `json:"error"`
}

func (s *opencodeStream) read(r io.Reader) Outcome {
	stream := newObjects(r)
	for !s.out.Ended {
		obj, err := stream.next()
		if err != nil {
			break // EOF or a closed pipe: judged below by what was seen
		}
		var l opencodeLine
		if json.Unmarshal(obj, &l) == nil {
			s.line(l)
		}
	}
	o := s.out
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
		if l.Part.Message != s.message || s.out.Text == "" {
			s.message, s.out.Text = l.Part.Message, l.Part.Text
		} else {
			s.out.Text += "\n" + l.Part.Text
		}
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
	good := st.Status == "completed" && (st.Metadata.Exit == nil || *st.Metadata.Exit == 0)
	e.OK = truth(good)
	if e.Detail = st.Error; good {
		e.Detail = printed(e.Kind, contentText(st.Output))
	}
	s.feed.send(e)
	if refused(st.Error) {
		s.out.Denials = append(s.out.Denials, Denial{Tool: l.Part.Tool, Target: target(e)})
	}
}

func (s *opencodeStream) finish(l opencodeLine) {
	t := l.Part.Tokens
	s.out.Usage.InputTokens += t.Input + t.Cache.Read + t.Cache.Write
	s.out.Usage.OutputTokens += t.Output + t.Reasoning
	s.out.Usage.CostUSD += l.Part.Cost
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
	s.feed.send(Event{Kind: "idle", Summary: sentence(s.out.Text), OK: truth(f == nil)})
}

// opencodeFailure says what an error line tells: its message, or its name and what it names (a model).
func opencodeFailure(l opencodeLine) *Failure {
	status := 0
	if n, ok := l.Error.Data["statusCode"].(float64); ok {
		status = int(n)
	}
	message, _ := l.Error.Data["message"].(string)
	if message == "" {
		parts := []string{l.Error.Name}
		for _, k := range slices.Sorted(maps.Keys(l.Error.Data)) {
			if v, ok := l.Error.Data[k].(string); ok {
				parts = append(parts, fmt.Sprintf("%s %s", k, v))
			}
		}
		message = strings.Join(parts, ", ")
	}
	if status == 0 {
		status = statusIn(message)
	}
	if status == 0 && strings.Contains(l.Error.Name, "Auth") { // ProviderAuthError
		status = 401
	}
	return newFailure("opencode", status, message)
}
