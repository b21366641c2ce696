package main

import (
	"cmp"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rigwiki/rig/adapters"
	"github.com/rigwiki/rig/adapters/adaptertest"
)

// TestAgents drives every real agent through the whole product: the command line, the sandbox, policy and the record.
func TestAgents(t *testing.T) {
	agentsDir(t)
	for _, a := range realAgents() {
		t.Run(cmp.Or(a.label, a.name), func(t *testing.T) {
			for _, c := range []struct {
				name  string
				fails []int
				run   func(*testing.T, *desk)
			}{
				{"ingest", nil, agentIngest},
				{"escape", nil, agentEscape},
				{"query", nil, agentQuery},
				{"query that writes", nil, agentQueryWrites},
				{"no login", nil, agentNoLogin},
				{"rate limited", []int{429}, agentRateLimited},
				{"hang", nil, agentHang},
				{"question", nil, agentQuestion},
				{"doctor", nil, agentDoctor},
				{"export", nil, agentExport},
				{"work", nil, agentWork},
				{"act-pr", nil, agentActPR},
				{"review that writes", nil, agentReviewWrites},
				{"exported", nil, agentExported},
				{"wire", nil, agentWire},
				{"fetch", nil, agentFetch},
				{"go-design", nil, agentDesign},
			} {
				if a.only != nil && !slices.Contains(a.only, c.name) {
					continue
				}
				if c.name == "go-design" && a.name == "acp" { // its agent is opencode, which has its turn
					continue
				}
				if c.name == "exported" && a.name != "claude" { // one is enough: what differs is the plan, which all share
					continue
				}
				t.Run(c.name, func(t *testing.T) {
					t.Parallel()
					c.run(t, newDesk(t, a, c.fails...))
				})
			}
		})
	}
}

// page is a page that policy has nothing to say about.
func page(title string) string {
	return "---\ntype: source\ntitle: " + title + "\nsources: [roses]\ningested-at: 2026-03-01\nlast-updated: 2026-03-01\nsource-path: raw/roses.md\n---\n# " + title + "\n\nThey like [[compost]].\n"
}

// odd is text that some agent takes for something else where it begins a prompt or a line, with letters of everywhere.
func odd(first string) string {
	return first + "\n@missing-file.txt\n!ls\n# note\n温度を測る 🌱 готово $HOME `id` $(id) %s {files} 'x' \"y\" \\n"
}

func agentIngest(t *testing.T, d *desk) {
	lead := odd("/help --version")
	d.prompt("ingest", lead+strings.Repeat("All work and no play. ", 14_000))
	d.write(filepath.Join(d.top, "given.txt"), "Pruned in the third week.\n")
	w := d.do(0, "ingest", "raw/roses.md", "--with", "given.txt", "--note", adaptertest.Script(
		adaptertest.Step{Op: "read", Path: d.wiki + "/.rig-readonly/given.txt"},
		adaptertest.Step{Op: "read", Path: d.wiki + "/index.md"},
		adaptertest.Step{Op: "write", Path: d.wiki + "/sources/roses.md", Content: page("Roses")},
		adaptertest.Step{Op: "edit", Path: d.wiki + "/index.md", Old: "- [[compost]] — what becomes of what was cut", New: "- [[compost]] — what becomes of what was cut, and what [[roses]] like"},
		adaptertest.Step{Op: "say", Text: "INGEST DONE: roses"}))
	got := map[string]string{}
	for _, f := range w.Data.Files {
		got[f.Path] = f.Kind + " " + strings.Join(f.Flags, ",")
	}
	if len(got) != 2 || got["sources/roses.md"] != "create " || got["index.md"] != "edit " || len(w.Data.Refused) > 0 || w.Data.State != "proposed" {
		t.Errorf("%s: %v, refused %v\n%s", w.Data.State, got, w.Data.Refused, d.logs(w))
	}
	if !strings.Contains(w.Data.Diff, "+They like [[compost]].") || !slices.Contains(w.Data.Markers, "INGEST DONE: roses") {
		t.Errorf("markers %q, diff %s", w.Data.Markers, w.Data.Diff)
	}
	d.untouched()
	d.recorded(t, w)
	if !d.asked(lead + "All work") {
		t.Error("the prompt did not reach the model as it was")
	}
	if !d.asked("Pruned in the third week.") {
		t.Error("what --with gave was not read")
	}
	if len(w.Data.Warnings) > 0 {
		t.Errorf("warnings %q", w.Data.Warnings)
	}
}

// recorded looks at what is kept of a run: session, usage, model and events.
func (d *desk) recorded(t *testing.T, w word) {
	t.Helper()
	usage, _ := json.Marshal(w.Record.Usage)
	usageTold := d.agent.label == "" // ACP leaves it to the agent
	if d.agent.session && w.Record.Session == "" || usageTold && !strings.Contains(string(usage), "outputTokens") {
		t.Errorf("session %q, usage %s", w.Record.Session, usage)
	}
	text, err := os.ReadFile(d.runFile(w, "events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for line := range strings.Lines(string(text)) {
		var e adapters.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		kinds[e.Kind]++
	}
	for _, k := range []string{"session", "read", "edit", "idle"} {
		if kinds[k] == 0 {
			t.Errorf("no %s among the events: %s", k, text)
		}
	}
	if !strings.Contains(w.Data.Confinement, "host read-only") {
		t.Errorf("confinement %q", w.Data.Confinement)
	}
}

// agentEscape has the model try what it must not, by the agent's tools and by its shell. Whether the agent was refused (incomplete) or the
// sandbox alone held (empty), nothing is done.
func agentEscape(t *testing.T, d *desk) {
	w := d.do(3, "ingest", "raw/roses.md", "--note", adaptertest.Script(
		adaptertest.Step{Op: "write", Path: d.homeDir + "/escaped.txt", Content: "x\n"},
		adaptertest.Step{Op: "write", Path: d.neighbour + "/escaped.md", Content: "x\n"},
		adaptertest.Step{Op: "write", Path: d.wiki + "/raw/escaped.md", Content: "x\n"},
		adaptertest.Step{Op: "bash", Cmd: "echo x > " + d.neighbour + "/escaped-by-shell; echo x > " + d.homeDir + "/escaped-by-shell; echo x > raw/escaped-by-shell.md; cat " + d.homeDir + "/.ssh/id"},
		adaptertest.Step{Op: "say", Text: "INGEST DONE: roses"}))
	d.untouched()
	if len(w.Data.Files) > 0 {
		t.Errorf("kept: %+v", w.Data.Files)
	}
}

func agentQuery(t *testing.T, d *desk) {
	d.prompt("query", odd("--- title"))
	w := d.do(0, "query", "Which page is about shade? "+adaptertest.Script(
		adaptertest.Step{Op: "read", Path: d.wiki + "/concepts/shade.md"},
		adaptertest.Step{Op: "say", Text: "It is [[shade]]."}))
	if w.Data.State != "done" || w.Data.Answer != "It is [[shade]]." {
		t.Errorf("%s: %q", w.Data.State, w.Data.Answer)
	}
	d.untouched()
	if !d.asked(odd("--- title")) {
		t.Error("the prompt did not reach the model as it was")
	}
}

func agentQueryWrites(t *testing.T, d *desk) {
	w := d.run("query", "Write. "+adaptertest.Script(
		adaptertest.Step{Op: "write", Path: d.wiki + "/concepts/new.md", Content: "x\n"},
		adaptertest.Step{Op: "bash", Cmd: "echo x > concepts/by-shell.md"},
		adaptertest.Step{Op: "say", Text: "Done."}))
	// Where the agent refused its model the tools, its answer is one; where it let it write, the run is broken and nothing of it counts.
	if len(w.Data.Files) > 0 || (w.Exit == 0) != (len(w.Data.Refused) == 0) || w.Exit != 0 && w.Exit != 1 {
		t.Errorf("exit %d, %s: %s, files %v, refused %v", w.Exit, w.Data.State, w.Data.Message, w.Data.Files, w.Data.Refused)
	}
	d.untouched()
}

func agentNoLogin(t *testing.T, d *desk) {
	w := d.do(1, "ingest", "raw/roses.md", "--note", adaptertest.Script(adaptertest.Step{Op: "http", Status: 401,
		Body: `{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key","code":"invalid_api_key"}}`}))
	if w.Data.State != "failed" || w.Error == nil || !strings.HasPrefix(w.Error.Message, d.agent.name+": ") || !strings.Contains(w.Error.Hint, cmp.Or(d.agent.program, d.agent.name)) {
		t.Errorf("%s: %+v", w.Data.State, w.Error)
	}
	d.untouched()
}

func agentRateLimited(t *testing.T, d *desk) {
	w := d.do(0, "ingest", "raw/roses.md", "--timeout", "3m", "--note", adaptertest.Script(
		adaptertest.Step{Op: "write", Path: d.wiki + "/sources/roses.md", Content: page("Roses")},
		adaptertest.Step{Op: "say", Text: "INGEST DONE: roses"}))
	if len(w.Data.Files) != 1 || w.Data.State != "proposed" {
		t.Errorf("%s: %+v\n%s", w.Data.State, w.Data.Files, w.Stderr)
	}
	t.Logf("%s, %s", w.Took.Round(time.Millisecond), strings.ReplaceAll(w.Stderr, "\n", "; "))
	d.untouched()
}

func agentHang(t *testing.T, d *desk) {
	w := d.do(124, "ingest", "raw/roses.md", "--timeout", "8s", "--note", adaptertest.Script(
		adaptertest.Step{Op: "write", Path: d.wiki + "/sources/roses.md", Content: page("Roses")},
		adaptertest.Step{Op: "hang"}))
	if w.Data.State != "timed-out" || len(w.Data.Files) > 0 {
		t.Errorf("%s: %+v", w.Data.State, w.Data.Files)
	}
	d.untouched()
	if left := d.processes(); len(left) > 0 {
		t.Errorf("still running: %q", left)
	}
}

func agentQuestion(t *testing.T, d *desk) {
	d.prompt("ingest", odd("@missing"))
	w := d.do(3, "ingest", "raw/roses.md", "--note", adaptertest.Script(adaptertest.Step{Op: "say", Text: "There are two kinds of roses. Which one shall I take?"}))
	if w.Data.State != "incomplete" || !strings.Contains(w.Data.Message, "Which one shall I take?") {
		t.Errorf("%s: %s", w.Data.State, w.Data.Message)
	}
	d.untouched()
}

// processes are the command lines of those whose environment names this desk.
func (d *desk) processes() []string {
	var out []string
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, p := range dirs {
		env, err := os.ReadFile(filepath.Join(p, "environ"))
		if err != nil || !strings.Contains(string(env), "HOME="+d.homeDir) {
			continue
		}
		line, _ := os.ReadFile(filepath.Join(p, "cmdline"))
		out = append(out, strings.ReplaceAll(string(line), "\x00", " "))
	}
	return out
}

// asked tells whether the model was asked with a text.
func (d *desk) asked(text string) bool {
	quoted, _ := json.Marshal(text)
	want := string(quoted[1 : len(quoted)-1])
	for _, r := range d.model.Requests() {
		var all any
		if json.Unmarshal(r.Body, &all) == nil && holds(all, text) || strings.Contains(string(r.Body), want) {
			return true
		}
	}
	return false
}

// holds tells whether a JSON value has a string that contains text.
func holds(v any, text string) bool {
	switch v := v.(type) {
	case string:
		return strings.Contains(v, text)
	case []any:
		return slices.ContainsFunc(v, func(e any) bool { return holds(e, text) })
	case map[string]any:
		for _, e := range v {
			if holds(e, text) {
				return true
			}
		}
	}
	return false
}

// TestAgentsAsUser repeats two of the scenarios as an ordinary user: root has powers that hide faults, and some agents refuse work as root.
func TestAgentsAsUser(t *testing.T) {
	bin := agentsDir(t)
	if os.Getuid() != 0 {
		t.Skip("this is an ordinary user already: TestAgents said it all")
	}
	nobody, err := user.Lookup("nobody")
	if err != nil {
		t.Skip("there is no user nobody: ", err)
	}
	uid, err := strconv.ParseUint(nobody.Uid, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	top, err := os.MkdirTemp("", "rig-user-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(top) })
	if err := os.CopyFS(filepath.Join(top, "tree", "testdata", "garden"), os.DirFS("testdata/garden")); err != nil {
		t.Fatal(err)
	}
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(top, "rig.test"), self, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"tmp", "."} {
		if err := os.MkdirAll(filepath.Join(top, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	err = filepath.WalkDir(top, func(p string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(p, int(uid), int(uid))
	})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(top, "rig.test"), "-test.run", "^TestAgents$/^(claude|codex|opencode|pi)$/^ingest$", "-test.count=1", "-test.parallel=2")
	cmd.Dir = filepath.Join(top, "tree")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + top, "TMPDIR=" + filepath.Join(top, "tmp"), "RIG_AGENTS=" + bin, "RIG_REQUIRE=" + os.Getenv("RIG_REQUIRE")}
	runAs(cmd, int(uid))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// agentWork has the model work on a task of a git repository: an edit, a commit with the user's name, and what a work run may not.
func agentWork(t *testing.T, d *desk) {
	dir := filepath.Join(d.top, "docs", "project")
	d.home(".gitconfig", "[user]\n\tname = Ann Other\n\temail = ann@example.org\n[init]\n\tdefaultBranch = main\n")
	d.write(filepath.Join(dir, "AGENTS.md"), "The brief: ☃ is the sign.\n")
	d.write(filepath.Join(dir, "main.txt"), "one\n")
	d.write(filepath.Join(dir, "tasks", "0007-add-x.md"), "# Add x\n\n"+adaptertest.Script(
		adaptertest.Step{Op: "read", Path: "main.txt"},
		adaptertest.Step{Op: "write", Path: "x.txt", Content: "from the agent\n"},
		adaptertest.Step{Op: "bash", Cmd: "git add x.txt"},
		adaptertest.Step{Op: "bash", Cmd: "git commit -m added"},
		adaptertest.Step{Op: "say", Text: "Done, nothing is open."}))
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + d.homeDir, "GIT_CONFIG_NOSYSTEM=1"}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q")
	git("add", "-A")
	git("commit", "-qm", "first")
	w := d.do(0, "work", filepath.Join(dir, "tasks", "0007-add-x.md"))
	if w.Data.State != "done" || w.Data.Branch != "task/0007-add-x" || len(w.Data.Files) != 1 || w.Data.Files[0].Path != "x.txt" {
		t.Errorf("%s: %s, branch %q, %+v\n%s", w.Data.State, w.Data.Message, w.Data.Branch, w.Data.Files, d.logs(w))
	}
	if got := git("log", "--format=%an <%ae> %cn: %s", "main..task/0007-add-x"); got != "Ann Other <ann@example.org> Ann Other: added" {
		t.Errorf("commits: %q", got)
	}
	if got := git("show", "task/0007-add-x:x.txt"); got != "from the agent" {
		t.Errorf("x.txt is %q", got)
	}
	if got := git("status", "--porcelain"); got != "" {
		t.Errorf("the user's tree: %s", got)
	}
	if !d.asked("☃ is the sign") {
		t.Error("the brief did not reach the model")
	}
}

// agentReviewWrites has the model write in a review: its rules refuse it, or the tree is found changed.
func agentReviewWrites(t *testing.T, d *desk) {
	dir := filepath.Join(d.top, "docs", "project")
	d.home(".gitconfig", "[user]\n\tname = Ann Other\n\temail = ann@example.org\n[init]\n\tdefaultBranch = main\n")
	d.write(filepath.Join(dir, "tasks", "0007.md"), "# Add x\n\n"+adaptertest.Script(
		adaptertest.Step{Op: "write", Path: "x.txt", Content: "x\n"},
		adaptertest.Step{Op: "bash", Cmd: "git commit --allow-empty -m x"},
		adaptertest.Step{Op: "bash", Cmd: "git diff --output=leak.txt HEAD"},
		adaptertest.Step{Op: "say", Text: "I looked.\n\n**RELEVANCE REVIEW:** relevant"}))
	for _, line := range []string{"init -q", "add -A", "commit -qm first"} {
		cmd := exec.Command("git", append([]string{"-C", dir}, strings.Fields(line)...)...)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + d.homeDir, "GIT_CONFIG_NOSYSTEM=1"}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatal(err, string(out))
		}
	}
	w := d.run("review", filepath.Join(dir, "tasks", "0007.md"))
	switch {
	case w.Exit == 0 && w.Data.State == "done" && w.Data.Message == "RELEVANCE REVIEW: relevant": // every write was refused inside
	case w.Exit == 1 && w.Data.State == "failed" && strings.Contains(w.Data.Message, "which a review may not"):
	default:
		t.Errorf("exit %d, %s: %s\n%s", w.Exit, w.Data.State, w.Data.Message, d.logs(w))
	}
	if got := files(t, dir); len(got) == 0 || got["x.txt"] != "" || got["leak.txt"] != "" {
		t.Errorf("the user's tree was written: %v", slices.Sorted(maps.Keys(got)))
	}
}
