package adapters

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// A preset is an agent that was tried: how to start it, and the adapter whose state, variables and hosts it shares.
type preset struct {
	program  string
	args     []string
	mode     string // in which it asks before it acts
	confined string // mode below our own sandbox, where one of its own is in the way; "" is mode
	kin      func(Request) (Invocation, error)
	name     string // of that adapter
	node     string // the oldest that it runs under, "" for any
	servers  func(Env) []string
	rules    func(Request) acpRules // what the protocol has no words for
}

// acpRules go beside the protocol.
type acpRules struct {
	env  []string
	args []string
	meta map[string]any // of session/new
}

func presets() []preset {
	return []preset{
		{program: "claude-agent-acp", mode: "default", kin: claude{}.Plan, name: "claude", node: "22", rules: claudeBridge},
		{program: "claude-code-acp", mode: "default", kin: claude{}.Plan, name: "claude", rules: claudeBridge},
		{program: "codex-acp", mode: "read-only", confined: "agent-full-access", kin: codex{}.Plan, name: "codex", servers: codexServers, rules: codexBridge},
		{program: "gemini", args: []string{"--acp"}, kin: planGemini, name: "gemini", rules: geminiRules},
		{program: "opencode", args: append([]string{"acp"}, opencodeLogs()...), kin: opencode{}.Plan, name: "opencode", servers: opencodeServers},
	}
}

// claudeBridge hands options of claude's SDK on: the project's own settings and the user's MCP servers stay out, and so do tools that the grant has
// no place for, since the bridge ends its turn at the first request that is refused (claude-code-acp 0.16.2).
func claudeBridge(r Request) acpRules {
	absent := []string{"Agent", "Task", "NotebookEdit"}
	for _, tool := range []string{"Bash", "Edit", "Write", "WebFetch", "WebSearch"} {
		if !slices.Contains(claudeTools(r.Grant), tool) {
			absent = append(absent, tool)
		}
	}
	options := map[string]any{"settingSources": []string{"user"}, "disallowedTools": absent}
	if !r.Env.Config["acp"].MCP {
		options["strictMcpConfig"] = true
	}
	return acpRules{meta: map[string]any{"claudeCode": map[string]any{"options": options}}}
}

// codexBridge gives codex the settings that its command line has no place for.
func codexBridge(r Request) acpRules {
	config := map[string]any{"check_for_update_on_startup": false, "analytics": map[string]any{"enabled": false},
		"features": map[string]any{"unbounded_connection_retries": false}} // else it tries for ever to reach a server that is not there
	if !r.Env.Config["acp"].MCP && len(r.Detection.Servers) > 0 {
		off := map[string]any{}
		for _, name := range r.Detection.Servers {
			off[name] = map[string]any{"enabled": false}
		}
		config["mcp_servers"] = off
	}
	text, err := json.Marshal(config)
	if err != nil {
		panic(err) // strings and booleans always marshal
	}
	return acpRules{env: []string{"CODEX_CONFIG=" + string(text)}}
}

// geminiRules: gemini takes a model by its command line; without one it asks a model which to take. It lets no server of the user's in where it is
// given a list that names none of them.
func geminiRules(r Request) (rules acpRules) {
	if r.Model != "" {
		rules.args = append(rules.args, option("--model", r.Model)...)
	}
	if !r.Env.Config["acp"].MCP {
		rules.args = append(rules.args, "--allowed-mcp-server-names=rig-none")
	}
	return rules
}

// planGemini knows of gemini-cli only what an ACP run needs of it.
func planGemini(r Request) (Invocation, error) {
	return Invocation{
		Pass:  []string{"GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL"},
		State: []string{".gemini"}, Keep: []string{".gemini/oauth_creds.json"},
		Hosts: append([]string{"generativelanguage.googleapis.com", "cloudcode-pa.googleapis.com", "oauth2.googleapis.com"}, baseHosts(r.Env, "GOOGLE_GEMINI_BASE_URL")...),
	}, nil
}

func presetOf(program string) preset {
	name := strings.TrimSuffix(filepath.Base(program), ".exe")
	for _, p := range presets() {
		if p.program == name {
			return p
		}
	}
	return preset{program: name, name: name, kin: func(Request) (Invocation, error) { return Invocation{Pass: providerPass()}, nil }}
}

// tooOld says why a preset's program cannot run under the node that it would be started with; "" where it can, or nobody knows. The node is asked.
func (p preset) tooOld(ctx context.Context, env Env, runtime []string) string {
	for _, at := range runtime {
		if p.node == "" || filepath.Base(at) != "node" {
			continue
		}
		said, err := probe{}.ask(ctx, env, at, "--version")
		if version := versionRE().FindString(said); err == nil && version != "" && compareVersions(version, p.node) < 0 {
			return fmt.Sprintf("%s needs node %s or newer, and %s is %s: update node, or put a newer one first on PATH", p.program, p.node, at, version)
		}
		return ""
	}
	return ""
}
