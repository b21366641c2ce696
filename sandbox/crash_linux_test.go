package sandbox

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// serverMain is a server that is going to be killed: this test binary under another name. It opens a box of the layer and folders it is told and
// runs a program that sleeps.
func serverMain() bool {
	if filepath.Base(os.Args[0]) != "server" {
		return false
	}
	l := map[string]Layer{"overlay": Overlay(OverlayOptions{}), "copy": Copy(CopyOptions{Unconfined: true}), "disk": Overlay(OverlayOptions{Upper: OnDisk})}[os.Args[1]]
	box, err := l.Open(context.Background(), Spec{Root: os.Args[2], RunDir: os.Args[3]})
	if err != nil {
		fmt.Println(err)
		return true
	}
	c := sh("echo up; (setsid sleep " + os.Args[4] + " &); sleep " + os.Args[4])
	c.Timeout = 0
	c.Stdout = os.Stdout
	fmt.Println(box.Run(context.Background(), c))
	return true
}

// TestServerKilled: a server that dies leaves no process and no mount.
func TestServerKilled(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"overlay", "copy", "disk"} {
		t.Run(name, func(t *testing.T) {
			need(t, map[string]Layer{"overlay": Overlay(OverlayOptions{}), "copy": Copy(CopyOptions{Unconfined: true}), "disk": Overlay(OverlayOptions{Upper: OnDisk})}[name])
			b := newBench(t, map[string]string{"a.md": "a"})
			marker := fmt.Sprintf("318%d.%06d", i, os.Getpid()%1000000)
			cmd := &exec.Cmd{Path: self, Args: []string{"server", name, b.root, b.rundir, marker}, Env: os.Environ()}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
			if line, err := bufio.NewReader(out).ReadString('\n'); line != "up\n" {
				t.Fatal(line, err)
			}
			eventually(t, "the programs run", func() bool { return alive("sleep "+marker) >= 2 })
			cmd.Process.Kill()
			cmd.Wait()
			eventually(t, "nothing is left running", func() bool { return alive(marker) == 0 })
			mounts, err := os.ReadFile("/proc/self/mountinfo")
			if err != nil || strings.Contains(string(mounts), b.top) {
				t.Error("a mount is left", err)
			}
			left, err := os.ReadDir(b.rundir)
			if err != nil || name == "overlay" && len(left) > 0 {
				t.Errorf("left in the run folder: %v %v", left, err)
			}
			if err := Remove(b.rundir); err != nil { // what the next start does with what a copy or a disk leaves
				t.Error(err)
			}
		})
	}
}

// TestGuardKilled: somebody ends the process that stands over the watcher: the run is discarded, and all of it ends, sessions of its own too.
func TestGuardKilled(t *testing.T) {
	l := Copy(CopyOptions{})
	need(t, l)
	b := newBench(t, map[string]string{"a.md": "a"})
	box := b.open(l)
	marker := fmt.Sprintf("3191.%06d", os.Getpid()%1000000)
	c := sh("setsid sleep " + marker + " & (setsid sh -c 'sleep " + marker + " & sleep " + marker + "' &); sleep 0.2; echo up; sleep " + marker)
	c.Talk = func(_ context.Context, rw io.ReadWriter) {
		bufio.NewReader(rw).ReadString('\n')
		killChildren(t)
		io.Copy(io.Discard, rw)
	}
	if _, err := box.Run(t.Context(), c); !errors.Is(err, ErrNotQuiescent) {
		t.Error(err)
	}
	if n := alive(marker); n != 0 {
		t.Errorf("%d processes outlived the guard", n)
	}
}

// TestWatcherKilled: a program that ends its watcher has its run discarded, and all of it ends, sessions of its own too.
func TestWatcherKilled(t *testing.T) {
	b := newBench(t, map[string]string{"a.md": "a"})
	box := b.open(Copy(CopyOptions{ForceUnconfined: true}))
	marker := fmt.Sprintf("3190.%06d", os.Getpid()%1000000)
	_, err := box.Run(t.Context(), sh("setsid sleep "+marker+" & (setsid sh -c 'sleep "+marker+" & sleep "+marker+"' &); sleep 0.2; kill -9 $PPID; sleep "+marker))
	if !errors.Is(err, ErrNotQuiescent) {
		t.Error(err)
	}
	if n := alive(marker); n != 0 { // not eventually: a run that is over has none
		t.Errorf("%d processes outlived their watcher", n)
	}
}
