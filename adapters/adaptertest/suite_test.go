package adaptertest

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/rigwiki/rig/adapters"
)

// A vendor's passing failure is tried once more, but not one after which something was written, and not one that does not pass.
func TestGood(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the agents are shell scripts")
	}
	const limited = `{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"num_turns":1,"result":"API Error: 429"}`
	const done = `{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"done"}`
	for name, c := range map[string]struct {
		first string // what the first try does
		tries int
	}{
		"passes":      {"echo '" + limited + "'; exit 1", 2},
		"crashes":     {`echo '{"type":"assistant","message":{"content":[{"type":"text","text":"hm"}]}}'; kill -9 $$`, 2},
		"locked":      {"echo 'Error: database is locked' >&2; exit 1", 2},
		"had written": {"echo x > new.md; echo '" + limited + "'; exit 1", 1},
		"no login":    {"echo '" + strings.ReplaceAll(limited, "429", "401") + "'; exit 1", 1},
		"broke off":   {`echo '{"type":"assistant","message":{"content":[{"type":"text","text":"hm"}]}}'`, 1}, // and ended well: that may be ours
		"goes well":   {"echo '" + done + "'", 1},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			Fake(t, dir, "claude", "cat >/dev/null\necho try >> $HOME/tries\nif [ $(wc -l < $HOME/tries) = 1 ]; then\n"+c.first+"\nelse echo '"+done+"'\nfi\n")
			env := adapters.Env{Vars: []string{"PATH=" + dir + string(filepath.ListSeparator) + os.Getenv("PATH")}}
			a, err := adapters.NewRegistry(env).Find("claude")
			if err != nil {
				t.Fatal(err)
			}
			b := newBench(t, Subject{Adapter: a, Env: env, Setup: func(testing.TB, string, string) ([]string, adapters.AgentConfig) { return nil, adapters.AgentConfig{} }})
			b.found = adapters.Detection{Path: filepath.Join(dir, "claude")}
			rep := b.good(t, writing, "Go.", say("x"))
			tried, err := os.ReadFile(filepath.Join(b.Env.Home, "tries"))
			if err != nil || strings.Count(string(tried), "try") != c.tries || c.tries == 2 && !rep.OK {
				t.Errorf("%v: %q, outcome %+v, %+v", err, tried, rep.Outcome, rep.Failure)
			}
		})
	}
}
