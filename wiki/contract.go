package wiki

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rigwiki/rig/adapters"
)

// ContractRun is what the environment of the directory-adapter contract asks of an agent (design, section 8). It serves hosts other than ours:
// they confine the agent, so the vendor's own rules are rendered in full.
type ContractRun struct {
	Adapter adapters.Adapter
	Cwd     string // absolute
	Env     []string
	adapters.Invocation
}

// Contract plans a run of the agent called name as env asks for it: AGENT_PROMPT or AGENT_PROMPT_FILE, AGENT_MODE, AGENT_COMMANDS, AGENT_MODEL,
// AGENT_CWD, BOARD_*. The error is ErrAgent where it cannot run here.
func (h *Host) Contract(ctx context.Context, name string, env []string) (ContractRun, error) {
	cfg, _, err := LoadConfig(h.rigHome, nil, nil)
	if err != nil {
		return ContractRun{}, err
	}
	a, err := h.registry(nil, cfg).Builtin(name)
	if err != nil {
		return ContractRun{}, fmt.Errorf("%w: %w", ErrAgent, err)
	}
	e := h.adapterEnv(nil, cfg)
	d := a.Detect(ctx, e)
	if !d.Usable {
		return ContractRun{}, fmt.Errorf("%w: %s: %s", ErrAgent, name, d.Why)
	}
	r, err := contractRequest(env)
	if err != nil {
		return ContractRun{}, err
	}
	r.Detection, r.Env = d, e
	inv, err := a.Plan(r)
	if err != nil {
		return ContractRun{}, fmt.Errorf("plan %s: %w", name, err)
	}
	pass := append(slices.Clone(inv.Pass), "GIT_*", "SSH_AUTH_SOCK", "GH_*", "GITHUB_*", "TMPDIR") // a host that has given them meant them
	return ContractRun{Adapter: a, Cwd: r.Cwd, Invocation: inv, Env: agentEnv(h.env, pass, slices.Concat(inv.Env, configEnv(cfg.Agent[name])))}, nil
}

// contractRequest reads the contract's variables.
func contractRequest(env []string) (adapters.Request, error) {
	get := func(name string) string { return LookupVar(env, name) }
	mode := adapters.Mode(get("AGENT_MODE"))
	op, known := FindOp(string(mode))
	if !known || !op.Task {
		return adapters.Request{}, fmt.Errorf("AGENT_MODE is %q: work, act-pr or review is needed", mode)
	}
	grant, commands := op.Grant, commandList(get("AGENT_COMMANDS"))
	if mode == adapters.Review {
		commands = nil
	}
	grant.Commands = slices.Concat(grant.Commands, commands)
	prompt := get("AGENT_PROMPT")
	if file := get("AGENT_PROMPT_FILE"); file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			return adapters.Request{}, fmt.Errorf("read AGENT_PROMPT_FILE: %w", err)
		}
		prompt = string(text)
	}
	if prompt == "" {
		return adapters.Request{}, fmt.Errorf("AGENT_PROMPT is empty")
	}
	cwd := get("AGENT_CWD")
	if cwd == "" {
		cwd = "."
	}
	cwd, err := filepath.Abs(cwd)
	if err != nil {
		return adapters.Request{}, err
	}
	r := adapters.Request{Op: string(mode), Mode: mode, Prompt: prompt, Model: get("AGENT_MODEL"), Cwd: cwd, Grant: grant, Commands: commands, Task: get("BOARD_TASK"),
		Board: adapters.Board{AgentID: get("BOARD_AGENT_ID"), Token: get("BOARD_TOKEN")}}
	if port := get("BOARD_PORT"); port != "" {
		if r.Board.Port, err = strconv.Atoi(port); err != nil {
			return adapters.Request{}, fmt.Errorf("BOARD_PORT is %q: no port", port)
		}
	}
	return r, nil
}

// Export writes the agent called name as a directory adapter: two scripts that call our binary with the contract's environment. A folder that holds
// something is refused. It returns the files made.
func (h *Host) Export(ctx context.Context, name, dir string) ([]string, error) {
	cfg, _, err := LoadConfig(h.rigHome, nil, nil)
	if err != nil {
		return nil, err
	}
	if _, err := h.registry(nil, cfg).Builtin(name); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAgent, err)
	}
	if name == extractive {
		return nil, fmt.Errorf("export %s: it follows no prompt, so no other host could tell it what to do", name)
	}
	if list, err := os.ReadDir(dir); err == nil && len(list) > 0 {
		return nil, fmt.Errorf("export %s: %s is not empty", name, dir)
	} else if err != nil && !os.IsNotExist(err) {
		return nil, fmt.Errorf("export %s: %w", name, err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("export %s: %w", name, err)
	}
	var made []string
	for _, s := range []struct{ file, what, verb, args string }{
		{"run", "starts " + name + " for any host of the directory-adapter contract (AGENT_PROMPT, AGENT_MODE, …)", "__run", ""},
		{"wire", "makes a project's own sessions of " + name + " report events: wire PROJECT [--dry-run]", "__wire", ` "$@"`},
	} {
		file := filepath.Join(dir, s.file)
		script := "#!/bin/sh\n# " + s.what + ".\n# The work is done by rig; RIG names another binary of it.\nexec \"${RIG:-" + shellQuoted(h.self) + "}\" wiki " + s.verb + " " + name + s.args + "\n"
		if err := os.WriteFile(file, []byte(script), 0o755); err != nil {
			return made, fmt.Errorf("export %s: %w", name, err)
		}
		made = append(made, file)
	}
	return made, nil
}

// shellQuoted escapes s for a default value between double quotes.
func shellQuoted(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`", "}", `\}`).Replace(s)
}
