package index

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkBuildPeers is what others take for the files of BenchmarkBuild, to be run with it: SQLite's FTS5 in C, filled in one thread by its own command line;
// ripgrep reading every line, and looking for a word.
func BenchmarkBuildPeers(b *testing.B) {
	for _, tool := range []string{"sqlite3", "rg"} {
		if _, err := exec.LookPath(tool); err != nil {
			b.Skip(tool, " is not on PATH")
		}
	}
	sizes(b, func(b *testing.B, n int) {
		root, _ := benchWiki(b, n)
		x := mustOpen(b, root, filepath.Join(filepath.Dir(root), fmt.Sprint(n, "-index")))
		defer x.Close()
		paths := x.Paths()
		b.Run("fts5", func(b *testing.B) {
			for b.Loop() {
				measured(b, fillFTS5(b, x, paths))
			}
		})
		for name, args := range map[string][]string{"rg-lines": {"-c", "", root}, "rg-word": {"-l", "bat", root}} {
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					cmd := exec.CommandContext(b.Context(), "rg", args...)
					if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() > 1 {
						b.Fatal(err)
					}
					measured(b, cmd)
				}
			})
		}
	})
}

// measured reports what the program took of the processors: of use where others share them.
func measured(b *testing.B, c *exec.Cmd) {
	b.ReportMetric((c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds(), "cpu-s/op")
}

func fillFTS5(b *testing.B, x *Index, paths []string) *exec.Cmd {
	cmd := exec.CommandContext(context.WithoutCancel(b.Context()), "sqlite3", filepath.Join(b.TempDir(), "fts.db"))
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriterSize(in, 1<<20)
	quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
	_, err = io.WriteString(w, "PRAGMA synchronous=OFF; PRAGMA journal_mode=OFF;\nCREATE VIRTUAL TABLE pages USING fts5(path UNINDEXED, text);\nBEGIN;\n")
	for _, rel := range paths {
		text, _, e := readFile(x.file(rel), nil)
		if e == nil && err == nil {
			_, err = fmt.Fprintf(w, "INSERT INTO pages VALUES(%s, %s);\n", quote(rel), quote(strings.ReplaceAll(string(text), "\x00", "")))
		}
	}
	if err == nil {
		_, err = io.WriteString(w, "COMMIT;\n")
	}
	if e := w.Flush(); err == nil {
		err = e
	}
	if e := in.Close(); err == nil {
		err = e
	}
	if e := cmd.Wait(); err == nil {
		err = e
	}
	if err != nil {
		b.Fatal(err)
	}
	return cmd
}
