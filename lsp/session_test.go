package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rigwiki/rig/lsp/lsptest"
	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/proposal"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest"
)

// newWiki lays out a small flat wiki and gives its root.
func newWiki(t testing.TB, pages map[string]string) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "wiki")
	all := map[string]string{"schema.md": "# Schema\n", "purpose.md": "# Purpose\n", "raw/src.md": "# Source\n", "index.md": "# Index\n", "log.md": "# Log\n"}
	for p, text := range pages {
		all[p] = text
	}
	for p, text := range all {
		write(t, filepath.Join(root, p), text)
	}
	return root
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// session starts a server on a host and an editor on it. The test fails where goroutines of the server are left at its end.
func session(t testing.TB, h Host, o lsptest.Options) *lsptest.Editor {
	t.Helper()
	return sessionWithin(t, h, o, patient(t))
}

// sessionWithin is session for a test of the bounds themselves.
func sessionWithin(t testing.TB, h Host, o lsptest.Options, b bounds) *lsptest.Editor {
	t.Helper()
	number := strconv.FormatInt(servers.Add(1), 10)
	t.Cleanup(func() { noLeaks(t, fmt.Sprintf("%q:%q", "server", number)) }) // runs after the editor's own cleanup, which ends the server
	return start(t, h, o, b, pprof.Labels("server", number))
}

// servers counts the servers of all tests: goroutines have the label of the one that started them, whatever else runs.
var servers atomic.Int64

// connect is session without the look for goroutines: for the second editor of a test, which ends with the first.
func connect(t testing.TB, h Host, o lsptest.Options) *lsptest.Editor {
	t.Helper()
	return start(t, h, o, patient(t), pprof.Labels())
}

// patient are bounds that no step of a test meets, however busy the machine is; what is measured has the usual ones.
func patient(t testing.TB) bounds {
	if _, measured := t.(*testing.B); measured {
		return usual()
	}
	const long = lsptest.Hang
	return bounds{answer: long, settle: long, last: long, close: long, poll: 30 * time.Millisecond, settings: long, index: long, hover: long}
}

// impatient are the bounds for a client that leaves something undone for good.
func impatient(t testing.TB) bounds {
	b := patient(t)
	b.answer, b.settle = 300*time.Millisecond, 300*time.Millisecond
	return b
}

func start(t testing.TB, h Host, o lsptest.Options, b bounds, label pprof.LabelSet) *lsptest.Editor {
	t.Helper()
	return lsptest.Start(t, func(ctx context.Context, rwc io.ReadWriteCloser) (code int, err error) {
		pprof.Do(ctx, label, func(ctx context.Context) {
			code, err = serve(ctx, rwc, Options{Host: h, Log: testLog(t), Version: "test"}, b)
		})
		return code, err
	}, o)
}

func testLog(t testing.TB) *zap.Logger {
	if os.Getenv("LSP_LOG") == "" {
		return zap.NewNop()
	}
	return zaptest.NewLogger(t)
}

// noLeaks waits until no goroutine has a label any more.
func noLeaks(t testing.TB, label string) {
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		var all strings.Builder
		if err := pprof.Lookup("goroutine").WriteTo(&all, 1); err != nil {
			t.Error(err)
			return
		}
		if !strings.Contains(all.String(), label) {
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("goroutines with %s are left:\n%s", label, all.String())
			return
		}
	}
}

const (
	notifying   = `{"notifications":true}`
	withPane    = `{"notifications":true,"preview":"annotations"}`
	withMessage = `{"notifications":true,"preview":"diff"}`
)

// ingest starts an ingest of raw/src.md and gives the run's id.
func ingest(t testing.TB, e *lsptest.Editor, root string) string {
	t.Helper()
	var got struct{ Run string }
	if err := e.Execute("rigwiki.ingest", map[string]string{"uri": lsptest.URI(filepath.Join(root, "raw/src.md"))}, &got); err != nil {
		t.Fatal(err)
	}
	if got.Run == "" {
		t.Fatal("no run id")
	}
	return got.Run
}

// told gives the rigwiki/run notifications of a run.
func told(raw []json.RawMessage, run string) (out []runNote) {
	for _, r := range raw {
		var n runNote
		if json.Unmarshal(r, &n) == nil && n.Run == run {
			out = append(out, n)
		}
	}
	return out
}

// until waits until a run is told in a state and gives that notification.
func until(t testing.TB, e *lsptest.Editor, run string, states ...proposal.State) runNote {
	t.Helper()
	var last runNote
	deadline := time.Now().Add(lsptest.Hang)
	for {
		for _, n := range told(e.Notes(methodRun), run) {
			last = n
			if slices.Contains(states, n.State) {
				return n
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("run %s never came to %v; last %+v", run, states, last)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

func actionTitles(t testing.TB, e *lsptest.Editor, path string) []string {
	t.Helper()
	return actionTitlesAt(t, e, lsptest.URI(path))
}

func actionTitlesAt(t testing.TB, e *lsptest.Editor, uri string) []string {
	t.Helper()
	var got []struct{ Title string }
	at := map[string]int{"line": 0, "character": 0}
	if err := e.Request("textDocument/codeAction", map[string]any{"textDocument": map[string]string{"uri": uri},
		"range": map[string]any{"start": at, "end": at}, "context": map[string]any{"diagnostics": []any{}}}, &got); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, a := range got {
		out = append(out, a.Title)
	}
	return out
}

func has(list []string, part string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return strings.Contains(s, part) })
}

// TestPane is the whole path in an editor that previews annotated edits.
func TestPane(t *testing.T) {
	root := newWiki(t, map[string]string{"concepts/a.md": "# A\r\nold \U0001F600\r\n", "concepts/gone.md": "# Gone\n"})
	h := newFakeHost(t, proposes(map[string]string{
		"concepts/a.md":    "# A\r\nnew \U0001F600\r\n",
		"concepts/new.md":  "# New\n",
		"concepts/gone.md": deleted,
		"log.md":           "# Log\n- ingested\n",
	}, map[string]proposal.Flag{"concepts/gone.md": {Rule: "deletes-page", Reason: "the page would go"}}))
	e := session(t, h, lsptest.Options{Root: root, Profile: lsptest.VSCode(), Init: withPane})
	e.Open(filepath.Join(root, "concepts/a.md"))
	if got := actionTitles(t, e, filepath.Join(root, "raw/src.md")); !has(got, "Ingest into wiki") {
		t.Errorf("actions on a source: %q", got)
	}
	run := ingest(t, e, root)
	n := until(t, e, run, proposal.Applied)
	if !strings.Contains(n.Message, "applied: ") || !strings.Contains(n.Message, "waiting to be saved: concepts/a.md") {
		t.Errorf("message %q", n.Message)
	}
	edits := e.Requests("workspace/applyEdit")
	if len(edits) != 1 {
		t.Fatalf("%d edits", len(edits))
	}
	checkPane(t, edits[0])
	if got := e.Buffer(filepath.Join(root, "concepts/a.md")).Text; got != "# A\r\nnew \U0001F600\r\n" {
		t.Errorf("the open page is %q", got)
	}
	if got := read(t, filepath.Join(root, "log.md")); got != "# Log\n- ingested\n" {
		t.Errorf("log.md is %q", got)
	}
	if exists(filepath.Join(root, "concepts/gone.md")) || read(t, filepath.Join(root, "concepts/new.md")) != "# New\n" {
		t.Error("file operations were not done")
	}
	e.Save(filepath.Join(root, "concepts/a.md"))
	e.Until("word of the save", func() bool { return true })
	if code := e.Shutdown(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// checkPane looks at the groups of an edit for a preview pane: one annotation a group, and what is not flagged starts ticked (o-ls-13).
func checkPane(t *testing.T, raw json.RawMessage) {
	t.Helper()
	var p struct {
		Metadata struct{ IsRefactoring bool }
		Edit     struct {
			ChangeAnnotations map[string]struct {
				Label             string
				NeedsConfirmation bool
			}
			DocumentChanges []struct {
				Kind         string
				TextDocument struct{ URI string }
				Edits        []struct {
					NewText, AnnotationID string
					Range                 struct{ Start, End map[string]int }
				}
			}
		}
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, a := range p.Edit.ChangeAnnotations {
		got[a.Label] = a.NeedsConfirmation
	}
	want := map[string]bool{"New pages": false, "Updated pages": false, "Index and log": false, "Flagged: deletes-page": true, "Review ingest raw/src.md": true}
	for label, confirm := range want {
		if c, ok := got[label]; !ok || c != confirm {
			t.Errorf("group %q: %v %v; all: %v", label, c, ok, got)
		}
	}
	if len(got) != len(want) || !p.Metadata.IsRefactoring {
		t.Errorf("groups %v, metadata %v", got, p.Metadata)
	}
	gates := 0
	for _, c := range p.Edit.DocumentChanges {
		for i, x := range c.Edits {
			if x.AnnotationID == string(gateID) {
				gates++
				if i != 0 || x.NewText != "" {
					t.Errorf("the gate is edit %d of %s with text %q", i, c.TextDocument.URI, x.NewText)
				}
			}
		}
	}
	if gates != 1 {
		t.Errorf("%d gates", gates)
	}
}

var _ Host = (*wiki.Host)(nil)
