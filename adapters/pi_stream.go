package adapters

import (
	"encoding/json"
	"io"
	"strings"
)

// piStream decodes `pi --mode json`. It exits 0 on errors of its API: the stop reason of the last message decides. agent_end is terminal
// where the run went well; after an error pi may try again, so the stream is read on.
type piStream struct {
	feed *feed
	out  Outcome
	last piMessage
}

type piLine struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Cwd       string          `json:"cwd"`
	Message   json.RawMessage `json:"message"`
	CallID    string          `json:"toolCallId"`
	Tool      string          `json:"toolName"`
	Args      json.RawMessage `json:"args"`
	Result    json.RawMessage `json:"result"`
	IsError   bool            `json:"isError"`
	Attempt   int             `json:"attempt"`
	ErrorText string          `json:"errorMessage"`
}

type piMessage struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	Model      string          `json:"model"`
	StopReason string          `json:"stopReason"`
	Error      string          `json:"errorMessage"`
	Usage      struct {
		Input      int64 `json:"input"`
		Output     int64 `json:"output"`
		CacheRead  int64 `json:"cacheRead"`
		CacheWrite int64 `json:"cacheWrite"`
		Cost       struct {
			Total float64 `json:"total"`
		} `json:"cost"`
	} `json:"usage"`
}

func (s *piStream) read(r io.Reader) Outcome {
	stream := newObjects(r)
	for !s.out.Ended {
		obj, err := stream.next()
		if err != nil {
			break // EOF or a closed pipe: judged below by what was seen
		}
		var l piLine
		// message_update is most of the stream and repeats what message_end says.
		if !isPiUpdate(obj) && json.Unmarshal(obj, &l) == nil {
			s.line(l)
		}
	}
	s.feed.close()
	return s.judge()
}

func isPiUpdate(obj []byte) bool {
	return strings.HasPrefix(string(obj[:min(len(obj), 32)]), `{"type":"message_update"`)
}

func (s *piStream) line(l piLine) {
	switch l.Type {
	case "session":
		s.feed.session, s.out.Session, s.feed.cwd = l.ID, l.ID, l.Cwd
		s.feed.send(Event{Kind: "session", Summary: "pi started"})
	case "agent_start":
		s.last = piMessage{}
	case "turn_start":
		s.out.Turns++
	case "message_end":
		s.message(l)
	case "tool_execution_start":
		s.feed.start(l.CallID, l.Tool, toolEvent(l.Tool, l.Args, s.feed.cwd))
	case "tool_execution_end":
		s.toolEnd(l)
	case "auto_retry_start":
		s.out.Retrying = sentence(l.ErrorText)
		s.feed.send(Event{Kind: "other", Summary: "the model's API failed, pi tries again", Detail: l.ErrorText, OK: truth(false)})
	case "agent_end":
		s.feed.close()
		good := s.last.StopReason == "stop"
		s.feed.send(Event{Kind: "idle", Summary: sentence(s.out.Text), OK: truth(good)})
		s.out.Ended = good
	}
}

func (s *piStream) message(l piLine) {
	var m piMessage
	if json.Unmarshal(l.Message, &m) != nil || m.Role != "assistant" {
		return
	}
	s.out.Started = true
	if s.last = m; m.StopReason != "error" {
		s.out.Retrying = ""
	}
	s.out.Model = m.Model
	s.out.Usage.InputTokens += m.Usage.Input + m.Usage.CacheRead + m.Usage.CacheWrite
	s.out.Usage.OutputTokens += m.Usage.Output
	s.out.Usage.CostUSD += m.Usage.Cost.Total
	var blocks []struct{ Type, Text string }
	if json.Unmarshal(m.Content, &blocks) != nil {
		return
	}
	var texts []string
	for _, b := range blocks {
		if b.Type == "text" {
			texts = append(texts, b.Text)
		}
	}
	s.out.Text = strings.Join(texts, "\n")
}

func (s *piStream) toolEnd(l piLine) {
	detail, kind := "", s.feed.open[l.CallID].event.Kind
	if l.IsError || printed(kind, "x") != "" {
		var res struct {
			Content json.RawMessage `json:"content"`
		}
		if json.Unmarshal(l.Result, &res) == nil {
			detail = contentText(res.Content)
		}
	}
	if !l.IsError {
		detail = printed(kind, detail)
	}
	call, known := s.feed.finish(l.CallID, truth(!l.IsError), detail)
	if known && l.IsError && (strings.HasPrefix(detail, "rig refuses: ") || strings.HasPrefix(detail, "Tool "+l.Tool+" not found")) {
		s.out.Denials = append(s.out.Denials, Denial{Tool: l.Tool, Target: target(call.event)})
	}
}

func (s *piStream) judge() Outcome {
	o := s.out
	switch {
	case o.Ended:
		o.OK, o.Question = true, AsksBack(o.Text)
	case !o.Started && o.Turns == 0:
		o.Failure = noTurn("pi")
	case s.last.StopReason == "error" || s.last.StopReason == "aborted":
		o.Ended = true
		o.Text = "" // what was said before an error is no answer
		o.Failure = newFailure("pi", statusIn(s.last.Error), firstOf(s.last.Error, s.last.StopReason))
	case s.last.StopReason == "length":
		o.Ended = true
		o.Failure = &Failure{Kind: "truncated", Message: "pi's answer was cut off at the model's output limit", Hint: "ask for less at once, or choose another model"}
	default:
		o.Failure = truncated("pi")
	}
	return o
}
