package adapters

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// claudeStream decodes `--output-format stream-json`: one JSON object a line, "result" is the terminal event.
type claudeStream struct {
	feed   *feed
	out    Outcome
	last   string          // text of the last assistant message, where no result tells it
	denied map[string]bool // ids of the calls that are among the outcome's denials
}

// claudeLine has the fields of all event types that count; unknown types and fields pass.
type claudeLine struct {
	Type      string        `json:"type"`
	Subtype   string        `json:"subtype"`
	SessionID string        `json:"session_id"`
	Cwd       string        `json:"cwd"`
	Model     string        `json:"model"`
	Message   claudeMessage `json:"message"`
	Parent    *string       `json:"parent_tool_use_id"`

	// result
	IsError  fault          `json:"is_error"`
	Status   count          `json:"api_error_status"`
	Turns    count          `json:"num_turns"`
	Result   words          `json:"result"`
	Terminal string         `json:"terminal_reason"`
	Cost     amount         `json:"total_cost_usd"`
	Usage    claudeUsage    `json:"usage"`
	Denials  []claudeDenial `json:"permission_denials"`
	Errors   words          `json:"errors"`

	// system/api_retry
	Attempt count `json:"attempt"`
	Error   words `json:"error"`
}

type claudeUsage struct {
	Input      count `json:"input_tokens"`
	CacheWrite count `json:"cache_creation_input_tokens"`
	CacheRead  count `json:"cache_read_input_tokens"`
	Output     count `json:"output_tokens"`
}

type claudeDenial struct {
	Tool  string          `json:"tool_name"`
	ID    string          `json:"tool_use_id"`
	Input json.RawMessage `json:"tool_input"`
}

type claudeMessage struct {
	Content claudeBlocks `json:"content"`
}

// claudeBlocks are the blocks of a message; one that is a plain string is a text.
type claudeBlocks []claudeBlock

// UnmarshalJSON reads the blocks in the pass over the line: large results must not be read twice.
func (c *claudeBlocks) UnmarshalJSON(b []byte) error {
	switch b[0] {
	case '"':
		*c = claudeBlocks{{Type: "text", Text: contentText(b)}}
	case '[':
		var list []claudeBlock
		if loosely(b, &list) { // blocks of a shape to come: the others, and the line's other fields, still count
			*c = list
		}
	}
	return nil
}

// shortRaw keeps a value only where it is short enough to matter for an event.
type shortRaw []byte

// UnmarshalJSON keeps up to 64 KiB.
func (r *shortRaw) UnmarshalJSON(b []byte) error {
	if len(b) <= 64<<10 {
		*r = append((*r)[:0], b...)
	}
	return nil
}

type claudeBlock struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	ID      string          `json:"id"`
	Name    string          `json:"name"`
	Input   json.RawMessage `json:"input"`
	UseID   string          `json:"tool_use_id"`
	IsError fault           `json:"is_error"`
	Content shortRaw        `json:"content"`
}

func (s *claudeStream) read(r io.Reader) Outcome {
	for l := range linesOf[claudeLine](r, nil) {
		if s.line(l); s.out.Ended {
			break
		}
	}
	s.feed.close()
	return s.judge()
}

func (s *claudeStream) line(l claudeLine) {
	if l.SessionID != "" && s.feed.session == "" {
		s.feed.session, s.out.Session = l.SessionID, l.SessionID
	}
	switch l.Type {
	case "system":
		s.system(l)
	case "assistant":
		s.out.Started = true
		s.assistant(l)
	case "user":
		s.results(l)
	case "result":
		s.result(l)
	}
}

func (s *claudeStream) system(l claudeLine) {
	switch l.Subtype {
	case "init":
		s.feed.cwd, s.out.Model = l.Cwd, l.Model
		s.feed.send(Event{Kind: "session", Summary: "claude started", Detail: l.Model})
	case "api_retry":
		s.out.Retrying = firstOf(sentence(strings.ReplaceAll(string(l.Error), "_", " ")), "it said nothing more")
		s.feed.send(Event{Kind: "other", Summary: fmt.Sprintf("the model's API failed, attempt %d", l.Attempt.n), Detail: string(l.Error), OK: truth(false)})
	}
}

func (s *claudeStream) assistant(l claudeLine) {
	s.out.Retrying = ""
	for _, b := range l.Message.Content {
		switch b.Type {
		case "text":
			if l.Parent == nil {
				s.last = ended(b.Text)
			}
		case "tool_use":
			s.feed.start(b.ID, b.Name, toolEvent(b.Name, b.Input, s.feed.cwd))
		}
	}
}

func (s *claudeStream) results(l claudeLine) {
	for _, b := range l.Message.Content {
		if b.Type != "tool_result" {
			continue
		}
		detail := ""
		if kind := s.feed.open[b.UseID].event.Kind; b.IsError {
			detail = contentText(json.RawMessage(b.Content))
		} else if printed(kind, "x") != "" {
			detail = printed(kind, contentText(json.RawMessage(b.Content)))
		}
		call, known := s.feed.finish(b.UseID, truth(!bool(b.IsError)), detail)
		// The result's own list does not name calls that a deny rule stopped, nor those to tools that the run does not have.
		if known && bool(b.IsError) && refused(detail) {
			s.deny(b.UseID, Denial{Tool: call.tool, Target: target(call.event)})
		}
	}
}

// deny notes a refused call once.
func (s *claudeStream) deny(id string, d Denial) {
	if id != "" && s.denied[id] || d.Tool == "" || len(s.denied) >= maxDenials {
		return
	}
	if s.denied == nil {
		s.denied = map[string]bool{}
	}
	s.denied[id] = true
	s.out.Denials = withDenial(s.out.Denials, d)
}

// contentText flattens the content of a tool result: a string, or blocks with a text.
func contentText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var blocks []struct {
		Text string `json:"text"`
	}
	if !loosely(raw, &blocks) {
		return ""
	}
	var texts []string
	for _, b := range blocks {
		texts = append(texts, b.Text)
	}
	return strings.Join(texts, "\n")
}

func (s *claudeStream) result(l claudeLine) {
	o := &s.out
	o.Ended = true
	o.Text = ended(string(l.Result))
	o.Turns = int(l.Turns.n)
	o.Started = o.Started || !l.Turns.known || o.Turns > 0
	o.Usage = Usage{InputTokens: l.Usage.Input.n + l.Usage.CacheWrite.n + l.Usage.CacheRead.n, OutputTokens: l.Usage.Output.n, CostUSD: float64(l.Cost)}
	for _, d := range l.Denials {
		s.deny(d.ID, Denial{Tool: d.Tool, Target: target(toolEvent(d.Tool, d.Input, s.feed.cwd))})
	}
	o.Failure = claudeFailure(l)
	s.feed.close()
	s.feed.send(Event{Kind: "idle", Summary: sentence(string(l.Result)), OK: truth(o.Failure == nil)})
}

// claudeFailure judges a result event. is_error wins over subtype and exit status (case o-ag-05).
func claudeFailure(l claudeLine) *Failure {
	status, result, listed := int(l.Status.n), string(l.Result), firstOf(string(l.Errors), string(l.Error))
	if status == 0 && bool(l.IsError) && strings.HasPrefix(result, "API Error") { // told in words only
		status = statusIn(result)
	}
	switch {
	case bool(l.IsError) || status >= 400:
		f := newFailure("claude", status, firstOf(result, listed, strings.ReplaceAll(l.Subtype, "_", " ")))
		if f.Kind == "other" && strings.HasPrefix(result, "API Error") {
			f.Kind = "api-error"
		}
		return f
	case l.Subtype == "error_max_turns":
		return &Failure{Kind: "other", Message: "claude used up its turns", Hint: "raise --max-turns in agent.claude.args, or take a smaller step"}
	case l.Subtype != "" && l.Subtype != "success":
		return newFailure("claude", 0, firstOf(listed, result, l.Terminal, strings.ReplaceAll(l.Subtype, "_", " ")))
	case l.Turns.known && l.Turns.n == 0:
		return noTurn("claude")
	}
	return nil
}

func (s *claudeStream) judge() Outcome {
	o := s.out
	if !o.Ended {
		o.Text = s.last
		o.Failure = truncated("claude")
		if !o.Started {
			o.Failure = noTurn("claude")
		}
		return o
	}
	o.OK = o.Failure == nil
	if o.OK {
		o.Question = AsksBack(o.Text)
	} else {
		o.Text = "" // an error sentence is never an answer (case o-ag-05)
	}
	return o
}
