package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"golang.org/x/sys/unix"
)

// hardship is a machine that lacks something, made in a process of its own.
type hardship struct {
	name   string
	make   func(root string) error // in the process
	choice Choice
	want   string // tier, "" for none
	why    string // a part of why not A
}

func hardships() []hardship {
	return []hardship{
		{name: "nothing lacks", make: func(string) error { return nil }, want: "A"},
		{name: "a mount in the folder", make: func(root string) error {
			return unix.Mount("none", filepath.Join(root, "d"), "tmpfs", 0, "")
		}, want: "B", why: "mounted at"},
		{name: "no user namespaces", make: func(string) error {
			return os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0)
		}, want: "B", why: "no space left"},
		{name: "a kernel without the new mount calls", make: func(string) error {
			return without("fsopen", "fsmount", "move_mount", "open_tree", "mount_setattr")
		}, want: "B", why: "not implemented"},
		{name: "a kernel without openat2", make: func(string) error { return without("openat2") }, want: "B", why: "not implemented"},
		{name: "a container that denies mounts", make: func(string) error {
			return deny(seccomp.ActionErrno, "mount", "fsmount", "move_mount")
		}, want: "B", why: "operation not permitted"},
		{name: "neither namespaces nor Landlock", make: func(string) error {
			return errors.Join(os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0), without("landlock_create_ruleset"))
		}, want: "", why: "no space left"},
		{name: "neither, but allowed", make: func(string) error {
			return errors.Join(os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0), without("landlock_create_ruleset"))
		}, choice: Choice{AllowUnconfined: true}, want: "D", why: "no space left"},
	}
}

func without(calls ...string) error {
	return deny(seccomp.ActionErrno|seccomp.Action(unix.ENOSYS), calls...)
}

func deny(how seccomp.Action, calls ...string) error {
	return seccomp.LoadFilter(seccomp.Filter{NoNewPrivs: true, Flag: seccomp.FilterFlagTSync, Policy: seccomp.Policy{
		DefaultAction: seccomp.ActionAllow, Syscalls: []seccomp.SyscallGroup{{Action: how, Names: calls}}}})
}

// hardshipMain makes one and prints what Auto finds: this test binary under another name, in namespaces of its own.
func hardshipMain() bool {
	if filepath.Base(os.Args[0]) != "hardship" {
		return false
	}
	root, home := os.Args[2], os.Args[3]
	for _, h := range hardships() {
		if h.name != os.Args[1] {
			continue
		}
		if err := h.make(root); err != nil {
			fmt.Println("not made:", err)
			return true
		}
		_, r, err := Auto(context.Background(), root, home, h.choice)
		fmt.Printf("tier %q\nnot A: %s\nerror %v\n", r.Tier, r.WhyNot["A"], err)
	}
	return true
}

// TestHardships: what this machine lacks is found by a real try, and the next tier is taken; nothing is taken silently that confines nothing.
func TestHardships(t *testing.T) {
	need(t, Overlay(OverlayOptions{}))
	need(t, Copy(CopyOptions{}))
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range hardships() {
		t.Run(h.name, func(t *testing.T) {
			b := newBench(t, map[string]string{"a.md": "a", "d/b.md": "b"})
			before := image(t, b.top)
			cmd := &exec.Cmd{Path: self, Args: []string{"hardship", h.name, b.root, b.home}, Env: os.Environ(), SysProcAttr: &syscall.SysProcAttr{
				Cloneflags:  unix.CLONE_NEWUSER | unix.CLONE_NEWNS,
				UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}},
				GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}},
			}}
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatal(err, string(out))
			}
			if !strings.Contains(string(out), fmt.Sprintf("tier %q\n", h.want)) || !strings.Contains(string(out), h.why) {
				t.Errorf("want %q, %q; got\n%s", h.want, h.why, out)
			}
			same(t, "all", before, image(t, b.top))
		})
	}
}

// foreignMain looks for what is foreign in a folder, then runs a program over it in what Auto takes, and prints both.
func foreignMain() bool {
	if filepath.Base(os.Args[0]) != "foreign" {
		return false
	}
	root, run := os.Args[1], os.Args[2]
	found, err := FindForeign(context.Background(), root, nil)
	c := Choice{Scratch: run}
	if found != "" {
		c.Foreign = []string{found}
	}
	l, r, err2 := Auto(context.Background(), root, "", c)
	fmt.Println(found, err, r.Tier, err2)
	if err2 != nil {
		return true
	}
	box, err := l.Open(context.Background(), Spec{Root: root, RunDir: run})
	if err != nil {
		fmt.Println(err)
		return true
	}
	defer box.Close()
	var out bytes.Buffer
	cmd := sh(`for f in a.md d/theirs.md; do echo x >>$f || echo failed $f; done`)
	cmd.Stdout, cmd.Stderr = &out, &out
	e, err := box.Run(context.Background(), cmd)
	ch, err2 := box.Changes(context.Background())
	fmt.Println(e.Code, err, out.String(), err2, lines(ch))
	return true
}

// TestForeign: a file of another user's deep in the folder is found before a run, a copy is taken, and the program sees no error of the overlay's.
func TestForeign(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can make files of others")
	}
	need(t, Copy(CopyOptions{}))
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	const nobody, other = 65534, 65533
	for _, c := range []struct {
		name     string
		uid, gid int
		tier     string
	}{{"user", other, nobody, "B"}, {"group", nobody, other, "B"}, {"ours", nobody, nobody, "A"}} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, map[string]string{"a.md": "a\n", "d/theirs.md": "b\n"})
			copied := filepath.Join(b.top, "self")
			text, err := os.ReadFile(self)
			if err == nil {
				err = os.WriteFile(copied, text, 0o755)
			}
			if err != nil {
				t.Fatal(err)
			}
			for d := b.top; d != "/" && d != os.TempDir(); d = filepath.Dir(d) {
				if err := os.Chmod(d, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			err = filepath.WalkDir(b.top, func(p string, _ os.DirEntry, _ error) error { return os.Lchown(p, nobody, nobody) })
			theirs := filepath.Join(b.root, "d", "theirs.md")
			if err := errors.Join(err, os.Chown(theirs, c.uid, c.gid), os.Chmod(theirs, 0o666)); err != nil {
				t.Fatal(err)
			}
			cmd := &exec.Cmd{Path: copied, Args: []string{"foreign", b.root, b.rundir}, Env: []string{"TMPDIR=" + b.home}, Dir: b.root,
				SysProcAttr: &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}}
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatal(err, string(out))
			}
			found := "d/theirs.md"
			if c.tier == "A" {
				found = ""
			}
			want := fmt.Sprintf("%s <nil> %s <nil>\n0 <nil>  <nil> [edit a.md \"a\\n\" -> \"a\\nx\\n\" edit d/theirs.md \"b\\n\" -> \"b\\nx\\n\"]\n", found, c.tier)
			if string(out) != want {
				t.Errorf("got  %s\nwant %s", out, want)
			}
		})
	}
}
