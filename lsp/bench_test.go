package lsp

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rigwiki/rig/lsp/lsptest"
	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/proposal"
)

// bigWiki lays out a wiki of n pages.
func bigWiki(t testing.TB, n int) string {
	root := newWiki(t, nil)
	if err := os.MkdirAll(filepath.Join(root, "concepts"), 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		text := fmt.Sprintf("---\ntitle: Page %d\n---\n# Page %d\n\nSee [[p%d]] and [[p%d]].\n%s", i, i, (i+1)%n, (i+7)%n, strings.Repeat("A line of text that says something.\n", 20))
		if err := os.WriteFile(filepath.Join(root, "concepts", fmt.Sprintf("p%d.md", i)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// BenchmarkInitialize is the time from the first byte to the answer of initialize, on an empty and on a large wiki.
func BenchmarkInitialize(b *testing.B) {
	for _, n := range []int{0, 10_000} {
		b.Run(fmt.Sprintf("%d pages", n), func(b *testing.B) {
			root := bigWiki(b, n)
			for b.Loop() {
				e := session(b, newFakeHost(b, nil), lsptest.Options{Root: root, Profile: lsptest.VSCode(), NoHandshake: true})
				if err := e.Request("initialize", e.InitParams(), nil); err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				e.Hangup()
				e.Exit()
				b.StartTimer()
			}
		})
	}
}

// BenchmarkWhileRunning gives the 95th percentile of code actions and hovers while a run sends events as quickly as it can.
func BenchmarkWhileRunning(b *testing.B) {
	root := bigWiki(b, 10_000)
	stop := make(chan struct{})
	h := newFakeHost(b, func(ctx context.Context, _ wiki.Job, tell func(wiki.Update)) outcome {
		for {
			select {
			case <-stop:
				return outcome{state: proposal.Empty, message: "nothing"}
			case <-time.After(time.Millisecond):
				tell(wiki.Update{State: proposal.Running, Message: "reading pages"})
			}
		}
	})
	e := session(b, h, lsptest.Options{Root: root, Profile: lsptest.VSCode(), Init: notifying})
	page := filepath.Join(root, "concepts/p1.md")
	e.Open(page)
	run := ingest(b, e, root)
	at := map[string]any{"line": 5, "character": 7}
	where := map[string]any{"textDocument": map[string]string{"uri": lsptest.URI(page)}}
	for _, c := range []struct {
		name, method string
		params       map[string]any
	}{
		{"codeAction", "textDocument/codeAction", map[string]any{"textDocument": where["textDocument"], "range": map[string]any{"start": at, "end": at}, "context": map[string]any{"diagnostics": []any{}}}},
		{"hover", "textDocument/hover", map[string]any{"textDocument": where["textDocument"], "position": at}},
	} {
		b.Run(c.name, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				start := time.Now()
				if err := e.Request(c.method, c.params, nil); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
		})
	}
	close(stop)
	until(b, e, run, proposal.Empty)
}

// thousand makes a proposal of n changed pages in a real store, and gives a server to build edits with.
func thousand(b *testing.B, n int) (*server, *wiki.Wiki, *proposal.Store, proposal.Record) {
	root := bigWiki(b, n)
	w, err := wiki.Find(filepath.Join(root, "index.md"))
	if err != nil {
		b.Fatal(err)
	}
	store, err := proposal.Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	rec := proposal.Record{Run: "r-1", Op: "ingest", Wiki: root, State: proposal.Proposed, Title: "ingest raw/src.md"}
	if err := store.Create(rec); err != nil {
		b.Fatal(err)
	}
	var list []proposal.Draft
	for i := range n {
		path := fmt.Sprintf("concepts/p%d.md", i)
		old := read(b, filepath.Join(root, path))
		list = append(list, proposal.Draft{File: proposal.File{Path: path, Kind: proposal.Edited}, BaseText: []byte(old),
			NewText: []byte(strings.Replace(old, "See", "See also", 1) + "- one more\n")})
	}
	if err := store.Propose(&rec, list, nil); err != nil {
		b.Fatal(err)
	}
	s := &server{editor: editor{docs: newDocuments(), caps: capabilities{documentChanges: true, annotations: true, encoding: encodings[1]}}}
	return s, w, store, rec
}

// BenchmarkThousandPages plans and builds the workspace edit, and the diff document, of 1,000 changed pages.
func BenchmarkThousandPages(b *testing.B) {
	s, w, store, rec := thousand(b, 1000)
	b.Run("workspace edit", func(b *testing.B) {
		for b.Loop() {
			plan, err := store.Plan(rec.Run, proposal.Selection{}, s.current(w))
			if err != nil {
				b.Fatal(err)
			}
			if _, err := s.editOf(w, rec.Title, plan.Files, gated); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("diff document", func(b *testing.B) {
		for b.Loop() {
			if _, err := diffDocument(store, rec); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkAcceptHunk is the answer to proposal.apply of one hunk in a proposal of 1,000 pages, with an editor.
func BenchmarkAcceptHunk(b *testing.B) {
	root := bigWiki(b, 1000)
	pages := map[string]string{}
	for i := range 1000 {
		path := fmt.Sprintf("concepts/p%d.md", i)
		old := read(b, filepath.Join(root, path))
		pages[path] = strings.Replace(old, "# Page", "# The page", 1) + "- one more\n"
	}
	e := session(b, newFakeHost(b, proposes(pages, nil)), lsptest.Options{Root: root, Profile: lsptest.VSCode(), Init: `{"notifications":true,"review":true}`})
	run := ingest(b, e, root)
	until(b, e, run, proposal.Proposed)
	var took []time.Duration
	n := 0
	for b.Loop() {
		id := fmt.Sprintf("concepts/p%d.md#%d", n/2%1000, n%2+1)
		n++
		start := time.Now()
		if err := e.Execute("rigwiki.proposal.apply", map[string]any{"run": run, "hunks": []string{id}}, nil); err != nil && n <= 2000 {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
		e.Until("the read-back", func() bool { // nobody clicks before it
			list := e.Held(methodRun)
			return len(list) > 0 && strings.Contains(string(list[len(list)-1][:1000]), fmt.Sprintf("concepts/p%d.md", (n-1)/2%1000))
		})
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
}
