package lsp

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rigwiki/rig/lsp/lsptest"
	"github.com/rigwiki/rig/wiki/proposal"
)

// TestTwoClicks holds that a proposal which is applied twice at once, from one editor or from two, is in the pages once: an editor carries out whatever
// edit it is sent where a page is closed.
func TestTwoClicks(t *testing.T) {
	for _, c := range []struct {
		name    string
		editors int
	}{{"one editor", 1}, {"two editors", 2}} {
		t.Run(c.name, func(t *testing.T) {
			root := newWiki(t, nil)
			h := newFakeHost(t, proposes(twoPages, nil))
			o := lsptest.Options{Root: root, Profile: lsptest.VSCode(), Init: withMessage}
			clicks := []*lsptest.Editor{session(t, h, o)}
			run := ingest(t, clicks[0], root)
			until(t, clicks[0], run, proposal.Proposed)
			for range c.editors - 1 {
				clicks = append(clicks, connect(t, h, o))
			}
			var ids []string
			for i := range 4 {
				ids = append(ids, clicks[i%len(clicks)].Send("workspace/executeCommand",
					map[string]any{"command": "rigwiki.proposal.apply", "arguments": []any{map[string]string{"run": run}}}))
			}
			taken := 0
			for i, id := range ids {
				var refused *lsptest.Error
				switch err := clicks[i%len(clicks)].Await(id, nil); {
				case err == nil:
					taken++
				case !errors.As(err, &refused):
					t.Fatal(err)
				}
			}
			if taken != 1 {
				t.Errorf("%d of the clicks were taken", taken)
			}
			for rel, want := range twoPages {
				if got := read(t, filepath.Join(root, rel)); got != want {
					t.Errorf("%s is %q, want %q", rel, got, want)
				}
			}
		})
	}
}

// TestTurn holds that a turn is waited for, is lost by an editor that does not answer, and that a preview takes none.
func TestTurn(t *testing.T) {
	store, err := proposal.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	patient := &server{bounds: patient(t)}
	plain, preview := task{store: store, how: bare}, task{store: store, how: gated}
	done, err := patient.turn(t.Context(), plain)
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := patient.turn(ended, plain); err == nil {
		t.Error("two have the turn")
	}
	if free, err := patient.turn(ended, preview); err != nil {
		t.Error(err)
	} else {
		free()
	}
	done()
	silent := &server{bounds: bounds{answer: time.Millisecond}}
	if _, err := silent.turn(t.Context(), plain); err != nil { // and never given back
		t.Fatal(err)
	}
	again, err := patient.turn(t.Context(), plain)
	if err != nil {
		t.Fatal(err)
	}
	again()
}

// TestNothingNamed holds that lists which are there and empty name nothing: they are not taken for all.
func TestNothingNamed(t *testing.T) {
	root := newWiki(t, nil)
	e := session(t, newFakeHost(t, proposes(twoPages, nil)), lsptest.Options{Root: root, Profile: lsptest.VSCode(), Init: withMessage})
	run := ingest(t, e, root)
	until(t, e, run, proposal.Proposed)
	for _, command := range []string{"rigwiki.proposal.apply", "rigwiki.proposal.discard"} {
		for _, arg := range []map[string]any{{"paths": []string{}}, {"hunks": []string{}}, {"paths": []string{}, "hunks": []string{}}, {"paths": nil, "hunks": []string{}}} {
			arg["run"] = run
			var refused *lsptest.Error
			if err := e.Execute(command, arg, nil); !errors.As(err, &refused) || refused.Code != -32602 {
				t.Errorf("%s %v: %v", command, arg, err)
			}
		}
	}
	if len(e.Requests("workspace/applyEdit")) > 0 || read(t, filepath.Join(root, "index.md")) == twoPages["index.md"] {
		t.Error("something was applied")
	}
	if err := e.Execute("rigwiki.proposal.apply", map[string]any{"run": run, "paths": []string{"index.md"}, "hunks": []string{}}, nil); err != nil {
		t.Error(err)
	}
	until(t, e, run, proposal.Partly)
	if err := e.Execute("rigwiki.query", map[string]any{"question": " \t\n"}, nil); err == nil {
		t.Error("blanks are taken for a question")
	}
}

// TestBrokenConfig holds that no run starts in a wiki whose own configuration cannot be read, and that file, line and column are named.
func TestBrokenConfig(t *testing.T) {
	root := newWiki(t, map[string]string{".rig/config.yml": "protect: [\n"})
	h := newFakeHost(t, proposes(twoPages, nil))
	e := session(t, h, lsptest.Options{Root: root, Profile: lsptest.VSCode(), Init: withMessage})
	for command, arg := range map[string]map[string]string{"rigwiki.ingest": {}, "rigwiki.query": {"question": "why?"}, "rigwiki.lint": {}} {
		arg["uri"] = lsptest.URI(filepath.Join(root, "raw/src.md"))
		var refused *lsptest.Error
		if err := e.Execute(command, arg, nil); !errors.As(err, &refused) || !strings.Contains(refused.Message, filepath.Join(root, ".rig/config.yml")+":1:") {
			t.Errorf("%s: %v", command, err)
		}
	}
	if len(h.jobs) > 0 {
		t.Errorf("%d runs were started", len(h.jobs))
	}
}

// TestUnknownKeys holds that what a configuration does not know is told by name, once.
func TestUnknownKeys(t *testing.T) {
	root := newWiki(t, map[string]string{".rig/config.yml": "purpse: p.md\n", "concepts/a.md": "# A\n\n[[a]]\n"})
	e := session(t, newFakeHost(t, nil), lsptest.Options{Root: root, Profile: lsptest.VSCode()})
	page := filepath.Join(root, "concepts/a.md")
	e.Open(page)
	told := func() (n int) {
		for _, m := range e.Notes("window/showMessage") {
			if strings.Contains(string(m), "config.yml:1") && strings.Contains(string(m), "unknown key purpse") {
				n++
			}
		}
		return n
	}
	eventually(t, "the key is told", func() bool { return told() == 1 })
	hoverAt(t, e, page, 2, 2)
	e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{}}) // all is read again
	hoverAt(t, e, page, 2, 2)
	if n := told(); n != 1 {
		t.Errorf("it was told %d times", n)
	}
}
