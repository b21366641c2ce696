package sandbox

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// An attempt is one forbidden thing. It returns nil where it worked.
type attempt struct {
	name string
	try  func(arg map[string]string) error
	// errno: it cannot really be done in a test even outside; there it fails in another way than inside (EPERM).
	errno bool
	// own: on a layer with a network of its own it works, and leads nowhere
	tier string
}

func raw(nr uintptr, args ...uintptr) error {
	var a [6]uintptr
	copy(a[:], args)
	if _, _, errno := unix.Syscall6(nr, a[0], a[1], a[2], a[3], a[4], a[5]); errno != 0 {
		return errno
	}
	return nil
}

func socket(family, kind, proto int) error {
	fd, err := unix.Socket(family, kind, proto)
	if err == nil {
		unix.Close(fd)
	}
	return err
}

func openFile(path string, flags int) error {
	f, err := os.OpenFile(path, flags, 0)
	if err == nil {
		f.Close()
	}
	return err
}

func echo(network, addr string) error {
	c, err := net.DialTimeout(network, addr, time.Second)
	if err != nil {
		return err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(time.Second))
	if _, err := c.Write([]byte("x")); err != nil {
		return err
	}
	_, err = c.Read(make([]byte, 1))
	return err
}

// attempts is the list; args: what the test prepared.
func attempts() []attempt {
	path := func(key string, flags int) func(map[string]string) error {
		return func(a map[string]string) error { return openFile(a[key], flags) }
	}
	host := func(p string, flags int) func(map[string]string) error {
		return func(map[string]string) error { return openFile(p, flags) }
	}
	call := func(nr uintptr, args ...uintptr) func(map[string]string) error {
		return func(map[string]string) error { return raw(nr, args...) }
	}
	var ringParams [128]byte
	self := uintptr(os.Getpid())
	return []attempt{
		{name: "write a host file", try: path("host", os.O_WRONLY)},
		{name: "make a host file", try: func(a map[string]string) error {
			return os.WriteFile(filepath.Join(filepath.Dir(a["host"]), "new"+fmt.Sprint(os.Getpid())), nil, 0o600)
		}},
		{name: "cut off a host file", try: func(a map[string]string) error { return os.Truncate(a["host"], 2) }},
		{name: "remove and rename host files", try: func(a map[string]string) error { return os.Rename(a["host"]+"2", a["host"]+".x") }},
		{name: "hard link to a host file", try: func(a map[string]string) error { return os.Link(a["host"], fmt.Sprint("link", os.Getpid())) }},
		{name: "change a host file's mode", try: func(a map[string]string) error { return os.Chmod(a["host"], 0o600) }, tier: "A"},
		{name: "read a key in HOME", try: path("key", os.O_RDONLY)},
		{name: "read /etc/shadow", try: host("/etc/shadow", os.O_RDONLY)},
		{name: "read the environment of the server", try: func(a map[string]string) error { return openRead("/proc/" + a["pid"] + "/environ") }},
		{name: "read the memory map of its supervisor", try: func(a map[string]string) error { return openRead("/proc/" + a["boss"] + "/maps") }},
		{name: "go through the root of its supervisor", try: func(a map[string]string) error {
			_, err := os.ReadDir("/proc/" + a["boss"] + "/root/")
			return err
		}},
		{name: "set core_pattern", try: host("/proc/sys/kernel/core_pattern", os.O_WRONLY)},
		{name: "sysrq", try: host("/proc/sysrq-trigger", os.O_WRONLY)},
		{name: "kernel log", try: host("/dev/kmsg", os.O_WRONLY)},
		{name: "disk", try: host("/dev/vda", os.O_RDONLY)},
		{name: "write /sys", try: host("/sys/kernel/uevent_seqnum", os.O_RDONLY|os.O_TRUNC)},
		{name: "unix socket", try: func(a map[string]string) error { return echo("unix", a["unix"]) }},
		{name: "unix datagrams", try: func(map[string]string) error { return socket(unix.AF_UNIX, unix.SOCK_DGRAM, 0) }},
		{name: "abstract unix socket", try: func(a map[string]string) error { return echo("unix", a["abstract"]) }},
		{name: "TCP of the host", try: func(a map[string]string) error { return echo("tcp", a["tcp"]) }},
		{name: "UDP of the host", try: func(a map[string]string) error { return echo("udp", a["udp"]) }},
		{name: "MPTCP", try: func(map[string]string) error { return socket(unix.AF_INET, unix.SOCK_STREAM, 262) }, errno: true},
		{name: "vsock", try: func(map[string]string) error { return socket(unix.AF_VSOCK, unix.SOCK_STREAM, 0) }, errno: true},
		{name: "packet socket", try: func(map[string]string) error { return socket(unix.AF_PACKET, unix.SOCK_RAW, 0) }},
		{name: "raw socket", try: func(map[string]string) error { return socket(unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP) }},
		{name: "crypto socket", try: func(map[string]string) error { return socket(unix.AF_ALG, unix.SOCK_SEQPACKET, 0) }, errno: true},
		{name: "netlink of another kind", try: func(map[string]string) error {
			return socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_KOBJECT_UEVENT)
		}},
		{name: "io_uring", try: func(map[string]string) error {
			return raw(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&ringParams)))
		}, errno: true},
		{name: "bpf", try: call(unix.SYS_BPF, 9999), errno: true},
		{name: "perf", try: call(unix.SYS_PERF_EVENT_OPEN, 0), errno: true},
		{name: "userfaultfd", try: call(unix.SYS_USERFAULTFD, 0xffff), errno: true},
		{name: "keyctl", try: call(unix.SYS_KEYCTL, 9999), errno: true},
		{name: "add_key", try: call(unix.SYS_ADD_KEY, 0, 0, 0, 0, 0), errno: true},
		{name: "ptrace", try: call(unix.SYS_PTRACE, unix.PTRACE_TRACEME)},
		{name: "process_vm_readv", try: call(unix.SYS_PROCESS_VM_READV, self)},
		{name: "TIOCSTI", try: call(unix.SYS_IOCTL, 0, unix.TIOCSTI), errno: true},
		{name: "mount", try: call(unix.SYS_MOUNT, 0, 0, 0, 0, 0), errno: true},
		{name: "umount", try: call(unix.SYS_UMOUNT2, 0, 0xffff), errno: true},
		{name: "move_mount", try: call(unix.SYS_MOVE_MOUNT, ^uintptr(0), 0, ^uintptr(0), 0, 0xffffff), errno: true},
		{name: "open_tree", try: call(unix.SYS_OPEN_TREE, ^uintptr(0), 0, 0xffffff), errno: true},
		{name: "fsopen", try: call(unix.SYS_FSOPEN, 0, 0xffff), errno: true},
		{name: "pivot_root", try: call(unix.SYS_PIVOT_ROOT, 0, 0), errno: true},
		{name: "chroot", try: func(map[string]string) error { return unix.Chroot("/") }},
		{name: "unshare users", try: call(unix.SYS_UNSHARE, 0x1), errno: true},
		{name: "setns", try: call(unix.SYS_SETNS, ^uintptr(0), 0), errno: true},
		{name: "open_by_handle_at", try: call(unix.SYS_OPEN_BY_HANDLE_AT, ^uintptr(0), 0, 0), errno: true},
		{name: "a user namespace in this", try: func(map[string]string) error {
			return (&exec.Cmd{Path: "/bin/true", Args: []string{"true"}, SysProcAttr: &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER}}).Run()
		}},
		{name: "mknod null", try: func(map[string]string) error {
			return unix.Mknod(fmt.Sprint("null", os.Getpid()), unix.S_IFCHR, 1<<8|3)
		}},
		{name: "mknod disk", try: func(map[string]string) error { return unix.Mknod(fmt.Sprint("disk", os.Getpid()), unix.S_IFBLK, 8<<8) }},
		{name: "become another user", try: func(map[string]string) error { return syscall.Setuid(12345) }},
		{name: "trusted attributes", try: func(map[string]string) error { return unix.Setxattr(".", "trusted.overlay.opaque", []byte("y"), 0) }},
		{name: "set the clock", try: call(unix.SYS_CLOCK_SETTIME, 9999, 0), errno: true},
		{name: "end the server", try: func(a map[string]string) error {
			var pid int
			fmt.Sscan(a["pid"], &pid)
			return unix.Kill(pid, 0)
		}},
	}
}

func openRead(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.Read(make([]byte, 1))
	return err
}

// attemptMain is the hostile program: this test binary under another name. It runs each attempt in a process of its own and prints a line for
// it: "name\tok", "name\tEPERM" or "name\twhat else".
func attemptMain() bool {
	if filepath.Base(os.Args[0]) != "attempt" {
		return false
	}
	args := map[string]string{}
	for _, a := range os.Args[1:] {
		k, v, _ := strings.Cut(a, "=")
		args[k] = v
	}
	for _, a := range attempts() {
		if args["only"] == "" {
			out, err := exec.Command(os.Args[0], append(os.Args[1:], "only="+a.name, "boss="+fmt.Sprint(os.Getppid()))...).Output()
			fmt.Printf("%s\t%s", a.name, out)
			if err != nil {
				fmt.Println(err)
			}
			continue
		}
		if args["only"] != a.name {
			continue
		}
		switch err := a.try(args); {
		case err == nil:
			fmt.Println("ok")
		case isErrno(err, unix.EPERM):
			fmt.Println("EPERM")
		default:
			fmt.Println(err)
		}
	}
	syscall.Exit(0) // not os.Exit, where the race detector sleeps a second
	return true
}

func isErrno(err error, e unix.Errno) bool {
	for {
		if err == error(e) {
			return true
		}
		u, ok := err.(interface{ Unwrap() error })
		if !ok {
			return false
		}
		err = u.Unwrap()
	}
}

// servers are what the attempts try to reach on the host.
func servers(t *testing.T, dir string) map[string]string {
	t.Helper()
	args := map[string]string{"unix": filepath.Join(dir, "s"), "abstract": "@rig-test-" + fmt.Sprint(os.Getpid()) + filepath.Base(filepath.Dir(dir)) + filepath.Base(dir) + t.Name()}
	for key, l := range map[string][2]string{"unix": {"unix", args["unix"]}, "abstract": {"unix", args["abstract"]}, "tcp": {"tcp", "127.0.0.1:0"}} {
		ln, err := net.Listen(l[0], l[1])
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { ln.Close() })
		if key == "tcp" {
			args[key] = ln.Addr().String()
		}
		go func() {
			for {
				c, err := ln.Accept()
				if err != nil {
					return
				}
				b := make([]byte, 1)
				c.Read(b)
				c.Write(b)
				c.Close()
			}
		}()
	}
	u, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { u.Close() })
	args["udp"] = u.LocalAddr().String()
	go func() {
		b := make([]byte, 1)
		for {
			n, a, err := u.ReadFrom(b)
			if err != nil {
				return
			}
			u.WriteTo(b[:n], a)
		}
	}()
	return args
}

// newStage lays out what the attempts are about.
func newStage(t *testing.T, b *bench, name string) (argv []string, dir string) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(b.top, name)
	plant(t, dir, map[string]string{"host.txt": "host\n", "host.txt2": "host\n"})
	plant(t, b.home, map[string]string{".ssh/id": "key\n"})
	program := filepath.Join(dir, "attempt")
	if err := os.Symlink(self, program); err != nil {
		t.Fatal(err)
	}
	args := servers(t, dir)
	args["host"], args["key"], args["pid"] = filepath.Join(dir, "host.txt"), filepath.Join(b.home, ".ssh", "id"), fmt.Sprint(os.Getpid())
	argv = []string{program}
	for k, v := range args {
		argv = append(argv, k+"="+v)
	}
	return argv, dir
}

func results(out string) map[string]string {
	m := map[string]string{}
	for line := range strings.Lines(out) {
		name, result, _ := strings.Cut(strings.TrimSpace(line), "\t")
		m[name] = result
	}
	return m
}

// TestDenied: each forbidden thing works outside (or fails otherwise there), and not inside.
func TestDenied(t *testing.T) {
	b := newBench(t, nil)
	argv, _ := newStage(t, b, "outside")
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = t.TempDir()
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	outside := results(string(out))
	for name, l := range map[string]Layer{"overlay": Overlay(OverlayOptions{}), "copy": Copy(CopyOptions{})} {
		t.Run(name, func(t *testing.T) {
			need(t, l)
			b := newBench(t, map[string]string{"a.md": "a"})
			argv, dir := newStage(t, b, "tool")
			b.spec.Visible = []string{dir, argv[0]}
			box := b.open(l)
			before := image(t, b.top)
			var in, errs strings.Builder
			e, err := box.Run(t.Context(), Command{Argv: argv, Stdout: &in, Stderr: &errs, Timeout: 60 * time.Second})
			if err != nil || e.Code != 0 {
				t.Fatalf("%+v %v %s", e, err, errs.String())
			}
			inside := results(in.String())
			for _, a := range attempts() {
				t.Run(a.name, func(t *testing.T) {
					if o := outside[a.name]; o != "ok" && !(a.errno && o != "EPERM" && o != "") {
						t.Skipf("does not work outside either: %s", o)
					}
					i := inside[a.name]
					if i == "" || a.errno && i != "EPERM" || i == "ok" && (a.tier == "" || a.tier == box.Confinement().Tier) {
						t.Errorf("inside: %q (outside: %s)", i, outside[a.name])
					}
				})
			}
			if name == "overlay" {
				same(t, "host", before, image(t, b.top))
			}
		})
	}
}
