package proposal

import (
	"errors"
	"path"
	"path/filepath"
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
