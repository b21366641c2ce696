package lsp

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rigwiki/rig/lsp/lsptest"
	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/proposal"
)

// TestRunList holds what a view of runs is told, and the documents of a run that are not about pages.
func TestRunList(t *testing.T) {
	root := newWiki(t, nil)
	h := newFakeHost(t, proposes(twoPages, nil))
	e := session(t, h, lsptest.Options{Root: root, Profile: lsptest.VSCode(), Init: withMessage})
	run := ingest(t, e, root)
	until(t, e, run, proposal.Proposed)
	_, store, err := h.Locate(run)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(store.Dir(run), "prompt.md"), "Read the source.\n")
	write(t, filepath.Join(store.Dir(run), "events.jsonl"), `{"kind":"read","summary":"index.md"}
{"kind":"edit","summary":"index.md","running":true}
{"kind":"edit","summary":"index.md","ok":false}
{"kind":"te`)
	var got struct{ Runs []runDetail }
	list := func(arg any) []runDetail {
		t.Helper()
		if err := e.Execute("rigwiki.runs", arg, &got); err != nil {
			t.Fatal(err)
		}
		return got.Runs
	}
	if l := list(map[string]any{}); len(l) != 1 || l[0].Run != run || !l[0].Waits || l[0].Undoable || l[0].Files != 2 || l[0].Wiki != root {
		t.Errorf("%+v", l)
	}
	if got := content(t, e, "rigwiki://"+run+".prompt/prompt.md"); got != "Read the source.\n" {
		t.Errorf("the prompt is %q", got)
	}
	if got := content(t, e, "rigwiki://"+run+".timeline/timeline.md"); !strings.HasSuffix(got, "\n\n- read: index.md\n- edit: index.md (failed)\n") {
		t.Errorf("the timeline is %q", got)
	}
	if err := e.Execute("rigwiki.proposal.apply", map[string]any{"run": run}, nil); err != nil {
		t.Fatal(err)
	}
	until(t, e, run, proposal.Applied)
	if l := list(map[string]any{"uri": lsptest.URI(filepath.Join(root, "log.md")), "limit": 1}); len(l) != 1 || l[0].Waits || !l[0].Undoable {
		t.Errorf("after the apply: %+v", l)
	}
	if err := e.Execute("rigwiki.runs", map[string]any{"run": run}, nil); code(err) != -32602 {
		t.Errorf("an unknown key: %v", err)
	}
}

// TestFolderSettings holds that each workspace folder has its own settings where the client keeps them so.
func TestFolderSettings(t *testing.T) {
	one, two := newWiki(t, nil), newWiki(t, nil)
	h := newFakeHost(t, proposes(twoPages, nil))
	asked := make(chan struct{}, 8)
	answer := func(method string, params json.RawMessage) (any, bool) {
		if method != "workspace/configuration" {
			return nil, false
		}
		var p struct{ Items []struct{ ScopeURI string } }
		if err := json.Unmarshal(params, &p); err != nil {
			t.Error(err)
		}
		out := []any{}
		for _, item := range p.Items {
			switch item.ScopeURI {
			case lsptest.URI(one):
				out = append(out, map[string]any{"preview": "diff"})
			case lsptest.URI(two):
				out = append(out, map[string]any{"preview": "apply"})
			default:
				out = append(out, map[string]any{"preview": "annotations"})
			}
		}
		asked <- struct{}{}
		return out, true
	}
	e := session(t, h, lsptest.Options{Folders: []string{one, two}, Profile: lsptest.VSCode(), Answer: answer})
	<-asked
	eventually(t, "each folder has its rung", func() bool {
		var got struct {
			Wikis []struct{ Root, Rung string }
		}
		if err := e.Execute("rigwiki.status", map[string]any{}, &got); err != nil {
			t.Fatal(err)
		}
		rungs := map[string]string{}
		for _, w := range got.Wikis {
			rungs[w.Root] = w.Rung
		}
		return rungs[one] == "diff" && rungs[two] == "apply"
	})
}

// TestSettingsJustChanged holds that a setting which was changed just before a run holds for it, however late the client answers.
func TestSettingsJustChanged(t *testing.T) {
	root := newWiki(t, nil)
	started := make(chan struct{})
	script := proposes(twoPages, nil)
	h := newFakeHost(t, func(ctx context.Context, job wiki.Job, watch func(wiki.Update)) outcome {
		close(started)
		return script(ctx, job, watch)
	})
	asked, first := make(chan struct{}, 8), true
	answer := func(method string, _ json.RawMessage) (any, bool) {
		if method != "workspace/configuration" {
			return nil, false
		}
		asked <- struct{}{}
		if first {
			first = false
			return []any{map[string]any{"preview": "diff"}, map[string]any{"preview": "diff"}}, true
		}
		select {
		case <-started:
			t.Error("the run began before the client had said its settings")
		case <-time.After(300 * time.Millisecond):
		}
		return []any{map[string]any{"preview": "annotations"}, map[string]any{"preview": "annotations"}}, true
	}
	e := session(t, h, lsptest.Options{Root: root, Profile: lsptest.VSCode(), Init: notifying, Answer: answer})
	<-asked
	e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": nil})
	<-asked
	run := ingest(t, e, root)
	if n := until(t, e, run, proposal.Proposed); n.Preview != "annotations" {
		t.Errorf("the proposal is shown as %q", n.Preview)
	}
}
