//go:build linux

package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// pages lays out n pages of about 4 KB in folders of 64, and n/10 sources.
func pages(b *testing.B, n int) string {
	b.Helper()
	root := filepath.Join(b.TempDir(), "wiki")
	text := []byte(strings.Repeat("A line of a page, with a [[link]] in it and some words more.\n", 67))
	for i := range n {
		d := filepath.Join(root, "pages", strconv.Itoa(i/64))
		if i%64 == 0 {
			if err := os.MkdirAll(d, 0o755); err != nil {
				b.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(d, fmt.Sprintf("p%d.md", i)), text, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return root
}

// edits is a program that changes k pages.
func edits(k int) string {
	return fmt.Sprintf(`i=0; while [ $i -lt %d ]; do echo changed >>pages/$i/p$((i*64)).md; i=$((i+1)); done`, k)
}

// BenchmarkCycle is a whole run (lay over, run, read the changes, clear away), beside the plain procedure: cp -a, run, diff -urN, rm -rf.
// RIG_BENCH_PAGES lists the sizes ("1000,10000,100000").
//
//	go test ./sandbox -run '^$' -bench Cycle -benchtime 10x
func BenchmarkCycle(b *testing.B) {
	sizes := os.Getenv("RIG_BENCH_PAGES")
	if sizes == "" {
		sizes = "1000"
	}
	for _, size := range strings.Split(sizes, ",") {
		n, err := strconv.Atoi(size)
		if err != nil {
			b.Fatal(err)
		}
		root := pages(b, n)
		for _, k := range []int{1, 10} {
			b.Run(fmt.Sprintf("%d/%d/bare", n, k), func(b *testing.B) { // the program alone, in a copy made once
				dir := b.TempDir()
				shell(b, dir, "cp -a "+root+"/. .")
				for b.Loop() {
					shell(b, dir, edits(k))
				}
			})
			b.Run(fmt.Sprintf("%d/%d/plain", n, k), func(b *testing.B) {
				for b.Loop() {
					dir := b.TempDir()
					shell(b, dir, "cp -a "+root+" view; cd view; "+edits(k)+"; cd ..; diff -urN "+root+" view >out; rm -rf view")
				}
			})
			for _, l := range []Layer{Copy(CopyOptions{}), Overlay(OverlayOptions{})} {
				b.Run(fmt.Sprintf("%d/%d/%s", n, k, l.Name()), func(b *testing.B) {
					for b.Loop() {
						cycle(b, l, root, k)
					}
				})
			}
		}
	}
}

func shell(b *testing.B, dir, script string) {
	cmd := exec.Command("/bin/sh", "-c", script)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil && !strings.Contains(script, "diff") {
		b.Fatal(err, string(out))
	}
}

func cycle(b *testing.B, l Layer, root string, k int) {
	run, err := os.MkdirTemp(filepath.Dir(root), "run")
	if err != nil {
		b.Fatal(err)
	}
	box, err := l.Open(b.Context(), Spec{Root: root, RunDir: run})
	if err != nil {
		b.Fatal(err)
	}
	if e, err := box.Run(b.Context(), sh(edits(k))); err != nil || e.Code != 0 {
		b.Fatal(e, err)
	}
	if ch, err := box.Changes(b.Context()); err != nil || len(ch.List) != k {
		b.Fatal(len(ch.List), err)
	}
	if err := box.Close(); err != nil {
		b.Fatal(err)
	}
	os.Remove(run)
}
