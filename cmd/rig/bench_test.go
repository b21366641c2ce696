package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rigwiki/rig/wiki/index/indextest"
)

// BenchmarkIngest times the whole `rig wiki ingest`, from the start of the process to its end, with an agent that writes one page and one line of the index, against the
// plain procedure (cp -a, diff -urN, rm -rf) in the same run on the same disk. It reports both medians and their ratio:
//
//	go test -run '^$' -bench Ingest -benchtime 10x ./cmd/rig
func BenchmarkIngest(b *testing.B) {
	rig := buildRig(b)
	for _, pages := range []int{100, 1000, 10000} {
		b.Run(fmt.Sprintf("pages=%d", pages), func(b *testing.B) {
			dir, env := benchWiki(b, pages)
			ingest := ingestOnce(b, rig, dir, env)
			ingest() // the index may be built once
			var ours, plain []time.Duration
			for b.Loop() {
				ours = append(ours, timed(ingest))
				if len(plain) < 3 { // it takes seconds
					plain = append(plain, timed(func() { copyDiffRemove(b, dir) }))
				}
			}
			b.ReportMetric(float64(median(ours).Microseconds())/1000, "ingest-ms")
			b.ReportMetric(float64(median(plain).Microseconds())/1000, "copy-diff-rm-ms")
			b.ReportMetric(float64(median(plain))/float64(median(ours)), "times-faster")
			b.ReportMetric(0, "ns/op") // holds both procedures, so it says nothing
		})
	}
}

// ingestOnce is one whole ingest.
func ingestOnce(b *testing.B, rig, dir string, env []string) func() {
	return func() {
		cmd := exec.Command(rig, "wiki", "ingest", filepath.Join(dir, "raw", "roses.md"), "--wiki", dir, "--again", "--agent", "one", "--json")
		cmd.Env = env
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), `"concepts/new.md"`) {
			b.Fatalf("ingest: %v: %.400s", err, out)
		}
	}
}

// BenchmarkIngestKept times the whole `rig wiki ingest` where 1,000 proposals of earlier runs wait, and where none does, in turns. It reports both medians:
//
//	go test -run '^$' -bench IngestKept -benchtime 20x ./cmd/rig
func BenchmarkIngestKept(b *testing.B) {
	rig := buildRig(b)
	var ingests []func()
	for _, kept := range []int{0, 1000} {
		dir, env := benchWiki(b, 100)
		ingest := ingestOnce(b, rig, dir, env)
		ingest()
		runs, err := filepath.Glob(filepath.Join(filepath.Dir(dir), "home", "runs", "*", "*-ingest-*"))
		if err != nil || len(runs) != 1 {
			b.Fatal(runs, err)
		}
		record, err := os.ReadFile(filepath.Join(runs[0], "run.json"))
		if err != nil {
			b.Fatal(err)
		}
		for i := range kept {
			run := fmt.Sprintf("kept-%04d", i)
			to := filepath.Join(filepath.Dir(runs[0]), run)
			if err := os.CopyFS(to, os.DirFS(runs[0])); err != nil {
				b.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(to, "run.json"), []byte(strings.ReplaceAll(string(record), filepath.Base(runs[0]), run)), 0o600); err != nil {
				b.Fatal(err)
			}
		}
		ingests = append(ingests, ingest)
	}
	var none, many []time.Duration
	for b.Loop() {
		none, many = append(none, timed(ingests[0])), append(many, timed(ingests[1]))
	}
	b.ReportMetric(float64(median(none).Microseconds())/1000, "none-kept-ms")
	b.ReportMetric(float64(median(many).Microseconds())/1000, "1000-kept-ms")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkReady times `rig wiki lsp` from the start of the process to the answer to initialize:
//
//	go test -run '^$' -bench Ready -benchtime 20x ./cmd/rig
func BenchmarkReady(b *testing.B) {
	rig := buildRig(b)
	for _, pages := range []int{0, 10000} {
		b.Run(fmt.Sprintf("pages=%d", pages), func(b *testing.B) {
			dir, env := benchWiki(b, pages)
			var took []time.Duration
			for b.Loop() {
				var e *editor
				took = append(took, timed(func() {
					var err error
					if e, err = startEditor(b.Context(), rig, dir, env, os.Stderr); err != nil {
						b.Fatal(err)
					}
				}))
				if err := e.close(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(median(took).Microseconds())/1000, "ready-ms")
			b.ReportMetric(0, "ns/op")
		})
	}
}

func buildRig(b *testing.B) string {
	b.Helper()
	rig := filepath.Join(b.TempDir(), "rig")
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", rig, ".").CombinedOutput(); err != nil {
		b.Fatalf("build: %v: %s", err, out)
	}
	return rig
}

// benchWiki lays the scripts' wiki out with so many generated pages, and the agent `one`.
func benchWiki(b *testing.B, pages int) (dir string, env []string) {
	b.Helper()
	top, err := filepath.EvalSymlinks(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	dir = filepath.Join(top, "wiki")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "garden"))); err != nil {
		b.Fatal(err)
	}
	if pages > 0 {
		if _, err := indextest.Write(filepath.Join(dir, "concepts"), indextest.Options{Pages: pages}); err != nil {
			b.Fatal(err)
		}
	}
	agent := filepath.Join(top, "home", "adapters", "one")
	if err := os.MkdirAll(agent, 0o755); err != nil {
		b.Fatal(err)
	}
	script := "#!/bin/sh\nprintf -- '---\\ntype: concept\\nsources: [soil-report]\\ningested-at: 2026-11-30\\nlast-updated: 2026-11-30\\n---\\n# New\\n\\n[[compost]]\\n' > concepts/new.md\necho '- [[new]]' >> index.md\n"
	for name, text := range map[string]string{"run": script, "wire": "#!/bin/sh\nexit 0\n"} {
		if err := os.WriteFile(filepath.Join(agent, name), []byte(text), 0o755); err != nil {
			b.Fatal(err)
		}
	}
	return dir, append(os.Environ(), "RIG_HOME="+filepath.Join(top, "home"), "HOME="+top)
}

// copyDiffRemove is the plain procedure.
func copyDiffRemove(b *testing.B, dir string) {
	b.Helper()
	script := `cp -a "$1" "$1.copy" && echo x >> "$1.copy/index.md" && { diff -urN "$1" "$1.copy" >/dev/null; rm -rf "$1.copy"; }`
	if out, err := exec.Command("sh", "-c", script, "sh", dir).CombinedOutput(); err != nil {
		b.Fatalf("cp, diff, rm: %v: %s", err, out)
	}
}

func timed(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}
