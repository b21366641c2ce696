package sandbox

import (
	"fmt"
	"runtime"
	"unsafe"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// deniedCalls fail with EPERM inside: ways out of the sandbox, and large attack surfaces that no agent needs.
func deniedCalls() []string {
	return []string{
		// other processes, and the kernel's and the machine's state
		"ptrace", "process_vm_readv", "process_vm_writev", "kcmp", "pidfd_getfd", "process_madvise",
		"bpf", "perf_event_open", "userfaultfd", "keyctl", "add_key", "request_key", "syslog", "lookup_dcookie",
		"init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "reboot", "swapon", "swapoff", "acct", "quotactl", "quotactl_fd",
		"settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "sethostname", "setdomainname", "iopl", "ioperm", "vhangup", "nfsservctl",
		// rings make sockets and open files past this filter
		"io_uring_setup", "io_uring_enter", "io_uring_register",
		// mounts, roots and namespaces
		"mount", "umount2", "pivot_root", "chroot", "open_tree", "move_mount", "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr", "open_tree_attr",
		"unshare", "setns", "open_by_handle_at", "name_to_handle_at", "fanotify_init",
	}
}

const (
	namespaceFlags = unix.CLONE_NEWNS | unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP
	ipprotoMPTCP   = 262
)

// netWall says what keeps a program from the host's network.
type netWall int

const (
	ownNet    netWall = iota // a network namespace: nothing to add (or nothing can)
	sharedNet                // Landlock, which knows TCP only, and not all of it
)

// netRules are what the filter must deny where the network is the host's: everything that is not a plain TCP connection. Data sent with a
// connection request (TCP fast open) passes Landlock's hook.
func netRules() []seccomp.NameWithConditions {
	var rules []seccomp.NameWithConditions
	for _, family := range []uint64{unix.AF_INET, unix.AF_INET6} {
		inet := seccomp.Condition{Argument: 0, Operation: seccomp.Equal, Value: family}
		rules = append(rules,
			seccomp.NameWithConditions{Name: "socket", Conditions: seccomp.ArgumentConditions{inet, {Argument: 1, Operation: seccomp.BitsSet, Value: unix.SOCK_DGRAM}}},
			seccomp.NameWithConditions{Name: "socket", Conditions: seccomp.ArgumentConditions{inet,
				{Argument: 2, Operation: seccomp.NotEqual, Value: 0}, {Argument: 2, Operation: seccomp.NotEqual, Value: unix.IPPROTO_TCP}}})
	}
	for name, flags := range map[string]uint32{"sendto": 3, "sendmsg": 2, "sendmmsg": 3} {
		rules = append(rules, seccomp.NameWithConditions{Name: name, Conditions: seccomp.ArgumentConditions{
			{Argument: flags, Operation: seccomp.BitsSet, Value: unix.MSG_FASTOPEN}}})
	}
	return rules
}

// filterPolicy is the filter for this machine. Sockets may be of the internet and of the routing kind only: a unix socket leads to services of
// the host (docker, the session bus, ssh-agent) through any read-only mount. A socketpair leads nowhere and stays.
func filterPolicy(w netWall) (seccomp.Policy, error) {
	info, err := arch.GetInfo("")
	if err != nil {
		return seccomp.Policy{}, err
	}
	eperm := seccomp.SyscallGroup{Action: seccomp.ActionErrno}
	for _, name := range deniedCalls() {
		if _, known := info.SyscallNames[name]; known {
			eperm.Names = append(eperm.Names, name)
		}
	}
	for _, cond := range []seccomp.ArgumentConditions{
		{{Argument: 0, Operation: seccomp.NotEqual, Value: unix.AF_INET}, {Argument: 0, Operation: seccomp.NotEqual, Value: unix.AF_INET6}, {Argument: 0, Operation: seccomp.NotEqual, Value: unix.AF_NETLINK}},
		{{Argument: 0, Operation: seccomp.Equal, Value: unix.AF_NETLINK}, {Argument: 2, Operation: seccomp.NotEqual, Value: unix.NETLINK_ROUTE}},
		{{Argument: 2, Operation: seccomp.Equal, Value: ipprotoMPTCP}},
	} {
		eperm.NamesWithCondtions = append(eperm.NamesWithCondtions, seccomp.NameWithConditions{Name: "socket", Conditions: cond})
	}
	for _, bad := range []uint64{unix.TIOCSTI, unix.TIOCLINUX} {
		eperm.NamesWithCondtions = append(eperm.NamesWithCondtions, seccomp.NameWithConditions{
			Name: "ioctl", Conditions: seccomp.ArgumentConditions{{Argument: 1, Operation: seccomp.Equal, Value: bad}}})
	}
	for bit := uint64(1); bit <= namespaceFlags; bit <<= 1 {
		if namespaceFlags&bit != 0 {
			eperm.NamesWithCondtions = append(eperm.NamesWithCondtions, seccomp.NameWithConditions{
				Name: "clone", Conditions: seccomp.ArgumentConditions{{Argument: 0, Operation: seccomp.BitsSet, Value: bit}}})
		}
	}
	if w == sharedNet {
		eperm.NamesWithCondtions = append(eperm.NamesWithCondtions, netRules()...)
	}
	return seccomp.Policy{DefaultAction: seccomp.ActionAllow, Syscalls: []seccomp.SyscallGroup{eperm}}, nil
}

// scope says which threads a filter holds.
type scope uintptr

const (
	thisThread scope = 0
	allThreads scope = unix.SECCOMP_FILTER_FLAG_TSYNC
)

// filterProgram assembles the filter.
//
// The library's program lets calls of another architecture pass (v1.6.0: "if arch is not ours, jump to the default action"), so on x86-64 the
// 32-bit entry would be a way round the whole filter: ours begins with a check that ends such a process. clone3 hides its flags from
// filters; told that it does not exist, libraries use clone.
func filterProgram(w netWall) ([]bpf.Instruction, error) {
	policy, err := filterPolicy(w)
	if err != nil {
		return nil, err
	}
	body, err := policy.Assemble()
	if err != nil {
		return nil, fmt.Errorf("assemble seccomp filter: %w", err)
	}
	native, err := nativeArch()
	if err != nil {
		return nil, err
	}
	const nrOffset, archOffset = 0, 4 // struct seccomp_data
	return append([]bpf.Instruction{
		bpf.LoadAbsolute{Off: archOffset, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: native, SkipTrue: 1},
		bpf.RetConstant{Val: unix.SECCOMP_RET_KILL_PROCESS},
		bpf.LoadAbsolute{Off: nrOffset, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.SYS_CLONE3, SkipTrue: 1},
		bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)},
	}, body...), nil
}

func nativeArch() (uint32, error) {
	info, err := arch.GetInfo("")
	if err != nil {
		return 0, err
	}
	return uint32(info.ID), nil
}

// loadFilter installs the filter; no_new_privs must be set.
func loadFilter(s scope, w netWall) error {
	program, err := filterProgram(w)
	if err != nil {
		return err
	}
	raw, err := bpf.Assemble(program)
	if err != nil {
		return fmt.Errorf("assemble seccomp filter: %w", err)
	}
	filter := make([]unix.SockFilter, len(raw))
	for i, r := range raw {
		filter[i] = unix.SockFilter{Code: r.Op, Jt: r.Jt, Jf: r.Jf, K: r.K}
	}
	prog := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, uintptr(s), uintptr(unsafe.Pointer(&prog)))
	runtime.KeepAlive(filter)
	if errno != 0 {
		return fmt.Errorf("seccomp: %w", errno)
	}
	return nil
}
