package diff

import (
	"bytes"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// page makes a text of about size bytes, with words of a wiki and an empty line now and then.
func page(r *rand.Rand, size int) [][]byte {
	words := strings.Fields("the a of vector page index source claim note see also model agent text wiki link table with and for on rate cost 2024 2025")
	var lines [][]byte
	for n := 0; n < size; {
		var line []byte
		if r.Intn(5) > 0 {
			for range 3 + r.Intn(10) {
				line = append(append(line, words[r.Intn(len(words))]...), ' ')
			}
		}
		line = append(line, '\n')
		lines, n = append(lines, line), n+len(line)
	}
	return lines
}

// edit changes n lines at places spread at random: replaced, added or removed.
func edit(r *rand.Rand, lines [][]byte, n int) [][]byte {
	at := map[int]bool{}
	for len(at) < n {
		at[r.Intn(len(lines))] = true
	}
	var out [][]byte
	for i, line := range lines {
		if !at[i] {
			out = append(out, line)
			continue
		}
		switch r.Intn(3) {
		case 0:
			out = append(out, fmt.Appendf(nil, "changed %d\n", i))
		case 1:
			out = append(out, line, fmt.Appendf(nil, "added %d\n", i))
		}
	}
	return out
}

type sample struct {
	name     string
	old, new []byte
}

func samples() []sample {
	r := rand.New(rand.NewSource(7))
	pair := func(name string, lines [][]byte, edits int) sample {
		return sample{name, join(nil, lines), join(nil, edit(r, lines, edits))}
	}
	many := func(n int) [][]byte {
		lines := page(r, 40*n)
		for len(lines) < n {
			lines = append(lines, page(r, 4000)...)
		}
		return lines[:n]
	}
	return []sample{
		pair("page, 3 edits", page(r, 4<<10), 3),
		pair("page, half rewritten", page(r, 4<<10), 30),
		pair("1 MB, 50 edits", page(r, 1<<20), 50),
		pair("100k lines, 100 edits", many(100_000), 100),
		pair("100k lines, 5000 edits", many(100_000), 5000),
	}
}

func BenchmarkLines(b *testing.B) {
	for _, s := range samples() {
		b.Run(s.name, func(b *testing.B) {
			b.SetBytes(int64(len(s.old) + len(s.new)))
			b.ReportAllocs()
			for b.Loop() {
				Lines(s.old, s.new)
			}
		})
	}
}

func BenchmarkHunks(b *testing.B) {
	for _, s := range samples()[:3] {
		b.Run(s.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Hunks(s.old, s.new)
			}
		})
	}
}

func BenchmarkMerge(b *testing.B) {
	r := rand.New(rand.NewSource(8))
	for _, s := range samples()[:3] {
		theirs := join(nil, edit(r, Split(s.old), 3))
		b.Run(s.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Merge(s.old, s.new, theirs)
			}
		})
	}
}

func BenchmarkPrintParse(b *testing.B) {
	s := samples()[2]
	files := []FileDiff{change("x.md", s.old, s.new)}
	for b.Loop() {
		var out bytes.Buffer
		if err := Print(&out, files); err != nil {
			b.Fatal(err)
		}
		if _, err := Parse(out.Bytes()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPair(b *testing.B) {
	r := rand.New(rand.NewSource(9))
	var gone, made []FileDiff
	for i := range 1000 {
		lines := page(r, 4<<10)
		gone = append(gone, FileDiff{Path: fmt.Sprintf("old/%d.md", i), Kind: Delete, Old: join(nil, lines)})
		made = append(made, FileDiff{Path: fmt.Sprintf("new/%d.md", 999-i), Kind: Create, New: join(nil, edit(r, lines, 10))})
	}
	for b.Loop() {
		if renames, _ := Pair(gone, made); len(renames) != 1000 {
			b.Fatal(len(renames))
		}
	}
}

// programs are what Lines is measured against, side by side; each runs as a process on two files.
var programs = []struct {
	name string
	argv []string
}{
	{"git", []string{"git", "diff", "--no-index", "--minimal"}},
	{"GNU", []string{"diff", "-u"}},
}

func BenchmarkPrograms(b *testing.B) {
	dir := b.TempDir()
	for _, s := range samples() {
		old, new := filepath.Join(dir, "old"), filepath.Join(dir, "new")
		for path, text := range map[string][]byte{old: s.old, new: s.new} {
			if err := os.WriteFile(path, text, 0o600); err != nil {
				b.Fatal(err)
			}
		}
		for _, p := range programs {
			b.Run(p.name+"/"+s.name, func(b *testing.B) {
				if _, err := exec.LookPath(p.argv[0]); err != nil {
					b.Skipf("%s is not installed", p.argv[0])
				}
				for b.Loop() {
					// Status 1 says that they differ.
					out, err := exec.Command(p.argv[0], append(p.argv[1:len(p.argv):len(p.argv)], old, new)...).Output()
					if err == nil || len(out) == 0 {
						b.Fatal("no difference")
					}
				}
			})
		}
	}
}

// TestMinimalAsGit holds the number of changed lines to that of git diff --minimal, within 2 %.
func TestMinimalAsGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	old, new := filepath.Join(dir, "old"), filepath.Join(dir, "new")
	for _, s := range samples() {
		for path, text := range map[string][]byte{old: s.old, new: s.new} {
			if err := os.WriteFile(path, text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		out, _ := run(t, dir, nil, "git", "diff", "--no-index", "--minimal", "--numstat", old, new) // status 1: they differ
		var added, removed int
		if _, err := fmt.Sscan(out, &added, &removed); err != nil {
			t.Fatalf("%v of %q", err, out)
		}
		a, r := Stat(s.old, s.new)
		ratio := float64(a+r) / float64(added+removed)
		t.Logf("%s: %d changed lines, git %d: %.4f", s.name, a+r, added+removed, ratio)
		if ratio > 1.02 {
			t.Errorf("%s: %d changed lines, git has %d", s.name, a+r, added+removed)
		}
	}
}
