package adaptertest

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rigwiki/rig/adapters"
)

// A Subject is an agent under test: a program whose model is a [Model].
type Subject struct {
	Adapter adapters.Adapter
	Env     adapters.Env // of the user; the suite sets Home to a folder of its own
	Model   string
	// Setup prepares HOME, and gives the variables and the config that lead the agent to the model at url.
	Setup func(t testing.TB, home, url string) ([]string, adapters.AgentConfig)
	// Leaks names checks that the agent's own rules do not hold, with the reason; the sandbox below them does.
	Leaks map[string]string
	// Only names the checks that are run; nil: all.
	Only []string
	// Slow names checks that take minutes with this agent, with the reason. They run where RIG_SLOW is set.
	Slow map[string]string

	found adapters.Detection
}

// A check is one promise. It fails the test where the agent breaks it.
type check struct {
	name  string
	run   func(t *testing.T, c *bench)
	waits bool // most of its time passes in pauses of the agent: such checks are run beside each other
}

// bench is one run's surroundings: a wiki, a folder outside of it, a model.
type bench struct {
	Subject
	wiki, outside string
	model         *Model
	limit         time.Duration
}

// Run passes an agent through the suite: what it may and may not write, odd prompts, failures of its API.
func Run(t *testing.T, s Subject) {
	first := newBench(t, s)
	s.found = s.Adapter.Detect(t.Context(), first.Env)
	if !s.found.Usable {
		t.Fatalf("not usable: %s", s.found.Why)
	}
	for _, c := range checks {
		if s.Only != nil && !slices.Contains(s.Only, c.name) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			if why := s.Leaks[c.name]; why != "" {
				t.Skipf("not held by the agent itself: %s", why)
			}
			if why := s.Slow[c.name]; why != "" && os.Getenv("RIG_SLOW") == "" {
				t.Skipf("slow: %s; RIG_SLOW=1 runs it", why)
			}
			if c.waits {
				t.Parallel()
			}
			c.run(t, newBench(t, s))
		})
	}
}

func newBench(t *testing.T, s Subject) *bench {
	t.Helper()
	root := t.TempDir()
	b := &bench{Subject: s, limit: 5 * time.Minute, wiki: filepath.Join(root, "wiki"), outside: filepath.Join(root, "outside")}
	for name, text := range map[string]string{"wiki/a.txt": "alpha\n", "wiki/b.txt": "hello old world\n", "wiki/raw/source.md": "# Source\n", "outside/o.txt": "outside\n", "home/x": ""} {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var url string
	b.model, url = Serve(t)
	b.Env.Home = filepath.Join(root, "home")
	vars, config := s.Setup(t, b.Env.Home, url)
	b.Env.Vars = append([]string{"PATH=" + s.Env.Get("PATH")}, vars...)
	b.Env.Config = map[string]adapters.AgentConfig{s.Adapter.Name(): config}
	return b
}

// do runs a script under a grant; lead stands before it in the prompt.
func (b *bench) do(t *testing.T, g adapters.Grant, lead string, steps ...Step) Report {
	t.Helper()
	mode := adapters.Review
	if g.Write {
		mode = adapters.Work
	}
	rep := Do(t, b.Adapter, adapters.Request{
		Op: "ingest", Mode: mode, Prompt: lead + "\n" + Script(steps...), System: "You are the executor: ☃ marks the system text.",
		Model: b.Subject.Model, Cwd: b.wiki, ReadOnly: []string{"raw"}, Grant: g, Commands: g.Commands, Detection: b.found, Env: b.Env,
		Board: adapters.Board{Port: 9, AgentID: "suite"}, Timeout: b.limit,
	})
	if t.Failed() || testing.Verbose() {
		t.Logf("exit %d, outcome %+v, failure %+v\nstderr: %.600s", rep.Code, rep.Outcome, rep.Failure, rep.Stderr)
	}
	return rep
}

// good is do for a run that must go well. A failure of the vendor's own that may pass is tried once more, as a host does, where nothing was changed
// yet and no deadline of ours ended the run; what the program said of it stays in the log.
func (b *bench) good(t *testing.T, g adapters.Grant, lead string, steps ...Step) Report {
	t.Helper()
	before := b.files(t)
	rep := b.do(t, g, lead, steps...)
	f := rep.Failure
	if f == nil || !f.Retryable || rep.TimedOut || f.Kind == "truncated" && rep.Code == 0 || !maps.Equal(before, b.files(t)) {
		return rep
	}
	t.Logf("%s failed by itself and is tried once more: exit %d, %+v\n%.1000s", b.Adapter.Name(), rep.Code, f, rep.Stderr)
	return b.do(t, g, lead, steps...)
}

// files are the wiki's files with their texts.
func (b *bench) files(t *testing.T) map[string]string {
	t.Helper()
	m := map[string]string{}
	err := filepath.WalkDir(b.wiki, func(p string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(p)
		m[p] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (b *bench) text(name string) string {
	text, err := os.ReadFile(filepath.Join(b.wiki, name))
	if err != nil {
		return ""
	}
	return string(text)
}

// asked tells whether a request to the model held a text.
func (b *bench) asked(text string) bool {
	for _, r := range b.model.Requests() {
		if strings.Contains(string(r.Body), text) {
			return true
		}
	}
	return false
}

func ok(t *testing.T, rep Report, text string) {
	t.Helper()
	if !rep.OK || !rep.Ended || !rep.Started || !strings.Contains(rep.Text, text) || rep.Failure != nil {
		t.Errorf("not ok: exit %d, %+v, failure %+v\n%.2000s\n%.1000s", rep.Code, rep.Outcome, rep.Failure, rep.Stdout, rep.Stderr)
	}
}

func failed(t *testing.T, rep Report, kinds ...string) {
	t.Helper()
	if rep.OK || rep.Failure == nil || rep.Text != "" && rep.Ended {
		t.Errorf("an error is taken for an answer: exit %d, %+v\n%.2000s\n%.1000s", rep.Code, rep.Outcome, rep.Stdout, rep.Stderr)
		return
	}
	if rep.Failure.Message == "" || rep.Failure.Hint == "" {
		t.Errorf("the failure says nothing: %+v", rep.Failure)
	}
	for _, k := range kinds {
		if rep.Failure.Kind == k {
			return
		}
	}
	t.Errorf("failure %+v, want one of %v\n%.2000s\n%.1000s", rep.Failure, kinds, rep.Stdout, rep.Stderr)
}

// finished tells whether an event of a kind completed with the given verdict.
func finished(rep Report, kind string, good bool) bool {
	for _, e := range rep.Events {
		if e.Kind == kind && !e.Running && e.OK != nil && *e.OK == good {
			return true
		}
	}
	return false
}
