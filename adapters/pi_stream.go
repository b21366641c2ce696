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
	IsError   fault           `json:"isError"`
	ErrorText words           `json:"errorMessage"`
	Messages  json.RawMessage `json:"messages"`
}

type piMessage struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	Model      string          `json:"model"`
	StopReason string          `json:"stopReason"`
	Error      words           `json:"errorMessage"`
	Usage      struct {
		Input      count `json:"input"`
		Output     count `json:"output"`
		CacheRead  count `json:"cacheRead"`
		CacheWrite count `json:"cacheWrite"`
		Cost       struct {
			Total amount `json:"total"`
		} `json:"cost"`
	} `json:"usage"`
}

func (s *piStream) read(r io.Reader) Outcome {
	for l := range linesOf[piLine](r, isPiUpdate) {
		if s.line(l); s.out.Ended {
			break
		}
	}
	s.feed.close()
	return s.judge()
}

// isPiUpdate tells message_update, which is most of the stream and repeats what message_end says.
func isPiUpdate(obj []byte) bool {
	return strings.HasPrefix(string(obj[:min(len(obj), 32)]), `{"type":"message_update"`)
}

func (s *piStream) line(l piLine) {
	switch l.Type {
	case "session":
		if s.feed.session == "" { // said twice, the first counts
			s.feed.session, s.out.Session, s.feed.cwd = l.ID, l.ID, l.Cwd
			s.feed.send(Event{Kind: "session", Summary: "pi started"})
		}
	case "agent_start":
		s.last = piMessage{}
	case "turn_start":
		s.out.Turns++
	case "message_end":
		s.message(l.Message)
	case "tool_execution_start":
		s.feed.start(l.CallID, l.Tool, toolEvent(l.Tool, l.Args, s.feed.cwd))
	case "tool_execution_end":
		s.toolEnd(l)
	case "auto_retry_start":
		s.out.Retrying = sentence(string(l.ErrorText))
		s.feed.send(Event{Kind: "other", Summary: "the model's API failed, pi tries again", Detail: string(l.ErrorText), OK: truth(false)})
	case "agent_end":
		s.feed.close()
		var all []json.RawMessage
		if s.last.Role == "" && loosely(l.Messages, &all) { // told only here
			for _, m := range all {
				s.message(m)
			}
		}
		good := s.last.StopReason == "stop"
		s.feed.send(Event{Kind: "idle", Summary: sentence(s.out.Text), OK: truth(good)})
		s.out.Ended = good
	}
}

func (s *piStream) message(raw json.RawMessage) {
	var m piMessage
	if !loosely(raw, &m) || m.Role != "assistant" {
		return
	}
	s.out.Started = true
	if s.last = m; m.StopReason != "error" {
		s.out.Retrying = ""
	}
	s.out.Model = m.Model
	s.out.Usage.InputTokens += m.Usage.Input.n + m.Usage.CacheRead.n + m.Usage.CacheWrite.n
	s.out.Usage.OutputTokens += m.Usage.Output.n
	s.out.Usage.CostUSD += float64(m.Usage.Cost.Total)
	var blocks []struct{ Type, Text string }
	if !loosely(m.Content, &blocks) {
		return
	}
	if len(blocks) == 0 {
		s.out.Text = ended(contentText(m.Content))
		return
	}
	var texts []string
	for _, b := range blocks {
		if b.Type == "text" {
			texts = append(texts, b.Text)
		}
	}
	s.out.Text = ended(strings.Join(texts, "\n"))
}

func (s *piStream) toolEnd(l piLine) {
	detail, kind := "", s.feed.open[l.CallID].event.Kind
	if bool(l.IsError) || printed(kind, "x") != "" {
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
	call, known := s.feed.finish(l.CallID, truth(!bool(l.IsError)), detail)
	if known && bool(l.IsError) && (strings.HasPrefix(detail, "rig refuses: ") || strings.HasPrefix(detail, "Tool "+l.Tool+" not found")) {
		s.out.Denials = withDenial(s.out.Denials, Denial{Tool: l.Tool, Target: target(call.event)})
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
		o.Failure = newFailure("pi", statusIn(string(s.last.Error)), firstOf(string(s.last.Error), s.last.StopReason))
	case s.last.StopReason == "length":
		o.Ended = true
		o.Failure = &Failure{Kind: "truncated", Message: "pi's answer was cut off at the model's output limit", Hint: "ask for less at once, or choose another model"}
	default:
		o.Failure = truncated("pi")
	}
	return o
}
