//go:build unix

package sandbox

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// A dir is an open folder. Its methods take one name, never a path (see beneath), and never follow a link: this is openat2's
// RESOLVE_BENEATH|RESOLVE_NO_SYMLINKS, kept by hand so that it holds on every kernel and on macOS.
type dir struct{ f *os.File }

// openDir opens the folder at a path that is trusted.
func openDir(path string) (*dir, error) {
	return dirAt(unix.AT_FDCWD, path, 0)
}

func dirAt(at int, name string, flags int) (*dir, error) {
	var fd int
	err := retry(func() (err error) {
		fd, err = unix.Openat(at, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC|flags, 0)
		return err
	})
	if err != nil {
		return nil, &os.PathError{Op: "open folder", Path: name, Err: err}
	}
	return &dir{os.NewFile(uintptr(fd), name)}, nil
}

func (d *dir) fd() int { return int(d.f.Fd()) }

func (d *dir) close() { d.f.Close() }

// sub opens a folder of d.
func (d *dir) sub(name string) (*dir, error) { return dirAt(d.fd(), name, unix.O_NOFOLLOW) }

// names lists at most max entries; one more means there are more.
func (d *dir) names(max int) ([]string, error) {
	l, err := dirAt(d.fd(), ".", 0)
	if err != nil {
		return nil, err
	}
	defer l.close()
	var names []string
	for len(names) <= max {
		n, err := l.f.Readdirnames(min(1024, max+1-len(names)))
		names = append(names, n...)
		if len(n) == 0 || err != nil {
			break
		}
	}
	return names, nil
}

func (d *dir) lstat(name string) (stat, error) {
	var st unix.Stat_t
	err := retry(func() error { return unix.Fstatat(d.fd(), name, &st, unix.AT_SYMLINK_NOFOLLOW) })
	if err != nil {
		return stat{}, &os.PathError{Op: "lstat", Path: name, Err: err}
	}
	return statOf(&st), nil
}

// open opens a regular file for reading; anything else is errKind, and a FIFO that was put there meanwhile does not block.
func (d *dir) open(name string) (*os.File, stat, error) {
	st, err := d.lstat(name)
	if err != nil {
		return nil, st, err
	}
	if !st.mode.IsRegular() {
		return nil, st, errKind
	}
	var fd int
	err = retry(func() (err error) {
		fd, err = unix.Openat(d.fd(), name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
		return err
	})
	if err != nil {
		return nil, st, &os.PathError{Op: "open", Path: name, Err: err}
	}
	f := os.NewFile(uintptr(fd), name)
	if st, err = fstat(f); err == nil && !st.mode.IsRegular() {
		err = errKind
	}
	if err != nil {
		f.Close()
		return nil, st, err
	}
	return f, st, nil
}

// readOnce reads a regular file by system calls alone: in a folder of many small files, what package os does besides costs as much again.
func (d *dir) readOnce(name string, limit int64) (b []byte, before, after stat, err error) {
	var fd int
	err = retry(func() (err error) {
		fd, err = unix.Openat(d.fd(), name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
		return err
	})
	if err != nil {
		return nil, before, after, &os.PathError{Op: "open", Path: name, Err: err}
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, before, after, &os.PathError{Op: "fstat", Path: name, Err: err}
	}
	before = statOf(&st)
	if !before.mode.IsRegular() {
		return nil, before, after, errKind
	}
	if before.id.Size > limit {
		return nil, before, after, errLarge
	}
	b = make([]byte, before.id.Size+1)
	n := 0
	for n < len(b) {
		var got int
		err := retry(func() (err error) {
			got, err = unix.Read(fd, b[n:])
			return err
		})
		if err != nil {
			return nil, before, after, &os.PathError{Op: "read", Path: name, Err: err}
		}
		if got == 0 {
			break
		}
		n += got
	}
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, before, after, &os.PathError{Op: "fstat", Path: name, Err: err}
	}
	return b[:n:n], before, statOf(&st), nil
}

// writeNew makes a file that must not exist, and tells its identity.
func (d *dir) writeNew(name string, mode fs.FileMode, text []byte) (stat, error) {
	fd, err := unix.Openat(d.fd(), name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, uint32(mode.Perm()))
	if err != nil {
		return stat{}, &os.PathError{Op: "create", Path: name, Err: err}
	}
	defer unix.Close(fd)
	for len(text) > 0 {
		n, err := unix.Write(fd, text)
		if err != nil && err != unix.EINTR {
			return stat{}, &os.PathError{Op: "write", Path: name, Err: err}
		}
		text = text[max(n, 0):]
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return stat{}, &os.PathError{Op: "fstat", Path: name, Err: err}
	}
	return statOf(&st), nil
}

// create makes a file that must not exist.
func (d *dir) create(name string, mode fs.FileMode) (*os.File, error) {
	fd, err := unix.Openat(d.fd(), name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, uint32(mode.Perm()))
	if err != nil {
		return nil, &os.PathError{Op: "create", Path: name, Err: err}
	}
	return os.NewFile(uintptr(fd), name), nil
}

// mkdir makes a folder; one that exists is fine.
func (d *dir) mkdir(name string, mode fs.FileMode) error {
	err := unix.Mkdirat(d.fd(), name, uint32(mode.Perm()))
	if err != nil && !errors.Is(err, unix.EEXIST) {
		return &os.PathError{Op: "mkdir", Path: name, Err: err}
	}
	return nil
}

// chmod changes the mode of an entry that is known to be no link. Only for a view whose writers are gone.
func (d *dir) chmod(name string, mode fs.FileMode) error {
	return unix.Fchmodat(d.fd(), name, uint32(mode.Perm()), 0)
}

func fstat(f *os.File) (stat, error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return stat{}, &os.PathError{Op: "fstat", Path: f.Name(), Err: err}
	}
	return statOf(&st), nil
}

func statOf(st *unix.Stat_t) stat {
	s := stat{nlink: uint64(st.Nlink), blocks: st.Blocks, rdev: uint64(st.Rdev), uid: st.Uid, gid: st.Gid}
	s.id = FileID{Dev: uint64(st.Dev), Ino: st.Ino, Size: st.Size, Mtime: st.Mtim.Nano(), Ctime: st.Ctim.Nano()}
	s.mode = fs.FileMode(st.Mode & 0o777)
	for _, b := range []struct {
		bit  uint32
		mode fs.FileMode
	}{{unix.S_ISUID, fs.ModeSetuid}, {unix.S_ISGID, fs.ModeSetgid}, {unix.S_ISVTX, fs.ModeSticky}} {
		if uint32(st.Mode)&b.bit != 0 {
			s.mode |= b.mode
		}
	}
	s.mode |= [16]fs.FileMode{
		unix.S_IFDIR >> 12: fs.ModeDir, unix.S_IFLNK >> 12: fs.ModeSymlink, unix.S_IFIFO >> 12: fs.ModeNamedPipe,
		unix.S_IFSOCK >> 12: fs.ModeSocket, unix.S_IFBLK >> 12: fs.ModeDevice, unix.S_IFCHR >> 12: fs.ModeDevice | fs.ModeCharDevice,
	}[uint32(st.Mode)&unix.S_IFMT>>12]
	return s
}

func retry(call func() error) error {
	for {
		if err := call(); err != unix.EINTR {
			return err
		}
	}
}
