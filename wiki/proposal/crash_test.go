//go:build unix

package proposal

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// The child is the test binary: it does one thing to a store and kills itself at the n-th step.
func TestMain(m *testing.M) {
	if what := os.Getenv("CRASH_DO"); what != "" {
		os.Exit(crashChild(what))
	}
	os.Exit(m.Run())
}

func crashChild(what string) int {
	s, err := Open(os.Getenv("CRASH_STORE"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	s.flush = noSync // a kill loses nothing that was written
	left, _ := strconv.Atoi(os.Getenv("CRASH_AT"))
	s.step = func(string) {
		if left--; left < 0 {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
	run, cur := os.Getenv("CRASH_RUN"), OnDisk(os.Getenv("CRASH_WIKI"))
	var plan Plan
	switch what {
	case "apply":
		plan, err = s.Plan(run, Selection{Flagged: true}, cur)
	case "undo":
		plan, err = s.PlanUndo(run, cur)
	case "recover":
		_, err = s.Recover()
	}
	if err == nil && what != "recover" {
		_, err = s.Apply(plan, "cli")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// crash runs the child and tells whether it was killed at step n; false: it came to its end before.
func (f *fixture) crash(what, run string, n int) bool {
	f.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "CRASH_DO="+what, "CRASH_STORE="+f.dir, "CRASH_RUN="+run, "CRASH_WIKI="+f.wiki, "CRASH_AT="+strconv.Itoa(n))
	out, err := cmd.CombinedOutput()
	if err == nil {
		return false
	}
	if st, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || st.Signal() != syscall.SIGKILL {
		f.Fatalf("%s, step %d: %v: %s", what, n, err, out)
	}
	return true
}

var (
	crashBefore = map[string]string{
		"edit.md": "1\n2\n3\n", "gone.md": "to be deleted\n", "old.md": long(), "rag.md": "# RAG\nold\nmore\n",
		"f.md": "a file\n", "index.md": "# Index\n",
	}
	crashAfter = map[string]string{
		"edit.md": "1\ntwo\n3\n", "s/new.md": long("line 9", "nine"), "RAG.md": "# RAG\nnew\nmore\n",
		"f.md/in.md": "now below a folder that had the page's name\n", "index.md": "# Index\n- [[new]]\n", "n/m/made.md": "made\n",
	}
)

// oldOrNew fails where a page has a text that is neither the old nor the new one. Temporary files do not count: Recover removes them.
func (f *fixture) oldOrNew(step string) {
	f.Helper()
	for name, text := range f.tree() {
		if strings.HasSuffix(name, "/") || strings.HasPrefix(filepath.Base(name), ".rig-") {
			continue
		}
		old, isOld := crashBefore[name]
		made, isNew := crashAfter[name]
		if !(isOld && text == old) && !(isNew && text == made) {
			f.Errorf("%s: %s is half a page: %q", step, name, text)
		}
	}
	for old, made := range map[string]string{"edit.md": "edit.md", "old.md": "s/new.md", "index.md": "index.md"} {
		tree := f.tree()
		if _, ok := tree[old]; !ok && tree[made] == "" {
			f.Errorf("%s: neither %s nor %s is there", step, old, made)
		}
	}
}

// A kill at every step of an apply, another at some step of the recovery, then recovery: as if nothing had happened in between.
func TestKilledApply(t *testing.T) {
	for n := 0; ; n++ {
		f := newQuickFixture(t, crashBefore)
		run := f.propose(crashAfter)
		killed := f.crash("apply", run, n)
		f.oldOrNew(fmt.Sprintf("killed at %d", n))
		if killed && f.crash("recover", run, n%5) {
			f.oldOrNew(fmt.Sprintf("killed at %d, then at %d", n, n%5))
		}
		if _, err := f.Recover(); err != nil {
			t.Fatalf("step %d: %v", n, err)
		}
		rec := f.record(run)
		receipts, err := f.Receipts(run)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case rec.State == Proposed && n < 1: // before the journal
			f.wantTree(crashBefore)
		case rec.State == Applied && len(receipts) == 1:
			f.wantTree(crashAfter)
			f.undo(run)
			f.wantTree(crashBefore)
			if got := f.tree(); got["n/"] == "" && (has(got, "n/") || has(got, "s/") || has(got, "f.md/")) {
				t.Errorf("step %d: folders left: %q", n, got)
			}
		default:
			t.Errorf("step %d: state %s, %d receipts", n, rec.State, len(receipts))
			f.wantTree(crashAfter)
		}
		if f.journaled(run) {
			t.Errorf("step %d: the journal is left", n)
		}
		if !killed {
			t.Logf("%d steps", n)
			break
		}
	}
}

func has(m map[string]string, key string) bool { _, ok := m[key]; return ok }

func TestKilledUndo(t *testing.T) {
	for n := 0; ; n++ {
		f := newQuickFixture(t, crashBefore)
		run := f.propose(crashAfter)
		f.apply(run, Selection{Flagged: true})
		killed := f.crash("undo", run, n)
		f.oldOrNew(fmt.Sprintf("killed at %d", n))
		if _, err := f.Recover(); err != nil {
			t.Fatalf("step %d: %v", n, err)
		}
		if n < 1 {
			f.wantTree(crashAfter)
		} else {
			f.wantTree(crashBefore)
			f.wantState(run, Discarded)
		}
		if !killed {
			break
		}
	}
}

// What the user writes between the kill and the next start is never overwritten.
func TestKilledThenEdited(t *testing.T) {
	mine := maps.Clone(crashBefore)
	for n := 1; ; n += 2 {
		f := newQuickFixture(t, mine)
		run := f.propose(crashAfter)
		killed := f.crash("apply", run, n)
		if !killed {
			break
		}
		typed := map[string]string{}
		for name := range f.tree() {
			if !strings.HasSuffix(name, "/") && !strings.HasPrefix(filepath.Base(name), ".rig-") {
				typed[name] = "typed into " + name + "\n"
				f.put(name, typed[name])
			}
		}
		_, _ = f.Recover() // tells the pages that moved on
		tree := f.tree()
		for name, text := range typed {
			if tree[name] != text {
				t.Errorf("step %d: %s: %q, lost %q", n, name, tree[name], text)
			}
		}
		for name := range tree {
			if strings.HasPrefix(filepath.Base(name), ".rig-") {
				t.Errorf("step %d: %s is left", n, name)
			}
		}
		if f.journaled(run) {
			t.Errorf("step %d: the journal is left", n)
		}
	}
}

// A run that somebody took away while its apply was interrupted leaves nothing that would stop the next one.
func TestKilledThenRemoved(t *testing.T) {
	f := newQuickFixture(t, crashBefore)
	run := f.propose(crashAfter)
	if !f.crash("apply", run, 2) || !f.journaled(run) {
		t.Fatal("the apply was not interrupted with its journal written")
	}
	if err := os.RemoveAll(f.Dir(run)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if runs, err := f.Recover(); err != nil || len(runs) > 0 {
			t.Errorf("%q %v", runs, err)
		}
	}
	if f.journaled(run) {
		t.Error("the journal is left")
	}
}
