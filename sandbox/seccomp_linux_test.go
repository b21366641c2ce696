package sandbox

import (
	"encoding/binary"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// TestFilter asks the filter itself, also for what a test cannot do: calls of another architecture.
func TestFilter(t *testing.T) {
	const i386, allow = 0x40000003, unix.SECCOMP_RET_ALLOW
	eperm, enosys := uint32(unix.SECCOMP_RET_ERRNO)|uint32(unix.EPERM), uint32(unix.SECCOMP_RET_ERRNO)|uint32(unix.ENOSYS)
	native, err := nativeArch()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		arch   uint32
		nr     uint32
		args   [6]uint64
		own    uint32 // in a network namespace
		shared uint32 // on the host's network
	}{
		{"read", native, unix.SYS_READ, [6]uint64{}, allow, allow},
		{"another architecture", i386, unix.SYS_READ, [6]uint64{}, unix.SECCOMP_RET_KILL_PROCESS, unix.SECCOMP_RET_KILL_PROCESS},
		{"clone3", native, unix.SYS_CLONE3, [6]uint64{}, enosys, enosys},
		{"clone", native, unix.SYS_CLONE, [6]uint64{unix.CLONE_VM | unix.CLONE_VFORK | uint64(unix.SIGCHLD)}, allow, allow},
		{"clone of a user namespace", native, unix.SYS_CLONE, [6]uint64{unix.CLONE_NEWUSER | uint64(unix.SIGCHLD)}, eperm, eperm},
		{"clone of a mount namespace", native, unix.SYS_CLONE, [6]uint64{unix.CLONE_NEWNS | unix.CLONE_VM}, eperm, eperm},
		{"unix socket", native, unix.SYS_SOCKET, [6]uint64{unix.AF_UNIX, unix.SOCK_STREAM}, eperm, eperm},
		{"socketpair", native, unix.SYS_SOCKETPAIR, [6]uint64{unix.AF_UNIX, unix.SOCK_STREAM}, allow, allow},
		{"TCP", native, unix.SYS_SOCKET, [6]uint64{unix.AF_INET, unix.SOCK_STREAM | unix.SOCK_CLOEXEC}, allow, allow},
		{"TCP 6", native, unix.SYS_SOCKET, [6]uint64{unix.AF_INET6, unix.SOCK_STREAM, unix.IPPROTO_TCP}, allow, allow},
		{"UDP", native, unix.SYS_SOCKET, [6]uint64{unix.AF_INET, unix.SOCK_DGRAM}, allow, eperm},
		{"UDP 6", native, unix.SYS_SOCKET, [6]uint64{unix.AF_INET6, unix.SOCK_DGRAM | unix.SOCK_NONBLOCK}, allow, eperm},
		{"SCTP", native, unix.SYS_SOCKET, [6]uint64{unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_SCTP}, allow, eperm},
		{"MPTCP", native, unix.SYS_SOCKET, [6]uint64{unix.AF_INET, unix.SOCK_STREAM, 262}, eperm, eperm},
		{"routes", native, unix.SYS_SOCKET, [6]uint64{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE}, allow, allow},
		{"other netlink", native, unix.SYS_SOCKET, [6]uint64{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_NETFILTER}, eperm, eperm},
		{"vsock", native, unix.SYS_SOCKET, [6]uint64{unix.AF_VSOCK, unix.SOCK_STREAM}, eperm, eperm},
		{"fast open", native, unix.SYS_SENDTO, [6]uint64{3, 0, 0, unix.MSG_FASTOPEN}, allow, eperm},
		{"send", native, unix.SYS_SENDTO, [6]uint64{3, 0, 0, unix.MSG_NOSIGNAL}, allow, allow},
		{"TIOCSTI", native, unix.SYS_IOCTL, [6]uint64{0, unix.TIOCSTI}, eperm, eperm},
		{"TIOCGWINSZ", native, unix.SYS_IOCTL, [6]uint64{0, unix.TIOCGWINSZ}, allow, allow},
		{"io_uring", native, unix.SYS_IO_URING_SETUP, [6]uint64{}, eperm, eperm},
		{"open_tree", native, unix.SYS_OPEN_TREE, [6]uint64{}, eperm, eperm},
		{"mount_setattr", native, unix.SYS_MOUNT_SETATTR, [6]uint64{}, eperm, eperm},
	} {
		for wall, want := range map[netWall]uint32{ownNet: c.own, sharedNet: c.shared} {
			if got := decide(t, wall, c.arch, c.nr, c.args); got != want {
				t.Errorf("%s (wall %d): %#x, want %#x", c.name, wall, got, want)
			}
		}
	}
}

// decide runs the filter. The virtual machine reads big-endian, where the kernel reads as the machine does: each word is laid out so.
func decide(t *testing.T, w netWall, arch, nr uint32, args [6]uint64) uint32 {
	program, err := filterProgram(w)
	if err != nil {
		t.Fatal(err)
	}
	vm, err := bpf.NewVM(program)
	if err != nil {
		t.Fatal(err)
	}
	data := binary.BigEndian.AppendUint32(nil, nr)
	data = binary.BigEndian.AppendUint32(data, arch)
	data = append(data, make([]byte, 8)...)
	for _, a := range args {
		data = binary.BigEndian.AppendUint32(data, uint32(a))
		data = binary.BigEndian.AppendUint32(data, uint32(a>>32))
	}
	got, err := vm.Run(data)
	if err != nil {
		t.Fatal(err)
	}
	return uint32(got)
}
