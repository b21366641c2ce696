package lsp

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rigwiki/rig/lsp/lsptest"
	"github.com/rigwiki/rig/wiki/proposal"
)

// newProject lays out a git repository with a task in a folder that is no wiki.
func newProject(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	root := filepath.Join(t.TempDir(), "project")
	write(t, filepath.Join(root, "tasks", "0007-add-x.md"), "# Add x\n")
	write(t, filepath.Join(root, "README.md"), "# Read me\n")
	for _, line := range []string{"init -q -b main", "config user.name Ann", "config user.email ann@example.org", "add -A", "commit -qm first"} {
		cmd := exec.Command("git", strings.Fields(line)...)
		cmd.Dir, cmd.Env = root, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + root, "GIT_CONFIG_NOSYSTEM=1"}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatal(err, string(out))
		}
	}
	return root
}

// TestWork tells the editor's story of a task: a code action, a run with progress, the diff of the branch, and what the task file shows of it.
func TestWork(t *testing.T) {
	root := newProject(t)
	h := realHost(t, `[ "$AGENT_MODE" = work ] || { echo 'PR REVIEW: REQUEST CHANGES x is wrong'; exit; }
case $AGENT_PROMPT in *'not saved'*) ;; *) exit 5;; esac
echo x > x.txt; git add x.txt; git commit -qm 'Add x'`)
	e := session(t, h, lsptest.Options{Root: root, Profile: lsptest.VSCode(), Init: notifying})
	page := filepath.Join(root, "tasks", "0007-add-x.md")
	e.Open(page)
	e.Change(page, "# Add x\n\nnot saved\n")
	titles := actionTitles(t, e, page)
	for _, want := range []string{"Work on task", "Act on PR", "Review task"} {
		if !slices.Contains(titles, want) {
			t.Errorf("actions: %q, no %q", titles, want)
		}
	}
	other := filepath.Join(root, "README.md")
	e.Open(other)
	if got := actionTitles(t, e, other); has(got, "Work on task") {
		t.Errorf("a page that is no task offers %q", got)
	}
	if err := e.Execute("rigwiki.work", map[string]string{"uri": lsptest.URI(other)}, nil); err == nil || !strings.Contains(err.Error(), "is no task") {
		t.Error(err)
	}
	var got struct{ Run string }
	if err := e.Execute("rigwiki.work", map[string]string{"uri": lsptest.URI(page), "agent": "probe"}, &got); err != nil {
		t.Fatal(err)
	}
	note := until(t, e, got.Run, proposal.Done)
	if note.Message != "1 commit on task/0007-add-x, 1 file" || note.Op != "work" || note.Proposal == nil || len(note.Proposal.Files) != 1 {
		t.Errorf("%+v", note)
	}
	shown := ""
	e.Until("the diff is shown", func() bool {
		for _, raw := range e.HeldRequests("window/showDocument") {
			var p struct{ URI string }
			if json.Unmarshal(raw, &p) == nil && strings.HasSuffix(p.URI, ".diff/work.diff") {
				shown = p.URI
			}
		}
		return shown != ""
	})
	text := content(t, e, shown)
	if !strings.Contains(text, "+x\n") || !strings.Contains(text, "# branch task/0007-add-x, 1 commit") {
		t.Error(text)
	}
	if got := actionTitlesAt(t, e, shown); len(got) > 0 {
		t.Errorf("what is on a branch is offered to be accepted: %q", got)
	}
	if got := actionTitles(t, e, page); !slices.Contains(got, "Undo work on tasks/0007-add-x.md") {
		t.Errorf("no undo among %q", got)
	}
	listed := func() (undoable, found bool) {
		var list struct{ Runs []runDetail }
		if err := e.Execute("rigwiki.runs", map[string]string{}, &list); err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(list.Runs, func(r runDetail) bool { return r.Run == got.Run })
		return i >= 0 && list.Runs[i].Undoable, i >= 0
	}
	if undoable, found := listed(); !undoable || !found {
		t.Errorf("in the list of runs: %t, to be undone: %t", found, undoable)
	}
	if err := e.Execute("rigwiki.run.undo", map[string]string{"run": got.Run}, nil); err != nil {
		t.Error(err)
	}
	if undoable, found := listed(); undoable || !found {
		t.Errorf("after the undo, in the list of runs: %t, to be undone: %t", found, undoable)
	}
	if got := actionTitles(t, e, page); has(got, "Undo work on") {
		t.Errorf("an undone run is offered again: %q", got)
	}
	if err := e.Execute("rigwiki.proposal.apply", map[string]string{"run": got.Run}, nil); err == nil {
		t.Error("a task's run was applied")
	}
	if err := e.Execute("rigwiki.review", map[string]string{"uri": lsptest.URI(page)}, &got); err != nil {
		t.Fatal(err)
	}
	if note := until(t, e, got.Run, proposal.Done); note.Message != "PR REVIEW: REQUEST CHANGES x is wrong" {
		t.Errorf("%+v", note)
	}
	e.Until("the verdict is shown at the task", func() bool {
		for _, raw := range e.Held("textDocument/publishDiagnostics") {
			if strings.Contains(string(raw), "0007-add-x.md") && strings.Contains(string(raw), `"pr-review"`) && strings.Contains(string(raw), "x is wrong") {
				return true
			}
		}
		return false
	})
}
