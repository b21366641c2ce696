package adapters

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"strings"
)

// pi is the pi coding agent (`pi --mode json`), verified with 0.73.1.
type pi struct{}

func (pi) Name() string { return "pi" }

func (pi) Detect(ctx context.Context, env Env) Detection {
	d := probe{
		name:     "pi",
		install:  "install it with `npm install -g @earendil-works/pi-coding-agent`, or choose another agent",
		floor:    "0.70",
		help:     []string{"--help"},
		features: map[string]string{"no-approve": "-na"},
		vars:     []string{"PI_OFFLINE=1", "PI_TELEMETRY=0"},
	}.detect(ctx, env)
	d.Webless = true // neither a web tool nor, in a fetch, a shell
	d.Hosts = configHosts(env.Home, path.Join(stateDir(env, "PI_CODING_AGENT_DIR", ".pi/agent"), "models.json"))
	return d
}

// piGate is the extension that judges each tool call; pi has no permissions of its own.
//
//go:embed pi_gate.js
var piGate []byte

func (pi) Plan(r Request) (Invocation, error) {
	policy, err := json.Marshal(struct {
		Cwd      string   `json:"cwd"`
		Write    bool     `json:"write"`
		ReadOnly []string `json:"readOnly"`
		Commands []string `json:"commands"`
		Exact    []string `json:"exact,omitempty"`
		Denied   []string `json:"denied"`
	}{r.Cwd, r.Grant.Write, append([]string{".git", ".pi", ".rig-readonly"}, r.ReadOnly...), r.Grant.Commands, r.Grant.Exact, r.Grant.Denied})
	if err != nil {
		return Invocation{}, fmt.Errorf("render pi's gate: %w", err)
	}
	files := map[string][]byte{"gate.js": piGate, "policy.json": policy}
	tools := []string{"read", "grep", "find", "ls"}
	if r.Grant.Write {
		tools = append(tools, "write", "edit")
	}
	if len(r.Grant.Commands) > 0 {
		tools = append(tools, "bash")
	}
	// A project's own extensions would run without being asked for: only ours.
	argv := []string{
		r.Detection.Path, "--mode", "json", "--no-session", "--tools", strings.Join(tools, ","),
		"--no-extensions", "-e", "{files}/gate.js", "--no-skills", "--no-prompt-templates",
	}
	if r.Detection.Features["no-approve"] { // from 1.0; unknown to older ones, which would end with an error
		argv = append(argv, "-na")
	}
	if r.System != "" {
		files["system.md"] = []byte(r.System)
		argv = append(argv, "--append-system-prompt", "{files}/system.md")
	}
	if r.Model != "" {
		argv = append(argv, "--model", r.Model)
	}
	agentDir := stateDir(r.Env, "PI_CODING_AGENT_DIR", ".pi/agent")
	state := agentDir
	if agentDir == ".pi/agent" {
		state = ".pi"
	}
	env := append([]string{"PI_OFFLINE=1", "PI_TELEMETRY=0", "RIG_GATE_POLICY={files}/policy.json"}, pathEnv(r.Env, r.Detection.Path)...)
	return withConfig(Invocation{
		Argv:    argv,
		Env:     append(env, boardEnv(r)...),
		Pass:    append(providerPass(), "PI_CODING_AGENT_DIR"),
		Stdin:   []byte(r.Prompt),
		Files:   files,
		State:   []string{state},
		Keep:    []string{path.Join(agentDir, "auth.json")},
		Visible: visible(r.Detection),
		Hosts:   providerHosts(r),
	}, r.Env.Config["pi"]), nil
}

func (pi) Converse(_ context.Context, rw io.ReadWriter, emit func(Event)) Outcome {
	s := &piStream{feed: newFeed("pi", emit)}
	return s.read(rw)
}

// piShim is the extension that tells our emitter what goes on.
//
//go:embed wire_pi.ts
var piShim string

// Wire puts an extension into the project.
func (pi) Wire(_ context.Context, w WireRequest) (WireReport, error) {
	report, err := wireFile(w, ".pi/extensions/rig.ts", shimFile{w.Env, piShim})
	if err == nil && !w.Remove {
		report.Lines = append(report.Lines, "pi 1.0 and newer load extensions of a project only once you trust it")
	}
	return report, err
}
