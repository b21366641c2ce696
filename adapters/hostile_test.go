package adapters

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// good are the shortest streams of a run that went well; %s is the final text, as JSON has it.
var good = map[string][]string{
	"claude": {
		`{"type":"system","subtype":"init","session_id":"s","cwd":"/w","model":"m"}`,
		`{"type":"assistant","message":{"content":[{"type":"text","text":"I will."},{"type":"tool_use","id":"t1","name":"Write","input":{"file_path":"/w/a.md"}}]}}`,
		`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"ok","is_error":false}]}}`,
		`{"type":"result","subtype":"success","is_error":false,"num_turns":2,"result":%s}`,
	},
	"codex": {
		`{"type":"thread.started","thread_id":"t"}`, `{"type":"turn.started"}`,
		`{"type":"item.completed","item":{"id":"i0","type":"command_execution","command":"ls","exit_code":0,"status":"completed"}}`,
		`{"type":"item.completed","item":{"id":"i1","type":"agent_message","text":%s}}`,
		`{"type":"turn.completed","usage":{"input_tokens":5,"output_tokens":1}}`,
	},
	"opencode": {
		`{"type":"step_start","sessionID":"s","part":{}}`,
		`{"type":"tool_use","sessionID":"s","part":{"tool":"write","state":{"status":"completed","input":{"filePath":"/w/a.md"}}}}`,
		`{"type":"text","sessionID":"s","part":{"messageID":"m","text":%s}}`,
		`{"type":"step_finish","sessionID":"s","part":{"reason":"stop"}}`,
	},
	"pi": {
		`{"type":"session","id":"s","cwd":"/w"}`, `{"type":"agent_start"}`, `{"type":"turn_start"}`,
		`{"type":"tool_execution_start","toolCallId":"t1","toolName":"write","args":{"path":"a.md"}}`,
		`{"type":"tool_execution_end","toolCallId":"t1","toolName":"write","isError":false}`,
		`{"type":"message_end","message":{"role":"assistant","stopReason":"stop","content":[{"type":"text","text":%s}]}}`,
		`{"type":"agent_end"}`,
	},
}

// goodStream is such a stream with line ends of the caller's choice.
func goodStream(t *testing.T, agent, text, lineEnd string) string {
	t.Helper()
	return strings.ReplaceAll(strings.Join(good[agent], lineEnd)+lineEnd, "%s", string(mustJSON(t, text)))
}

// However the bytes come, and whatever stands between the lines, the same is read.
func TestOddStreams(t *testing.T) {
	const text = "温度 🌱 done"
	odd := map[string]func(agent string) io.Reader{
		"as it is":    func(a string) io.Reader { return strings.NewReader(goodStream(t, a, text, "\n")) },
		"carriage":    func(a string) io.Reader { return strings.NewReader(goodStream(t, a, text, "\r\n")) },
		"blank lines": func(a string) io.Reader { return strings.NewReader(goodStream(t, a, text, "\n \n\r\n\n")) },
		"mark":        func(a string) io.Reader { return strings.NewReader("\xef\xbb\xbf" + goodStream(t, a, text, "\n")) },
		"no end": func(a string) io.Reader {
			return strings.NewReader(strings.TrimSuffix(goodStream(t, a, text, "\n"), "\n"))
		},
		"bytes": func(a string) io.Reader {
			return iotest.OneByteReader(strings.NewReader(goodStream(t, a, text, "\n")))
		},
		"late error": func(a string) io.Reader {
			return io.MultiReader(strings.NewReader(goodStream(t, a, text, "\n")), iotest.ErrReader(io.ErrClosedPipe))
		},
		"one line": func(a string) io.Reader { return strings.NewReader(goodStream(t, a, text, "")) },
		"a blank":  func(a string) io.Reader { return strings.NewReader(goodStream(t, a, text, " ")) },
		"escapes": func(a string) io.Reader {
			return strings.NewReader(goodStream(t, a, text, "\n\x1b]0;title {\x07\x1b[2K\r"))
		},
		"reset": func(a string) io.Reader { return strings.NewReader(goodStream(t, a, text, "\x1b[0m\n")) },
		"stderr": func(a string) io.Reader {
			return strings.NewReader(goodStream(t, a, text, "\nwarning: {not json} \"}\n"))
		},
		"glued": func(a string) io.Reader {
			return strings.NewReader(goodStream(t, a, text, "\n(node:7) Warning: x {a: 1} "))
		},
		"dump": func(a string) io.Reader {
			return strings.NewReader(goodStream(t, a, text, "\n{\n  code: 'ENOENT'\n}\n"))
		},
		"open dump": func(a string) io.Reader {
			return strings.NewReader(goodStream(t, a, text, "\n{\n  [nothing closes it\n"))
		},
		"log objects": func(a string) io.Reader {
			return strings.NewReader(goodStream(t, a, text, "\n"+`{"level":"info","msg":"x"} {"level":7}`+"\n"))
		},
		"half before": func(a string) io.Reader {
			return strings.NewReader(goodStream(t, a, text, "\n"+`{"type":"assistant","message":{"content":[{"ty`+"\n"))
		},
		"unknown": func(a string) io.Reader {
			return strings.NewReader(goodStream(t, a, text, "\n"+`{"type":"from_the_future","message":7,"part":[1],"item":"x","error":[]}`+"\n"))
		},
		"other types": func(a string) io.Reader {
			return strings.NewReader(goodStream(t, a, text, "\n"+`[1]`+"\n"+`null`+"\n"+`{}`+"\n"+`{"type":null}`+"\n"+`{"type":["result"]}`+"\n"))
		},
		"nested": func(a string) io.Reader {
			return strings.NewReader(goodStream(t, a, text, "\n"+`{"type":"x","deep":`+strings.Repeat("[", 20_000)+strings.Repeat("]", 20_000)+"}\n"))
		},
		"NUL": func(a string) io.Reader { return strings.NewReader(goodStream(t, a, text, "\n\x00\x00\n\x00")) },
		"12 MB": func(a string) io.Reader {
			return strings.NewReader(`{"type":"x","text":"` + strings.Repeat("y", 12<<20) + "\"}\n" + goodStream(t, a, text, "\n"))
		},
		"17 MB": func(a string) io.Reader {
			return strings.NewReader(strings.Repeat("y", maxLine+1) + "\n" + goodStream(t, a, text, "\n"))
		},
		"after it": func(a string) io.Reader {
			return strings.NewReader(goodStream(t, a, text, "\n") + "{\"type\":\"error\"}\nbye\n")
		},
		"twice": func(a string) io.Reader {
			return strings.NewReader(goodStream(t, a, text, "\n") + goodStream(t, a, "another", "\n"))
		},
	}
	for agent := range good {
		want := len(decode(builtinByName(agent), strings.NewReader(goodStream(t, agent, text, "\n"))).Events)
		for name, stream := range odd {
			if strings.HasSuffix(name, "MB") && agent != "claude" {
				continue // all read lines by the same piece
			}
			d := decode(builtinByName(agent), stream(agent))
			if o := d.Outcome; !o.OK || !o.Ended || o.Text != text || o.Failure != nil || o.Session == "" || len(d.Events) != want {
				t.Errorf("%s, %s: %d events, want %d; %+v, failure %+v", agent, name, len(d.Events), want, o, o.Failure)
			}
		}
	}
}

// A stream that stops before its terminal event, or whose terminal event is half, is no success, whatever it said before.
func TestHalfAnEnd(t *testing.T) {
	for agent := range good {
		whole := strings.TrimSuffix(goodStream(t, agent, "done", "\n"), "\n")
		last := strings.LastIndexByte(whole, '\n') + 1
		for cut := last; cut < len(whole); cut++ {
			if o := decode(builtinByName(agent), strings.NewReader(whole[:cut])).Outcome; o.OK || o.Failure == nil || o.Failure.Kind != "truncated" {
				t.Errorf("%s, cut to %q: %+v, failure %+v", agent, whole[last:cut], o, o.Failure)
			}
		}
	}
}

// Fields of other types than they were: what can be read counts, and none of it turns an error into a success or the other way round.
func TestOtherTypes(t *testing.T) {
	for name, c := range map[string]struct {
		agent, was, is string
		kind           string // of the failure, "" for none
		says           string // of the failure, or the text
		usage          Usage
	}{
		"claude turns":        {"claude", `"num_turns":2`, `"num_turns":"2"`, "", "done", Usage{}},
		"claude no turns":     {"claude", `"num_turns":2`, `"num_turns":"0"`, "no-turn", "", Usage{}},
		"claude null turns":   {"claude", `"num_turns":2`, `"num_turns":null`, "", "done", Usage{}},
		"claude odd turns":    {"claude", `"num_turns":2`, `"num_turns":{}`, "", "done", Usage{}},
		"claude nulls":        {"claude", `"num_turns":2`, `"usage":null,"permission_denials":null,"errors":null,"total_cost_usd":null,"api_error_status":null`, "", "done", Usage{}},
		"claude cost":         {"claude", `"num_turns":2`, `"total_cost_usd":"0.5","usage":{"input_tokens":"3","output_tokens":4.0}`, "", "done", Usage{InputTokens: 3, OutputTokens: 4, CostUSD: 0.5}},
		"claude odd usage":    {"claude", `"num_turns":2`, `"usage":[],"total_cost_usd":{},"permission_denials":"none"`, "", "done", Usage{}},
		"claude minus":        {"claude", `"num_turns":2`, `"usage":{"input_tokens":-3,"output_tokens":1e300}`, "", "done", Usage{}},
		"claude flag":         {"claude", `"is_error":false,"num_turns"`, `"is_error":"true","num_turns"`, "other", "done", Usage{}},
		"claude flag 1":       {"claude", `"is_error":false,"num_turns"`, `"is_error":1,"num_turns"`, "other", "done", Usage{}},
		"claude flag null":    {"claude", `"is_error":false,"num_turns"`, `"is_error":null,"num_turns"`, "", "done", Usage{}},
		"claude flag no":      {"claude", `"is_error":false,"num_turns"`, `"is_error":"false","num_turns"`, "", "done", Usage{}},
		"claude status":       {"claude", `"num_turns":2`, `"num_turns":2,"api_error_status":"529"`, "api-error", "done", Usage{}},
		"claude result":       {"claude", `"result":"done"`, `"result":null`, "", "", Usage{}},
		"claude odd result":   {"claude", `"result":"done"`, `"result":{"text":"x"}`, "", "", Usage{}},
		"claude errors":       {"claude", `"is_error":false,"num_turns":2,"result":"done"`, `"is_error":true,"result":null,"errors":[{"message":"overloaded"}]`, "api-error", "overloaded", Usage{}},
		"claude error":        {"claude", `"is_error":false,"num_turns":2,"result":"done"`, `"is_error":true,"result":"","error":{"message":"overloaded"}`, "api-error", "overloaded", Usage{}},
		"claude subtype":      {"claude", `"subtype":"success"`, `"subtype":"error_during_execution"`, "other", "done", Usage{}},
		"codex usage":         {"codex", `"input_tokens":5`, `"input_tokens":"5"`, "", "done", Usage{InputTokens: 5, OutputTokens: 1}},
		"codex no usage":      {"codex", `"usage":{"input_tokens":5,"output_tokens":1}`, `"usage":null`, "", "done", Usage{}},
		"codex odd usage":     {"codex", `"usage":{"input_tokens":5,"output_tokens":1}`, `"usage":"none"`, "", "done", Usage{}},
		"codex exit":          {"codex", `"exit_code":0`, `"exit_code":"0","changes":{},"aggregated_output":null`, "", "done", Usage{InputTokens: 5, OutputTokens: 1}},
		"codex id":            {"codex", `"id":"i1"`, `"id":1`, "", "done", Usage{InputTokens: 5, OutputTokens: 1}},
		"codex said":          {"codex", `{"type":"turn.completed"`, `{"type":"turn.failed","error":"quota used up"`, "api-error", "quota used up", Usage{}},
		"codex nested":        {"codex", `{"type":"turn.completed"`, `{"type":"turn.failed","error":{"message":{"error":{"message":"quota used up"}}}`, "api-error", "quota used up", Usage{}},
		"codex null":          {"codex", `{"type":"turn.completed"`, `{"type":"turn.failed","error":null`, "other", "codex reported an error", Usage{}},
		"opencode tokens":     {"opencode", `"reason":"stop"`, `"reason":"stop","cost":"0.25","tokens":{"input":"7","output":2.0,"cache":null}`, "", "done", Usage{InputTokens: 7, OutputTokens: 2, CostUSD: 0.25}},
		"opencode odd tokens": {"opencode", `"reason":"stop"`, `"reason":"stop","cost":[],"tokens":7`, "", "done", Usage{}},
		"opencode exit":       {"opencode", `"status":"completed"`, `"status":"completed","metadata":{"exit":"0"},"error":null`, "", "done", Usage{}},
		"opencode said":       {"opencode", `{"type":"step_finish"`, `{"type":"error","error":"429 too many requests"`, "rate-limit", "too many requests", Usage{}},
		"opencode data":       {"opencode", `{"type":"step_finish"`, `{"type":"error","error":{"name":"APIError","data":"401 unauthorized"}`, "auth", "401 unauthorized", Usage{}},
		"opencode status":     {"opencode", `{"type":"step_finish"`, `{"type":"error","error":{"name":"APIError","data":{"statusCode":"503","message":"x"}}`, "api-error", "x", Usage{}},
		"opencode message":    {"opencode", `{"type":"step_finish"`, `{"type":"error","error":{"name":"APIError","message":"overloaded"}`, "api-error", "overloaded", Usage{}},
		"opencode null":       {"opencode", `{"type":"step_finish"`, `{"type":"error","error":null`, "other", "opencode reported an error", Usage{}},
		"pi usage":            {"pi", `"stopReason":"stop"`, `"stopReason":"stop","usage":{"input":"3","output":1.0,"cost":{"total":"0.5"}}`, "", "done", Usage{InputTokens: 3, OutputTokens: 1, CostUSD: 0.5}},
		"pi odd usage":        {"pi", `"stopReason":"stop"`, `"stopReason":"stop","usage":"x","model":7`, "", "done", Usage{}},
		"pi content":          {"pi", `"content":[{"type":"text","text":"done"}]`, `"content":"done"`, "", "done", Usage{}},
		"pi block":            {"pi", `"content":[`, `"content":[{"type":"thinking","text":{}},"x",null,`, "", "done", Usage{}},
		"pi error":            {"pi", `"stopReason":"stop"`, `"stopReason":"error","errorMessage":{"error":{"message":"529 overloaded"}}`, "api-error", "overloaded", Usage{}},
		"pi at the end":       {"pi", `{"type":"message_end"`, `{"type":"agent_end","messages":[{"role":"assistant","stopReason":"stop","content":[{"type":"text","text":"done"}]}],"x":1`, "", "done", Usage{}},
	} {
		stream := goodStream(t, c.agent, "done", "\n")
		changed := strings.Replace(stream, c.was, c.is, 1)
		if changed == stream {
			t.Fatalf("%s: %q is not there", name, c.was)
		}
		if strings.Contains(c.is, ":{") && strings.Count(changed, "{") > strings.Count(changed, "}") {
			t.Fatalf("%s: not JSON", name)
		}
		o := decode(builtinByName(c.agent), strings.NewReader(changed)).Outcome
		switch {
		case c.kind == "" && (!o.OK || o.Failure != nil || o.Text != c.says || o.Usage != c.usage):
			t.Errorf("%s: %+v, failure %+v", name, o, o.Failure)
		case c.kind != "" && (o.OK || o.Failure == nil || o.Failure.Kind != c.kind || !strings.Contains(o.Failure.Message, c.says) || o.Text != ""):
			t.Errorf("%s: %+v, failure %+v", name, o, o.Failure)
		}
	}
}

// A block that cannot be read does not take the others of its message with it.
func TestOddBlocks(t *testing.T) {
	stream := strings.Join([]string{
		`{"type":"system","subtype":"init","session_id":"s","cwd":"/w"}`,
		`{"type":"assistant","message":{"content":[{"type":"thinking","text":7},"x",null,{"type":"tool_use","id":"t1","name":"Write","input":{"file_path":"/w/a.md"}},{"type":"tool_use","id":null,"name":"Read","input":null},{"type":"tool_use","id":null,"name":"Bash","input":"ls"}]}}`,
		`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","is_error":"true","content":[{"type":"text","text":"File is in a directory that is denied by your permission settings."}]}]}}`,
		`{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"I could not.","permission_denials":[{"tool_name":"Write","tool_use_id":"t1","tool_input":{"file_path":"/w/a.md"}},7,{"tool_name":"Bash","tool_use_id":9,"tool_input":"rm x"}]}`,
	}, "\n")
	d := decode(claude{}, strings.NewReader(stream))
	if o := d.Outcome; !o.OK || len(o.Denials) < 2 || o.Denials[0] != (Denial{"Write", "a.md"}) {
		t.Errorf("%+v", o)
	}
	var running, ended int
	for _, e := range d.Events {
		if e.Running {
			running++
		} else if e.OK != nil && e.Kind != "idle" || e.Detail == "did not finish" {
			ended++
		}
	}
	if running != 3 || ended != 3 {
		t.Errorf("%d calls began and %d ended, want 3: %+v", running, ended, d.Events)
	}
	told := decode(claude{}, strings.NewReader(`{"type":"assistant","message":{"content":"hello"}}`)).Outcome
	if told.OK || told.Text != "hello" {
		t.Errorf("a message that is a plain text: %+v", told)
	}
}

// A flood of calls without end, of refusals and of texts does not fill the memory, nor does it take for ever.
func TestEndless(t *testing.T) {
	const n = 5_000
	lines := func(line string) func(i int) string { return func(int) string { return line } }
	for name, c := range map[string]struct {
		agent string
		line  func(i int) string
	}{
		"calls": {"claude", func(i int) string {
			return fmt.Sprintf(`{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t%d","name":"Read","input":{"file_path":"/w/a.md"}}]}}`, i)
		}},
		"refusals": {"claude", func(i int) string {
			return fmt.Sprintf(`{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t%d","name":"Read","input":{"file_path":"/w/a.md"}}]}}`+"\n"+`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t%[1]d","is_error":true,"content":"denied by your permission settings"}]}}`, i)
		}},
		"items": {"codex", func(i int) string {
			return fmt.Sprintf(`{"type":"item.completed","item":{"id":"i%d","type":"command_execution","command":"ls","status":"declined"}}`, i)
		}},
		"texts": {"opencode", lines(`{"type":"text","sessionID":"s","part":{"messageID":"m","text":"` + strings.Repeat("x", 1000) + `"}}`)},
		"tools": {"pi", func(i int) string {
			return fmt.Sprintf(`{"type":"tool_execution_start","toolCallId":"t%d","toolName":"read","args":{"path":"a.md"}}`, i)
		}},
	} {
		r, w := io.Pipe()
		go func() {
			for i := range n {
				if _, err := io.WriteString(w, c.line(i)+"\n"); err != nil {
					return // the reader is gone: the test has failed
				}
			}
			w.Close()
		}()
		done := make(chan Outcome, 1)
		shown := 0
		go func() {
			done <- builtinByName(c.agent).Converse(t.Context(), struct {
				io.Reader
				io.Writer
			}{r, io.Discard}, func(Event) { shown++ })
		}()
		select {
		case o := <-done:
			if o.OK || len(o.Denials) > maxDenials || len(o.Text) > maxText {
				t.Errorf("%s: ok %v, %d refusals, %d bytes of text", name, o.OK, len(o.Denials), len(o.Text))
			}
		case <-time.After(2 * time.Minute):
			t.Fatalf("%s: it does not end", name)
		}
	}
}
