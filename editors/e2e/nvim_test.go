package e2e

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rigwiki/rig/adapters/adaptertest"
)

// story is one scenario of nvim/: each step is a Neovim of its own at the same desk, with its own environment.
type story struct {
	scenario, name string
	steps          [][]string
	agent          bool // needs the agents of RIG_AGENTS
	web            bool // has a page of the web at WEB
}

func stories() []story {
	once := [][]string{nil}
	return []story{
		{scenario: "smoke", steps: once},
		{scenario: "smoke", name: "one line", steps: [][]string{{"ONE_LINE=1"}}},
		{scenario: "decide", steps: once},
		{scenario: "typing", steps: once},
		{scenario: "hunks", steps: once},
		{scenario: "edges", name: "closed", steps: once},
		{scenario: "edges", name: "open", steps: [][]string{{"OPEN=all"}}},
		{scenario: "many", steps: once},
		{scenario: "conflict", steps: once},
		{scenario: "reload", steps: [][]string{{"STEP=1"}, {"STEP=2"}}},
		{scenario: "ask", steps: once},
		{scenario: "folders", steps: once},
		{scenario: "verbs", steps: once, web: true},
		{scenario: "help", steps: once},
		{scenario: "bare", steps: once},
		{scenario: "agent", name: "builtin", steps: [][]string{{"AGENT=builtin"}}},
		{scenario: "agent", name: "claude", agent: true, steps: [][]string{{"AGENT=claude"}}},
	}
}

// TestNvim plays each story in each Neovim that RIG_NVIM names. After each the wiki is as it was.
func TestNvim(t *testing.T) {
	editors := needed(t, "nvim", "RIG_NVIM")
	rig := build(t)
	for _, nvim := range filepath.SplitList(editors) {
		for _, s := range stories() {
			t.Run(strings.Join(slices.DeleteFunc([]string{filepath.Base(filepath.Dir(nvim)), s.scenario, s.name}, func(p string) bool { return p == "" }), "/"),
				func(t *testing.T) { play(t, nvim, rig, s) })
		}
	}
}

func play(t *testing.T, nvim, rig string, s story) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	d := newDesk(t, rig)
	more := []string{"NVIM_LOG_FILE=" + d.home + "/nvim.log", "WANT=" + filepath.Join(here, "testdata/want"), "PLUGIN=" + filepath.Join(here, "../nvim")}
	if s.agent {
		more = append(more, d.model(t)...)
	}
	if s.web {
		more = append(more, "WEB="+d.web(t))
	}
	for _, step := range s.steps {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute) // a hang guard: it takes seconds
		defer cancel()
		cmd := exec.CommandContext(ctx, nvim, "--headless", "--clean", "-l", "nvim/"+s.scenario+".lua")
		cmd.Env = d.env(append(slices.Clone(more), step...)...)
		cmd.WaitDelay = 5 * time.Second
		out, err := cmd.CombinedOutput()
		t.Logf("%s", out)
		if err != nil {
			log, _ := os.ReadFile(filepath.Join(d.home, "state/nvim/lsp.log")) // absent where nothing went wrong in the client
			t.Fatalf("nvim: %v\n%s", err, log)
		}
	}
	sameTree(t, "testdata/wiki", d.wiki)
}

// web serves a page on loopback, which the user's configuration lets a fetch reach, and returns its origin.
func (d desk) web(t *testing.T) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, "<!doctype html><title>Clay</title><article><h1>Clay</h1><p>Clay holds water longer than sand, and gives it back slowly to what grows in it.</p></article>")
	}))
	t.Cleanup(srv.Close)
	d.configure(t, `{wiki: {sandbox: {network: {fetch: ["127.0.0.1"]}}}}`)
	return srv.URL
}

// model starts a scripted model server and gives the environment that leads the real claude to it: it does what the probe does.
func (d desk) model(t *testing.T) []string {
	t.Helper()
	bin := needed(t, "agents", "RIG_AGENTS")
	_, url := adaptertest.Serve(t)
	page, err := os.ReadFile("testdata/want/sources/widths.md")
	if err != nil {
		t.Fatal(err)
	}
	d.configure(t, `{wiki: {agent: {claude: {env: {CLAUDE_CODE_MAX_RETRIES: "0"}}}}}`)
	script := adaptertest.Script(
		adaptertest.Step{Op: "read", Path: d.wiki + "/concepts/emoji.md"},
		adaptertest.Step{Op: "edit", Path: d.wiki + "/concepts/emoji.md", Old: "takes one column", New: "takes two columns"},
		adaptertest.Step{Op: "write", Path: d.wiki + "/sources/widths.md", Content: string(page)},
		adaptertest.Step{Op: "bash", Cmd: "printf '\\n## 2026-03-01 — ingest widths\\n' >> log.md"},
		adaptertest.Step{Op: "read", Path: d.wiki + "/log.md"},
		adaptertest.Step{Op: "edit", Path: d.wiki + "/log.md", Old: "# Log", New: "# Log\n\n## 2026-03-01 — ingest widths"},
		adaptertest.Step{Op: "say", Text: "INGEST DONE: widths"})
	return []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=sk-test", "SCRIPT=" + script}
}
