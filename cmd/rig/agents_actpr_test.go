package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rigwiki/rig/adapters/adaptertest"
)

// agentActPR has the model act on a review: what its own rules let through and the grant does not, our git refuses in words that the model reads; the
// branch is pushed, and what would rewrite another is not, whoever refuses it.
func agentActPR(t *testing.T, d *desk) {
	dir, remote := filepath.Join(d.top, "docs", "project"), filepath.Join(d.top, "docs", "remote.git")
	d.home(".gitconfig", "[user]\n\tname = Ann Other\n\temail = ann@example.org\n[init]\n\tdefaultBranch = main\n")
	d.write(filepath.Join(dir, "tasks", "0007.md"), "# Act\n\n"+adaptertest.Script(
		adaptertest.Step{Op: "bash", Cmd: "git diff --output=leak.txt HEAD"},
		adaptertest.Step{Op: "write", Path: "x.txt", Content: "from the agent\n"},
		adaptertest.Step{Op: "bash", Cmd: "git add x.txt"},
		adaptertest.Step{Op: "bash", Cmd: "git commit -m added"},
		adaptertest.Step{Op: "bash", Cmd: "git push"},
		adaptertest.Step{Op: "say", Text: "ADDRESSED: the name"}))
	d.write(filepath.Join(dir, "tasks", "0008.md"), "# Force\n\n"+adaptertest.Script(
		adaptertest.Step{Op: "bash", Cmd: "git push origin +HEAD:main"},
		adaptertest.Step{Op: "say", Text: "ADDRESSED: the branch"}))
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + d.homeDir, "GIT_CONFIG_NOSYSTEM=1"}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q")
	git("init", "-q", "--bare", remote)
	git("add", "-A")
	git("commit", "-qm", "first")
	git("remote", "add", "origin", remote)
	git("push", "-q", "origin", "main", "main:task/0007", "main:task/0008")
	before := git("ls-remote", "origin", "main", "task/0008")

	w := d.do(0, "act-pr", filepath.Join(dir, "tasks", "0007.md"))
	if w.Data.State != "done" || w.Data.Branch != "task/0007" || !slices.Contains(w.Data.Markers, "ADDRESSED: the name") {
		t.Errorf("%s: %s, branch %q, %q\n%s", w.Data.State, w.Data.Message, w.Data.Branch, w.Data.Markers, d.logs(w))
	}
	if !d.asked("rig: git diff") {
		t.Errorf("the model was not told why its git diff --output did not run\n%s", d.logs(w))
	}
	if at, here := git("ls-remote", "origin", "task/0007"), git("rev-parse", "task/0007"); !strings.HasPrefix(at, here) || here == git("rev-parse", "main") {
		t.Errorf("the remote has %q, here it is %q", at, here)
	}

	w = d.run("act-pr", filepath.Join(dir, "tasks", "0008.md"))
	if got := git("ls-remote", "origin", "main", "task/0008"); got != before {
		t.Errorf("the remote was\n%s\nand is\n%s\n%s", before, got, d.logs(w))
	}
	if w.Exit == 0 || !d.asked("+HEAD:main") {
		t.Errorf("exit %d, %s: %s\n%s", w.Exit, w.Data.State, w.Data.Message, d.logs(w))
	}
	if d.agent.name == "codex" && !d.asked("rewrites history") { // it has no rules of its own for commands
		t.Errorf("the model was not told why\n%s", d.logs(w))
	}
}
