package sandbox

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// cloneInto makes a file of to that shares the blocks of src where the file system can (ioctl_ficlone(2): btrfs, XFS, bcachefs …); else it is empty.
func cloneInto(src *os.File, to *dir, name string, mode fs.FileMode) (dst *os.File, cloned bool, err error) {
	if dst, err = to.create(name, mode); err != nil {
		return nil, false, err
	}
	return dst, unix.IoctlFileClone(int(dst.Fd()), int(src.Fd())) == nil, nil
}
