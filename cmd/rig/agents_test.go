package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
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
	"github.com/rigwiki/rig/wiki/proposal"
)

// realAgents are the agents that are driven through the whole product, each with how a user would lead it to a model server of his own.
func realAgents() []realAgent {
	return []realAgent{
		{name: "claude", session: true, setup: func(d *desk) {
			d.vars = append(d.vars, "ANTHROPIC_BASE_URL="+d.url, "ANTHROPIC_API_KEY=sk-test")
			d.config(`{wiki: {agent: {claude: {env: {CLAUDE_CODE_MAX_RETRIES: "0"}}}}}`)
		}},
		{name: "codex", model: "gpt-5.5", session: true, setup: func(d *desk) {
			d.config(`{wiki: {agent: {codex: {env: {FAKE_API_KEY: "sk-test"}}}}}`)
			codexHome(d)
		}},
		{name: "opencode", model: "fake/fake-model", session: true, setup: opencodeHome},
		{name: "pi", model: "fake/fake-model", session: true, setup: func(d *desk) {
			d.home(".pi/agent/models.json", `{"providers":{"fake":{"baseUrl":"`+d.url+`","api":"anthropic-messages","apiKey":"sk-test","models":[{"id":"fake-model"}]}}}`)
		}},
		{name: "acp", program: "opencode", session: true, setup: func(d *desk) { // the first of the presets that is installed is another
			d.config(`{wiki: {agent: {acp: {command: "opencode"}}}}`)
			opencodeHome(d)
		}},
		{name: "acp", label: "acp-claude", program: "claude-code-acp", only: []string{"ingest"}, session: true, setup: func(d *desk) {
			d.vars = append(d.vars, "ANTHROPIC_BASE_URL="+d.url, "ANTHROPIC_API_KEY=sk-test")
			d.config(`{wiki: {agent: {acp: {command: "claude-code-acp"}}}}`)
		}},
		{name: "acp", label: "acp-codex", program: "codex-acp", only: []string{"ingest", "escape"}, session: true, setup: func(d *desk) {
			d.config(`{wiki: {agent: {acp: {command: "codex-acp", env: {FAKE_API_KEY: "sk-test"}}}}}`)
			codexHome(d)
		}},
		{name: "acp", label: "acp-gemini", program: "gemini", model: "gemini-2.5-flash", only: []string{"ingest"}, session: true, setup: func(d *desk) {
			d.vars = append(d.vars, "GEMINI_API_KEY=sk-test", "GOOGLE_GEMINI_BASE_URL="+d.url)
			d.config(`{wiki: {agent: {acp: {command: "gemini"}}}}`)
			d.home(".gemini/settings.json", `{"security":{"auth":{"selectedType":"gemini-api-key"}}}`)
		}},
	}
}

func codexHome(d *desk) {
	d.home(".codex/config.toml", `model = "gpt-5.5"
model_provider = "fake"
[model_providers.fake]
name = "Fake"
base_url = "`+d.url+`/v1"
env_key = "FAKE_API_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
`)
}

func opencodeHome(d *desk) {
	d.home(".config/opencode/opencode.json", `{"provider":{"fake":{"npm":"@ai-sdk/openai-compatible","name":"Fake","options":{"baseURL":"`+d.url+`/v1","apiKey":"sk-test"},
 "models":{"fake-model":{"name":"Fake","tool_call":true,"limit":{"context":400000,"output":32000}}}}},"model":"fake/fake-model","small_model":"fake/fake-model","enabled_providers":["fake"]}`)
}

type realAgent struct {
	name, model string
	program     string   // "": name
	label       string   // of the test, "": name
	only        []string // scenarios; nil: all
	question    string   // of a benchmark
	session     bool     // its stream tells a session id
	setup       func(*desk)
}

// agentsDir is where the real agents' programs are.
func agentsDir(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("RIG_AGENTS")
	if dir != "" {
		return dir
	}
	if slices.Contains(strings.Split(os.Getenv("RIG_REQUIRE"), ","), "agents") {
		t.Fatal("RIG_REQUIRE wants agents, but RIG_AGENTS is not set")
	}
	t.Skip("RIG_AGENTS is not set: editors/e2e/agents-install DIR, then RIG_AGENTS=DIR/node_modules/.bin")
	return ""
}

// A desk is one user's machine: a home, rig's home, a wiki with a neighbour, and a model server.
type desk struct {
	t                       testing.TB
	agent                   realAgent
	top, rig, wiki, rigHome string
	homeDir, neighbour      string
	vars                    []string
	url                     string
	model                   *adaptertest.Model
	before                  map[string]string // the wiki's files as laid out
}

// newDesk lays one out for an agent. fails are the statuses that the first requests to the model are answered with.
func newDesk(t testing.TB, a realAgent, fails ...int) *desk {
	t.Helper()
	bin := agentsDir(t)
	if _, err := os.Stat(filepath.Join(bin, cmp.Or(a.program, a.name))); err != nil {
		t.Fatalf("RIG_AGENTS: %v", err)
	}
	return layDesk(t, a, bin, fails)
}

// layDesk lays out a desk where agents' programs are in bin.
func layDesk(t testing.TB, a realAgent, bin string, fails []int) *desk {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{t: t, agent: a, top: top, rig: ownBinary(t), wiki: filepath.Join(top, "docs", "garden"), rigHome: filepath.Join(top, "righome"), homeDir: filepath.Join(top, "home"), neighbour: filepath.Join(top, "docs", "other")}
	for _, dir := range []string{d.rigHome, d.homeDir, d.neighbour} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(d.wiki, os.DirFS("testdata/garden")); err != nil {
		t.Fatal(err)
	}
	d.model = &adaptertest.Model{}
	server := httptest.NewServer(failFirst(d.model, fails))
	t.Cleanup(func() {
		server.CloseClientConnections() // steps that hang must not hold up the test
		server.Close()
	})
	d.url = server.URL
	d.vars = []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + d.homeDir, "RIG_HOME=" + d.rigHome, "LANG=C.UTF-8", "TERM=dumb"}
	a.setup(d)
	d.before = files(t, d.wiki)
	return d
}

// failFirst answers the first requests for a turn with the given statuses.
func failFirst(m *adaptertest.Model, fails []int) http.Handler {
	left := make(chan int, len(fails))
	for _, f := range fails {
		left <- f
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client went away
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		if bytes.Contains(body, []byte("<<F64:")) {
			select {
			case status := <-left:
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(status)
				_, _ = io.WriteString(w, `{"type":"error","error":{"type":"rate_limit_error","message":"too many requests","code":"rate_limit_exceeded"}}`)
				return
			default:
			}
		}
		m.ServeHTTP(w, r)
	})
}

// ownBinary is the test binary under the name by which it is rig. It is a copy: a link would run under its target's name.
func ownBinary(t testing.TB) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	rig := filepath.Join(t.TempDir(), "rig")
	if os.Link(self, rig) == nil {
		return rig
	}
	in, err := os.Open(self)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(rig, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	return rig
}

func (d *desk) config(text string) { d.write(filepath.Join(d.rigHome, "config.json5"), text) }

func (d *desk) home(rel, text string) { d.write(filepath.Join(d.homeDir, rel), text) }

// prompt makes the wiki's own prompt for an operation and trusts the wiki: what an agent is told then begins with lead.
func (d *desk) prompt(op, lead string) {
	d.t.Helper()
	d.write(filepath.Join(d.wiki, ".rig", "prompts", op+".md"), lead+"\n{{.Question}}{{.Note}}\n")
	if out, err := d.command(context.Background(), "trust", d.wiki).CombinedOutput(); err != nil {
		d.t.Fatalf("%v: %s", err, out)
	}
	d.before = files(d.t, d.wiki)
}

func (d *desk) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, d.rig, append([]string{"wiki"}, args...)...)
	cmd.Env, cmd.Dir = d.vars, d.top
	return cmd
}

func (d *desk) write(path, text string) {
	d.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		d.t.Fatal(err)
	}
}

// A word is what rig said: its envelope, exit code and stderr.
type word struct {
	envelope
	Data   opData
	Exit   int
	Stderr string
	Took   time.Duration
	Record proposal.Record
}

// do runs a verb and demands an exit code.
func (d *desk) do(exit int, args ...string) word {
	d.t.Helper()
	w := d.run(args...)
	if w.Exit != exit {
		d.t.Fatalf("exit %d, want %d: %+v\n%s\n%s", w.Exit, exit, w.Error, w.Stderr, d.logs(w))
	}
	return w
}

// run runs a verb with --json.
func (d *desk) run(args ...string) word {
	d.t.Helper()
	args = append(args, "--wiki", d.wiki, "--agent", d.agent.name, "--json")
	if d.agent.model != "" {
		args = append(args, "--model", d.agent.model)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
	defer cancel()
	cmd := d.command(ctx, args...)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	start := time.Now()
	err := cmd.Run()
	if x := new(exec.ExitError); err != nil && !errors.As(err, &x) {
		d.t.Fatal(err)
	}
	w := word{Exit: cmd.ProcessState.ExitCode(), Stderr: said.String(), Took: time.Since(start)}
	raw := struct {
		envelope
		Data *opData `json:"data"`
	}{Data: &w.Data}
	if err := json.Unmarshal(out.Bytes(), &raw); err != nil {
		d.t.Fatalf("%v: %.500s\n%s", err, out.String(), said.String())
	}
	w.envelope = raw.envelope
	if w.Data.Run != "" {
		text, err := os.ReadFile(d.runFile(w, "run.json"))
		if err != nil {
			d.t.Fatal(err)
		}
		if err := json.Unmarshal(text, &w.Record); err != nil {
			d.t.Fatal(err)
		}
	}
	return w
}

// runFile is a file of a run's folder.
func (d *desk) runFile(w word, name string) string {
	files, _ := filepath.Glob(filepath.Join(d.rigHome, "runs", "*", w.Data.Run, name))
	if len(files) != 1 {
		d.t.Fatalf("run %s has no %s", w.Data.Run, name)
	}
	return files[0]
}

// logs are the last words of an agent, for a test that fails.
func (d *desk) logs(w word) string {
	if w.Data.Run == "" {
		return ""
	}
	var all string
	for _, name := range []string{"stdout.log", "stderr.log"} {
		text, err := os.ReadFile(d.runFile(w, name))
		all += name + ":\n" + string(text[max(0, len(text)-3000):])
		if err != nil {
			all += err.Error()
		}
	}
	return all
}

// untouched demands that the wiki, and everything outside it that is not the agent's or ours, is as it was laid out.
func (d *desk) untouched() {
	d.t.Helper()
	if got, want := files(d.t, d.wiki), d.before; !maps.Equal(got, want) {
		d.t.Errorf("the wiki changed: %v", slices.Sorted(maps.Keys(got)))
	}
	if got := files(d.t, d.neighbour); len(got) > 0 {
		d.t.Errorf("the neighbour folder changed: %v", got)
	}
	for name := range files(d.t, d.homeDir) {
		if strings.Contains(name, "escaped") {
			d.t.Errorf("HOME was written: %s", name)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(d.rigHome, "cache", "sandbox", "*", "*")); len(left) > 0 {
		d.t.Errorf("the sandbox is still there: %v", left)
	}
}

// files are the regular files below dir with their texts.
func files(t testing.TB, dir string) map[string]string {
	t.Helper()
	m := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(p)
		rel, _ := filepath.Rel(dir, p)
		m[rel] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}
