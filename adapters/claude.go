package adapters

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"path"
	"strings"
)

// claude is Claude Code (`claude -p`), verified with 2.1.197.
type claude struct{}

func (claude) Name() string { return "claude" }

// claudeFlags are the options that older versions may lack, each with the text of --help that shows it.
func claudeFlags() map[string]string {
	return map[string]string{
		"append-system-prompt-file": "append-system-prompt[-file]",
		"dontAsk":                   "dontAsk",
		"no-session-persistence":    "--no-session-persistence",
		"setting-sources":           "--setting-sources",
		"strict-mcp-config":         "--strict-mcp-config",
		"tools":                     "--tools ",
	}
}

func (claude) Detect(ctx context.Context, env Env) Detection {
	d := probe{
		name:     "claude",
		install:  "install it with `npm install -g @anthropic-ai/claude-code`, or choose another agent",
		floor:    "2.0",
		help:     []string{"--help"},
		features: claudeFlags(),
		vars:     []string{"DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"},
	}.detect(ctx, env)
	d.Hosts = configHosts(env.Home, path.Join(stateDir(env, "CLAUDE_CONFIG_DIR", ".claude"), "settings.json"))
	if d.Usable && d.Features != nil && !d.Features["dontAsk"] && !d.Features["tools"] {
		d.Usable = false
		d.Why = fmt.Sprintf("claude %s can neither be limited to some tools nor told to ask nothing: update it", d.Version)
	}
	return d
}

func (c claude) Plan(r Request) (Invocation, error) {
	r = withBrief(r)
	settings, err := json.MarshalIndent(claudeSettings(r), "", "  ")
	if err != nil {
		return Invocation{}, fmt.Errorf("render claude's rules: %w", err)
	}
	d := r.Detection
	argv := []string{d.Path, "-p", "--output-format", "stream-json", "--verbose"}
	add := func(feature string, args ...string) {
		if d.has(feature) {
			argv = append(argv, args...)
		}
	}
	// A project's .claude/settings.json is honoured without any trust (hooks, even the base URL): only the user's own counts.
	add("setting-sources", "--setting-sources=user")
	if !r.Env.Config["claude"].MCP {
		add("strict-mcp-config", "--strict-mcp-config")
	}
	add("no-session-persistence", "--no-session-persistence")
	add("dontAsk", "--permission-mode", "dontAsk")
	// Variadic options get one comma-joined value; no positional argument ever follows (case o-ag-04).
	add("tools", "--tools="+strings.Join(claudeTools(r.Grant), ","))
	argv = append(argv, "--settings", "{files}/settings.json")
	files := map[string][]byte{"settings.json": settings}
	prompt := r.Prompt
	if r.System != "" {
		if d.has("append-system-prompt-file") {
			argv = append(argv, "--append-system-prompt-file", "{files}/system.md")
			files["system.md"] = []byte(r.System)
		} else {
			prompt = r.System + "\n\n---\n\n" + r.Prompt
		}
	}
	if r.Model != "" {
		argv = append(argv, option("--model", r.Model)...)
	}
	state := stateDir(r.Env, "CLAUDE_CONFIG_DIR", ".claude")
	v := Invocation{
		Argv:    argv,
		Env:     claudeEnv(r),
		Pass:    claudePass(r.Env),
		Stdin:   []byte(noCommand(prompt)),
		Files:   files,
		State:   []string{state, ".claude.json"},
		Keep:    []string{path.Join(state, ".credentials.json")},
		Visible: visible(d),
		Hosts:   append(claudeHosts(r.Env), d.Hosts...),
		Stop:    os.Interrupt, // TERM sometimes leaves the running command behind, INT does not
	}
	return withConfig(v, r.Env.Config["claude"]), nil
}

// noCommand is a prompt that is not taken for a command: "/" in front is one even on stdin, and "!" and "#" are in a terminal. A leading newline
// prevents it; any other prompt goes as it is.
func noCommand(prompt string) string {
	if prompt != "" && strings.ContainsRune("/!#", rune(prompt[0])) {
		return "\n" + prompt
	}
	return prompt
}

// claudeTools are the tools that exist for the run. Grep and Glob are not in the default set and come back by being named.
func claudeTools(g Grant) []string {
	tools := []string{"Read", "Grep", "Glob"}
	if len(g.Commands) > 0 {
		tools = append(tools, "Bash")
	}
	if g.Write {
		tools = append(tools, "Edit", "Write")
	}
	if g.Web {
		tools = append(tools, "WebFetch", "WebSearch")
	}
	return tools
}

type claudeRules struct {
	Permissions struct {
		Allow []string `json:"allow"`
		Deny  []string `json:"deny"`
	} `json:"permissions"`
	SkipWebFetchPreflight bool `json:"skipWebFetchPreflight,omitempty"`
}

// claudeSettings renders a grant. Edit rules govern Write too; a bare Edit or Write would be the whole file system.
func claudeSettings(r Request) claudeRules {
	var s claudeRules
	allow := []string{"Read(./**)", "Grep", "Glob"}
	if r.Grant.Write {
		allow = append(allow, "Edit(./**)")
	}
	if r.Grant.Web {
		allow = append(allow, "WebFetch", "WebSearch")
		// Before each page it asks api.anthropic.com about the page's host, and reads nothing where a base URL leads elsewhere and that one cannot be
		// reached (2.1.197). The user named the page, and the sandbox lets no other host through.
		s.SkipWebFetchPreflight = true
	}
	for _, c := range r.Grant.Commands {
		allow = append(allow, "Bash("+c+":*)")
	}
	for _, c := range r.Grant.Exact {
		allow = append(allow, "Bash("+c+")")
	}
	deny := []string{"Edit(./.claude/**)", "Edit(./.git/**)", "Edit(./.rig-readonly/**)"}
	for _, p := range r.ReadOnly {
		p = claudePattern(p)
		deny = append(deny, "Edit(./"+p+")", "Edit(./"+p+"/**)")
	}
	for _, c := range r.Grant.Denied {
		deny = append(deny, "Bash("+c+":*)")
	}
	s.Permissions.Allow, s.Permissions.Deny = allow, deny
	return s
}

// claudePattern escapes what gitignore patterns, which the rules are, take for wildcards.
func claudePattern(rel string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(strings.TrimSuffix(rel, "/"))
}

func claudeEnv(r Request) []string {
	env := []string{
		"DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"CLAUDE_CODE_MAX_RETRIES=4", // its own default of 10 takes minutes
	}
	env = append(env, pathEnv(r.Env, r.Detection.Path)...)
	return append(env, boardEnv(r)...)
}

// claudePass names the user's variables that claude may see: how to reach and pay for a model. The list has no CLAUDE_* wildcard, so the
// markers of a session that we were started from (CLAUDECODE, CLAUDE_CODE_ENTRYPOINT …) stay outside (case o-ag-13); cloud credentials
// go in only where they pay for the model.
func claudePass(env Env) []string {
	pass := []string{
		"ANTHROPIC_*", "CLAUDE_CONFIG_DIR", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_MAX_OUTPUT_TOKENS", "CLAUDE_CODE_API_KEY_HELPER_TTL_MS",
		"CLAUDE_CODE_CLIENT_CERT", "CLAUDE_CODE_CLIENT_KEY", "MAX_THINKING_TOKENS", "API_TIMEOUT_MS",
	}
	for _, cloud := range clouds() {
		if on(env.Get(cloud.use)) {
			pass = append(append(pass, cloud.use), cloud.vars...)
		}
	}
	return pass
}

// A cloud is another way to a model than the vendor's own API, switched on by a variable.
type cloud struct {
	use  string
	vars []string
	host func(Env) string
}

func clouds() []cloud {
	return []cloud{
		{"CLAUDE_CODE_USE_BEDROCK", []string{"AWS_*", "CLAUDE_CODE_SKIP_BEDROCK_AUTH", "DISABLE_PROMPT_CACHING"}, func(e Env) string {
			return "bedrock-runtime." + region(e, "us-east-1", "AWS_REGION", "AWS_DEFAULT_REGION") + ".amazonaws.com"
		}},
		{"CLAUDE_CODE_USE_VERTEX", []string{"CLOUD_ML_REGION", "VERTEX_REGION_*", "GOOGLE_CLOUD_PROJECT", "GOOGLE_APPLICATION_CREDENTIALS", "GCLOUD_PROJECT", "CLAUDE_CODE_SKIP_VERTEX_AUTH"}, func(e Env) string {
			return region(e, "us-east5", "CLOUD_ML_REGION") + "-aiplatform.googleapis.com"
		}},
	}
}

func region(env Env, otherwise string, names ...string) string {
	for _, n := range names {
		if v := env.Get(n); v != "" {
			return v
		}
	}
	return otherwise
}

func on(v string) bool { return v != "" && v != "0" && !strings.EqualFold(v, "false") }

func claudeHosts(env Env) []string {
	for _, c := range clouds() {
		if on(env.Get(c.use)) {
			return append([]string{c.host(env)}, baseHosts(env, "ANTHROPIC_BEDROCK_BASE_URL", "ANTHROPIC_VERTEX_BASE_URL")...)
		}
	}
	hosts := []string{"api.anthropic.com", "platform.claude.com", "console.anthropic.com"}
	return append(hosts, baseHosts(env, "ANTHROPIC_BASE_URL")...)
}

// baseHosts are the "host:port" of URLs that the user's variables name.
func baseHosts(env Env, names ...string) []string {
	var hosts []string
	for _, n := range names {
		if h := urlHost(env.Get(n)); h != "" {
			hosts = append(hosts, h)
		}
	}
	return hosts
}

// urlHost is "host" or, where the URL names a port, "host:port"; "" for no URL.
func urlHost(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return ""
	}
	return u.Host
}

// visible is what must be readable for the program to run: its path and its runtime.
func visible(d Detection) []string {
	return append([]string{d.Path}, d.Runtime...)
}

// Wire puts hooks into the project's own settings.
func (claude) Wire(_ context.Context, w WireRequest) (WireReport, error) {
	return wireFile(w, ".claude/settings.json", hookFile{agent: "claude", command: emitCommand(w.Env, "claude"), events: []hookEvent{
		{"SessionStart", false}, {"PreToolUse", true}, {"PostToolUse", true}, {"PostToolUseFailure", true}, {"Stop", false}, {"SessionEnd", false},
	}})
}

func (claude) Converse(_ context.Context, rw io.ReadWriter, emit func(Event)) Outcome {
	s := &claudeStream{feed: newFeed("claude", emit)}
	return s.read(rw)
}
