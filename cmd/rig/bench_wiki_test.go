package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rigwiki/rig/wiki/index/indextest"
)

// BenchmarkWiki is what a user of a large wiki meets, from processes of their own: the first right hover after `initialized` where the index is kept, an edit until
// what is wrong in it is told, memory a page, and a search in a fresh process (95th percentiles; the hover's is the worst of the starts). RIG_BENCH_WIKI names a
// folder in which the wiki of 100,000 pages is kept between runs; else there are 10,000:
//
//	RIG_BENCH_WIKI=$HOME/bench go test -run '^$' -bench Wiki -benchtime 10x ./cmd/rig
func BenchmarkWiki(b *testing.B) {
	rig := buildRig(b)
	keep, pages := os.Getenv("RIG_BENCH_WIKI"), 100_000
	if keep == "" {
		keep, pages = b.TempDir(), 10_000
	}
	root := filepath.Join(keep, fmt.Sprint(pages))
	if _, err := os.Stat(filepath.Join(root, "log.md")); err != nil {
		if _, err := indextest.Write(root, indextest.Options{Pages: pages * 10 / 11, Seed: 1, Unresolved: 0.04}); err != nil {
			b.Fatal(err)
		}
	}
	w := &largeWiki{rig: rig, root: root, env: append(os.Environ(), "RIG_HOME="+filepath.Join(keep, "home"), "HOME="+keep)}
	w.search(b, "bat") // the index may be built once
	w.choose(b)
	var hovers, edits, searches []time.Duration
	memory, private := 0.0, 0.0
	for i := range b.N {
		h, e, rss, anon := w.session(b)
		hovers, edits = append(hovers, h), append(edits, e...)
		memory, private = max(memory, rss), max(private, anon)
		searches = append(searches, timed(func() { w.search(b, w.terms[i%len(w.terms)]) }))
	}
	b.ReportMetric(ms(slices.Max(hovers)), "first-hover-ms")
	b.ReportMetric(ms(p95(edits)), "edit-p95-ms")
	b.ReportMetric(ms(p95(searches)), "cli-search-p95-ms")
	b.ReportMetric(memory/float64(pages), "rss-KB/page")
	b.ReportMetric(private/float64(pages), "own-KB/page") // the rest is mapped files, which the system takes back when it needs memory
	b.ReportMetric(0, "ns/op")
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func p95(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)*95/100]
}

type largeWiki struct {
	rig, root string
	env       []string
	page      string // that has links
	text      string
	line, col int // of the first link of its body
	target    string
	terms     []string
}

func (w *largeWiki) search(b *testing.B, terms string) {
	b.Helper()
	cmd := exec.Command(w.rig, "wiki", "search", terms, "--wiki", w.root, "--json")
	cmd.Env = w.env
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), `"path":`) {
		b.Fatalf("search %q: %v: %.400s", terms, err, out)
	}
}

// choose takes a page with a link that leads somewhere.
func (w *largeWiki) choose(b *testing.B) {
	b.Helper()
	files, err := filepath.Glob(filepath.Join(w.root, "entities", "*.md"))
	if err != nil {
		b.Fatal(err)
	}
	link := regexp.MustCompile(`\[\[([a-z][a-z0-9/-]+)\]\]`)
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		for i, l := range strings.Split(string(raw), "\n") {
			if m := link.FindStringSubmatchIndex(l); m != nil && i > 10 && len(w.terms) > 0 {
				w.page, w.text, w.line, w.col, w.target = file, string(raw), i, m[2], filepath.Base(l[m[2]:m[3]])
				return
			}
			if words := regexp.MustCompile(`[a-z]{4,}`).FindAllString(l, -1); len(words) > 8 && len(w.terms) < 10 {
				w.terms = append(w.terms, strings.Join(words[:3], " "), words[5]+" "+words[8])
			}
		}
	}
	b.Fatal("no page has a link")
}

// session is one life of a server: the time to the first hover that shows the link's page, those of ten edits, and its memory in KB, whole and its own.
func (w *largeWiki) session(b *testing.B) (hover time.Duration, edits []time.Duration, rss, own float64) {
	b.Helper()
	ctx := b.Context()
	e, err := startEditor(ctx, w.rig, w.root, w.env, os.Stderr)
	if err != nil {
		b.Fatal(err)
	}
	start := time.Now()
	uri := fileURI(w.page)
	note := func(method string, params map[string]any) {
		if err := e.send(map[string]any{"jsonrpc": "2.0", "method": method, "params": params}); err != nil {
			b.Fatal(err)
		}
	}
	note("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uri, "languageId": "markdown", "version": 1, "text": w.text}})
	for {
		var got json.RawMessage
		if err := e.request(ctx, "textDocument/hover", map[string]any{"textDocument": map[string]any{"uri": uri}, "position": map[string]int{"line": w.line, "character": w.col}}, &got); err != nil {
			b.Fatal(err)
		}
		if strings.Contains(string(got), w.target) {
			break
		}
	}
	hover = time.Since(start)
	for i := range 10 {
		wrong := fmt.Sprintf("no-such-page-%d", i)
		edits = append(edits, timed(func() {
			note("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": uri, "version": i + 2}, "contentChanges": []any{map[string]string{"text": w.text + "\n[[" + wrong + "]]\n"}}})
			w.told(b, e, wrong)
		}))
	}
	var names, hits json.RawMessage // memory is told of a server that has been asked for what it lays out when it is asked
	end := map[string]int{"line": w.line, "character": w.col + 2}
	if err := e.request(ctx, "textDocument/completion", map[string]any{"textDocument": map[string]any{"uri": uri}, "position": end}, &names); err != nil || !strings.Contains(string(names), "newText") {
		b.Fatalf("completion: %v: %.200s", err, names)
	}
	search := map[string]any{"command": "rigwiki.search", "arguments": []any{map[string]any{"terms": w.terms[0], "uri": uri}}}
	if err := e.request(ctx, "workspace/executeCommand", search, &hits); err != nil || !strings.Contains(string(hits), `"path"`) {
		b.Fatalf("search: %v: %.200s", err, hits)
	}
	rss, own = serverMemory(b, e.cmd.Process.Pid)
	if err := e.close(ctx); err != nil {
		b.Fatal(err)
	}
	return hover, edits, rss, own
}

// told waits for diagnostics that name what is wrong.
func (w *largeWiki) told(b *testing.B, e *editor, wrong string) {
	b.Helper()
	hang := time.After(time.Minute)
	for {
		select {
		case m := <-e.notes:
			if m.Method == "textDocument/publishDiagnostics" && strings.Contains(string(m.Params), wrong) {
				return
			}
		case <-hang:
			b.Fatal("no diagnostics came")
		}
	}
}

// serverMemory reads a process's memory in KB: all that is resident, and what of it is no file.
func serverMemory(b *testing.B, pid int) (rss, own float64) {
	b.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Skip("memory is read from /proc: ", err)
	}
	for line := range strings.Lines(string(status)) {
		_, _ = fmt.Sscanf(line, "VmRSS: %f", &rss)
		_, _ = fmt.Sscanf(line, "RssAnon: %f", &own)
	}
	return rss, own
}
