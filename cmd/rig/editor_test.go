package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// rigBinary is this test binary under rig's name: TestMain then is rig.
func rigBinary(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	rig := filepath.Join(t.TempDir(), "rig")
	if err := os.Symlink(self, rig); err != nil {
		t.Fatal(err)
	}
	return rig
}

// gardenWith lays out the scripts' wiki and one directory adapter.
func gardenWith(t *testing.T, script string) (wiki string, env []string) {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	wiki = filepath.Join(top, "garden")
	if err := os.CopyFS(wiki, os.DirFS(filepath.Join("testdata", "garden"))); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(top, "home", "adapters", "probe")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"run": "#!/bin/sh\n" + script, "wire": "#!/bin/sh\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return wiki, append(os.Environ(), "RIG_HOME="+filepath.Join(top, "home"), "HOME="+top)
}

// command runs rig and returns its output and exit code.
func command(t *testing.T, rig, dir string, env []string, args ...string) (string, int) {
	t.Helper()
	cmd := exec.Command(rig, append([]string{"wiki"}, args...)...)
	cmd.Dir, cmd.Env = dir, env
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// TestUnsavedPages: a terminal leaves a page alone that has unsaved text in an editor (exit 40), applies the others, and the page once it is saved.
func TestUnsavedPages(t *testing.T) {
	rig := rigBinary(t)
	wiki, env := gardenWith(t, "echo 'from the agent' >> overview.md\necho '- [ ] asked' >> reviews.md\n")
	if out, code := command(t, rig, wiki, env, "ingest", "raw/roses.md", "--agent", "probe"); code != 0 {
		t.Fatalf("ingest: exit %d: %s", code, out)
	}
	e, err := startEditor(t.Context(), rig, wiki, env, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(wiki, "overview.md")
	saved, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	doc := map[string]any{"uri": fileURI(page), "languageId": "markdown", "version": 1, "text": "typed, not saved\n" + string(saved)}
	if err := e.send(map[string]any{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": map[string]any{"textDocument": doc}}); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the unsaved page to be published", func() bool {
		files, _ := filepath.Glob(filepath.Join(filepath.Dir(wiki), "home", "locks", "*.unsaved.*"))
		return len(files) == 1 && strings.Contains(read(t, files[0]), "overview.md")
	})
	out, code := command(t, rig, wiki, env, "proposals", "apply")
	if code != 40 || !strings.Contains(out, "overview.md: it has unsaved text in an editor") {
		t.Errorf("apply beside unsaved text: exit %d: %s", code, out)
	}
	if got := read(t, page); got != string(saved) {
		t.Errorf("a page with unsaved text was written: %q", got)
	}
	if !strings.Contains(read(t, filepath.Join(wiki, "reviews.md")), "- [ ] asked") {
		t.Error("the other page was not applied")
	}
	if err := e.close(t.Context()); err != nil {
		t.Error(err)
	}
	if out, code := command(t, rig, wiki, env, "proposals", "apply"); code != 0 || !strings.Contains(read(t, page), "from the agent") {
		t.Errorf("apply after the editor closed: exit %d: %s", code, out)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// waitFor polls a state; the deadline only ends a hang.
func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatalf("never saw %s", what)
}

// TestRevise: a run that revises starts from what the first one proposed, hears the comment, and takes its place.
func TestRevise(t *testing.T) {
	rig := rigBinary(t)
	wiki, env := gardenWith(t, `if [ -e concepts/roses.md ]; then
  case $AGENT_PROMPT in *'name the month'*'reviews.md'*'+- [ ] a question'*) echo 'Cut in March.' >> concepts/roses.md;; esac
else
  printf '# Roses\n\nSee [[compost]].\n' > concepts/roses.md
  echo '- [ ] a question' >> reviews.md
fi
`)
	e, err := startEditor(t.Context(), rig, wiki, env, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	e.answerEdits(func(json.RawMessage) bool { return false }) // nothing is applied: both proposals wait
	var first, second struct{ Run, Revises string }
	if err := e.command(t.Context(), "rigwiki.ingest", map[string]any{"uri": fileURI(filepath.Join(wiki, "raw", "roses.md")), "agent": "probe"}, &first); err != nil {
		t.Fatal(err)
	}
	settled(t, e, first.Run, "proposed")
	if err := e.command(t.Context(), "rigwiki.proposal.revise", map[string]any{"run": first.Run, "text": "name the month", "hunks": []string{"reviews.md#1"}}, &second); err != nil {
		t.Fatal(err)
	}
	settled(t, e, second.Run, "proposed")
	if err := e.close(t.Context()); err != nil {
		t.Error(err)
	}
	if out, code := command(t, rig, wiki, env, "proposals", "apply", second.Run, "--yes"); code != 0 {
		t.Fatalf("apply: exit %d: %s", code, out)
	}
	if got, want := read(t, filepath.Join(wiki, "concepts", "roses.md")), "# Roses\n\nSee [[compost]].\nCut in March.\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if !strings.Contains(read(t, filepath.Join(wiki, "reviews.md")), "- [ ] a question") {
		t.Error("what the first run proposed and the second left alone is gone")
	}
	if out, _ := command(t, rig, wiki, env, "runs", "show", first.Run); !strings.Contains(out, "discarded") {
		t.Errorf("the first proposal still waits: %s", out)
	}
}

// settled reads notes until the run is in the state.
func settled(t *testing.T, e *editor, run, state string) {
	t.Helper()
	deadline := time.After(time.Minute)
	for {
		select {
		case m, ok := <-e.notes:
			if !ok {
				t.Fatal("the server ended")
			}
			var n runNote
			if m.Method == "rigwiki/run" && json.Unmarshal(m.Params, &n) == nil && n.Run == run {
				if string(n.State) == state {
					return
				}
				t.Logf("%s: %s", n.State, n.Message)
			}
		case <-deadline:
			t.Fatalf("run %s never was %s", run, state)
		}
	}
}

// TestPause: a paused queue holds runs back until it is resumed.
func TestPause(t *testing.T) {
	rig := rigBinary(t)
	wiki, env := gardenWith(t, "echo '- [ ] asked' >> reviews.md\n")
	e, err := startEditor(t.Context(), rig, wiki, env, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	var paused struct{ Paused map[string]bool }
	if err := e.command(t.Context(), "rigwiki.queue.pause", map[string]any{}, &paused); err != nil || !paused.Paused[wiki] {
		t.Fatalf("pause: %v, %v", paused, err)
	}
	var started struct{ Run string }
	if err := e.command(t.Context(), "rigwiki.ingest", map[string]any{"uri": fileURI(filepath.Join(wiki, "raw", "roses.md")), "agent": "probe"}, &started); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the run to be told that it waits", func() bool {
		m := <-e.notes
		return m.Method == "rigwiki/run" && strings.Contains(string(m.Params), "the queue is paused")
	})
	if err := e.command(t.Context(), "rigwiki.queue.resume", map[string]any{}, &paused); err != nil || paused.Paused[wiki] {
		t.Fatalf("resume: %v, %v", paused, err)
	}
	settled(t, e, started.Run, "proposed")
	if err := e.close(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestServerKilled: a server that is killed while a run is queued, under way or waiting for the editor's answer leaves the wiki as it was and no process; the next start
// knows what became of the run.
func TestServerKilled(t *testing.T) {
	rig := rigBinary(t)
	for _, tt := range []struct{ name, script, at, want string }{
		{"running", "echo half > concepts/half.md; echo working; sleep 602.0302", "stdout.log", "failed"},
		{"waiting for applyEdit", "echo '- [ ] asked' >> reviews.md", "proposal.diff", "proposed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wiki, env := gardenWith(t, tt.script+"\n")
			before := read(t, filepath.Join(wiki, "reviews.md"))
			e, err := startEditor(t.Context(), rig, wiki, env, os.Stderr)
			if err != nil {
				t.Fatal(err)
			}
			asked := make(chan struct{}, 1)
			e.answerEdits(func(json.RawMessage) bool { asked <- struct{}{}; select {} }) // the preview stays open
			var started struct{ Run string }
			if err := e.command(t.Context(), "rigwiki.ingest", map[string]any{"uri": fileURI(filepath.Join(wiki, "raw", "roses.md")), "agent": "probe"}, &started); err != nil {
				t.Fatal(err)
			}
			waitFor(t, tt.at, func() bool {
				files, _ := filepath.Glob(filepath.Join(filepath.Dir(wiki), "home", "runs", "*", started.Run, tt.at))
				return len(files) == 1 && len(read(t, files[0])) > 0
			})
			if tt.want == "proposed" {
				<-asked
			}
			if err := e.cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = e.cmd.Wait() // it was killed
			out, code := command(t, rig, wiki, env, "runs", "list")
			if code != 0 || !strings.Contains(out, tt.want) {
				t.Errorf("after the kill: exit %d: %s", code, out)
			}
			if got := read(t, filepath.Join(wiki, "reviews.md")); got != before {
				t.Errorf("the page changed: %q", got)
			}
			if left, _ := filepath.Glob(filepath.Join(filepath.Dir(wiki), "home", "cache", "sandbox", "*", "*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
			if tt.want == "proposed" {
				if out, code := command(t, rig, wiki, env, "proposals", "apply"); code != 0 || !strings.Contains(read(t, filepath.Join(wiki, "reviews.md")), "asked") {
					t.Errorf("apply afterwards: exit %d: %s", code, out)
				}
			}
		})
	}
}
