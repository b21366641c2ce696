package adapters

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestFindsManaged: with the poor PATH of a desktop, an agent is found where package and version managers put it. Names are below HOME.
func TestFindsManaged(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("these managers put programs elsewhere there")
	}
	for name, c := range map[string]struct {
		programs, texts, vars, found string // several are parted by blanks; a text is name=content
	}{
		"npm prefix":         {".npm-global2/bin/x-agent", ".npmrc=registry=x\nprefix=~/.npm-global2\n", "", ".npm-global2/bin/x-agent"},
		"npm prefix in HOME": {"mine/bin/x-agent", ".npmrc=prefix=${HOME}/mine", "", "mine/bin/x-agent"},
		"npm variable":       {"mine/bin/x-agent", "", "NPM_CONFIG_PREFIX=~/mine", "mine/bin/x-agent"},
		"nvm highest":        {".nvm/versions/node/v9.1.0/bin/x-agent .nvm/versions/node/v22.1.0/bin/x-agent", "", "", ".nvm/versions/node/v22.1.0/bin/x-agent"},
		"nvm default":        {".nvm/versions/node/v20.2.0/bin/x-agent .nvm/versions/node/v20.11.0/bin/x-agent .nvm/versions/node/v22.1.0/bin/x-agent", ".nvm/alias/default=20\n", "", ".nvm/versions/node/v20.11.0/bin/x-agent"},
		"nvm alias":          {".nvm/versions/node/v20.2.0/bin/x-agent .nvm/versions/node/v22.1.0/bin/x-agent", ".nvm/alias/default=lts/iron .nvm/alias/lts/iron=v20.2.0", "", ".nvm/versions/node/v20.2.0/bin/x-agent"},
		"nvm round":          {".nvm/versions/node/v22.1.0/bin/x-agent", ".nvm/alias/default=a .nvm/alias/a=default", "", ".nvm/versions/node/v22.1.0/bin/x-agent"},
		"nvm without it":     {".nvm/versions/node/v22.1.0/bin/x-agent", ".nvm/alias/default=system", "", ".nvm/versions/node/v22.1.0/bin/x-agent"},
		"nvm elsewhere":      {"e/versions/node/v20.2.0/bin/x-agent e/versions/node/v22.1.0/bin/x-agent", "e/alias/default=v20", "NVM_DIR=~/e", "e/versions/node/v20.2.0/bin/x-agent"},
		"fnm":                {"d/fnm/node-versions/v22.1.0/installation/bin/x-agent", "", "XDG_DATA_HOME=~/d", "d/fnm/node-versions/v22.1.0/installation/bin/x-agent"},
		"volta":              {".volta/bin/x-agent", "", "", ".volta/bin/x-agent"},
		"asdf":               {"a/shims/x-agent", "", "ASDF_DATA_DIR=~/a", "a/shims/x-agent"},
		"mise":               {"m/shims/x-agent", "", "MISE_DATA_DIR=~/m", "m/shims/x-agent"},
		"nodenv":             {".nodenv/shims/x-agent", "", "", ".nodenv/shims/x-agent"},
		"nodenv elsewhere":   {"nn/shims/x-agent", "", "NODENV_ROOT=~/nn", "nn/shims/x-agent"},
		"pnpm":               {".local/share/pnpm/x-agent", "", "", ".local/share/pnpm/x-agent"},
		"pnpm 11":            {"p/bin/x-agent", "", "PNPM_HOME=~/p", "p/bin/x-agent"},
		"bun":                {"b/bin/x-agent", "", "BUN_INSTALL=~/b", "b/bin/x-agent"},
		"nix":                {".nix-profile/bin/x-agent", "", "", ".nix-profile/bin/x-agent"},
		"none":               {"elsewhere/x-agent", ".npmrc=prefix=relative", "", ""},
	} {
		home := t.TempDir()
		write := func(rel, text string, mode os.FileMode) {
			file := filepath.Join(home, rel)
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), mode); err != nil {
				t.Fatal(err)
			}
		}
		for _, p := range strings.Fields(c.programs) {
			write(p, "#!/bin/sh\n", 0o755)
		}
		for _, kv := range strings.Split(c.texts, " ") {
			if file, text, ok := strings.Cut(kv, "="); ok {
				write(file, text, 0o644)
			}
		}
		vars := []string{"PATH=/usr/bin:/bin"}
		for _, v := range strings.Fields(c.vars) {
			vars = append(vars, strings.ReplaceAll(v, "~", home))
		}
		env := Env{Vars: vars, Home: home}
		path, _, err := Program(env, "x-agent")
		want := filepath.Join(home, c.found)
		if c.found == "" {
			want = ""
		}
		if path != want || (err != nil) != (want == "") {
			t.Errorf("%s: %q, want %q; %v", name, path, want, err)
		}
		if root, _, ok := strings.Cut(c.vars, "="); ok && strings.Contains(c.found, "/shims/") && !strings.HasPrefix(strings.Join(pathEnv(env, path), " "), root+"="+home) {
			t.Errorf("%s: the shim is not told its root: %q", name, pathEnv(env, path))
		}
	}
}

// TestNodeBelowABridge: a bridge that its node is too old for is not usable, which is said; another that is there stands in where none was named.
func TestNodeBelowABridge(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the node is a shell script")
	}
	for name, c := range map[string]struct {
		node, other, command string
		usable               bool
		found                string
	}{
		"old":         {"v20.20.2", "", "", false, "claude-agent-acp"},
		"new":         {"v22.3.0", "claude-code-acp", "", true, "claude-agent-acp"},
		"odd":         {"what", "", "", true, "claude-agent-acp"},
		"another":     {"v20.20.2", "claude-code-acp", "", true, "claude-code-acp"},
		"named":       {"v20.20.2", "claude-code-acp", "claude-agent-acp", false, "claude-agent-acp"},
		"named other": {"v20.20.2", "claude-code-acp", "claude-code-acp", true, "claude-code-acp"},
	} {
		dir := t.TempDir()
		programs := map[string]string{"node": "#!/bin/sh\necho " + c.node + "\n", "claude-agent-acp": "#!/usr/bin/env node\n"}
		if c.other != "" {
			programs[c.other] = "#!/usr/bin/env node\n"
		}
		for p, text := range programs {
			if err := os.WriteFile(filepath.Join(dir, p), []byte(text), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		d := acpAgent{}.Detect(t.Context(), Env{Vars: []string{"PATH=" + dir + ":/usr/bin:/bin"}, Home: dir, Config: map[string]AgentConfig{"acp": {Command: c.command}}})
		if d.Usable != c.usable || filepath.Base(d.Path) != c.found || !c.usable && !strings.Contains(d.Why, "needs node 22 or newer, and "+dir+"/node is 20.20.2") {
			t.Errorf("%s: %+v", name, d)
		}
	}
}
