package sandbox

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// cloneInto makes a file of to that shares the blocks of src where the volume can (clonefile(2): APFS); else it is empty.
func cloneInto(src *os.File, to *dir, name string, mode fs.FileMode) (dst *os.File, cloned bool, err error) {
	if unix.Fclonefileat(int(src.Fd()), to.fd(), name, unix.CLONE_NOFOLLOW) != nil {
		dst, err = to.create(name, mode)
		return dst, false, err
	}
	if err := to.chmod(name, mode); err != nil {
		return nil, false, &os.PathError{Op: "chmod", Path: name, Err: err}
	}
	fd, err := unix.Openat(to.fd(), name, unix.O_WRONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, false, &os.PathError{Op: "open", Path: name, Err: err}
	}
	return os.NewFile(uintptr(fd), name), true, nil
}
