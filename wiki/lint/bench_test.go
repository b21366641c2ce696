package lint

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rigwiki/rig/wiki/index/indextest"
)

// benchRoot is a generated wiki of 10,000 pages; RIG_BENCH_WIKI names a folder in which it is kept between runs.
func benchRoot(b *testing.B) string {
	b.Helper()
	keep := os.Getenv("RIG_BENCH_WIKI")
	if keep == "" {
		keep = b.TempDir()
	}
	root := filepath.Join(keep, "10000")
	if _, err := os.Stat(filepath.Join(root, "log.md")); err == nil {
		return root
	}
	if _, err := indextest.Write(root, indextest.Options{Pages: 9090, Seed: 1, Unresolved: 0.04}); err != nil {
		b.Fatal(err)
	}
	return root
}

// BenchmarkKeystroke is a new text of a page and its findings.
func BenchmarkKeystroke(b *testing.B) {
	x := open(b, benchRoot(b))
	paths := x.Paths()
	i := 0
	for b.Loop() {
		rel := paths[i%len(paths)]
		text, _ := x.Source(rel)
		x.SetBuffer(rel, text)
		Page(x, rules(), rel)
		x.DropBuffer(rel)
		i += 97
	}
}

func BenchmarkAll(b *testing.B) {
	x := open(b, benchRoot(b))
	for b.Loop() {
		all(b, x, rules())
	}
}
