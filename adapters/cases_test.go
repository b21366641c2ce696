package adapters

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func caseFile(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata/cases", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// is_error wins over subtype and exit code, and the sentence is no answer.
func TestAPIErrorAsSuccess(t *testing.T) { // o-ag-05
	o := decode(claude{}, bytes.NewReader(caseFile(t, "o-ag-05/stdout.json"))).Outcome
	if o.OK || o.Failure == nil || o.Failure.Kind != "api-error" || !o.Failure.Retryable {
		t.Fatalf("got %+v, failure %+v", o, o.Failure)
	}
	if o.Text != "" {
		t.Errorf("the error is taken for an answer: %q", o.Text)
	}
}

func TestDenials(t *testing.T) { // o-ag-06
	o := decode(claude{}, bytes.NewReader(caseFile(t, "o-ag-06/stdout.json"))).Outcome
	want := []Denial{{"Write", "wiki/entities/kettle.md"}, {"Bash", "rm wiki/old.md"}}
	if !reflect.DeepEqual(o.Denials, want) {
		t.Errorf("denials %+v, want %+v", o.Denials, want)
	}
}

func TestStderrTellsTheError(t *testing.T) { // o-ag-07 b
	f := StderrFailure("opencode", caseFile(t, "o-ag-07/b/stderr"))
	if f == nil || !strings.Contains(f.Message, "ses_zz") {
		t.Errorf("got %+v", f)
	}
	if f := StderrFailure("opencode", []byte("\n \n")); f != nil {
		t.Errorf("blank stderr gave %+v", f)
	}
}

func TestOpencodeSessionError(t *testing.T) { // o-ag-07 a
	o := decode(opencode{}, bytes.NewReader(caseFile(t, "o-ag-07/a/stdout.jsonl"))).Outcome
	if o.OK || o.Failure == nil || !strings.Contains(o.Failure.Message, "leaf-9") || o.Failure.Kind != "config" {
		t.Errorf("got %+v, failure %+v", o, o.Failure)
	}
}

func TestCodexEnds(t *testing.T) { // o-ag-19
	for name, want := range map[string]struct {
		ok         bool
		text, kind string
		message    string
	}{
		"recovered": {ok: true, text: "two pages written"},
		"truncated": {kind: "truncated"},
		"failed":    {kind: "api-error", message: "quota used up"},
	} {
		o := decode(codex{}, bytes.NewReader(caseFile(t, "o-ag-19/"+name+".jsonl"))).Outcome
		if o.OK != want.ok || want.ok && o.Text != want.text {
			t.Errorf("%s: %+v", name, o)
		}
		if !want.ok && (o.Failure == nil || o.Failure.Kind != want.kind || !strings.Contains(o.Failure.Message, want.message)) {
			t.Errorf("%s: failure %+v", name, o.Failure)
		}
	}
}

// A run whose stream has no turn did nothing, whatever its exit status.
func TestNoTurn(t *testing.T) { // o-ag-03
	for _, c := range []struct {
		a      Adapter
		stream string
	}{
		{pi{}, `{"type":"session","id":"s-3"}`},
		{claude{}, `{"type":"result","subtype":"success","is_error":false,"num_turns":0,"result":"Unknown command: /x"}`},
		{opencode{}, ""},
		{codex{}, `{"type":"thread.started","thread_id":"t"}`},
	} {
		if o := decode(c.a, strings.NewReader(c.stream)).Outcome; o.OK || o.Failure == nil || o.Failure.Kind != "no-turn" {
			t.Errorf("%s: %+v, failure %+v", c.a.Name(), o, o.Failure)
		}
	}
}

// A prompt goes by stdin as it is, and nothing else ever comes there, also where our own stdin never ends.
func TestStdinEnds(t *testing.T) { // o-ag-01
	if runtime.GOOS == "windows" {
		t.Skip("the case's stub is a shell script")
	}
	prompt := string(caseFile(t, "o-ag-03/prompt.md"))
	for _, name := range []string{"claude", "codex", "opencode", "pi"} {
		dir := t.TempDir()
		stub, dump := filepath.Join(dir, name), filepath.Join(dir, "dump")
		writeProgram(t, stub, string(caseFile(t, "o-ag-01/agent-stub.sh")))
		r := planRequest(name, "query")
		r.Detection, r.Cwd, r.Prompt = Detection{Path: stub}, dir, prompt
		inv, err := builtinByName(name).Plan(r)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), inv.Argv[0], inv.Argv[1:]...)
		cmd.Env = append([]string{"HOME=" + dir, "PATH=/usr/bin:/bin", "STUB_STDIN=" + dump}, inv.Env...)
		cmd.Stdin = bytes.NewReader(inv.Stdin)
		out, err := cmd.Output()
		if o := decode(builtinByName(name), bytes.NewReader(out)).Outcome; err != nil || !o.OK || o.Text != "done" {
			t.Errorf("%s: %v, %+v", name, err, o)
		}
		if got, err := os.ReadFile(dump); err != nil || string(got) != prompt {
			t.Errorf("%s: %v, heard %q", name, err, got)
		}
		for _, a := range inv.Argv {
			if strings.Contains(a, strings.TrimSpace(prompt)) {
				t.Errorf("%s: the prompt stands in argv", name)
			}
		}
	}
}

// No element of argv or the environment comes near what a kernel takes, however long the texts are (Linux refuses 128 KiB, Windows 32 KiB a line).
func TestLargeTexts(t *testing.T) { // o-ag-02
	prompt, system := strings.Repeat("p", 200_000), strings.Repeat("s", 150_000)
	for _, a := range builtins() {
		r := planRequest(a.Name(), "ingest")
		r.Prompt, r.System, r.Brief = prompt, system, system
		inv, err := a.Plan(r)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range slices.Concat(inv.Argv, inv.Env) {
			if len(s) > 30_000 {
				t.Errorf("%s: %d bytes of %.40q", a.Name(), len(s), s)
			}
		}
	}
	if runtime.GOOS == "windows" {
		t.Skip("the case's stub is a shell script")
	}
	dir := t.TempDir()
	stub := filepath.Join(dir, "claude")
	writeProgram(t, stub, string(caseFile(t, "o-ag-02/claude-stub.sh")))
	r := planRequest("claude", "ingest")
	r.Detection, r.Prompt, r.System = Detection{Path: stub}, prompt, system
	inv, err := claude{}.Plan(r)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range inv.Files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	argv := make([]string, len(inv.Argv))
	for i, s := range inv.Argv {
		argv[i] = strings.ReplaceAll(s, "{files}", dir)
	}
	cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	cmd.Stdin = bytes.NewReader(inv.Stdin)
	out, err := cmd.Output()
	o := decode(claude{}, bytes.NewReader(out)).Outcome
	if err != nil || !strings.Contains(o.Text, "prompt=567afc16e0237c9b8f2a91a55e404626e50007b95f76b01bb6e82302bf86b301 system=c4381b86c768b78cfed93f9d9c4c172ee5952458559aa67cdb443a3ea68da72f") {
		t.Errorf("%v: %+v", err, o)
	}
}

// What follows an option with many values is not swallowed by it: each is one element with its value, and the prompt is on stdin.
func TestVariadicOptions(t *testing.T) { // o-ag-04
	if runtime.GOOS == "windows" {
		t.Skip("the case's stub is a shell script")
	}
	stub := filepath.Join(t.TempDir(), "claude")
	writeProgram(t, stub, string(caseFile(t, "o-ag-04/claude-stub.sh")))
	r := planRequest("claude", "ingest")
	r.Detection, r.Prompt, r.Model = Detection{Path: stub}, "list orphan pages, now.", "opus"
	inv, err := claude{}.Plan(r)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), inv.Argv[0], inv.Argv[1:]...)
	cmd.Stdin = bytes.NewReader(inv.Stdin)
	out, err := cmd.Output()
	if o := decode(claude{}, bytes.NewReader(out)).Outcome; err != nil || !strings.HasSuffix(o.Text, "prompt=23") {
		t.Errorf("%v: %+v", err, o)
	}
	var rules claudeRules
	if err := json.Unmarshal(inv.Files["settings.json"], &rules); err != nil {
		t.Fatal(err)
	}
	r.Grant.Commands = []string{"qmd search", "npm run a,b"}
	inv, err = claude{}.Plan(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(inv.Files["settings.json"], &rules); err != nil || !slices.Contains(rules.Permissions.Allow, "Bash(qmd search:*)") || !slices.Contains(rules.Permissions.Allow, "Bash(npm run a,b:*)") {
		t.Errorf("%v: a rule with a space or a comma is no longer one: %q", err, rules.Permissions.Allow)
	}
}

// The stubs of the cases, started as planned, accept how they are called.
func TestStubsAccept(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the cases' stubs are shell scripts")
	}
	for _, c := range []struct {
		a    Adapter
		stub string
		op   string
		want string
	}{
		{pi{}, "o-ag-03/pi-stub.sh", "query", "6c6c91f5be2dab09"},
		{codex{}, "o-ag-14/codex-stub.sh", "query", "mode=read-only"},
		{opencode{}, "o-ag-17/opencode-stub.sh", "ingest", "/wiki"},
		{opencode{}, "o-ag-18/opencode-stub.sh", "ingest", "ok"},
	} {
		dir := t.TempDir()
		stub := filepath.Join(dir, c.a.Name())
		writeProgram(t, stub, string(caseFile(t, c.stub)))
		r := planRequest(c.a.Name(), c.op)
		r.Detection, r.Cwd = Detection{Path: stub}, filepath.Join(dir, "wiki")
		r.Prompt = string(caseFile(t, "o-ag-03/prompt.md"))
		if err := os.Mkdir(r.Cwd, 0o755); err != nil {
			t.Fatal(err)
		}
		inv, err := c.a.Plan(r)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), inv.Argv[0], inv.Argv[1:]...)
		cmd.Dir = r.Cwd
		cmd.Env = append([]string{"HOME=" + dir}, inv.Env...)
		cmd.Stdin = bytes.NewReader(inv.Stdin)
		out, err := cmd.Output()
		if err != nil {
			t.Errorf("%s: %v", c.stub, err)
			continue
		}
		if o := decode(c.a, bytes.NewReader(out)).Outcome; !o.OK || !strings.HasSuffix(o.Text, c.want) {
			t.Errorf("%s: %+v, want %q", c.stub, o, c.want)
		}
	}
}

func TestStderrDenials(t *testing.T) {
	got := StderrDenials([]byte("2026-11-30T12:49:34Z ERROR codex_core::tools::router: error=patch rejected: writing outside of the project; rejected by user approval settings\nother\n"))
	if want := []Denial{{"apply_patch", "writing outside of the project"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
}

// The stream does not end: Converse returns at the result all the same.
func TestResultEndsTheStream(t *testing.T) { // o-ag-08
	r, w := io.Pipe()
	defer w.Close()
	go io.WriteString(w, `{"type":"system","subtype":"init","session_id":"s-8"}
{"type":"result","subtype":"success","is_error":false,"result":"finished"}
`)
	if o := decode(claude{}, r).Outcome; !o.OK || o.Text != "finished" {
		t.Errorf("got %+v", o)
	}
}

func TestBigLine(t *testing.T) { // o-ag-10
	stream := `{"type":"system","subtype":"init","session_id":"s-10"}` + "\n" +
		`{"type":"user","message":{"content":[{"type":"tool_result","content":"` + strings.Repeat("x", 2<<20) + `"}]}}` + "\n" +
		`{"type":"result","subtype":"success","is_error":false,"result":"after the big line"}` + "\n"
	if o := decode(claude{}, strings.NewReader(stream)).Outcome; !o.OK || o.Text != "after the big line" {
		t.Errorf("got %+v", o)
	}
	objs := newObjects(strings.NewReader(stream))
	n := 0
	for ; ; n++ {
		if _, err := objs.next(); err != nil {
			break
		}
	}
	if n != 3 {
		t.Errorf("%d objects, want 3", n)
	}
	lines := newLineReader(strings.NewReader(stream))
	lines.max = 1 << 20
	var got []int
	for {
		l, err := lines.next()
		if err != nil {
			break
		}
		got = append(got, len(l))
	}
	if len(got) != 3 || got[1] != 0 || lines.long != 1 {
		t.Errorf("a line over the limit: %v, skimmed %d", got, lines.long)
	}
}

func TestSplitCharacters(t *testing.T) { // o-ag-11
	var c struct{ Chunks [][]byte }
	if err := json.Unmarshal(caseFile(t, "o-ag-11/chunks.json"), &c); err != nil {
		t.Fatal(err)
	}
	var rs []io.Reader
	for _, chunk := range c.Chunks {
		rs = append(rs, bytes.NewReader(chunk))
	}
	o := decode(claude{}, io.MultiReader(rs...)).Outcome
	if want := "温度は 72℃ — café 🌱 готово"; o.Text != want {
		t.Errorf("got %q, want %q", o.Text, want)
	}
}

func TestGluedEscapes(t *testing.T) { // o-ag-12
	d := decode(claude{}, bytes.NewReader(caseFile(t, "o-ag-12/stdout.bin")))
	if len(d.Events) != 2 || !d.Outcome.OK || d.Outcome.Text != "ok" || d.Outcome.Session != "s-12" {
		t.Errorf("got %+v", d)
	}
	for in, want := range map[string]string{
		"":                            "",
		"plain text":                  "",
		"\x1b]0;a {b} c\x07{\"a\":1}": `{"a":1}`,
		"\x1b]0;x\x1b\\{\"a\":\"\x1b[0m\"}\x1b[0m": "{\"a\":\"\x1b[0m\"}",
		"\xef\xbb\xbf{\"a\":1}":                    `{"a":1}`,
		"warning: {\"a\":1}":                       `{"a":1}`,
		"\x1b":                                     "",
		"} {":                                      "",
	} {
		if got := string(jsonObject([]byte(in))); got != want {
			t.Errorf("jsonObject(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestNestedSession(t *testing.T) { // o-ag-13
	for _, name := range []string{"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT"} {
		inv, err := claude{}.Plan(planRequest("claude", "ingest"))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range inv.Pass {
			if ok, err := path.Match(p, name); ok || err != nil {
				t.Errorf("%s passes by %s %v", name, p, err)
			}
		}
	}
}

func TestPoorPath(t *testing.T) { // o-ag-15
	if runtime.GOOS == "windows" {
		t.Skip("the case's stubs are shell scripts")
	}
	home := t.TempDir()
	if out, err := exec.Command("sh", "testdata/cases/o-ag-15/make-home.sh", home).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	env := Env{Home: home, Vars: []string{"PATH=/usr/bin:/bin", "HOME=" + home}}
	d := claude{}.Detect(t.Context(), env)
	if !d.Usable || !strings.HasSuffix(d.Path, ".nvm/versions/node/v22.3.0/bin/claude") || d.Version != "2.1.0" {
		t.Fatalf("got %+v", d)
	}
	r := planRequest("claude", "query")
	r.Env, r.Detection = env, d
	inv, err := claude{}.Plan(r)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(inv.Argv[0], inv.Argv[1:]...)
	cmd.Env = append([]string{"PATH=/usr/bin:/bin", "HOME=" + home}, inv.Env...)
	cmd.Stdin = bytes.NewReader(inv.Stdin)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if o := decode(claude{}, bytes.NewReader(out)).Outcome; o.Text != "node-22.3.0" {
		t.Errorf("the program beside it was not used: %+v", o)
	}
}

// writeProgram makes an executable.
func writeProgram(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

func TestDetectReasons(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stubs are shell scripts")
	}
	home := t.TempDir()
	writeProgram(t, filepath.Join(home, "old/claude"), "#!/bin/sh\necho '1.0.128 (Claude Code)'\n")
	writeProgram(t, filepath.Join(home, "new/claude"), "#!/bin/sh\necho '10.2.3 (Claude Code)'\n")
	writeProgram(t, filepath.Join(home, "broken/claude"), "#!/bin/sh\nexit 3\n")
	writeProgram(t, filepath.Join(home, "noderun/claude"), "#!/usr/bin/env no-such-interpreter\n")
	for _, c := range []struct {
		dir    string
		usable bool
		why    string
	}{
		{"old", false, "too old, 2.0 or newer"},
		{"new", true, ""},
		{"broken", false, "exit status 3"},
		{"noderun", false, "needs no-such-interpreter"},
		{"empty", false, "npm install"},
	} {
		env := Env{Home: home, Vars: []string{"PATH=" + filepath.Join(home, c.dir) + ":/bin", "SECRET=hunter2"}}
		if c.dir == "empty" {
			env.Home = "" // nothing below it may be found by chance
			env.Config = map[string]AgentConfig{"claude": {Command: "no-such-claude"}}
		}
		d := claude{}.Detect(t.Context(), env)
		if d.Usable != c.usable || !strings.Contains(d.Why, c.why) || strings.Contains(d.Why, "hunter2") {
			t.Errorf("%s: usable %v, why %q", c.dir, d.Usable, d.Why)
		}
		if d.Installed != (c.dir != "empty") {
			t.Errorf("%s: installed %v", c.dir, d.Installed)
		}
	}
	configured := Env{Home: home, Vars: []string{"PATH=" + filepath.Join(home, "old")}, Config: map[string]AgentConfig{"claude": {Command: "~/new/claude"}}}
	if d := (claude{}).Detect(t.Context(), configured); !d.Usable || d.Path != filepath.Join(home, "new/claude") {
		t.Errorf("the configured path does not win: %+v", d)
	}
}

func TestWindowsShims(t *testing.T) { // o-ag-16
	var rows []struct {
		PathExt string
		Dirs    []struct {
			Dir   string
			Files []string
		}
		Want  *string
		Error string `json:"error_mentions"`
	}
	if err := json.Unmarshal(caseFile(t, "o-ag-16/resolve.json"), &rows); err != nil {
		t.Fatal(err)
	}
	for i, row := range rows {
		files, name, dirs := map[string][]string{}, "claude", []string{}
		for _, d := range row.Dirs {
			files[d.Dir], dirs = d.Files, append(dirs, d.Dir)
			name = d.Files[0]
		}
		if name != "codex" {
			name = "claude"
		}
		f := finder{goos: "windows", env: Env{Vars: []string{"PATH=" + strings.Join(dirs, ";"), "PATHEXT=" + row.PathExt}}, list: func(d string) []string { return files[d] }}
		got, err := f.program(name)
		switch {
		case row.Want != nil && (got != *row.Want || err != nil):
			t.Errorf("row %d: %q %v, want %q", i, got, err, *row.Want)
		case row.Want == nil && (err == nil || !strings.Contains(err.Error(), row.Error)):
			t.Errorf("row %d: %q %v, want an error that names %s", i, got, err, row.Error)
		}
	}
}

func TestUnknownAgent(t *testing.T) {
	home := t.TempDir()
	writeProgram(t, filepath.Join(home, "adapters/probe/run"), "#!/bin/sh\n")
	for _, name := range []string{"nope", "../probe", "acp:x", "", ".probe"} {
		_, err := NewRegistry(Env{RigHome: home}).Find(name)
		var unknown *UnknownError
		if !errors.As(err, &unknown) || !strings.Contains(err.Error(), "claude") || !strings.Contains(err.Error(), "probe") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// The agent's hooks reach the endpoint whatever proxies the user has: the address is a literal one, which proxies are told to keep off, by either
// spelling; what the user had there stays.
func TestProxiesKeepOffTheBoard(t *testing.T) { // o-ev-03
	var user map[string]string
	if err := json.Unmarshal(caseFile(t, "o-ev-03/env.json"), &user); err != nil {
		t.Fatal(err)
	}
	for _, a := range builtins() {
		r := planRequest(a.Name(), "query")
		r.Env.Vars = []string{"PATH=/usr/bin:/bin"}
		for k, v := range user {
			r.Env.Vars = append(r.Env.Vars, k+"="+v)
		}
		inv, err := a.Plan(r)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for _, kv := range inv.Env {
			k, v, _ := strings.Cut(kv, "=")
			got[k] = v
		}
		for _, name := range []string{"NO_PROXY", "no_proxy"} {
			for _, want := range []string{"corp.example", "127.0.0.1", "localhost", "::1"} {
				if !slices.Contains(strings.Split(got[name], ","), want) {
					t.Errorf("%s: %s=%s lacks %s", a.Name(), name, got[name], want)
				}
			}
		}
		if _, set := got["HTTP_PROXY"]; set {
			t.Errorf("%s: the plan changes the user's proxy", a.Name())
		}
	}
}
