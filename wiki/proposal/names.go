package proposal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// place is the resolved path of a new page, with its folders made.
func (d *disk) place(rel string) (string, error) {
	at, err := d.name(rel)
	if err != nil {
		return "", err
	}
	if info, err := d.root.Lstat(filepath.FromSlash(at)); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return "", fmt.Errorf("%s is a link: %w", rel, ErrLink)
	}
	if dir := path.Dir(at); dir != "." {
		if err := d.root.MkdirAll(filepath.FromSlash(dir), 0o777); err != nil {
			return "", err
		}
		d.dirty[path.Dir(dir)] = true
	}
	return at, nil
}

// removeEmptyAt makes room for a page where an empty folder has its name: what was below it was deleted by the same plan.
func (d *disk) removeEmptyAt(at string) error {
	info, err := d.root.Lstat(filepath.FromSlash(at))
	if err != nil || !info.IsDir() {
		return nil
	}
	return d.root.Remove(filepath.FromSlash(at))
}

// writeTemp writes a whole file with the mode (and, where we may, the owner) of the page it stands for; as the user's umask has it for a new one.
func (d *disk) writeTemp(tmp string, text []byte, like fs.FileInfo) error {
	d.step("temp")
	f, err := d.root.OpenFile(filepath.FromSlash(tmp), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	half := len(text) / 2
	_, err = f.Write(text[:half])
	d.step("half")
	if err == nil {
		_, err = f.Write(text[half:])
	}
	if err == nil && like != nil {
		keepOwner(f, like)
		err = f.Chmod(like.Mode().Perm())
	}
	if err == nil {
		err = d.flush(f)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, d.clear(tmp))
	}
	return nil
}

// giveName gives the file at tmp the name at, where nothing has it; else ErrMoved. On an error tmp is left over.
func (d *disk) giveName(tmp, at string) error {
	d.step("name")
	d.dirty[path.Dir(at)] = true
	ok, err := d.renameNew(tmp, at)
	if !ok {
		return d.linkNew(tmp, at)
	}
	if errors.Is(err, fs.ErrExist) {
		return ErrMoved
	}
	return err
}

// linkNew is giveName where the system cannot rename without overwriting, but a link never overwrites.
func (d *disk) linkNew(tmp, at string) error {
	err := d.root.Link(filepath.FromSlash(tmp), filepath.FromSlash(at))
	switch {
	case err == nil:
		return d.clear(tmp)
	case errors.Is(err, fs.ErrExist):
		return ErrMoved
	default:
		return d.lookAndRename(tmp, at)
	}
}

// lookAndRename is giveName where the file system has no links either.
func (d *disk) lookAndRename(tmp, at string) error {
	if there, err := d.taken(at); err != nil || there {
		return errors.Join(ErrMoved, err)
	}
	return d.root.Rename(filepath.FromSlash(tmp), filepath.FromSlash(at))
}

// clear removes a file that may be gone already.
func (d *disk) clear(at string) error {
	if err := d.root.Remove(filepath.FromSlash(at)); err != nil && !absent(err) {
		return err
	}
	return nil
}
