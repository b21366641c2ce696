package lint

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/rigwiki/rig/wiki/index"
	"github.com/rigwiki/rig/wiki/index/indextest"
)

// benchIndex is the index of a generated wiki of n pages; RIG_BENCH_WIKI names a folder in which both are kept between runs, and 100,000 pages need it.
func benchIndex(b *testing.B, n int) *index.Index {
	b.Helper()
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
	x, err := index.Open(b.Context(), index.Options{Root: root, Dir: root + "-index"})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = x.Close() })
	if err := x.FullText(b.Context()); err != nil {
		b.Fatal(err)
	}
	return x
}

func sizes(b *testing.B, run func(b *testing.B, x *index.Index)) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) { run(b, benchIndex(b, n)) })
	}
}

// BenchmarkKeystroke is a new text of a page and its findings.
func BenchmarkKeystroke(b *testing.B) {
	sizes(b, func(b *testing.B, x *index.Index) {
		paths := x.Paths()
		var took []time.Duration
		for i := 0; b.Loop(); i += 97 {
			rel := paths[i%len(paths)]
			text, _ := x.Source(rel)
			start := time.Now()
			x.SetBuffer(rel, text)
			Page(x, rules(), rel)
			took = append(took, time.Since(start))
			x.DropBuffer(rel)
		}
		slices.Sort(took)
		b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
	})
}

// BenchmarkAll is a lint of the whole wiki.
func BenchmarkAll(b *testing.B) {
	sizes(b, func(b *testing.B, x *index.Index) {
		for b.Loop() {
			all(b, x, rules())
		}
	})
}
