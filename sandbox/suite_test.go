//go:build unix

package sandbox

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A bench is a folder, a run folder and a HOME for one box, side by side in a temporary folder.
type bench struct {
	t                       *testing.T
	top, root, rundir, home string
	spec                    Spec
}

// newBench lays out files: "a.md": "text", "dir/": "", "l.md": "-> a.md", "p": "| fifo".
func newBench(t *testing.T, files map[string]string) *bench {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	os.Chmod(top, 0o755)
	b := &bench{t: t, top: top, root: filepath.Join(top, "wiki"), rundir: filepath.Join(top, "run"), home: filepath.Join(top, "home")}
	for _, d := range []string{b.root, b.home} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(b.rundir, 0o700); err != nil {
		t.Fatal(err)
	}
	plant(t, b.root, files)
	settle()
	b.spec = Spec{Root: b.root, RunDir: b.rundir, Home: b.home}
	return b
}

func plant(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		p := filepath.Join(root, name)
		err := os.MkdirAll(filepath.Dir(p), 0o755)
		switch {
		case err != nil:
		case strings.HasSuffix(name, "/"):
			err = os.MkdirAll(p, 0o755)
		case strings.HasPrefix(text, "-> "):
			err = os.Symlink(text[3:], p)
		case text == "| fifo":
			err = syscall.Mkfifo(p, 0o644)
		default:
			err = os.WriteFile(p, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func (b *bench) open(l Layer) Box {
	b.t.Helper()
	box, err := l.Open(b.t.Context(), b.spec)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() {
		if err := box.Close(); err != nil {
			b.t.Error("close:", err)
		}
		left, err := os.ReadDir(b.rundir)
		if err != nil || len(left) != 0 {
			b.t.Errorf("left in the run folder: %v, %v", left, err)
		}
	})
	return box
}

// sh is a shell script as a program.
func sh(script string) Command {
	return Command{Argv: []string{"/bin/sh", "-c", script}, Env: []string{"PATH=/usr/local/bin:/usr/bin:/bin"}, Timeout: time.Minute}
}

// must runs a script that has to end well.
func (b *bench) must(box Box, script string) string {
	b.t.Helper()
	var out, errs strings.Builder
	c := sh("set -e\n" + script)
	c.Stdout, c.Stderr = &out, &errs
	e, err := box.Run(b.t.Context(), c)
	if err != nil || e.Code != 0 || e.Why != Exited {
		b.t.Fatalf("run: %+v, %v\n%s%s", e, err, out.String(), errs.String())
	}
	return out.String()
}

func (b *bench) changes(box Box) Changes {
	b.t.Helper()
	ch, err := box.Changes(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	return ch
}

// lines shows changes in a form to compare.
func lines(ch Changes) []string {
	var l []string
	for _, c := range ch.List {
		s := fmt.Sprintf("%s %s", c.Kind, c.Path)
		if c.Why != "" {
			s += " (" + string(c.Why) + ")"
		}
		if c.HasBase {
			s += fmt.Sprintf(" %q", c.Base)
		}
		if c.New != nil {
			s += fmt.Sprintf(" -> %q", c.New)
		}
		if c.Drift {
			s += " drift"
		}
		l = append(l, s)
	}
	for _, d := range ch.Dirs {
		l = append(l, "dir "+d)
	}
	for _, w := range ch.Warnings {
		l = append(l, "warning "+w)
	}
	if ch.Overflow != "" {
		l = append(l, "overflow "+ch.Overflow)
	}
	return l
}

func (b *bench) want(ch Changes, want ...string) {
	b.t.Helper()
	if got := lines(ch); !slices.Equal(got, want) {
		b.t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// image is everything under a folder: kinds, modes, bytes.
func image(t *testing.T, root string) map[string]string {
	t.Helper()
	m := map[string]string{}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		m[p] = fi.Mode().String()
		switch {
		case d.Type().IsRegular():
			b, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			m[p] += " " + string(b)
		case d.Type()&fs.ModeSymlink != 0:
			l, err := os.Readlink(p)
			if err != nil {
				return err
			}
			m[p] += " " + l
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func same(t *testing.T, what string, before, after map[string]string) {
	t.Helper()
	for p, s := range before {
		if after[p] != s {
			t.Errorf("%s: %s was %.80q, is %.80q", what, p, s, after[p])
		}
	}
	for p := range after {
		if _, ok := before[p]; !ok {
			t.Errorf("%s: %s came to be", what, p)
		}
	}
}

// eventually waits for a state that has no event.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("never: " + what)
		}
	}
}

// hideDots hides dot entries.
func hideDots(_ string, d fs.DirEntry) bool { return strings.HasPrefix(d.Name(), ".") }
