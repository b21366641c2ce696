package proposal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// job is one file to be written: the change, its new text, and the name of its temporary file.
type job struct {
	File  ReceiptFile
	After []byte
	Temp  string
}

// write makes one change. Each kind looks at where things stand first and goes on from there, so that the same call finishes what a kill
// interrupted. On an error the page is as it was found and no temporary file is left.
func (d *disk) write(j job) error {
	switch j.File.Kind {
	case Create:
		return d.create(j)
	case Delete:
		return d.remove(j)
	case Rename:
		return d.move(j)
	default:
		return d.replace(j)
	}
}

// create links the new page to its name only when it is whole, and only where nothing has that name.
func (d *disk) create(j job) error {
	at, err := d.place(j.File.Path)
	if err != nil {
		return err
	}
	tmp := path.Join(path.Dir(at), j.Temp)
	if err := d.clear(tmp); err != nil {
		return err
	}
	if sum, err := d.sumAt(at); err != nil || sum == j.File.Accepted {
		return err
	}
	if err := d.removeEmptyAt(at); err != nil {
		return err
	}
	if err := d.writeTemp(tmp, j.After, nil); err != nil {
		return err
	}
	return errors.Join(d.giveName(tmp, at), d.clear(tmp))
}

// replace swaps the new text in and looks at what it swapped out: were it not what the plan saw (somebody saved in that instant), it is
// swapped back.
func (d *disk) replace(j job) error {
	at, err := d.page(j.File.Path)
	if err != nil {
		return err
	}
	tmp := path.Join(path.Dir(at), j.Temp)
	sum, err := d.sumAt(at)
	if err != nil {
		return err
	}
	if sum == j.File.Accepted {
		return d.resumeSwap(j, at, tmp)
	}
	if err := d.clear(tmp); err != nil {
		return err
	}
	if sum != j.File.Before {
		return ErrMoved
	}
	info, err := d.root.Lstat(filepath.FromSlash(at))
	if err != nil {
		return err
	}
	if err := d.writeTemp(tmp, j.After, info); err != nil {
		return err
	}
	d.step("swap")
	ok, err := d.exchange(tmp, at)
	if err != nil {
		return errors.Join(err, d.clear(tmp))
	}
	d.dirty[path.Dir(at)] = true
	if ok {
		return d.afterSwap(j, at, tmp)
	}
	if sum, err := d.sumAt(at); err != nil || sum != j.File.Before {
		return errors.Join(ErrMoved, err, d.clear(tmp))
	}
	if err := d.root.Rename(filepath.FromSlash(tmp), filepath.FromSlash(at)); err != nil {
		return errors.Join(err, d.clear(tmp))
	}
	return nil
}

// afterSwap looks at what was swapped out to tmp and removes it, or swaps it back.
func (d *disk) afterSwap(j job, at, tmp string) error {
	d.step("swapped")
	old, err := d.sumAt(tmp)
	if err != nil {
		return err
	}
	if old == j.File.Before {
		return d.clear(tmp)
	}
	if _, err := d.exchange(tmp, at); err != nil {
		return err
	}
	// Were the page written again before it was swapped back, the newest text is at tmp now, and has to win.
	if mine, err := d.sumAt(tmp); err != nil || mine != j.File.Accepted {
		_, swapErr := d.exchange(tmp, at)
		return errors.Join(ErrMoved, err, swapErr, d.clear(tmp))
	}
	return errors.Join(ErrMoved, d.clear(tmp))
}

// resumeSwap goes on where a page has its new text already: after a kill behind the swap, or since the user made the same edit.
func (d *disk) resumeSwap(j job, at, tmp string) error {
	old, ok, err := d.readAt(tmp)
	if err != nil {
		return err
	}
	if !ok || isPrefix(old, j.After) { // the beginning of our own text: the kill came while it was written
		return d.clear(tmp)
	}
	return d.afterSwap(j, at, tmp)
}

// remove takes the page's name away first, looks at what had it, and puts it back were it not what the plan saw.
func (d *disk) remove(j job) error {
	at, err := d.name(j.File.Path)
	if err != nil {
		return err
	}
	return d.takeAway(at, j.Temp+"-old", j.File.Before)
}

// takeAway removes the file at a resolved path, or the link there, where its text is that of sum. A file that is gone is no error.
func (d *disk) takeAway(at, temp, sum string) error {
	old := path.Join(path.Dir(at), temp)
	if there, err := d.taken(old); err != nil {
		return err
	} else if !there {
		got, ok, err := d.readThrough(at)
		if err != nil {
			return err
		}
		if there, err := d.taken(at); err != nil || !there || d.isFolder(at) {
			return err // gone, and the name may have gone to a folder of the same plan
		}
		if !ok || Sum(got) != sum {
			return ErrMoved
		}
		d.step("take away")
		if err := d.root.Rename(filepath.FromSlash(at), filepath.FromSlash(old)); err != nil {
			return err
		}
		d.dirty[path.Dir(at)] = true
	}
	d.step("taken away")
	got, ok, err := d.readThrough(old)
	if err != nil {
		return err
	}
	if !ok || Sum(got) != sum {
		return errors.Join(ErrMoved, d.putBack(old, at))
	}
	return d.clear(old)
}

// putBack gives a page that was taken away its name again. Where a newer page has it, that one stays.
func (d *disk) putBack(old, at string) error {
	err := d.giveName(old, at)
	if errors.Is(err, ErrMoved) {
		return errors.Join(err, d.clear(old))
	}
	return err
}

// readThrough reads at a path whose folders are resolved, through a link at its end.
func (d *disk) readThrough(at string) ([]byte, bool, error) {
	to, err := d.follow(at)
	if err != nil {
		return nil, false, err
	}
	return d.readAt(to)
}

// move brings the page to its new name whole, then takes the old one away; a change of case only goes the other way round, for on a
// disk that folds case both names are one.
func (d *disk) move(j job) error {
	from, err := d.name(j.File.From)
	if err != nil {
		return err
	}
	to, err := d.place(j.File.Path)
	if err != nil {
		return err
	}
	info, err := d.root.Lstat(filepath.FromSlash(from))
	if err != nil && !absent(err) {
		return err
	}
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return fmt.Errorf("%s is a link; it has to be moved by hand: %w", j.File.From, ErrLink)
	}
	if strings.EqualFold(from, to) {
		return d.moveCase(j, from, to, info)
	}
	tmp := path.Join(path.Dir(to), j.Temp)
	if err := d.clear(tmp); err != nil {
		return err
	}
	made, err := d.sumAt(to)
	if err != nil {
		return err
	}
	leaving, err := d.taken(path.Join(path.Dir(from), j.Temp+"-old"))
	if err != nil {
		return err
	}
	if made != j.File.Accepted && !leaving {
		if sum, err := d.sumAt(from); err != nil || sum != j.File.Before {
			return errors.Join(ErrMoved, err)
		}
		if err := d.removeEmptyAt(to); err != nil {
			return err
		}
		if err := d.writeTemp(tmp, j.After, info); err != nil {
			return err
		}
		d.step("new name")
		if err := d.giveName(tmp, to); err != nil {
			return errors.Join(err, d.clear(tmp))
		}
	}
	d.step("old name")
	if err := d.takeAway(from, j.Temp+"-old", j.File.Before); err != nil {
		if made, lookErr := d.sumAt(to); lookErr == nil && made == j.File.Accepted {
			return errors.Join(err, d.clear(to)) // we made it a moment ago
		}
		return err
	}
	return nil
}

// moveCase goes over a temporary name (o-fs-07).
func (d *disk) moveCase(j job, from, to string, info fs.FileInfo) error {
	old, tmp := path.Join(path.Dir(from), j.Temp+"-old"), path.Join(path.Dir(to), j.Temp)
	if err := d.clear(tmp); err != nil {
		return err
	}
	if there, err := d.taken(old); err != nil {
		return err
	} else if !there {
		sum, err := d.sumAt(from)
		if err != nil {
			return err
		}
		if sum == "" || sum != j.File.Before {
			if made, err := d.sumAt(to); err == nil && made == j.File.Accepted {
				return nil // done before a kill
			}
			return ErrMoved
		}
		d.step("take away")
		if err := d.root.Rename(filepath.FromSlash(from), filepath.FromSlash(old)); err != nil {
			return err
		}
		d.dirty[path.Dir(from)] = true
	}
	d.step("taken away")
	sum, err := d.sumAt(old)
	if err != nil {
		return err
	}
	if made, err := d.sumAt(to); err == nil && made == j.File.Accepted {
		return d.clear(old)
	}
	if sum != j.File.Before {
		return errors.Join(ErrMoved, d.putBack(old, from))
	}
	if info == nil {
		if info, err = d.root.Lstat(filepath.FromSlash(old)); err != nil {
			return err
		}
	}
	err = d.writeTemp(tmp, j.After, info)
	if err == nil {
		err = d.giveName(tmp, to)
	}
	if err != nil {
		return errors.Join(err, d.clear(tmp), d.putBack(old, from))
	}
	d.step("new name")
	return d.clear(old)
}

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
