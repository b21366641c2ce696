package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rigwiki/rig/adapters"
	"github.com/rigwiki/rig/adapters/adaptertest"
	"github.com/rigwiki/rig/adapters/board"
)

// ownSessions are how a person would start each agent in a project, without a terminal.
var ownSessions = map[string]struct {
	argv []string
	vars []string
	home func(d *desk)
}{
	"claude": {argv: []string{"claude", "-p", "--permission-mode", "acceptEdits", "--allowedTools", "Bash(ls:*)"}},
	"codex": {argv: []string{"codex", "exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "-s", "danger-full-access", "-m", "gpt-5.5", "-"},
		vars: []string{"FAKE_API_KEY=sk-test"},
		home: func(d *desk) { // the trust that codex asks a person for
			text, _ := os.ReadFile(filepath.Join(d.homeDir, ".codex/config.toml"))
			d.home(".codex/config.toml", string(text)+"[projects."+strconv.Quote(d.neighbour)+"]\ntrust_level = \"trusted\"\n")
		}},
	"opencode": {argv: []string{"opencode", "run", "--model", "fake/fake-model"}, vars: []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "npm_config_offline=true"}},
	"pi":       {argv: []string{"pi", "-p", "--no-session", "--model", "fake/fake-model"}, vars: []string{"PI_OFFLINE=1", "PI_TELEMETRY=0"}},
}

// agentWire wires a project, and has the agent report a session there that rig did not start.
func agentWire(t *testing.T, d *desk) {
	own, ok := ownSessions[d.agent.name]
	if !ok {
		t.Skipf("%s has no sessions of its own", d.agent.name)
	}
	if own.home != nil {
		own.home(d)
	}
	if out, err := d.command(t.Context(), "wire", d.neighbour, "--agent", d.agent.name).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	d.write(filepath.Join(d.neighbour, "a.md"), "alpha\n")
	var events []string
	var said string
	for tries := 3; tries > 0; tries-- { // a hook drops what a busy board does not take at once: then the session is held again
		var told []string
		told, said = d.ownSession(t, own.argv, own.vars)
		events = append(events, told...)
		missing := untold(d.agent.name, events)
		t.Logf("%q", told)
		if missing == "" {
			break
		}
		if tries == 1 {
			t.Errorf("no %q among %q\n%s", missing, events, said)
		}
	}
	if text, err := os.ReadFile(filepath.Join(d.neighbour, "new.md")); err != nil || string(text) != "made\n" {
		t.Errorf("the session itself: %q, %v\n%s", text, err, said)
	}
	if out, err := d.command(t.Context(), "wire", d.neighbour, "--agent", d.agent.name, "--remove").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	for name, text := range files(t, d.neighbour) {
		if strings.Contains(text, "__emit") && !strings.Contains(name, "node_modules") {
			t.Errorf("%s is still wired: %s", name, text)
		}
	}
}

// untold is the first event that a session must report and that is not there.
func untold(agent string, events []string) string {
	for _, want := range []string{"session", "read running", "read ok", "edit running", "edit ok", "read failed", "idle ok", "end"} {
		if agent == "codex" { // it reads by its shell, of which it tells neither verdict nor patches' end
			want = map[string]string{"read ok": "read", "read failed": "read", "edit ok": "edit running"}[want]
		}
		if want != "" && !slices.Contains(events, want) {
			return want
		}
	}
	return ""
}

// ownSession runs a session in the wired project beside a board, and gives what the board heard, each event as kind and verdict.
func (d *desk) ownSession(t *testing.T, argv, vars []string) (events []string, said string) {
	t.Helper()
	var mu sync.Mutex
	b, err := board.Serve("s3cret", func(e adapters.Event) {
		word := e.Kind
		switch {
		case e.Running:
			word += " running"
		case e.OK != nil && *e.OK:
			word += " ok"
		case e.OK != nil:
			word += " failed"
		}
		if e.Agent != "a1" || e.Task != "t.md" || e.Session == "" || e.File != "" && filepath.IsAbs(e.File) {
			word += fmt.Sprintf(" by %q for %q in %q on %q", e.Agent, e.Task, e.Session, e.File)
		}
		mu.Lock()
		defer mu.Unlock()
		events = append(events, word)
	})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	cmd.Path = filepath.Join(os.Getenv("RIG_AGENTS"), argv[0])
	cmd.Err = nil
	cmd.Dir = d.neighbour
	cmd.Env = append(append(slices.Clone(d.vars), vars...), "BOARD_PORT="+strconv.Itoa(b.Port()), "BOARD_TOKEN=s3cret", "BOARD_AGENT_ID=a1", "BOARD_TASK=t.md")
	cmd.Stdin = strings.NewReader("Do it. " + adaptertest.Script(
		adaptertest.Step{Op: "read", Path: filepath.Join(d.neighbour, "a.md")},
		adaptertest.Step{Op: "write", Path: filepath.Join(d.neighbour, "new.md"), Content: "made\n"},
		adaptertest.Step{Op: "bash", Cmd: "ls missing"},
		adaptertest.Step{Op: "say", Text: "Said and done."}))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v: %s", err, out)
	}
	ended := func() bool {
		mu.Lock()
		defer mu.Unlock()
		return slices.Contains(events, "end")
	}
	for deadline := time.Now().Add(20 * time.Second); !ended() && time.Now().Before(deadline); { // the last may be under way; one that was dropped never comes
		time.Sleep(10 * time.Millisecond)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	return events, string(out)
}
