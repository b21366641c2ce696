package adapters

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// emitted is what an emitter makes of a recorded session, a line an event. A hook hears one payload each time.
func emitted(t *testing.T, agent string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata/hooks", agent+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	calls := []string{string(text)}
	if agent == "claude" || agent == "codex" {
		calls = strings.SplitAfter(string(text), "\n")
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	for _, call := range calls {
		err := Emit(agent, strings.NewReader(call), func(e Event) {
			if e != e.Capped() {
				t.Errorf("not capped: %+v", e)
			}
			if err := enc.Encode(e); err != nil {
				t.Error(err)
			}
		})
		if err != nil {
			t.Error(err)
		}
	}
	return out.String()
}

// TestEmit: recorded sessions of wired projects, as the board hears them.
func TestEmit(t *testing.T) {
	for _, agent := range []string{"claude", "codex", "opencode", "pi"} {
		t.Run(agent, func(t *testing.T) {
			golden(t, filepath.Join("hooks", agent+".events"), []byte(emitted(t, agent)))
		})
	}
}

// TestEmitOdd: what is no payload makes no event and no error, which the agent would show.
func TestEmitOdd(t *testing.T) {
	for _, agent := range []string{"claude", "codex", "opencode", "pi"} {
		for _, text := range []string{"", "{", "null", "[]", `{"hook_event_name":5}`, `{"hook_event_name":"Stop"}`, `{"session_id":"s","hook_event_name":"Later"}`, "\x00\xff", `{"type":"start"}`, strings.Repeat("{", 1<<20)} {
			if err := Emit(agent, strings.NewReader(text), func(e Event) { t.Errorf("%s, %.30q: %+v", agent, text, e) }); err != nil {
				t.Errorf("%s, %.30q: %v", agent, text, err)
			}
		}
	}
	if err := Emit("nobody", strings.NewReader("{}"), nil); err == nil {
		t.Error("an agent that nobody knows")
	}
}
