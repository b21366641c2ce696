package adapters

import (
	"context"
	"encoding/json"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// codex is OpenAI's Codex CLI (`codex exec`), verified with 0.171.0.
type codex struct{}

func (codex) Name() string { return "codex" }

func (codex) Detect(ctx context.Context, env Env) Detection {
	d := probe{
		name:    "codex",
		install: "install it with `npm install -g @openai/codex`, or choose another agent",
		floor:   "0.138", // permission profiles
		help:    []string{"exec", "--help"},
		features: map[string]string{
			"ephemeral":    "--ephemeral",
			"ignore-rules": "--ignore-rules",
		},
	}.detect(ctx, env)
	d.Hosts, d.Servers = configHosts(env.Home, codexConfig(env)), codexServers(env)
	return d
}

// codexConfig is the user's config file, below HOME.
func codexConfig(env Env) string {
	return path.Join(stateDir(env, "CODEX_HOME", ".codex"), "config.toml")
}

func codexServers(env Env) []string {
	return tomlServers(filepath.Join(env.Home, filepath.FromSlash(codexConfig(env))))
}

// maxInstructions is the longest system text that goes into argv, as the only way to add to codex's own; a longer one leads the prompt.
const maxInstructions = 16 << 10

func (codex) Plan(r Request) (Invocation, error) {
	d := r.Detection
	argv := []string{d.Path, "exec", "--json", "--skip-git-repo-check", "-C", r.Cwd}
	for _, f := range []string{"ephemeral", "ignore-rules"} {
		if d.has(f) {
			argv = append(argv, "--"+f)
		}
	}
	// Without the first it waits 5 seconds at exit when offline, without the last it retries a refused connection for ever.
	argv = append(argv, "-c", "analytics.enabled=false", "-c", "check_for_update_on_startup=false", "--disable", "unbounded_connection_retries")
	if len(d.Servers) > 0 && !r.Env.Config["codex"].MCP {
		argv = append(argv, "-c", serversOff(d.Servers))
	}
	argv = append(argv, codexSandbox(r)...)
	prompt := r.Prompt
	switch {
	case len(r.System) > maxInstructions:
		prompt = r.System + "\n\n---\n\n" + r.Prompt
	case r.System != "":
		argv = append(argv, "-c", "developer_instructions="+tomlString(r.System))
	}
	if r.Model != "" {
		argv = append(argv, option("--model", r.Model)...)
	}
	state := stateDir(r.Env, "CODEX_HOME", ".codex")
	v := withConfig(Invocation{
		Argv:    argv,
		Env:     append(append([]string{"RUST_LOG=error"}, pathEnv(r.Env, d.Path)...), boardEnv(r)...),
		Pass:    []string{"OPENAI_*", "AZURE_OPENAI_*", "CODEX_HOME", "CODEX_API_KEY"},
		Stdin:   []byte(prompt),
		State:   []string{state},
		Keep:    []string{path.Join(state, "auth.json")},
		Visible: visible(d),
		Hosts:   append(append([]string{"api.openai.com", "auth.openai.com", "chatgpt.com"}, baseHosts(r.Env, "OPENAI_BASE_URL")...), d.Hosts...),
	}, r.Env.Config["codex"])
	v.Argv = append(v.Argv, "-") // the prompt comes by stdin
	return v, nil
}

// codexSandbox renders a grant. Codex has no list of tools and no list of commands, only where may be written; below our own sandbox its
// own cannot work (bwrap in Landlock) and is off.
func codexSandbox(r Request) []string {
	switch {
	case r.Confined:
		return []string{"-s", "danger-full-access"}
	case !r.Grant.Write:
		return []string{"-s", "read-only"}
	}
	roots := []string{`"."="write"`}
	if slices.ContainsFunc(r.Grant.Commands, func(c string) bool { return strings.HasPrefix(c, "git commit") || strings.HasPrefix(c, "git add") }) {
		roots = append(roots, `".git"="write"`, `".git/hooks"="read"`, `".git/config"="read"`)
	}
	for _, p := range r.ReadOnly {
		roots = append(roots, tomlString(strings.TrimSuffix(p, "/"))+`="read"`)
	}
	network := "false"
	if r.Grant.Web || len(r.Grant.Exact) > 0 || slices.ContainsFunc(r.Grant.Commands, func(c string) bool { return strings.HasPrefix(c, "gh ") || c == "git fetch" }) {
		network = "true"
	}
	return []string{
		"-c", `default_permissions="rig"`,
		"-c", `permissions.rig={extends=":workspace",filesystem={":workspace_roots"={` + strings.Join(roots, ",") + `},":tmpdir"="read",":slash_tmp"="read"},network={enabled=` + network + `}}`,
	}
}

// tomlString quotes s: JSON's escapes are among those of TOML's basic strings.
func tomlString(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always marshals
	}
	return string(b)
}

func (codex) Converse(_ context.Context, rw io.ReadWriter, emit func(Event)) Outcome {
	s := &codexStream{feed: newFeed("codex", emit)}
	return s.read(rw)
}

// Wire puts hooks into the project. Codex runs them only where the user trusts both, which is not ours to say.
func (codex) Wire(_ context.Context, w WireRequest) (WireReport, error) {
	report, err := wireFile(w, ".codex/hooks.json", hookFile{agent: "codex", command: emitCommand(w.Env, "codex"), events: []hookEvent{
		{"SessionStart", false}, {"PreToolUse", true}, {"PostToolUse", true}, {"Stop", false}, {"SessionEnd", false},
	}})
	if err == nil && !w.Remove {
		report.Lines = append(report.Lines, "codex runs hooks of a project only once you trust the project and, with /hooks in codex, each of them; after a change it asks again")
	}
	return report, err
}
