package wiki

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/rigwiki/rig/adapters"
	"github.com/rigwiki/rig/adapters/board"
)

// probeVerb are the arguments under which our binary stands in an agent's place and tells what it finds there ([Probe]).
func probeVerb() []string { return []string{"wiki", "__probe"} }

// probed is what an agent's program would have found.
type probed struct {
	Cwd     string            `json:"cwd"`
	Stdin   string            `json:"stdin"`  // sha256
	Prompt  string            `json:"prompt"` // sha256 of AGENT_PROMPT_FILE's bytes, "" without one
	Env     map[string]string `json:"env"`
	Program string            `json:"program"` // why the agent's program cannot be read, "" where it can
	Board   string            `json:"board"`   // how the events endpoint answered
	Outside []string          `json:"outside"` // files that could be written outside the folder, as seen inside: some land in a layer that is thrown away
	Secrets []string          `json:"secrets"` // what of HOME could be listed and must not
}

// Probe is the program that stands in an agent's place: args are the argv that the agent would have had. It writes one JSON object.
func Probe(args []string, in io.Reader, out io.Writer) error {
	p := probed{Env: map[string]string{}}
	var err error
	if p.Cwd, err = os.Getwd(); err != nil {
		return err
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, in); err != nil {
		return err
	}
	p.Stdin = hex.EncodeToString(sum.Sum(nil))
	for _, kv := range os.Environ() {
		name, value, _ := strings.Cut(kv, "=")
		if !strings.HasPrefix(name, "AGENT_") && !strings.HasPrefix(name, "BOARD_") {
			value = "" // keys of the user's stay unseen
		}
		p.Env[name] = value
	}
	if file := os.Getenv("AGENT_PROMPT_FILE"); file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		p.Prompt = hash(text)
	}
	if len(args) > 0 {
		if f, err := os.Open(args[0]); err != nil {
			p.Program = err.Error()
		} else {
			_ = f.Close()
		}
	}
	p.Board = askBoard(os.Getenv("BOARD_PORT"), os.Getenv("BOARD_TOKEN"))
	home := os.Getenv("HOME")
	for _, dir := range []string{home, filepath.Dir(p.Cwd), "/etc", "/usr"} {
		file := filepath.Join(dir, fmt.Sprintf(".rig-doctor-%d", time.Now().UnixNano()))
		if os.WriteFile(file, nil, 0o600) == nil {
			p.Outside = append(p.Outside, file)
		}
	}
	for _, name := range []string{".ssh", ".aws", ".gnupg", ".config/gh", ".netrc", ".git-credentials"} {
		if fi, err := os.Stat(filepath.Join(home, name)); err == nil && readable(filepath.Join(home, name), fi) {
			p.Secrets = append(p.Secrets, name)
		}
	}
	return json.NewEncoder(out).Encode(p)
}

// readable tells whether something is to be had of a path: an empty folder is a cover.
func readable(path string, fi os.FileInfo) bool {
	if fi.IsDir() {
		list, err := os.ReadDir(path)
		return err == nil && len(list) > 0
	}
	return fi.Mode().IsRegular() && fi.Size() > 0
}

func hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// askBoard posts one event and returns the status, or why there is none.
func askBoard(port, token string) string {
	if port == "" {
		return "BOARD_PORT is not set"
	}
	c := http.Client{Timeout: 10 * time.Second}
	req, err := http.NewRequest(http.MethodPost, "http://127.0.0.1:"+port+board.Path, strings.NewReader(`{"v":1,"session":"doctor","kind":"other","summary":"the probe was here"}`))
	if err != nil {
		return err.Error()
	}
	req.Header.Set("Content-Type", "application/json")
	if token != "" {
		req.Header.Set(board.TokenHeader, token)
	}
	resp, err := c.Do(req)
	if err != nil {
		return err.Error()
	}
	_ = resp.Body.Close()
	return resp.Status
}

// standIn is an adapter whose plan is another's, with the probe in the program's place.
type standIn struct {
	adapters.Adapter
	self    string
	request adapters.Request    // the last one planned
	planned adapters.Invocation // the other's answer to it
	found   probed
	err     error
}

func (s *standIn) Plan(r adapters.Request) (adapters.Invocation, error) {
	inv, err := s.Adapter.Plan(r)
	if err != nil {
		return inv, err
	}
	inv.Talk = nil // functions do not compare, and the probe is no two-way agent
	s.request, s.planned = r, inv
	inv.Argv = append(append([]string{s.self}, append(probeVerb(), "--")...), inv.Argv...)
	inv.Visible = append(slices.Clone(inv.Visible), s.self)
	inv.TwoWay = false
	return inv, nil
}

func (s *standIn) Converse(_ context.Context, rw io.ReadWriter, _ func(adapters.Event)) adapters.Outcome {
	text, err := io.ReadAll(io.LimitReader(rw, 1<<20))
	if err == nil {
		err = json.Unmarshal(text, &s.found)
	}
	s.err = err
	return adapters.Outcome{Started: true, Ended: true, OK: err == nil, Text: "probed"}
}

// doorstep judges what reaches the agent's program: the probe stands in its place, in the same sandbox with the same plan.
func (x *exam) doorstep(ctx context.Context) (bool, error) {
	job, err := x.job("query", "/"+hardText+"\n---\n@x\n"+strings.Repeat("温", 50_000)+x.nonce)
	if err != nil {
		return false, err
	}
	s := &standIn{Adapter: x.adapter, self: x.host.self}
	job.adapter, job.Model = s, ""
	rec, events := x.run(ctx, job)
	again, planErr := x.adapter.Plan(s.request)
	again.Talk = nil
	longest := slices.MaxFunc(append([]string{""}, s.planned.Argv...), func(a, b string) int { return len(a) - len(b) })
	x.say("a plan can be made, the same each time", planErr == nil && len(again.Argv) > 0 && reflect.DeepEqual(again, s.planned) && len(longest) < 100_000,
		"%s, longest argument %d bytes", filepath.Base(strings.Join(s.planned.Argv[:min(1, len(s.planned.Argv))], "")), len(longest))
	if s.err != nil || s.found.Cwd == "" {
		x.say("the sandbox starts a program", false, "%s; %v", how(rec), s.err)
		return false, nil
	}
	x.say("the sandbox starts a program", s.found.Program == "", "%s %s", rec.Confinement, s.found.Program)
	x.promptAt(s)
	x.say("it works in its folder", s.found.Cwd == s.request.Cwd, "%s", s.found.Cwd)
	x.environment(s)
	x.say("the events endpoint is reached", strings.HasPrefix(s.found.Board, "204") && events > 0, "127.0.0.1:%s answered %s", s.found.Env["BOARD_PORT"], s.found.Board)
	var landed []string
	for _, file := range s.found.Outside {
		if os.Remove(file) == nil {
			landed = append(landed, file)
		}
	}
	x.say("nothing outside can be written, no secrets are seen", len(landed)+len(s.found.Secrets) == 0, "written %q, seen %q", landed, s.found.Secrets)
	return true, nil
}

// promptAt compares the prompt that arrived with the one that was sent, wherever the adapter puts it.
func (x *exam) promptAt(s *standIn) {
	want := []byte(s.request.Prompt)
	_, isFile := s.found.Env["AGENT_PROMPT_FILE"]
	switch {
	case isFile:
		want = []byte(s.request.System + "\n\n" + s.request.Prompt)
		x.say("the prompt arrives byte for byte", s.found.Prompt == hash(want), "%d bytes, by AGENT_PROMPT_FILE", len(want))
	case len(s.planned.Stdin) == 0:
		x.skip("the prompt arrives byte for byte", "the protocol carries it")
	default:
		holds := s.found.Stdin == hash(s.planned.Stdin) && (bytes.Contains(s.planned.Stdin, want) || bytes.Contains(s.planned.Stdin, []byte(s.request.Question)))
		x.say("the prompt arrives byte for byte", holds, "%d bytes, by standard input", len(s.planned.Stdin))
	}
}

// environment compares the names of the variables with those that may be there.
func (x *exam) environment(s *standIn) {
	allowed := append(append(allowedVars(), s.planned.Pass...), "PWD", "SHLVL", "_", "TMPDIR", "OLDPWD", "NODE_USE_ENV_PROXY", "RIG_QMD_*") // the last ones are a shell's, the sandbox's and our qmd's
	for _, kv := range append(slices.Clone(s.planned.Env), configEnv(s.request.Env.Config[x.Agent])...) {
		name, _, _ := strings.Cut(kv, "=")
		allowed = append(allowed, name)
	}
	var strange []string
	for name := range s.found.Env {
		if !slices.ContainsFunc(allowed, func(p string) bool { return matchName(p, name) }) {
			strange = append(strange, name)
		}
	}
	slices.Sort(strange)
	x.say("its environment has the allowed names alone", len(strange) == 0, "%d variables, of them not allowed: %q", len(s.found.Env), strange)
	if x.opts.Dir == "" {
		return
	}
	var missing []string
	for _, name := range []string{"AGENT_PROMPT", "AGENT_MODE", "AGENT_COMMANDS", "AGENT_CWD", "BOARD_AGENT_ID", "BOARD_TASK", "BOARD_PORT"} {
		if _, ok := s.found.Env[name]; !ok {
			missing = append(missing, name)
		}
	}
	_, model := s.found.Env["AGENT_MODEL"]
	x.say("the contract's variables are set", len(missing) == 0 && s.found.Env["AGENT_CWD"] == s.found.Cwd && s.found.Env["AGENT_MODE"] == "review", "missing %q, AGENT_MODE %s", missing, s.found.Env["AGENT_MODE"])
	x.say("AGENT_MODEL is absent where no model is chosen", !model, "%s", fmt.Sprintf("set: %t", model))
}
