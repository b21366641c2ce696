//go:build unix

package sandbox

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// names of random files and folders
func randomName(r *rand.Rand) string {
	parts := []string{"a", "b.md", "c", "d.md", "e f.md", "é.md"}
	n := 1 + r.IntN(3)
	var p []string
	for range n {
		p = append(p, parts[r.IntN(len(parts))])
	}
	return path.Join(p...)
}

// randomTree is what a folder holds: file -> text.
func randomTree(r *rand.Rand) map[string]string {
	files := map[string]string{}
	for range r.IntN(12) {
		name := randomName(r)
		clash := false
		for f := range files {
			clash = clash || within(f, name) || within(name, f)
		}
		if !clash {
			files[name] = fmt.Sprintf("%d\n", r.IntN(4))
		}
	}
	return files
}

// randomScript changes it at random; what fails, fails.
func randomScript(r *rand.Rand) string {
	var s strings.Builder
	for range 1 + r.IntN(12) {
		a, b := "'"+randomName(r)+"'", "'"+randomName(r)+"'"
		s.WriteString([]string{
			fmt.Sprintf("mkdir -p \"$(dirname %s)\"; echo %d >%s", a, r.IntN(4), a),
			fmt.Sprintf("echo %d >>%s", r.IntN(4), a),
			"rm -rf " + a,
			"rm -f " + a,
			"mkdir -p " + a,
			fmt.Sprintf("mv %s %s", a, b),
			fmt.Sprintf("rm -rf %s; mv %s %s", b, a, b),
			fmt.Sprintf("cp -r %s %s", a, b),
			"true >" + a,
		}[r.IntN(9)] + "\n")
	}
	return s.String() + "find . -type f -exec sh -c 'for f; do echo \"== $f\"; cat \"$f\"; done' _ {} + \n"
}

// seen parses what the script printed at its end: the files as the program saw them.
func seen(out string) map[string]string {
	files := map[string]string{}
	for _, part := range strings.Split("\n"+out, "\n== ./")[1:] {
		name, text, _ := strings.Cut(part, "\n")
		files[name] = strings.TrimSuffix(text, "\n")
	}
	return files
}

// TestRandomWork: the changes, applied to what the program was given, are what the program saw at its end.
func TestRandomWork(t *testing.T) {
	each(t, func(t *testing.T, l Layer) {
		t.Parallel()
		for seed := range uint64(8) {
			r := rand.New(rand.NewPCG(seed, 1))
			files := randomTree(r)
			b := newBench(t, files)
			box := b.open(l)
			var out strings.Builder
			script := randomScript(r)
			c := sh(script)
			c.Stdout = &out
			if _, err := box.Run(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			compare(t, script, files, b.changes(box), seen(out.String()))
		}
	})
}

// compare applies changes to the files that were given.
func compare(t *testing.T, script string, given map[string]string, ch Changes, want map[string]string) {
	t.Helper()
	got := map[string]string{}
	for f, text := range given {
		got[f] = text
	}
	for _, c := range ch.List {
		switch {
		case c.HasBase && string(c.Base) != given[c.Path]:
			t.Errorf("base of %s is %q, was %q", c.Path, c.Base, given[c.Path])
		case c.Kind == Delete:
			delete(got, c.Path)
		}
	}
	for _, c := range ch.List {
		if c.Kind == Create || c.Kind == Edit {
			got[c.Path] = string(c.New)
		}
	}
	for f := range got {
		got[f] = strings.TrimSuffix(got[f], "\n")
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("given %q\n%s\ngot  %q\nwant %q\n%q", given, script, got, want, lines(ch))
	}
}

// FuzzChanges does random work on the view of a copy directly, and reads it.
func FuzzChanges(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, s1, s2 uint64) {
		r := rand.New(rand.NewPCG(s1, s2))
		files := randomTree(r)
		b := newBench(t, files)
		box := b.open(Copy(CopyOptions{ForceUnconfined: true}))
		for range 1 + r.IntN(12) {
			p, q := filepath.Join(box.Dir(), randomName(r)), filepath.Join(box.Dir(), randomName(r))
			switch r.IntN(6) { // what fails, fails
			case 0, 1:
				os.MkdirAll(filepath.Dir(p), 0o755)
				os.WriteFile(p, fmt.Appendf(nil, "%d\n", r.IntN(4)), fs.FileMode(0o600|r.IntN(0o200)&^0o111))
			case 2:
				os.RemoveAll(p)
			case 3:
				os.Rename(p, q)
			case 4:
				os.MkdirAll(p, 0o755)
			case 5:
				os.Chmod(p, fs.FileMode(r.IntN(0o1000)&^0o111))
			}
		}
		ch := b.changes(box)
		want := map[string]string{}
		filepath.WalkDir(box.Dir(), func(p string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				os.Chmod(p, 0o600)
				text, _ := os.ReadFile(p)
				rel, _ := filepath.Rel(box.Dir(), p)
				want[rel] = strings.TrimSuffix(string(text), "\n")
			}
			return err
		})
		compare(t, "", files, ch, want)
	})
}
