package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rigwiki/rig/adapters"
	"github.com/rigwiki/rig/adapters/adaptertest"
	"github.com/rigwiki/rig/adapters/board"
)

// agentDoctor demands that an agent passes our own examination.
func agentDoctor(t *testing.T, d *desk) {
	args := []string{"agent", "doctor", d.agent.name, "--model-server", d.url}
	if d.agent.model != "" {
		args = append(args, "--model", d.agent.model)
	}
	out, err := d.command(t.Context(), args...).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	d.untouched()
}

// agentExported lets us be the other host: an exported agent ingests as a directory adapter, in our own sandbox, with what config gives it.
func agentExported(t *testing.T, d *desk) {
	dir := filepath.Join(d.rigHome, "adapters", "mine")
	if out, err := d.command(t.Context(), "agent", "export", d.agent.name, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	// What stands behind an adapter of a folder is for its user to tell.
	read, err := filepath.EvalSymlinks(filepath.Dir(os.Getenv("RIG_AGENTS")))
	if err != nil {
		t.Fatal(err)
	}
	d.config(`{wiki: {agent: {mine: {env: {ANTHROPIC_BASE_URL: "` + d.url + `", ANTHROPIC_API_KEY: "sk-test"}}}, sandbox: {read: ["` + read + `"]}}}`)
	mine := *d
	mine.agent.name = "mine"
	w := mine.do(0, "ingest", "raw/roses.md", "--note", adaptertest.Script(
		adaptertest.Step{Op: "write", Path: d.wiki + "/sources/roses.md", Content: page("Roses")},
		adaptertest.Step{Op: "write", Path: d.neighbour + "/escaped.md", Content: "x\n"},
		adaptertest.Step{Op: "say", Text: "INGEST DONE: roses"}))
	if len(w.Data.Files) != 1 || w.Data.Files[0].Path != "sources/roses.md" || w.Data.Agent != "mine" || len(w.Data.Markers) != 1 {
		t.Errorf("%s by %s: files %+v, markers %q\n%s", w.Data.State, w.Data.Agent, w.Data.Files, w.Data.Markers, d.logs(w))
	}
	text, err := os.ReadFile(d.runFile(w, "events.jsonl"))
	if err != nil || !strings.Contains(string(text), `"kind":"edit"`) {
		t.Errorf("its events did not reach us: %v, %s", err, text)
	}
	d.untouched()
}

// agentExport plays another host, which calls an agent that was exported as a directory adapter.
func agentExport(t *testing.T, d *desk) {
	dir := filepath.Join(d.top, "exported")
	if out, err := d.command(t.Context(), "agent", "export", d.agent.name, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, c := range []struct {
		name, mode string
		script     string
		code       int
		out, file  string // what stdout ends with; text of a.md
	}{
		{"work", "work", adaptertest.Script(adaptertest.Step{Op: "write", Path: d.neighbour + "/a.md", Content: "written\n"}, adaptertest.Step{Op: "say", Text: "ADDRESSED: all"}), 0, "ADDRESSED: all\n", "written\n"},
		{"no login", "review", adaptertest.Script(adaptertest.Step{Op: "http", Status: 401, Body: `{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key","code":"invalid_api_key"}}`}), 1, "", "written\n"},
	} {
		events := 0
		b, err := board.Serve("", func(adapters.Event) { events++ })
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "run"))
		cmd.Env = append(d.vars, "AGENT_PROMPT=Do it. "+c.script, "AGENT_MODE="+c.mode, "AGENT_COMMANDS=make test", "AGENT_CWD="+d.neighbour, "BOARD_AGENT_ID=a1", "BOARD_TASK=t.md", "BOARD_PORT="+strconv.Itoa(b.Port()))
		if d.agent.model != "" {
			cmd.Env = append(cmd.Env, "AGENT_MODEL="+d.agent.model)
		}
		var out, said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &said
		_ = cmd.Run() // its exit code is looked at
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		text, _ := os.ReadFile(filepath.Join(d.neighbour, "a.md"))
		if cmd.ProcessState.ExitCode() != c.code || !strings.HasSuffix(out.String(), c.out) || string(text) != c.file {
			t.Errorf("%s: exit %d, stdout %q, a.md %q\n%s", c.name, cmd.ProcessState.ExitCode(), out.String(), text, said.String())
		}
		if events == 0 {
			t.Errorf("%s: no events", c.name)
		}
	}
}
