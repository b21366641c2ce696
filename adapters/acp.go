package adapters

import (
	"context"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
)

// acpAgent is any agent of the Agent Client Protocol (https://agentclientprotocol.com). Config names the program
// (agent.acp.command and args); without it the first preset that is installed is taken.
type acpAgent struct{}

func (acpAgent) Name() string { return "acp" }

// Detect starts no agent: not every bridge answers --version, and some never end by themselves. The node below one may be asked for its version.
func (acpAgent) Detect(ctx context.Context, env Env) Detection {
	f := newFinder(env)
	var found, first string // first is one that was found and cannot run
	var err error
	if env.Config["acp"].Command != "" {
		if found, err = f.program("acp"); err != nil {
			return Detection{Why: err.Error() + ": check agent.acp.command"}
		}
	} else {
		for _, p := range presets() {
			at, err := f.find(p.program)
			if err != nil {
				continue
			}
			if runtime, err := runtimeOf(env, at); err == nil {
				if p.tooOld(ctx, env, runtime) != "" {
					first = firstOf(first, at)
					continue
				}
			}
			found = at
			break
		}
		found = firstOf(found, first)
	}
	if found == "" {
		return Detection{Why: "no agent of the Agent Client Protocol was found: name its program in agent.acp.command"}
	}
	runtime, err := runtimeOf(env, found)
	d := Detection{Installed: true, Usable: err == nil, Path: found, Runtime: runtime}
	if err != nil {
		d.Why = err.Error()
	} else if d.Why = presetOf(found).tooOld(ctx, env, runtime); d.Why != "" {
		d.Usable = false
	}
	if p := presetOf(found); p.servers != nil {
		d.Servers = p.servers(env)
	}
	if presetOf(found).name == "opencode" {
		d = withDatabase(d, env)
	}
	d.Hosts = configHosts(env.Home, ".config/opencode/opencode.json", ".config/opencode/opencode.jsonc", ".codex/config.toml", ".claude/settings.json")
	return d
}

func (acpAgent) Plan(r Request) (Invocation, error) {
	p := presetOf(r.Detection.Path)
	r = withBrief(r)
	bare := r
	bare.System, bare.Brief = "", "" // it goes with the prompt
	config := r.Env.Config["acp"]
	own := r.Env.Config[p.name]
	own.MCP = config.MCP
	bare.Env.Config = map[string]AgentConfig{p.name: own}
	kin, err := p.kin(bare)
	if err != nil {
		return Invocation{}, fmt.Errorf("plan for %s: %w", p.program, err)
	}
	argv := []string{r.Detection.Path}
	if len(config.Args) == 0 {
		argv = append(argv, p.args...)
	}
	var rules acpRules
	if p.rules != nil {
		rules = p.rules(r)
	}
	if r.Confined {
		p.mode = firstOf(p.confined, p.mode)
	}
	argv = append(argv, rules.args...)
	v := Invocation{
		Argv: argv, TwoWay: true,
		Pass: kin.Pass, State: kin.State, Keep: kin.Keep, Hosts: append(slices.Clone(kin.Hosts), r.Detection.Hosts...),
		Files: kin.Files, Visible: visible(r.Detection),
		Env: append(pathEnv(r.Env, r.Detection.Path), boardEnv(r)...),
	}
	for _, kv := range append(kin.Env, rules.env...) {
		name, value, _ := strings.Cut(kv, "=")
		v.Env = setEnv(v.Env, name, value)
	}
	v.Talk = func(ctx context.Context, rw io.ReadWriter, emit func(Event)) Outcome {
		return talkACP(ctx, rw, emit, r, acpSession{program: p.program, mode: p.mode, meta: rules.meta, modelByArgs: slices.ContainsFunc(rules.args, func(a string) bool { return strings.HasPrefix(a, "--model") })})
	}
	return withConfig(v, config), nil
}

// Converse cannot speak without the request that it speaks for: Invocation.Talk does.
func (acpAgent) Converse(context.Context, io.ReadWriter, func(Event)) Outcome {
	return Outcome{Failure: &Failure{Kind: "config", Message: "acp is a two-way protocol and was read only", Hint: "this is rig's mistake: report it"}}
}

func (acpAgent) Wire(context.Context, WireRequest) (WireReport, error) {
	return WireReport{Status: "none", Lines: []string{"acp: the protocol has no interactive sessions to wire"}}, nil
}

// acpPrompt is the whole text: the protocol has no place for a system text, and a "/" in front would be a command.
func acpPrompt(r Request) string {
	if r.System != "" {
		return r.System + "\n\n---\n\n" + r.Prompt
	}
	return noCommand(r.Prompt)
}

// acpRel shortens a path for an event.
func acpRel(cwd, file string) string { return relTo(path.Clean(cwd), file) }
