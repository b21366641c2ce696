package proposal

import (
	"errors"
	"os"
	"path"
	"path/filepath"

	"golang.org/x/sys/unix"
)

const nonblock = unix.O_NONBLOCK

// syncFolder makes the names in a folder durable. Not every file system can, and the pages themselves are synced already.
func syncFolder(f *os.File) { _ = f.Sync() }

// exchange swaps two names in one folder atomically; ok is false where the file system cannot.
func (d *disk) exchange(a, b string) (ok bool, err error) {
	return d.rename2(a, b, unix.RENAME_EXCHANGE)
}

// renameNew gives a file a new name, atomically, and fails with EEXIST where something has it. ok is false where the file system cannot.
func (d *disk) renameNew(from, to string) (ok bool, err error) {
	return d.rename2(from, to, unix.RENAME_NOREPLACE)
}

func (d *disk) rename2(from, to string, flags uint) (bool, error) {
	a, err := d.root.Open(filepath.FromSlash(path.Dir(from)))
	if err != nil {
		return true, err
	}
	defer a.Close()
	b, err := d.root.Open(filepath.FromSlash(path.Dir(to)))
	if err != nil {
		return true, err
	}
	defer b.Close()
	err = unix.Renameat2(int(a.Fd()), path.Base(from), int(b.Fd()), path.Base(to), flags)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) {
		return false, nil
	}
	return true, err
}
