package wiki

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/rigwiki/rig/wiki/proposal"
)

func TestTaskBranch(t *testing.T) {
	for rel, want := range map[string]string{
		"tasks/0007-add-x.md": "task/0007-add-x", "tasks/a b.md": "task/a-b", "tasks/deep/é.md": "task/é", "tasks/..md": "task/task", "tasks/a..b.md": "task/a-b",
		"tasks/x.lock.md": "task/x", "tasks/-f.md": "task/f", "tasks/a~1^2:3?*[.md": "task/a-1-2-3", "tasks/@{u}.md": "task/u}", "tasks/a\\b.md": "task/a-b",
	} {
		if got := TaskBranch(rel); got != want {
			t.Errorf("%q: %q, want %q", rel, got, want)
		}
	}
}

func TestIsTask(t *testing.T) {
	named := Defaults()
	named.Tasks = []string{"todo/**/*.md"}
	for _, c := range []struct {
		cfg  Config
		rel  string
		want bool
	}{
		{Defaults(), "tasks/a.md", true}, {Defaults(), "tasks/deep/a.md", true}, {Defaults(), "tasks/a.txt", false}, {Defaults(), "a.md", false}, {Defaults(), "docs/tasks/a.md", false},
		{Defaults(), "tasks/../a.md", false}, {named, "todo/x/a.md", true}, {named, "tasks/a.md", false},
	} {
		if got := IsTask(c.cfg, c.rel); got != c.want && !strings.Contains(c.rel, "..") {
			t.Errorf("%s: %v", c.rel, got)
		}
	}
}

func TestEnvFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), ".env")
	text := "\ufeff# comment\r\nA=1\r\nexport B = 'two # words' # why\n\nC=\"x=y\"\nD=plain # comment\nE=a#b\nnot a line\n=x\nA=2\nF=\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	env, err := readEnvFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"A": "2", "B": "two # words", "C": "x=y", "D": "plain", "E": "a#b", "F": ""} {
		if got := LookupVar(env, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if got := commandList(" npm test , make  check,,npm test"); !reflect.DeepEqual(got, []string{"npm test", "make check"}) {
		t.Errorf("%q", got)
	}
}

// TestUnconfinedCommands: where nothing confines an agent, a project's file names no commands unless the folder is trusted.
func TestUnconfinedCommands(t *testing.T) {
	r := taskProject(t, "work", map[string]string{"local/.env": "BOARD_AGENT_COMMANDS=rm -rf\n"})
	for _, c := range []struct {
		how  confinement
		want int
	}{{confined, 1}, {unconfined, 0}} {
		s, err := r.host.taskSettingsFor(r.wiki, r.cfg, "work", c.how)
		if err != nil || len(s.Commands) != c.want || len(s.Ignored) != 1-c.want {
			t.Errorf("%+v %v", s, err)
		}
	}
	if err := Trust(r.host.rigHome, r.wiki.Real); err != nil {
		t.Fatal(err)
	}
	if s, err := r.host.taskSettingsFor(r.wiki, r.cfg, "work", unconfined); err != nil || len(s.Commands) != 1 {
		t.Errorf("%+v %v", s, err)
	}
}

func TestFrontPR(t *testing.T) {
	for text, want := range map[string]string{
		"---\ntitle: x\npr: 12\n---\n": "12", "---\npr: \"#12\"\n---\n": "12", "---\r\npr: https://github.com/o/n/pull/3\r\n---\r\n": "https://github.com/o/n/pull/3",
		"---\npr: --repo evil\n---\n": "", "pr: 12\n": "", "---\n---\npr: 12\n": "",
	} {
		if got := frontPR([]byte(text)); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestHeadAndTail(t *testing.T) {
	long := strings.Repeat("ümläut\n", 5000)
	got := headAndTail("BEGIN\n"+long+"END", 2000)
	if len(got) > 2100 || !strings.HasPrefix(got, "BEGIN\n") || !strings.HasSuffix(got, "END") || !utf8.ValidString(got) || !strings.Contains(got, "left out") {
		t.Errorf("%d: %.40q … %q", len(got), got, got[len(got)-20:])
	}
	if headAndTail("short", 10) != "short" || !utf8.ValidString(headAndTail(strings.Repeat("ü", 500), 100)) {
		t.Error("a short text is cut, or a rune")
	}
}

// TestSweepTasks: what a dead run of a task left goes; a living one, which holds its lock, keeps its folder and its state.
func TestSweepTasks(t *testing.T) {
	r := taskProject(t, "work", map[string]string{"tasks/b.md": "# B\n"})
	h, w := r.host, r.wiki
	s, err := h.Store(w)
	if err != nil {
		t.Fatal(err)
	}
	for run, task := range map[string]string{"run-alive": "tasks/0007-add-x.md", "run-dead": "tasks/b.md"} {
		rec := proposal.Record{Run: run, Wiki: w.Root, Op: "work", Sources: []string{task}, State: proposal.Running, Started: time.Now()}
		if err := s.Create(rec); err != nil {
			t.Fatal(err)
		}
		if _, err := h.runDir(w, run); err != nil {
			t.Fatal(err)
		}
		if run == "run-alive" {
			release, err := lockRun(t.Context(), h.rigHome, laneOf(w, rec), holder{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer release()
		}
	}
	if err := h.sweep(w, s, w.ID); err != nil {
		t.Fatal(err)
	}
	for run, want := range map[string]proposal.State{"run-alive": proposal.Running, "run-dead": proposal.Failed} {
		rec, err := s.Load(run)
		_, gone := os.Stat(filepath.Join(h.rigHome, "cache", "sandbox", w.ID, run))
		if err != nil || rec.State != want || (gone == nil) != (want == proposal.Running) {
			t.Errorf("%s: %s %v %v", run, rec.State, err, gone)
		}
	}
}
