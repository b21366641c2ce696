package sandbox

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Mounts are made by descriptor (fsopen, open_tree, move_mount: fsopen(2) and its kin, Linux 5.2; mount_setattr(2), 5.12): a set-up that goes by path
// through a tree that others write can be led astray by a link (bubblewrap CVE-2026-87766).

// mountAttrs are on every mount that we make.
const mountAttrs = unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV

// option is one parameter of a file system.
type option struct{ key, value string }

// newMount makes a mount that is attached nowhere yet.
func newMount(fstype string, attrs int, opts ...option) (int, error) {
	fs, err := unix.Fsopen(fstype, unix.FSOPEN_CLOEXEC)
	if err != nil {
		return -1, fmt.Errorf("fsopen %s: %w", fstype, err)
	}
	defer unix.Close(fs)
	for _, o := range opts {
		if o.value == "" {
			err = unix.FsconfigSetFlag(fs, o.key)
		} else {
			err = unix.FsconfigSetString(fs, o.key, o.value)
		}
		if err != nil {
			return -1, fmt.Errorf("%s %s: %w%s", fstype, o.key, err, said(fs))
		}
	}
	if err := unix.FsconfigCreate(fs); err != nil {
		return -1, fmt.Errorf("create %s: %w%s", fstype, err, said(fs))
	}
	fd, err := unix.Fsmount(fs, unix.FSMOUNT_CLOEXEC, attrs)
	if err != nil {
		return -1, fmt.Errorf("fsmount %s: %w", fstype, err)
	}
	return fd, nil
}

// said reads what the kernel has to say about a refused file system (fsopen(2), "message retrieval").
func said(fs int) string {
	b := make([]byte, 1024)
	if n, err := unix.Read(fs, b); err == nil && n > 2 {
		return " (" + strings.TrimSpace(string(b[2:n])) + ")"
	}
	return ""
}

func newTmpfs(size, inodes int64) (int, error) {
	return newMount("tmpfs", mountAttrs, option{"size", strconv.FormatInt(size, 10)}, option{"nr_inodes", strconv.FormatInt(inodes, 10)}, option{"mode", "0755"})
}

// fdPath names an open file for calls that take paths only: no character of its real path matters then.
func fdPath(fd int) string { return "/proc/self/fd/" + strconv.Itoa(fd) }

// newOverlay makes an overlay over lower layers, topmost first.
func newOverlay(lowers []int, upper, work int, more ...option) (int, error) {
	var paths []string
	for _, fd := range lowers {
		paths = append(paths, fdPath(fd))
	}
	return newMount("overlay", mountAttrs, append([]option{
		{"lowerdir", strings.Join(paths, ":")}, {"upperdir", fdPath(upper)}, {"workdir", fdPath(work)},
		{"userxattr", ""}, {"redirect_dir", "nofollow"}, {"metacopy", "off"}, {"index", "off"}, {"xino", "off"},
	}, more...)...)
}

// access is what a clone of a mount allows.
type access uint64

const (
	writable access = 0
	readOnly access = unix.MOUNT_ATTR_RDONLY
)

// cloneTree clones what is at an open path, with what is mounted below it.
func cloneTree(fd int, a access, attrs uint64) (int, error) {
	c, err := unix.OpenTree(fd, "", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_EMPTY_PATH|unix.AT_RECURSIVE)
	if err != nil {
		return -1, fmt.Errorf("open_tree: %w", err)
	}
	set := attrs | uint64(a)
	if set == 0 {
		return c, nil
	}
	if err := unix.MountSetattr(c, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: set}); err != nil {
		unix.Close(c)
		return -1, fmt.Errorf("mount_setattr: %w", err)
	}
	return c, nil
}

// clonePath clones what is at a path of the host.
func clonePath(path string, a access, attrs uint64) (int, error) {
	fd, err := openPath(unix.AT_FDCWD, path)
	if err != nil {
		return -1, err
	}
	defer unix.Close(fd)
	return cloneTree(fd, a, attrs)
}

// openPath gets hold of a path without opening what is there.
func openPath(at int, path string) (int, error) {
	fd, err := unix.Openat(at, path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return fd, nil
}

// openBeneath gets hold of rel below at, through no link (openat2(2), Linux 5.6).
func openBeneath(at int, rel string) (int, error) {
	fd, err := unix.Openat2(at, rel, &unix.OpenHow{
		Flags: unix.O_PATH | unix.O_CLOEXEC | unix.O_NOFOLLOW, Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	})
	if err != nil {
		return -1, &os.PathError{Op: "open", Path: rel, Err: err}
	}
	return fd, nil
}

// attach puts a mount on a place and closes it.
func attach(mount int, place int) error {
	defer unix.Close(mount)
	if err := unix.MoveMount(mount, "", place, "", unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH); err != nil {
		return fmt.Errorf("move_mount: %w", err)
	}
	return nil
}

// attachPath puts a mount on a path that is trusted.
func attachPath(mount int, path string) error {
	place, err := openPath(unix.AT_FDCWD, path)
	if err != nil {
		unix.Close(mount)
		return err
	}
	defer unix.Close(place)
	if err := attach(mount, place); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
