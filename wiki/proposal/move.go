package proposal

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
)

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
