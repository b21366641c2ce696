package adapters

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/rigwiki/rig/adapters/builtin"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares got with testdata/name.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (write it with -update)", err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs from\n%s\ngot\n%s", file, want, got)
	}
}

// opGrants are the grants of the design's section 8, by op.
func opGrants() map[string]struct {
	Mode  Mode
	Grant Grant
} {
	edit := []string{"git add", "git commit", "git status", "git diff", "npm test"}
	type row = struct {
		Mode  Mode
		Grant Grant
	}
	return map[string]row{
		"ingest": {Work, Grant{Write: true, Commands: []string{"qmd"}}},
		"query":  {Review, Grant{Commands: []string{"qmd"}}},
		"lint":   {Review, Grant{Commands: []string{"qmd"}}},
		"fetch":  {Work, Grant{Write: true, Web: true}},
		"work":   {Work, Grant{Write: true, Commands: edit}},
		"act-pr": {ActPR, Grant{Write: true, Commands: append(edit, "git fetch", "git merge", "gh pr view", "gh pr diff", "gh api"), Exact: []string{"git push", "git push -u origin task/x"}, Denied: []string{"git push --force", "git push -f", "git rebase"}}},
		"review": {Review, Grant{Commands: []string{"git status", "git diff", "git log", "git show", "gh pr view", "gh pr diff", "gh pr review", "gh pr comment"}}},
	}
}

func planRequest(agent, op string) Request {
	row := opGrants()[op]
	return Request{
		Op: op, Mode: row.Mode, Grant: row.Grant,
		Prompt: "/do it: \"x\" — 温度", System: "You are the executor.",
		Cwd: "/wiki", ReadOnly: []string{"raw", "schema.md", "purpose.md"},
		Detection: Detection{Installed: true, Usable: true, Path: "/opt/agents/bin/" + agent, Runtime: []string{"/opt/agents/node_modules", "/usr/bin/node"}},
		Env:       Env{Vars: []string{"PATH=/usr/bin:/bin", "NO_PROXY=corp.example"}, Home: "/home/ana", RigHome: "/home/ana/.rig", Self: "/opt/rig"},
		Board:     Board{Port: 7461, AgentID: "run-1", Token: "t0ken"},
		Sources:   []Source{{Rel: "raw/a.md", At: ".rig-readonly/raw/a.md"}}, Now: time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC),
	}
}

func TestPlans(t *testing.T) {
	for _, a := range builtins() {
		for op := range opGrants() {
			t.Run(a.Name()+"/"+op, func(t *testing.T) {
				inv, err := a.Plan(planRequest(a.Name(), op))
				if a.Name() == "builtin" && !builtin.Can(op) {
					if err == nil {
						t.Error("planned something that it cannot do")
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				golden(t, "plans/"+a.Name()+"-"+op+".json", render(t, inv))
				again, err := a.Plan(planRequest(a.Name(), op))
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(render(t, inv), render(t, again)) {
					t.Error("the same request gave another plan")
				}
			})
		}
	}
}

func render(t *testing.T, v Invocation) []byte {
	t.Helper()
	files := map[string]string{}
	for name, b := range v.Files {
		files[name] = string(b)
	}
	stop := ""
	if v.Stop != nil {
		stop = v.Stop.String()
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(map[string]any{
		"argv": v.Argv, "env": v.Env, "pass": v.Pass, "stdin": string(v.Stdin), "twoWay": v.TwoWay, "files": files,
		"state": v.State, "keep": v.Keep, "visible": v.Visible, "hosts": v.Hosts, "stop": stop,
	}); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// Every plan keeps the promises that the package makes for all vendors.
func TestPlanPromises(t *testing.T) {
	for _, a := range builtins() {
		for op := range opGrants() {
			r := planRequest(a.Name(), op)
			r.Prompt = strings.Repeat("prompt ", 45_000)
			r.System = strings.Repeat("system ", 25_000)
			inv, err := a.Plan(r)
			if a.Name() == "builtin" && !builtin.Can(op) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range append(inv.Argv, inv.Env...) {
				if len(s) > 100_000 {
					t.Errorf("%s %s: an element of %d bytes", a.Name(), op, len(s))
				}
			}
			for _, s := range inv.Argv {
				if strings.Contains(s, r.Board.Token) {
					t.Errorf("%s %s: the token stands in argv", a.Name(), op)
				}
			}
			env := "\n" + strings.Join(inv.Env, "\n") + "\n"
			for _, want := range []string{"\nBOARD_PORT=7461\n", "\nBOARD_AGENT_ID=run-1\n", "\nNO_PROXY=corp.example,127.0.0.1,localhost,::1\n"} {
				if !strings.Contains(env, want) {
					t.Errorf("%s %s: no %q in the environment", a.Name(), op, strings.TrimSpace(want))
				}
			}
			seen := map[string]bool{}
			for _, kv := range inv.Env {
				name, _, _ := strings.Cut(kv, "=")
				if seen[name] {
					t.Errorf("%s %s: %s is set twice", a.Name(), op, name)
				}
				seen[name] = true
			}
		}
	}
}

// decoded is what a stream gave, for golden files.
type decoded struct {
	Events  []Event
	Outcome Outcome
}

func decode(a Adapter, r io.Reader) decoded {
	var d decoded
	d.Outcome = a.Converse(context.Background(), struct {
		io.Reader
		io.Writer
	}{r, io.Discard}, func(e Event) { d.Events = append(d.Events, e) })
	return d
}

func TestStreams(t *testing.T) {
	streams, err := filepath.Glob("testdata/streams/*.jsonl")
	if err != nil || len(streams) == 0 {
		t.Fatal("no streams", err)
	}
	for _, file := range streams {
		name := strings.TrimSuffix(filepath.Base(file), ".jsonl")
		agent, _, _ := strings.Cut(name, "-")
		a := builtinByName(agent)
		if a == nil {
			continue // its adapter is not registered; TestRegistry says which are
		}
		t.Run(name, func(t *testing.T) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			d := decode(a, bytes.NewReader(raw))
			var buf bytes.Buffer
			enc := json.NewEncoder(&buf)
			enc.SetEscapeHTML(false)
			for _, e := range d.Events {
				if err := enc.Encode(e); err != nil {
					t.Fatal(err)
				}
			}
			enc.SetIndent("", "  ")
			if err := enc.Encode(d.Outcome); err != nil {
				t.Fatal(err)
			}
			golden(t, "decoded/"+name+".txt", buf.Bytes())
			// Cut anywhere, the same comes out.
			one := decode(a, iotest.OneByteReader(bytes.NewReader(raw)))
			if string(mustJSON(t, one)) != string(mustJSON(t, d)) {
				t.Error("read byte by byte, the stream gives something else")
			}
			running := map[string]int{}
			for _, e := range d.Events {
				if e.Running {
					running[e.Kind+e.File+e.Cmd]++
				} else if e.OK != nil || e.Detail == "did not finish" {
					running[e.Kind+e.File+e.Cmd]--
				}
			}
			for k, n := range running {
				if n > 0 {
					t.Errorf("%q began and never ended", k)
				}
			}
		})
	}
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func builtinByName(name string) Adapter {
	for _, a := range builtins() {
		if a.Name() == name {
			return a
		}
	}
	return nil
}
