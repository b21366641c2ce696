package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

func tiers(c Choice) []tier {
	overlaid := func(ctx context.Context, l Layer, root, home string) error {
		if len(c.Foreign) > 0 && os.Geteuid() != 0 {
			return fmt.Errorf("%s belongs to another user or group, so that an overlay cannot change it", c.Foreign[0])
		}
		return errors.Join(tryOver(ctx, l, root, home, c), tryAll(ctx, l, c.Scratch))
	}
	return []tier{
		{name: "A", layer: Overlay(OverlayOptions{Dialer: c.Dialer}), try: overlaid, now: func() error { return c.memoryShort() }},
		{name: "A2", layer: Overlay(OverlayOptions{Dialer: c.Dialer, Upper: OnDisk}), try: overlaid, now: func() error {
			if c.Layer != "A2" && c.memoryShort() == nil {
				return errors.New("memory is not short")
			}
			return nil
		}},
		{name: "B", layer: Copy(CopyOptions{Dialer: c.Dialer}), try: func(ctx context.Context, l Layer, _, _ string) error { return tryAll(ctx, l, c.Scratch) }},
		unconfined(c),
	}
}

// memoryReserve is what must be left beside a full upper layer, for the agent and everybody else.
const memoryReserve = 256 << 20

// memoryShort tells why an upper layer may not be kept in memory, nil where it may.
func (c Choice) memoryShort() error {
	ask := c.Memory
	if ask == nil {
		ask = memoryLeft
	}
	need := Limits{Upper: c.Upper}.withDefaults().Upper + memoryReserve
	if left, known := ask(); known && left < need {
		return fmt.Errorf("memory is short: %d MiB are left, and a run may take %d", left>>20, need>>20)
	}
	return nil
}

// tryOver opens and closes a layer over the real folder.
func tryOver(ctx context.Context, l Layer, root, home string, c Choice) error {
	run, err := os.MkdirTemp(c.Scratch, "rig-try-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(run)
	if run, err = filepath.EvalSymlinks(run); err != nil {
		return err
	}
	box, err := l.Open(ctx, Spec{Root: root, RunDir: run, Home: home, Hide: c.Hide})
	if err != nil {
		return err
	}
	return box.Close()
}

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
	for _, d := range []string{root, filepath.Join(root, "d"), run} {
		if err := os.Mkdir(d, 0o700); err != nil {
			return err
		}
	}
	outside := filepath.Join(run, "outside") // the program sees it, where it is
	for p, text := range map[string]string{filepath.Join(root, "a.md"): "a\n", filepath.Join(root, "b.md"): "b\n", filepath.Join(root, "d", "x.md"): "x\n", outside: "o\n"} {
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
	box, err := l.Open(ctx, Spec{Root: root, RunDir: run, Visible: []string{name}})
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
	if fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0); err == nil {
		unix.Close(fd)
		fail(errors.New("a unix socket was not denied"))
	}
	fail(os.WriteFile("a.md", []byte("a2\n"), 0o600))
	fail(os.Remove("b.md"))
	fail(os.RemoveAll("d"))
	fail(os.Mkdir("d", 0o700))
	fail(os.WriteFile("d/y.md", []byte("y\n"), 0o600))
}
