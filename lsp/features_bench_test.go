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
	"github.com/rigwiki/rig/wiki/index"
	"github.com/rigwiki/rig/wiki/index/indextest"
)

// BenchmarkFeatures gives the 95th percentile of each link feature as an editor sees it, on generated wikis. RIG_BENCH_WIKI names a folder in which
// they are kept between runs; 100,000 pages need it.
func BenchmarkFeatures(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			keep := os.Getenv("RIG_BENCH_WIKI")
			if keep == "" && n > 10_000 {
				b.Skip("100,000 pages need RIG_BENCH_WIKI, a folder in which the wiki is kept")
			}
			if keep == "" {
				keep = b.TempDir()
			}
			root := filepath.Join(keep, fmt.Sprint(n))
			if _, err := os.Stat(filepath.Join(root, "log.md")); err != nil {
				if _, err := indextest.Write(root, indextest.Options{Pages: n * 10 / 11, Seed: 1, Unresolved: 0.04}); err != nil {
					b.Fatal(err)
				}
			}
			write(b, filepath.Join(root, "raw", "bench.md"), fetchedText("https://e.org/a", ""))
			x, err := index.Open(context.Background(), index.Options{Root: root, Dir: root + "-index"})
			if err != nil {
				b.Fatal(err)
			}
			defer x.Close()
			benchFeatures(b, root, x)
		})
	}
}

func benchFeatures(b *testing.B, root string, x *index.Index) {
	h := newFakeHost(b, nil)
	w, err := wiki.Find(filepath.Join(root, "log.md"))
	if err != nil {
		b.Fatal(err)
	}
	h.indexes[w.ID] = x
	d := &study{t: b, root: root, enc: "utf-16"}
	d.e = session(b, h, lsptest.Options{Root: root, Profile: full("utf-16")})
	page := filepath.Join(root, "concepts", "bench.md")
	target := stemOf(x.Paths()[len(x.Paths())/2])
	text := "# Bench\n\n[[" + target + "]] [[missing one]] <https://e.org/a>\n\n[[ba"
	d.e.OpenAs(lsptest.URI(page), text, 1)
	eventually(b, "the index", func() bool { return d.definition("concepts/bench.md", "[["+target[:2]+"‸") != "" })
	eventually(b, "a source", func() bool {
		return strings.Contains(hoverAt(b, d.e, page, 2, strings.Index(text, "https")-strings.Index(text, "[[")), "raw/bench.md")
	})
	at := func(piece string) map[string]any {
		return map[string]any{"position": d.pos("concepts/bench.md", piece)}
	}
	link := at("[[" + target[:2] + "‸")
	gap := d.pos("concepts/bench.md", "[[miss‸ing")
	for _, c := range []struct {
		name, method string
		more         map[string]any
	}{
		{"completion", "textDocument/completion", at("[[ba‸")},
		{"definition", "textDocument/definition", link},
		{"references", "textDocument/references", map[string]any{"position": link["position"], "context": map[string]any{"includeDeclaration": true}}},
		{"hover", "textDocument/hover", link},
		{"hoverAddress", "textDocument/hover", at("<https://e.‸org/")},
		{"documentLink", "textDocument/documentLink", nil},
		{"documentSymbol", "textDocument/documentSymbol", nil},
		{"diagnostic", "textDocument/diagnostic", nil},
		{"codeAction", "textDocument/codeAction", map[string]any{"range": map[string]any{"start": gap, "end": gap}, "context": map[string]any{"diagnostics": []any{}}}},
		{"rename", "textDocument/rename", map[string]any{"position": link["position"], "newName": "another name"}},
		{"symbol", "workspace/symbol", map[string]any{"query": "bat"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			var took []time.Duration
			n := 0
			for b.Loop() {
				n++
				d.e.Change(page, fmt.Sprintf("%s%c", text, 'a'+n%26)) // each answer is about a text that is new
				start := time.Now()
				var err error
				if c.method == "workspace/symbol" {
					err = d.e.Request(c.method, c.more, nil)
				} else {
					err = d.ask(c.method, "concepts/bench.md", "", c.more, nil)
				}
				if err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
		})
	}
}
