package lsp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rigwiki/rig/lsp/lsptest"
	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/proposal"
)

// realHost makes a host whose agent is a shell script in an adapter's folder.
func realHost(t testing.TB, script string) *wiki.Host {
	t.Helper()
	dir := t.TempDir()
	home := filepath.Join(dir, "rig")
	for name, text := range map[string]string{"run": "#!/bin/sh\n" + script, "wire": "#!/bin/sh\nexit 0\n"} {
		path := filepath.Join(home, "adapters", "probe", name)
		write(t, path, text)
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(home, "config.json5"), `{wiki: {defaultAgent: "probe"}}`)
	h, err := wiki.NewHost(wiki.Options{RigHome: home, Env: []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

const longPage = "# Long\n\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n20\n21\n22\n23\n24\n25\n26\n"

// TestOutcomes tells one story for each way in which a run can end, with a real host and a script as the agent.
func TestOutcomes(t *testing.T) {
	for _, c := range []struct {
		name, script string
		init         string
		ends         proposal.State
		says         string // in the message of the end
		then         func(*testing.T, *lsptest.Editor, string, string)
	}{
		{"applied", `echo '- x' >> log.md`, withPane, proposal.Applied, "1 page applied: log.md", func(t *testing.T, e *lsptest.Editor, root, run string) {
			if got := read(t, filepath.Join(root, "log.md")); got != "# Log\n- x\n" {
				t.Errorf("log.md is %q", got)
			}
			if got := actionTitles(t, e, filepath.Join(root, "log.md")); !has(got, "Undo ingest raw/src.md") {
				t.Errorf("actions: %q", got)
			}
		}},
		{"undone", `echo '- x' >> log.md`, withPane, proposal.Applied, "", func(t *testing.T, e *lsptest.Editor, root, run string) {
			write(t, filepath.Join(root, "log.md"), "# Log, mine\n- x\n")
			if err := e.Execute("rigwiki.run.undo", map[string]string{"run": run}, nil); err != nil {
				t.Fatal(err)
			}
			n := until(t, e, run, proposal.Discarded)
			if got := read(t, filepath.Join(root, "log.md")); got != "# Log, mine\n" || !strings.Contains(n.Message, "taken back") {
				t.Errorf("log.md is %q, message %q", got, n.Message)
			}
		}},
		{"partly", `echo '- x' >> log.md; echo '- y' >> index.md`, withMessage, proposal.Proposed, "", func(t *testing.T, e *lsptest.Editor, root, run string) {
			if err := e.Execute("rigwiki.proposal.apply", map[string]any{"run": run, "paths": []string{"log.md"}}, nil); err != nil {
				t.Fatal(err)
			}
			until(t, e, run, proposal.Partly)
			if read(t, filepath.Join(root, "index.md")) != "# Index\n" {
				t.Error("what was not named was applied")
			}
		}},
		{"discarded", `echo '- x' >> log.md`, withMessage, proposal.Proposed, "", func(t *testing.T, e *lsptest.Editor, root, run string) {
			if err := e.Execute("rigwiki.proposal.discard", map[string]string{"run": run, "reason": "no"}, nil); err != nil {
				t.Fatal(err)
			}
			until(t, e, run, proposal.Discarded)
			if read(t, filepath.Join(root, "log.md")) != "# Log\n" {
				t.Error("a discarded page was written")
			}
		}},
		{"refused", `echo x >> schema.md 2>/dev/null; echo x > Schema.md; echo '- x' >> log.md`, withMessage, proposal.Proposed, "refused", func(t *testing.T, e *lsptest.Editor, root, run string) {
			n := until(t, e, run, proposal.Proposed)
			if n.Proposal == nil || len(n.Proposal.Refused) == 0 || n.Proposal.Refused[0].Rule != "protected-path" {
				t.Errorf("refusals: %+v", n.Proposal)
			}
			src := filepath.Join(root, "raw/src.md")
			e.Until("the refusal at the source", func() bool {
				return strings.Contains(lastFindings(e, src), "protected-path")
			})
		}},
		{"flagged", `rm concepts/long.md; echo '- x' >> log.md`, withMessage, proposal.Proposed, "", func(t *testing.T, e *lsptest.Editor, root, run string) {
			var a applyAnswer
			if err := e.Execute("rigwiki.proposal.apply", map[string]string{"run": run}, &a); err != nil {
				t.Fatal(err)
			}
			until(t, e, run, proposal.Partly)
			if len(a.Flagged) != 1 || a.Flagged[0] != "concepts/long.md" || !exists(filepath.Join(root, "concepts/long.md")) {
				t.Errorf("answer %+v", a)
			}
			if err := e.Execute("rigwiki.proposal.apply", map[string]any{"run": run, "paths": []string{"concepts/long.md"}}, &a); err != nil {
				t.Fatal(err)
			}
			until(t, e, run, proposal.Applied)
			if exists(filepath.Join(root, "concepts/long.md")) {
				t.Error("what was named was not deleted")
			}
		}},
		{"failed", `echo '- x' >> log.md; echo broken >&2; exit 3`, withPane, proposal.Failed, "exit status 3", nothingHappened},
		{"empty", `true`, withPane, proposal.Empty, "changed nothing", nothingHappened},
		{"timed out", `echo '- x' >> log.md; sleep 60`, `{"notifications":true,"timeout":"1s"}`, proposal.TimedOut, "time limit", nothingHappened},
		{"conflict", `sed -i 's/^5$/five/' concepts/long.md`, withMessage, proposal.Proposed, "", func(t *testing.T, e *lsptest.Editor, root, run string) {
			page := filepath.Join(root, "concepts/long.md")
			e.Open(page)
			mine := strings.Replace(longPage, "\n5\n", "\nFIVE\n", 1)
			e.Change(page, mine)
			var a applyAnswer
			if err := e.Execute("rigwiki.proposal.apply", map[string]string{"run": run}, &a); err != nil {
				t.Fatal(err)
			}
			if len(a.Conflicts) != 1 || a.Conflicts[0].Path != "concepts/long.md" || a.Applied || e.Buffer(page).Text != mine || read(t, page) != longPage {
				t.Errorf("answer %+v", a)
			}
			if msgs := e.Notes("window/showMessage"); len(msgs) == 0 || !strings.Contains(string(msgs[len(msgs)-1]), "conflict in concepts/long.md") {
				t.Errorf("messages %s", msgs)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := newWiki(t, map[string]string{"concepts/long.md": longPage})
			h := realHost(t, c.script)
			e := session(t, h, lsptest.Options{Root: root, Profile: lsptest.VSCode(), Init: c.init, Answer: settingsAnswer(c.init)})
			run := ingest(t, e, root)
			n := until(t, e, run, c.ends)
			if !strings.Contains(n.Message, c.says) {
				t.Errorf("message %q, want %q", n.Message, c.says)
			}
			c.then(t, e, root, run)
			checkProgressEnds(t, e, run)
			if code := e.Shutdown(); code != 0 {
				t.Errorf("exit code %d", code)
			}
		})
	}
}

func nothingHappened(t *testing.T, e *lsptest.Editor, root, run string) {
	if read(t, filepath.Join(root, "log.md")) != "# Log\n" || len(e.Requests("workspace/applyEdit")) > 0 {
		t.Error("a run that proposed nothing changed something")
	}
}

// settingsAnswer answers workspace/configuration with the settings of initialize.
func settingsAnswer(init string) func(string, json.RawMessage) (any, bool) {
	return func(method string, _ json.RawMessage) (any, bool) {
		return []any{json.RawMessage(init)}, method == "workspace/configuration"
	}
}

// lastFindings is what was published last for a file. The editor's lock is held.
func lastFindings(e *lsptest.Editor, path string) string {
	last := ""
	for _, raw := range e.Held("textDocument/publishDiagnostics") {
		if strings.Contains(string(raw), `"`+lsptest.URI(path)+`"`) {
			last = string(raw)
		}
	}
	return last
}

// checkProgressEnds waits for the end of a run's progress: a sentence that counts.
func checkProgressEnds(t *testing.T, e *lsptest.Editor, run string) {
	t.Helper()
	e.Until("the end of the progress", func() bool {
		for _, raw := range e.Held("$/progress") {
			if strings.Contains(string(raw), run) && strings.Contains(string(raw), `"end"`) {
				return true
			}
		}
		return false
	})
}

// TestCancelled cancels a run in each of the ways that clients have.
func TestCancelled(t *testing.T) {
	for name, cancel := range map[string]func(*lsptest.Editor, string){
		"command": func(e *lsptest.Editor, run string) {
			_ = e.Execute("rigwiki.cancel", map[string]string{"run": run}, nil)
		},
		"progress": func(e *lsptest.Editor, run string) {
			e.Notify("window/workDoneProgress/cancel", map[string]string{"token": tokenPrefix + run})
		},
	} {
		t.Run(name, func(t *testing.T) {
			root := newWiki(t, nil)
			e := session(t, realHost(t, `echo '- x' >> log.md; echo started; sleep 60`), lsptest.Options{Root: root, Profile: lsptest.VSCode(), Init: withPane})
			run := ingest(t, e, root)
			until(t, e, run, proposal.Running)
			e.Notify("window/workDoneProgress/cancel", map[string]any{"token": 7}) // another's token
			cancel(e, run)
			until(t, e, run, proposal.Cancelled)
			nothingHappened(t, e, root, run)
		})
	}
}

// TestHangup holds that a run ends with the editor that started it.
func TestHangup(t *testing.T) {
	root := newWiki(t, nil)
	h := realHost(t, `echo started; sleep 60`)
	e := session(t, h, lsptest.Options{Root: root, Profile: lsptest.VSCode(), Init: withPane})
	run := ingest(t, e, root)
	until(t, e, run, proposal.Running)
	e.Hangup()
	if code := e.Exit(); code != 1 {
		t.Errorf("exit code %d", code)
	}
	_, store, err := h.Locate(run)
	if err != nil {
		t.Fatal(err)
	}
	if rec, err := store.Load(run); err != nil || rec.State != proposal.Cancelled {
		t.Errorf("the run is %s, %v", rec.State, err)
	}
}

// TestBuffers is case o-ls-06 and more: unsaved text is the agent's start, stays, and is published beside the lock.
func TestBuffers(t *testing.T) {
	root := newWiki(t, map[string]string{"concepts/a.md": "# A\n"})
	h := realHost(t, `echo 'agent line' >> concepts/a.md`)
	e := session(t, h, lsptest.Options{Root: root, Profile: lsptest.VSCode(), Init: withPane})
	page := filepath.Join(root, "concepts/a.md")
	e.Open(page)
	e.Change(page, "# A\ndraft idea\n")
	published := func() string { // wiki.UnsavedPages leaves out those of its own process
		files, err := filepath.Glob(filepath.Join(h.RigHome(), "locks", "*.unsaved.*"))
		if err != nil || len(files) != 1 {
			return ""
		}
		return read(t, files[0])
	}
	eventually(t, "the unsaved page is published", func() bool { return strings.Contains(published(), "concepts/a.md") })
	run := ingest(t, e, root)
	until(t, e, run, proposal.Applied)
	if got := e.Buffer(page).Text; got != "# A\ndraft idea\nagent line\n" || read(t, page) != "# A\n" {
		t.Errorf("buffer %q, disk %q", got, read(t, page))
	}
	if v := e.Requests("workspace/applyEdit"); !strings.Contains(string(v[0]), `"version":2`) {
		t.Errorf("edit %s", v[0])
	}
	e.Save(page)
	eventually(t, "word of the save", func() bool {
		list := told(e.Notes(methodRun), run)
		return list[len(list)-1].Message == "concepts/a.md is saved"
	})
	eventually(t, "the saved page is taken back", func() bool { return !strings.Contains(published(), "concepts/a.md") })
}

// eventually polls, with a bound.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(lsptest.Hang); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never came: %s", what)
		}
	}
}

// TestTwoEditors holds that a proposal made in one editor appears in the other, is asked about only where it was made, and is gone there once it was
// decided here.
func TestTwoEditors(t *testing.T) {
	root := newWiki(t, nil)
	h := realHost(t, `echo '- x' >> log.md`)
	one := session(t, h, lsptest.Options{Root: root, Profile: lsptest.VSCode(), Init: withMessage})
	two := connect(t, h, lsptest.Options{Root: root, Profile: lsptest.VSCode(), Init: withPane})
	page := filepath.Join(root, "log.md")
	eventually(t, "the second editor knows the runs", func() bool { return len(actionTitles(t, two, page)) > 0 })
	run := ingest(t, one, root)
	if n := until(t, one, run, proposal.Proposed); n.Preview == "" {
		t.Error("the first editor is not told who shows the proposal")
	}
	if n := until(t, two, run, proposal.Proposed); n.Preview != "" {
		t.Errorf("the second editor is told to show the proposal by %q", n.Preview)
	}
	if got := actionTitles(t, two, page); !has(got, "Apply proposal of ingest raw/src.md") {
		t.Errorf("actions in the second editor: %q", got)
	}
	if err := two.Execute("rigwiki.proposal.apply", map[string]string{"run": run}, nil); err != nil {
		t.Fatal(err)
	}
	until(t, one, run, proposal.Applied)
	if got := actionTitles(t, one, page); has(got, "Apply proposal") || !has(got, "Undo") {
		t.Errorf("actions in the first editor: %q", got)
	}
	if n := len(two.Requests("workspace/applyEdit")); n != 1 {
		t.Errorf("the second editor was asked %d times", n)
	}
	if n := len(two.Requests("window/showMessageRequest")) + len(one.Requests("workspace/applyEdit")); n != 0 {
		t.Errorf("the wrong editor was asked %d times", n)
	}
}
