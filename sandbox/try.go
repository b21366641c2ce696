//go:build linux || darwin

package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// probeName is the name of the trial program, as argv[0].
const probeName = "rig-sandbox-probe"

// tryAll runs a helper as the program in a box of a folder made for it: it changes in every way, and tries what must be denied.
func tryAll(ctx context.Context, l Layer, scratch string) error {
	top, err := os.MkdirTemp(scratch, "rig-try-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(top)
	if top, err = filepath.EvalSymlinks(top); err != nil {
		return err
	}
	root, run := filepath.Join(top, "root"), filepath.Join(top, "run")
	for _, d := range []string{root, filepath.Join(root, "d"), filepath.Join(root, "raw"), run} {
		if err := os.Mkdir(d, 0o700); err != nil {
			return err
		}
	}
	outside := filepath.Join(run, "outside") // the program sees it, where it is
	for p, text := range map[string]string{filepath.Join(root, "a.md"): "a\n", filepath.Join(root, "b.md"): "b\n", filepath.Join(root, "d", "x.md"): "x\n", filepath.Join(root, "raw", "s.md"): "s\n", outside: "o\n"} {
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			return err
		}
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	name := filepath.Join(top, probeName)
	if err := os.Symlink(self, name); err != nil {
		return err
	}
	box, err := l.Open(ctx, Spec{Root: root, RunDir: run, Visible: []string{name}, Protect: []string{"raw"}, Inject: map[string]string{".rig-readonly/s.md": filepath.Join(root, "raw", "s.md")}})
	if err != nil {
		return err
	}
	defer box.Close()
	var said bytes.Buffer
	e, err := box.Run(ctx, Command{Argv: []string{name, outside}, Stderr: &said, Timeout: 20 * time.Second})
	if err != nil {
		return err
	}
	if e.Code != 0 || e.Why != Exited {
		return fmt.Errorf("a trial run ended with %d: %s", e.Code, strings.TrimSpace(said.String()))
	}
	if b, err := os.ReadFile(outside); err != nil || string(b) != "o\n" {
		return errors.New("a trial run could write outside the view")
	}
	return tried(ctx, box)
}

// tried checks what was read of the trial run.
func tried(ctx context.Context, box Box) error {
	ch, err := box.Changes(ctx)
	if err != nil {
		return err
	}
	var got []string
	for _, c := range ch.List {
		got = append(got, fmt.Sprintf("%s %s %q %q", c.Kind, c.Path, c.Base, c.New))
	}
	want := []string{`edit a.md "a\n" "a2\n"`, `delete b.md "b\n" ""`, `delete d/x.md "x\n" ""`, `create d/y.md "" "y\n"`}
	if !slices.Equal(got, want) {
		return fmt.Errorf("a trial run changed %q, read as %q", want, got)
	}
	return nil
}

// probeMain is the program of a trial run. Its argument is a file that must not be writable.
func probeMain() {
	fail := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	if len(os.Args) != 2 {
		fail(errors.New("this is a helper of package sandbox, not a command"))
	}
	if os.WriteFile(os.Args[1], []byte("no\n"), 0o600) == nil {
		fail(errors.New("a write outside the view was not denied"))
	}
	if fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0); err == nil && runtime.GOOS == "linux" { // elsewhere its connection is denied
		unix.Close(fd)
		fail(errors.New("a unix socket was not denied"))
	}
	if os.WriteFile("raw/s.md", []byte("no\n"), 0o600) == nil {
		fail(errors.New("a write of a protected file was not denied"))
	}
	if b, err := os.ReadFile(".rig-readonly/s.md"); err != nil || string(b) != "s\n" {
		fail(errors.New("a file that was laid in is not there"))
	}
	fail(os.WriteFile("a.md", []byte("a2\n"), 0o600))
	fail(os.Remove("b.md"))
	fail(os.RemoveAll("d"))
	fail(os.Mkdir("d", 0o700))
	fail(os.WriteFile("d/y.md", []byte("y\n"), 0o600))
}
