package sandbox

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// A dir is an open folder. os.Root keeps every access inside it.
type dir struct{ r *os.Root }

func openDir(path string) (*dir, error) {
	r, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return &dir{r}, nil
}

func (d *dir) close() { d.r.Close() }

func (d *dir) sub(name string) (*dir, error) {
	if st, err := d.r.Lstat(name); err != nil {
		return nil, err
	} else if !st.IsDir() {
		return nil, &os.PathError{Op: "open folder", Path: name, Err: syscall.ENOTDIR}
	}
	r, err := d.r.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	return &dir{r}, nil
}

func (d *dir) names(max int) ([]string, error) {
	f, err := d.r.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Readdirnames(max + 1)
	if len(names) > 0 {
		err = nil
	}
	if err == io.EOF {
		err = nil
	}
	return names, err
}

func (d *dir) lstat(name string) (stat, error) {
	fi, err := d.r.Lstat(name)
	if err != nil {
		return stat{}, err
	}
	return statOf(fi), nil
}

func (d *dir) open(name string) (*os.File, stat, error) {
	st, err := d.lstat(name)
	if err != nil {
		return nil, st, err
	}
	if !st.mode.IsRegular() {
		return nil, st, errKind
	}
	f, err := d.r.Open(name)
	return f, st, err
}

func (d *dir) readOnce(name string, limit int64) (b []byte, before, after stat, err error) {
	f, before, err := d.open(name)
	if err != nil {
		return nil, before, after, err
	}
	defer f.Close()
	if before.id.Size > limit {
		return nil, before, after, errLarge
	}
	if b, err = io.ReadAll(io.LimitReader(f, limit+1)); err != nil {
		return nil, before, after, err
	}
	if int64(len(b)) > limit {
		return nil, before, after, errLarge
	}
	after, err = fstat(f)
	return b, before, after, err
}

func (d *dir) writeNew(name string, mode fs.FileMode, text []byte) (stat, error) {
	f, err := d.create(name, mode)
	if err != nil {
		return stat{}, err
	}
	defer f.Close()
	if _, err := f.Write(text); err != nil {
		return stat{}, err
	}
	return fstat(f)
}

func (d *dir) create(name string, mode fs.FileMode) (*os.File, error) {
	return d.r.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode.Perm())
}

func (d *dir) mkdir(name string, mode fs.FileMode) error {
	err := d.r.Mkdir(name, mode.Perm())
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

func (d *dir) chmod(name string, mode fs.FileMode) error { return d.r.Chmod(name, mode) }

func fstat(f *os.File) (stat, error) {
	fi, err := f.Stat()
	if err != nil {
		return stat{}, err
	}
	return statOf(fi), nil
}

// statOf has no inode and no change time to give on this system: size and modification time must do.
func statOf(fi fs.FileInfo) stat {
	t := fi.ModTime().UnixNano()
	return stat{id: FileID{Size: fi.Size(), Mtime: t, Ctime: t}, mode: fi.Mode(), nlink: 1, blocks: (fi.Size() + blockSize - 1) / blockSize}
}
