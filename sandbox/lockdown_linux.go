package sandbox

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"unsafe"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
	"kernel.org/pub/linux/libs/security/libcap/psx"
)

// dropPrivileges takes every capability from all threads of this process, for itself and all that come after, and makes it closed to tracing.
// The calling thread must be locked.
func dropPrivileges(uid, gid int) error {
	const securebits = 1<<0 | 1<<1 | 1<<5 // NOROOT and its lock, KEEP_CAPS locked off (capabilities(7))
	// these two go by thread and matter for what is started from this one; the other threads lose what they have below
	if err := unix.Prctl(unix.PR_SET_SECUREBITS, securebits, 0, 0, 0); err != nil {
		return fmt.Errorf("securebits: %w", err)
	}
	for c := uintptr(0); c <= 63; c++ {
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err == unix.EINVAL {
			break
		} else if err != nil {
			return fmt.Errorf("drop bounding set: %w", err)
		}
	}
	if uid != os.Getuid() || gid != os.Getgid() {
		if err := errors.Join(syscall.Setgroups(nil), syscall.Setresgid(gid, gid, gid), syscall.Setresuid(uid, uid, uid)); err != nil {
			return fmt.Errorf("become user %d: %w", uid, err)
		}
	}
	hdr := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if _, _, errno := psx.Syscall3(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&hdr)), uintptr(unsafe.Pointer(&none[0])), 0); errno != 0 {
		return fmt.Errorf("capset: %w", errno)
	}
	// matters for what is started from this thread; Landlock sets it on the others, which start nothing
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("dumpable: %w", err)
	}
	return nil
}

// landlockView restricts the file system once more, below the mounts: one set of rules, since a second would deny every rename between
// folders (landrun #48). Where the kernel has no Landlock, the mounts alone hold; it is then said in the confinement.
func landlockView(spec viewSpec, masks []string) error {
	write := append([]string{spec.Root}, masks...)
	if spec.Home != "" {
		write = append(write, spec.Home)
	}
	return landlock.V7.BestEffort().RestrictPaths(
		landlock.RODirs("/"),
		landlock.RWDirs(write...).WithRefer(),
		landlock.RWDirs("/dev").WithIoctlDev().WithRefer(),
	)
}

// landlockABI is the version of Landlock that the kernel has; below 1 it has none.
func landlockABI() int {
	v, err := ll.LandlockGetABIVersion()
	if err != nil {
		return 0
	}
	return v
}
