package adapters

import (
	"fmt"
	"io"
)

// codexStream decodes `codex exec --json`. turn.completed and turn.failed are terminal; an "error" line before them is a warning
// (case o-ag-19). The stream is lossy: commands that fail at once and rejected patches may not show at all.
type codexStream struct {
	feed    *feed
	out     Outcome
	warning string // last error line, which tells why a stream without end stopped
}

type codexLine struct {
	Type     string `json:"type"`
	ThreadID string `json:"thread_id"`
	Message  words  `json:"message"`
	Error    words  `json:"error"`
	Usage    struct {
		Input  count `json:"input_tokens"`
		Output count `json:"output_tokens"`
	} `json:"usage"`
	Item codexItem `json:"item"`
}

type codexItem struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Text     string `json:"text"`
	Message  words  `json:"message"`
	Command  string `json:"command"`
	Output   string `json:"aggregated_output"`
	ExitCode fault  `json:"exit_code"`
	Status   string `json:"status"`
	Query    string `json:"query"`
	Server   string `json:"server"`
	Tool     string `json:"tool"`
	Changes  []struct {
		Path string `json:"path"`
		Kind string `json:"kind"`
	} `json:"changes"`
}

func (s *codexStream) read(r io.Reader) Outcome {
	for l := range linesOf[codexLine](r, nil) {
		if s.line(l); s.out.Ended {
			break
		}
	}
	s.feed.close()
	return s.judge()
}

func (s *codexStream) line(l codexLine) {
	switch l.Type {
	case "thread.started":
		if s.feed.session == "" { // said twice, the first counts
			s.feed.session, s.out.Session = l.ThreadID, l.ThreadID
			s.feed.send(Event{Kind: "session", Summary: "codex started"})
		}
	case "turn.started":
		s.out.Turns++
	case "item.started":
		s.start(l.Item)
	case "item.completed":
		s.out.Started, s.out.Retrying = true, ""
		s.complete(l.Item)
	case "error":
		s.warning = firstOf(string(l.Message), string(l.Error))
		s.out.Retrying = sentence(s.warning)
		s.feed.send(Event{Kind: "other", Summary: s.warning, OK: truth(false)})
	case "turn.completed":
		// Usage is a running total, not an increment.
		s.out.Usage = Usage{InputTokens: l.Usage.Input.n, OutputTokens: l.Usage.Output.n}
		s.end(nil)
	case "turn.failed":
		why := firstOf(string(l.Error), string(l.Message), s.warning)
		s.end(newFailure("codex", statusIn(why), why))
	}
}

func (s *codexStream) end(f *Failure) {
	s.out.Ended, s.out.Failure, s.out.Retrying = true, f, ""
	if f == nil && !s.out.Started {
		s.out.Failure = noTurn("codex")
	}
	s.feed.close()
	s.feed.send(Event{Kind: "idle", Summary: sentence(s.out.Text), OK: truth(s.out.Failure == nil)})
}

// events are what an item is in schema v1: one for each file of a patch.
func (it codexItem) events() map[string]Event {
	switch it.Type {
	case "command_execution":
		cmd := bareCommand(it.Command)
		return map[string]Event{it.ID: {Kind: commandKind(cmd), Summary: cmd, Cmd: cmd}}
	case "file_change":
		list := map[string]Event{}
		for i, c := range it.Changes {
			list[fmt.Sprintf("%s/%d", it.ID, i)] = Event{Kind: "edit", Summary: c.Kind + " " + c.Path, File: c.Path}
		}
		return list
	case "web_search":
		return map[string]Event{it.ID: {Kind: "web", Summary: "search " + it.Query}}
	case "todo_list":
		return map[string]Event{it.ID: {Kind: "plan", Summary: "plan"}}
	case "mcp_tool_call":
		return map[string]Event{it.ID: {Kind: "other", Summary: it.Server + "." + it.Tool}}
	}
	return nil
}

func (s *codexStream) start(it codexItem) {
	events := it.events()
	for _, id := range sortedIDs(events) {
		s.feed.start(id, it.Type, events[id])
	}
}

func (s *codexStream) complete(it codexItem) {
	switch it.Type {
	case "agent_message":
		s.out.Text = ended(it.Text)
		return
	case "error": // a warning of the program, such as an unknown model
		s.feed.send(Event{Kind: "other", Summary: string(it.Message)})
		return
	}
	good := it.Status == "" || it.Status == "completed"
	good = good && !bool(it.ExitCode)
	detail := ""
	if !good {
		detail = firstOf(it.Output, string(it.Message), it.Status)
	}
	events := it.events()
	for _, id := range sortedIDs(events) {
		e := events[id]
		if good {
			detail = printed(e.Kind, it.Output)
		}
		if it.Status == "declined" {
			s.out.Denials = withDenial(s.out.Denials, Denial{Tool: it.Type, Target: target(e)})
		}
		if _, known := s.feed.finish(id, truth(good), detail); !known {
			e.OK, e.Detail = truth(good), detail
			s.feed.send(e)
		}
	}
}

func (s *codexStream) judge() Outcome {
	o := s.out
	switch {
	case !o.Ended && !o.Started && o.Turns == 0:
		o.Failure = noTurn("codex")
	case !o.Ended:
		o.Failure = truncated("codex")
		if s.warning != "" {
			o.Failure.Message = sentence(s.warning)
		}
	case o.Failure == nil:
		o.OK, o.Question = true, AsksBack(o.Text)
	default:
		o.Text = "" // what was said before an error is no answer
	}
	return o
}
