package adaptertest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/rigwiki/rig/adapters"
)

// ask posts a conversation to the model and returns status and body.
func ask(t *testing.T, url string, body any) (int, string) {
	t.Helper()
	b, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.Post(url, "application/json", bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	out, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(out)
}

// Each dialect plays the script step by step: a tool call first, the final text after its result.
func TestDialects(t *testing.T) {
	m, url := Serve(t)
	script := "Do it. " + Script(Step{Op: "write", Path: "/w/a.md", Content: "hello\n", Text: "I will write."}, say("ALL DONE"))
	for _, stream := range []bool{false, true} {
		for name, c := range map[string]struct {
			path        string
			first, then any
			call        []string
		}{
			"anthropic": {
				"/v1/messages",
				object{"model": "m", "stream": stream, "tools": []any{object{"name": "Write", "input_schema": object{"properties": object{"file_path": object{}}}}},
					"messages": []any{object{"role": "user", "content": script}}},
				object{"model": "m", "stream": stream, "messages": []any{object{"role": "user", "content": []any{object{"type": "text", "text": script}}}, object{"role": "assistant", "content": []any{}}, object{"role": "user", "content": []any{object{"type": "tool_result", "content": "ok"}}}}},
				[]string{`"Write"`, "file_path", "/w/a.md", "I will write."},
			},
			"responses": {
				"/v1/responses",
				object{"model": "m", "stream": stream, "tools": []any{object{"type": "custom", "name": "apply_patch"}, object{"type": "function", "name": "exec_command"}},
					"input": []any{object{"role": "user", "content": []any{object{"type": "input_text", "text": script}}}}},
				object{"model": "m", "stream": stream, "input": []any{object{"role": "user", "content": script}, object{"type": "custom_tool_call_output", "output": "ok"}}},
				[]string{"apply_patch", "*** Add File: /w/a.md", "+hello", "I will write."},
			},
			"chat": {
				"/v1/chat/completions",
				object{"model": "m", "stream": stream, "tools": []any{object{"type": "function", "function": object{"name": "write", "parameters": object{"properties": object{"filePath": object{}}}}}},
					"messages": []any{object{"role": "user", "content": script}}},
				object{"model": "m", "stream": stream, "messages": []any{object{"role": "user", "content": script}, object{"role": "tool", "content": "ok"}}},
				[]string{`"write"`, "filePath", "/w/a.md", "I will write."},
			},
		} {
			status, body := ask(t, url+c.path, c.first)
			for _, want := range c.call {
				if status != 200 || !strings.Contains(body, want) {
					t.Errorf("%s stream %v: %d, no %q in\n%s", name, stream, status, want, body)
				}
			}
			if status, body = ask(t, url+c.path, c.then); status != 200 || !strings.Contains(body, "ALL DONE") {
				t.Errorf("%s stream %v: %d, no final text in\n%s", name, stream, status, body)
			}
		}
	}
	if n := len(m.Requests()); n != 12 {
		t.Errorf("%d requests in the log", n)
	}
}

func TestModelFails(t *testing.T) {
	_, url := Serve(t)
	prompt := func(s Step) any {
		return object{"stream": true, "messages": []any{object{"role": "user", "content": Script(s)}}}
	}
	if status, body := ask(t, url+"/v1/messages", prompt(Step{Op: "http", Status: 429})); status != 429 || !strings.Contains(body, "fake upstream failure") {
		t.Errorf("http: %d %s", status, body)
	}
	b, err := json.Marshal(prompt(Step{Op: "drop"}))
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.Post(url+"/v1/messages", "application/json", bytes.NewReader(b))
	if err == nil {
		_, err = io.ReadAll(res.Body)
		res.Body.Close()
	}
	if err == nil {
		t.Error("drop: the answer came whole")
	}
	if status, _ := ask(t, url+"/v1/nothing", object{}); status != 404 {
		t.Errorf("no route: %d", status)
	}
	if status, body := ask(t, url+"/v1/messages", object{"messages": []any{object{"role": "user", "content": "no script"}}}); status != 200 || !strings.Contains(body, "fake title") {
		t.Errorf("no script: %d %s", status, body)
	}
}

// Do gives an agent what the host would, and a directory adapter passes through it.
func TestDoDirectory(t *testing.T) {
	home := t.TempDir()
	dir := FakeDirectory(t, home, "probe", `echo "$AGENT_MODE:$AGENT_PROMPT"; echo gone >&2; echo "${SECRET-none}"; cat > got.txt; exit 3`)
	env := adapters.Env{RigHome: home, Home: home, Vars: []string{"PATH=/usr/bin:/bin", "SECRET=x"}}
	a, err := adapters.NewRegistry(env).Find("probe")
	if err != nil {
		t.Fatal(err)
	}
	rep := Do(t, a, adapters.Request{Op: "query", Mode: adapters.Review, Prompt: "what?", Cwd: t.TempDir(), Env: env, Detection: a.Detect(t.Context(), env)})
	if rep.Code != 3 || rep.Text != "review:what?\nnone" || string(rep.Stderr) != "gone\n" {
		t.Errorf("from %s: %d %q %q", dir, rep.Code, rep.Text, rep.Stderr)
	}
}
