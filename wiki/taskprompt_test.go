package wiki

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rigwiki/rig/wiki/task"
)

// taskProject is a repository with a task file, and a run about it that has come to its plan.
func taskProject(t *testing.T, op string, files map[string]string) *run {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	top := t.TempDir()
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + top, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=ann@example.org",
		"GIT_COMMITTER_NAME=Ann", "GIT_COMMITTER_EMAIL=ann@example.org", "GIT_AUTHOR_DATE=2026-11-30T00:00:00Z", "GIT_COMMITTER_DATE=2026-11-30T00:00:00Z"}
	dir := filepath.Join(top, "project")
	files["tasks/0007-add-x.md"] = "# Add x\n\n~~~\nwith a fence\n~~~\n"
	for rel, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(rel))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range []string{"init -q -b main", "add -A", "commit -qm first"} {
		cmd := exec.Command("git", strings.Fields(line)...)
		cmd.Dir, cmd.Env = dir, env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatal(err, string(out))
		}
	}
	h, err := NewHost(Options{RigHome: filepath.Join(top, "rig"), Env: env, Self: "/bin/true"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	w, err := Repository(filepath.Join(dir, "tasks", "0007-add-x.md"))
	if err != nil {
		t.Fatal(err)
	}
	r := h.newRun(Job{Wiki: w, Op: op, Sources: []string{"tasks/0007-add-x.md"}, Note: "mind the gap"}, nil)
	r.cfg, r.task = Defaults(), &taskRun{}
	if err := r.readTask(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r.task.checkout, err = r.task.repo.Checkout(t.Context(), task.Order{Branch: TaskBranch(r.task.file), Dir: filepath.Join(top, "checkout")}); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestTaskPrompts compares what a task's agent is told with testdata/prompts.
func TestTaskPrompts(t *testing.T) {
	for _, c := range []struct {
		name, op string
		set      func(*run)
	}{
		{"work", "work", func(*run) {}},
		{"work-commands", "work", func(r *run) {
			r.task.asked.Commands = []string{"npm test", "make check"}
			r.task.checkout.Continued = true
		}},
		{"act-pr", "act-pr", func(r *run) {
			r.task.pr = task.PullRequest{Number: 12, URL: "https://github.com/o/n/pull/12", Title: "Add `x`\n\x1b[1mnow"}
		}},
		{"review-pr", "review", func(r *run) { r.task.pr = task.PullRequest{Number: 12, Title: "Add x"} }},
		{"review-branch", "review", func(r *run) { r.task.checkout.Continued = true }},
		{"review-task", "review", func(*run) {}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := taskProject(t, c.op, map[string]string{"AGENTS.md": "Be brief.\n"})
			c.set(r)
			req, err := r.request("/run/checkout")
			if err != nil {
				t.Fatal(err)
			}
			got := strings.ReplaceAll(req.System+"\n---\n\n"+req.Prompt, r.rec.Started.Local().Format("2006-01-02"), "2026-11-30")
			golden(t, filepath.Join("testdata", "prompts", "task-"+c.name+".md"), strings.ReplaceAll(got, r.task.checkout.Base, "BASE"))
			if req.Brief != "Be brief.\n" || req.Task != "0007-add-x.md" {
				t.Errorf("brief %q, task %q", req.Brief, req.Task)
			}
			if c.op == "review" && (req.Grant.Write || len(req.Commands) > 0) {
				t.Errorf("a review may %+v", req.Grant)
			}
		})
	}
}

// TestTaskOwnPrompts: a project's prompt stands for ours in a trusted folder only, local/ before .rig/.
func TestTaskOwnPrompts(t *testing.T) {
	r := taskProject(t, "work", map[string]string{"local/prompts/work.md": "Mine: {{.Task}}\n", ".rig/prompts/work.md": "Not mine\n", ".rig/prompts/work.extra.md": "More on {{.Branch}}\n"})
	req, err := r.request("/run/checkout")
	if err != nil || !strings.HasPrefix(req.Prompt, "Work on one task") || len(r.rec.Warnings) != 1 || !strings.Contains(r.rec.Warnings[0], "local/prompts/work.md") {
		t.Errorf("%v %q %q", err, req.Prompt, r.rec.Warnings)
	}
	if err := Trust(r.host.rigHome, r.wiki.Real); err != nil {
		t.Fatal(err)
	}
	if req, err = r.request("/run/checkout"); err != nil || req.Prompt != "Mine: tasks/0007-add-x.md\n\nMore on task/0007-add-x\n" {
		t.Errorf("%v %q", err, req.Prompt)
	}
}
