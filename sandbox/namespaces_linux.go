package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// runAs says as whom the program runs: as ourselves, or where we are root as the folder's owner.
func runAs(root string) (uid, gid int, err error) {
	if os.Geteuid() != 0 {
		return os.Geteuid(), os.Getegid(), nil
	}
	var st unix.Stat_t
	if err := unix.Stat(root, &st); err != nil {
		return 0, 0, &os.PathError{Op: "stat", Path: root, Err: err}
	}
	return int(st.Uid), int(st.Gid), nil
}

// resolve follows the links of a path one by one: all that lie on the way, and where it leads.
func resolve(p string) (links []link, real string, err error) {
	p = filepath.Clean(p)
	done := "/"
	for hops := 0; ; {
		rest := strings.TrimPrefix(strings.TrimPrefix(p, done), "/")
		if rest == "" {
			return links, p, nil
		}
		head, tail, _ := strings.Cut(rest, "/")
		at := filepath.Join(done, head)
		fi, err := os.Lstat(at)
		if err != nil {
			return nil, "", err
		}
		if fi.Mode()&os.ModeSymlink == 0 {
			done = at
			continue
		}
		if hops++; hops > 40 {
			return nil, "", &os.PathError{Op: "resolve", Path: p, Err: unix.ELOOP}
		}
		target, err := os.Readlink(at)
		if err != nil {
			return nil, "", err
		}
		links = append(links, link{at, target})
		if !filepath.IsAbs(target) {
			target = filepath.Join(done, target)
		}
		p, done = filepath.Join(target, tail), "/"
	}
}

// submounts refuses a folder with something mounted in it: an overlay does not show it (and the kernel refuses it in a user namespace).
func submounts(root string) error {
	b, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return err
	}
	unescape := strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)
	for line := range strings.Lines(string(b)) {
		f := strings.Fields(line) // proc_pid_mountinfo(5): the fifth is the mount point
		if len(f) > 4 {
			if at := unescape.Replace(f[4]); at != root && within(root, at) {
				return fmt.Errorf("something is mounted at %s, in the folder", at)
			}
		}
	}
	return nil
}

// namespaces are those of the helper. It keeps its user's number: as that user it needs ambient capabilities to have any after its start. The
// overlay acts with what its mounter held, and its work folder is closed to all but CAP_DAC_OVERRIDE.
func namespaces() *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{
		Cloneflags:  unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWNET,
		Pdeathsig:   syscall.SIGKILL,
		Setsid:      true,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}},
		AmbientCaps: []uintptr{
			unix.CAP_CHOWN, unix.CAP_DAC_OVERRIDE, unix.CAP_DAC_READ_SEARCH, unix.CAP_FOWNER, unix.CAP_FSETID, unix.CAP_SETFCAP, unix.CAP_SETPCAP,
			unix.CAP_SETUID, unix.CAP_SETGID, unix.CAP_SYS_ADMIN, unix.CAP_SYS_RESOURCE, unix.CAP_NET_ADMIN, unix.CAP_NET_BIND_SERVICE,
		},
	}
	if os.Geteuid() == 0 {
		a.UidMappings, a.GidMappings = ownRange("/proc/self/uid_map"), ownRange("/proc/self/gid_map")
		may, err := os.ReadFile("/proc/self/setgroups") // in a rootless container it was denied for good (user_namespaces(7))
		a.GidMappingsEnableSetgroups = err == nil && strings.TrimSpace(string(may)) == "allow"
	}
	return a
}

// ownRange maps every number that we have to itself.
func ownRange(path string) []syscall.SysProcIDMap {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	var m []syscall.SysProcIDMap
	for line := range strings.Lines(string(b)) {
		var in, out, size int
		if n, _ := fmt.Sscan(line, &in, &out, &size); n == 3 {
			m = append(m, syscall.SysProcIDMap{ContainerID: in, HostID: in, Size: size})
		}
	}
	return m
}
