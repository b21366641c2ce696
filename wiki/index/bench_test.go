package index

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rigwiki/rig/wiki/index/indextest"
)

// benchWiki gives a generated wiki of about n pages; RIG_BENCH_WIKI names a folder in which they are kept between runs.
func benchWiki(b *testing.B, n int) (root string, paths []string) {
	b.Helper()
	keep := os.Getenv("RIG_BENCH_WIKI")
	if keep == "" {
		keep = b.TempDir()
	}
	root = filepath.Join(keep, fmt.Sprint(n))
	if _, err := os.Stat(filepath.Join(root, "log.md")); err == nil {
		return root, nil
	}
	paths, err := indextest.Write(root, indextest.Options{Pages: n * 10 / 11, Seed: 1, Unresolved: 0.04})
	if err != nil {
		b.Fatal(err)
	}
	return root, paths
}

func sizes(b *testing.B, run func(b *testing.B, n int)) {
	for _, n := range []int{1000, 10_000, 58_602, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			if n > 10_000 && (testing.Short() || os.Getenv("RIG_BENCH_WIKI") == "") {
				b.Skip("more than 10,000 pages need RIG_BENCH_WIKI, a folder in which the wiki is kept")
			}
			run(b, n)
		})
	}
}

func mustOpen(b *testing.B, root, dir string) *Index {
	b.Helper()
	x, err := Open(context.Background(), Options{Root: root, Dir: dir})
	if err != nil {
		b.Fatal(err)
	}
	return x
}

// BenchmarkBuild is a first build, whole; links-s and links-cpu-s are what its first step takes, after which names, titles, aliases and links can be asked for.
// The cpu metrics are of use where others share the cores.
func BenchmarkBuild(b *testing.B) {
	sizes(b, func(b *testing.B, n int) {
		root, _ := benchWiki(b, n)
		text := folderTexts(b, root)
		var links, linksCPU float64
		before := cpuSeconds()
		for b.Loop() {
			dir := b.TempDir()
			start, cpu := time.Now(), cpuSeconds()
			x := mustOpen(b, root, dir)
			links, linksCPU = links+time.Since(start).Seconds(), linksCPU+cpuSeconds()-cpu
			if err := x.FullText(b.Context()); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(folderSizeOnDisk(b, dir))/1e6, "MB")
			b.ReportMetric(float64(folderSizeOnDisk(b, dir))/float64(text), "disk/text")
			_ = x.Close()
		}
		b.ReportMetric((cpuSeconds()-before)/float64(b.N), "cpu-s/op")
		b.ReportMetric(links/float64(b.N), "links-s/op")
		b.ReportMetric(linksCPU/float64(b.N), "links-cpu-s/op")
	})
}

// folderTexts is the size of all pages.
func folderTexts(b *testing.B, root string) (n int64) {
	err := filepath.WalkDir(root, func(_ string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		fi, err := d.Info()
		if err == nil {
			n += fi.Size()
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return n
}

func folderSizeOnDisk(b *testing.B, dir string) (n int64) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		b.Fatal(err)
	}
	for _, d := range entries {
		if fi, err := d.Info(); err == nil {
			n += fi.Size()
		}
	}
	return n
}

// kept opens an index once, so that the next opening finds it current.
func kept(b *testing.B, n int) (root, dir string, links []Link, from string) {
	root, _ = benchWiki(b, n)
	dir = filepath.Join(filepath.Dir(root), fmt.Sprint(n, "-index"))
	x := mustOpen(b, root, dir)
	defer x.Close()
	if err := x.Refresh(context.Background()); err != nil {
		b.Fatal(err)
	}
	for _, rel := range x.Paths() {
		if p, ok := x.Page(rel); ok && len(p.Links) >= 5 && !strings.HasPrefix(rel, "raw/") {
			if links = append(links, p.Links...); len(links) >= 10 {
				return root, dir, links[:10], rel
			}
		}
	}
	b.Fatal("no links")
	return
}

// BenchmarkOpenResolve is what a short-lived process pays: open a current index, resolve ten links, close.
func BenchmarkOpenResolve(b *testing.B) {
	sizes(b, func(b *testing.B, n int) {
		root, dir, links, from := kept(b, n)
		for b.Loop() {
			x := mustOpen(b, root, dir)
			for _, l := range links {
				x.ResolveLink(from, l)
			}
			_ = x.Close()
		}
	})
}

func BenchmarkResolve(b *testing.B) {
	sizes(b, func(b *testing.B, n int) {
		root, dir, links, from := kept(b, n)
		x := mustOpen(b, root, dir)
		defer x.Close()
		for b.Loop() {
			x.ResolveLink(from, links[0])
		}
	})
}

func BenchmarkRefresh(b *testing.B) {
	sizes(b, func(b *testing.B, n int) {
		root, dir, _, _ := kept(b, n)
		x := mustOpen(b, root, dir)
		defer x.Close()
		for b.Loop() {
			if err := x.Refresh(context.Background()); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkBacklinks(b *testing.B) {
	sizes(b, func(b *testing.B, n int) {
		root, dir, links, from := kept(b, n)
		x := mustOpen(b, root, dir)
		defer x.Close()
		to := from
		for _, l := range links {
			if m := x.ResolveLink(from, l); len(m) > 0 {
				to = m[0].Path
			}
		}
		for b.Loop() {
			x.Backlinks(to)
		}
	})
}

// BenchmarkKeystroke is a new text in a buffer and what diagnostics ask of it.
func BenchmarkKeystroke(b *testing.B) {
	sizes(b, func(b *testing.B, n int) {
		root, dir, _, from := kept(b, n)
		x := mustOpen(b, root, dir)
		defer x.Close()
		text, _ := x.Source(from)
		for b.Loop() {
			x.SetBuffer(from, text)
			p, _ := x.Page(from)
			for _, l := range p.Links {
				x.ResolveLink(from, l)
			}
		}
	})
}

func BenchmarkParsePage(b *testing.B) {
	root, _ := benchWiki(b, 1000)
	x := mustOpen(b, root, "")
	defer x.Close()
	var texts [][]byte
	total := 0
	for _, rel := range x.Paths() {
		t, _ := x.Source(rel)
		texts, total = append(texts, t), total+len(t)
	}
	b.SetBytes(int64(total))
	for b.Loop() {
		for _, t := range texts {
			ParsePage(t)
		}
	}
}

// searchTerms are words of the generated wiki: common ones and rare ones, as users mix them.
func searchTerms(b *testing.B, x *Index, from string) []string {
	b.Helper()
	text, _ := x.Source(from)
	words := strings.FieldsFunc(string(text), func(r rune) bool { return !('a' <= r && r <= 'z') })
	var out []string
	for i := 20; i+40 < len(words) && len(out) < 20; i += 7 {
		out = append(out, words[i]+" "+words[i+3]+" "+words[i+11])
	}
	return out
}

func BenchmarkSearch(b *testing.B) {
	sizes(b, func(b *testing.B, n int) {
		root, dir, _, from := kept(b, n)
		x := mustOpen(b, root, dir)
		defer x.Close()
		terms := searchTerms(b, x, from)
		x.Search(terms[0], 10)
		var took []time.Duration
		cpu := cpuSeconds()
		for b.Loop() {
			start := time.Now()
			x.Search(terms[len(took)%len(terms)], 10)
			took = append(took, time.Since(start))
		}
		b.ReportMetric(1000*(cpuSeconds()-cpu)/float64(b.N), "cpu-ms/op")
		slices.Sort(took)
		b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
	})
}

// BenchmarkColdSearch is a search in a process that does nothing else.
func BenchmarkColdSearch(b *testing.B) {
	sizes(b, func(b *testing.B, n int) {
		root, dir, _, from := kept(b, n)
		x := mustOpen(b, root, dir)
		terms := searchTerms(b, x, from)
		_ = x.Close()
		i := 0
		for b.Loop() {
			x := mustOpen(b, root, dir)
			x.Search(terms[i%len(terms)], 10)
			_ = x.Close()
			i++
		}
	})
}

func BenchmarkNames(b *testing.B) {
	sizes(b, func(b *testing.B, n int) {
		root, dir, _, _ := kept(b, n)
		x := mustOpen(b, root, dir)
		defer x.Close()
		x.Names("bat", 50) // the first one lays out a table
		for _, typed := range []string{"", "b", "ba", "bat", "bat te", "tbx", "concepts/ba"} {
			b.Run("typed="+typed, func(b *testing.B) {
				for b.Loop() {
					x.Names(typed, 201)
				}
			})
		}
	})
}
