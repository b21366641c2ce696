package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// BenchmarkQuery times `rig wiki query` with the built-in agent over 10,000 pages, from the start of the process to its end: asked anew, and from the cache.
//
//	go test -run '^$' -bench Query -benchtime 10x ./cmd/rig
func BenchmarkQuery(b *testing.B) {
	rig := buildRig(b)
	dir, env := benchWiki(b, 10000)
	ask := func(want string, args ...string) {
		cmd := exec.Command(rig, append([]string{"wiki", "query", "what feeds the beds in the shade?", "--wiki", dir, "--agent", "builtin", "--json"}, args...)...)
		cmd.Env = env
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), want) {
			b.Fatalf("query: %v: %.600s", err, out)
		}
	}
	ask(`[[compost]]`) // the index is built once
	var asked, cached []time.Duration
	for b.Loop() {
		asked = append(asked, timed(func() { ask(`[[compost]]`, "--again") }))
		cached = append(cached, timed(func() { ask(`"cached":"`) }))
	}
	b.ReportMetric(float64(median(asked).Microseconds())/1000, "asked-ms")
	b.ReportMetric(float64(median(cached).Microseconds())/1000, "cached-ms")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkScan times `rig wiki scan` over 1,000 sources with their pages, from the start of the process to its end: the first time, which hashes them all, and again;
// and beside it sha256sum over the same files.
//
//	go test -run '^$' -bench Scan -benchtime 10x ./cmd/rig
func BenchmarkScan(b *testing.B) {
	rig := buildRig(b)
	dir, env := benchWiki(b, 0)
	for i := range 1000 {
		text := []byte(strings.Repeat(fmt.Sprintf("Line of source %d, which is a page of text as others are.\n", i), 70))
		page := fmt.Sprintf("---\ntype: source\nsource-path: raw/s%d.md\nsource-sha: %x\n---\n# S%d\n", i, sha256.Sum256(text), i)
		for rel, text := range map[string]string{fmt.Sprintf("raw/s%d.md", i): string(text), fmt.Sprintf("sources/s%d.md", i): page} {
			if err := os.WriteFile(filepath.Join(dir, rel), []byte(text), 0o644); err != nil {
				b.Fatal(err)
			}
		}
	}
	scan := func() {
		cmd := exec.Command(rig, "wiki", "scan", "--wiki", dir, "--json")
		cmd.Env = env
		if out, err := cmd.CombinedOutput(); err != nil || strings.Count(string(out), `"ingested"`) != 1001 {
			b.Fatalf("scan: %v: %.600s", err, out)
		}
	}
	scan() // the index is built once
	var first, again, sums []time.Duration
	for b.Loop() {
		if err := os.RemoveAll(filepath.Join(filepath.Dir(dir), "home", "cache", "scan")); err != nil {
			b.Fatal(err)
		}
		first = append(first, timed(scan))
		again = append(again, timed(scan))
		sums = append(sums, timed(func() {
			if out, err := exec.Command("sh", "-c", `sha256sum "$1"/raw/* > /dev/null`, "sh", dir).CombinedOutput(); err != nil {
				b.Fatalf("sha256sum: %v: %s", err, out)
			}
		}))
	}
	b.ReportMetric(float64(median(first).Microseconds())/1000, "first-ms")
	b.ReportMetric(float64(median(again).Microseconds())/1000, "again-ms")
	b.ReportMetric(float64(median(sums).Microseconds())/1000, "sha256sum-ms")
	b.ReportMetric(0, "ns/op")
}
