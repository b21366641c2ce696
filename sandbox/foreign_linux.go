package sandbox

import (
	"context"
	"fmt"
	"io/fs"
	"os"
)

// foreignMax bounds how many entries are looked at: a folder with more has its owners found out by runs that fail.
const foreignMax = 1 << 20

// FindForeign looks for something in root that belongs to another user or group than ours, which an overlay cannot change: where we are no root it knows one user
// and one group (a change there would fail with EOVERFLOW). It returns the first such path, "" where there is none. hide is as in Spec. It costs by the size of the folder,
// so that it is asked when a layer is chosen, and beside a run, never before one.
func FindForeign(ctx context.Context, root string, hide func(rel string, d fs.DirEntry) bool) (string, error) {
	if os.Geteuid() == 0 {
		return "", nil
	}
	d, err := openDir(root)
	if err != nil {
		return "", err
	}
	defer d.close()
	f := &foreigner{ctx: ctx, hide: hide, uid: uint32(os.Geteuid()), gid: uint32(os.Getegid()), left: foreignMax}
	st, err := d.lstat(".")
	if err == nil && f.foreign(st) {
		return ".", nil
	}
	return f.folder(d, "", 0), ctx.Err()
}

type foreigner struct {
	ctx      context.Context
	hide     func(rel string, d fs.DirEntry) bool
	uid, gid uint32
	left     int
}

func (f *foreigner) foreign(st stat) bool { return st.uid != f.uid || st.gid != f.gid }

// folder returns the first foreign path below d. What cannot be read is foreign in all that matters.
func (f *foreigner) folder(d *dir, rel string, depth int) string {
	names, err := d.names(f.left)
	if err != nil {
		return rel
	}
	f.left -= len(names)
	for _, name := range names {
		if f.ctx.Err() != nil || f.left < 0 {
			return ""
		}
		st, err := d.lstat(name)
		at := joinRel(rel, name)
		if err != nil || f.hide != nil && f.hide(at, dirEntry{name, st}) {
			continue
		}
		if f.foreign(st) {
			return at
		}
		if !st.mode.IsDir() || depth == depthMax {
			continue
		}
		sub, err := d.sub(name)
		if err != nil {
			return at
		}
		found := f.folder(sub, at, depth+1)
		sub.close()
		if found != "" {
			return found
		}
	}
	return ""
}

// foreignError is why an overlay is not taken.
func foreignError(path string) error {
	return fmt.Errorf("%s belongs to another user or group, so that an overlay cannot change it", path)
}
