package adaptertest

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rigwiki/rig/adapters"
)

// ownServers are how a user names a server of the Model Context Protocol to each agent; starting it leaves a mark.
var ownServers = map[string]func(t testing.TB, home, server, cwd string){
	"claude": func(t testing.TB, home, server, cwd string) {
		file(t, home, ".claude.json", `{"mcpServers":{"mine":{"type":"stdio","command":"`+server+`","args":[]}},"projects":{"`+cwd+`":{"mcpServers":{"local":{"type":"stdio","command":"`+server+`","args":[]}}}}}`)
	},
	"codex": func(t testing.TB, home, server, _ string) {
		file(t, home, ".codex/config.toml", "[mcp_servers.mine]\ncommand = \""+server+"\"\n\n[mcp_servers.\"my other\"]\ncommand = \""+server+"\"\n")
	},
	"opencode": ownOpencodeServer,
	"acp":      ownOpencodeServer,
	"acp claude": func(t testing.TB, home, server, cwd string) {
		file(t, home, ".claude.json", `{"mcpServers":{"mine":{"type":"stdio","command":"`+server+`","args":[]}}}`)
	},
	"acp codex": func(t testing.TB, home, server, _ string) {
		text, _ := os.ReadFile(filepath.Join(home, ".codex/config.toml"))
		file(t, home, ".codex/config.toml", string(text)+"\n[mcp_servers.mine]\ncommand = \""+server+"\"\n")
	},
	"acp gemini": func(t testing.TB, home, server, _ string) {
		text, _ := os.ReadFile(filepath.Join(home, ".gemini/settings.json"))
		file(t, home, ".gemini/settings.json", strings.Replace(string(text), "{", `{"mcpServers":{"mine":{"command":"`+server+`"}},`, 1))
	},
	"pi": func(testing.TB, string, string, string) {}, // knows no such servers
}

func ownOpencodeServer(t testing.TB, home, server, _ string) {
	name := filepath.Join(home, ".config/opencode/opencode.json")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	file(t, home, ".config/opencode/opencode.json", strings.Replace(string(text), "{", `{ // mine
 "mcp":{"mine":{"type":"local","command":["`+server+`"]},"my other":{"type":"local","command":["`+server+`"],"enabled":true},},`, 1))
}

// TestOwnServers: a user's own MCP servers start in a run only where `agent.<name>.mcp` says so.
func TestOwnServers(t *testing.T) {
	dir := agentsDir(t)
	for _, s := range subjects {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			env := adapters.Env{Vars: []string{"PATH=" + dir + string(filepath.ListSeparator) + os.Getenv("PATH")}}
			a, err := adapters.NewRegistry(env).Find(cmp.Or(s.adapter, s.name))
			if err != nil {
				t.Fatal(err)
			}
			for _, let := range []bool{false, true} {
				b := newBench(t, Subject{Adapter: a, Env: env, Model: s.model, Setup: s.setup})
				mark := filepath.Join(b.outside, "started")
				ownServers[s.name](t, b.Env.Home, Fake(t, b.outside, "server", "echo x >> "+mark+"\n"), b.wiki)
				config := b.Env.Config[a.Name()]
				config.MCP = let
				b.Env.Config[a.Name()] = config
				b.found = a.Detect(t.Context(), b.Env)
				ok(t, b.do(t, readOnly, "Say it.", say("said")), "said")
				_, err := os.Stat(mark)
				// pi knows none, gemini starts them in trusted folders only.
				if let && !slices.Contains([]string{"pi", "acp gemini"}, s.name) && err != nil {
					t.Errorf("let in, but not started: %v", err)
				}
				if !let && err == nil {
					t.Error("a server of the user's was started unasked")
				}
			}
		})
	}
}
