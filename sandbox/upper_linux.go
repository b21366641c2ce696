package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// An upperReader reads what a program did from the upper folder of its overlay (Documentation/filesystems/overlayfs.rst): only what it touched
// is there. The cost grows with that, and with what was deleted.
type upperReader struct {
	collector
	ctx     context.Context
	spec    Spec
	start   int64
	hidden  map[string]bool // entries of the root that were not shown
	links   map[string]string
	entries int64
	touched []string // regular lower files at paths that the upper folder names or hides
	strays  []stray
}

// shade says how much of the lower folder shows through a folder of the upper one.
type shade int

const (
	merged shade = iota // all that the upper one does not name
	opaque              // nothing: what it does not name is deleted
)

// Changes reads the upper folder. Nothing writes it any more: all of the program's process namespace is gone, but for its PID 1, which is ours.
func (b *overlayBox) Changes(ctx context.Context) (Changes, error) {
	if b.spec.Own {
		return Changes{}, ErrOwn
	}
	if b.ran {
		select {
		case <-b.helper.quiet:
		default:
			return Changes{}, ErrNotQuiescent
		}
	}
	if err := unix.Chmod(fdPath(b.upper.fd()), 0o700); err != nil { // the program may have closed the folder itself
		return Changes{}, err
	}
	lower, err := openDir(b.spec.Root)
	if err != nil {
		return Changes{}, err
	}
	defer lower.close()
	r := &upperReader{collector: collector{limits: b.spec.Limits}, ctx: ctx, spec: b.spec, start: b.start, hidden: b.hiddenSet, links: map[string]string{}}
	if err := r.walk(b.upper, lower, "", merged, 0); err != nil {
		return Changes{}, err
	}
	r.settleStrays(lower)
	r.mergeLinks(r.links)
	r.overfull(b.gauge)
	return r.result(nil), nil
}

// walk compares one folder; low is nil where there is none below.
func (r *upperReader) walk(up, low *dir, rel string, s shade, depth int) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	left := r.limits.Inodes - r.entries
	names, err := up.names(int(left))
	if err != nil {
		return err
	}
	r.entries += int64(len(names))
	if int64(len(names)) > left {
		r.over("more files in the view than the limit")
	}
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		if r.overflow != "" {
			return nil
		}
		seen[name] = true
		if err := r.visit(up, low, name, joinRel(rel, name), s, depth); err != nil {
			return err
		}
	}
	if s == merged || low == nil {
		return nil
	}
	below, err := low.names(1 << 24)
	if err != nil {
		return err
	}
	for _, name := range below {
		if !seen[name] {
			if err := r.deleted(low, name, joinRel(rel, name), 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// visit compares one entry.
func (r *upperReader) visit(up, low *dir, name, rel string, s shade, depth int) error {
	st, err := up.lstat(name)
	if err != nil {
		return err
	}
	if err := r.plainXattrs(up, name, rel); err != nil {
		return err
	}
	was, lower := r.below(low, name, rel)
	if st.mode&fs.ModeCharDevice != 0 && st.rdev == 0 { // a whiteout
		return r.deletedEntry(low, name, rel, was, lower, 0)
	}
	if !st.mode.IsDir() {
		if lower.mode.IsDir() {
			if err := r.deleted(low, name, rel, 0); err != nil {
				return err
			}
		}
		if !was.given {
			if origin, copied := originOf(up, name); copied {
				r.strays = append(r.strays, stray{path: rel, origin: origin})
			}
		}
		return r.present(rel, up, name, st, was)
	}
	if !lower.mode.IsDir() {
		if !r.holdsBuffer(rel) {
			r.dirs = append(r.dirs, rel)
		}
		if was.given {
			r.gone(rel, was)
		}
	}
	if depth == depthMax {
		r.odd(rel, st, TooLarge)
		return nil
	}
	sub, err := subView(up, name, st)
	if err != nil {
		return err
	}
	defer sub.close()
	if !lower.mode.IsDir() {
		return r.walk(sub, nil, rel, opaque, depth+1)
	}
	if isOpaque(up, name) {
		s = opaque
	}
	lowSub, err := low.sub(name)
	if err != nil {
		return err
	}
	defer lowSub.close()
	return r.walk(sub, lowSub, rel, s, depth+1)
}

// below tells what was given at rel, and the lower entry itself (zero where it is hidden or none).
func (r *upperReader) below(low *dir, name, rel string) (was, stat) {
	if r.hidden[rel] || low == nil && r.spec.Buffers[rel] == nil {
		return was{}, stat{}
	}
	var st stat
	err := fs.ErrNotExist
	if low != nil {
		st, err = low.lstat(name)
	}
	if err == nil && st.mode.IsRegular() {
		r.touched = append(r.touched, rel)
	}
	text, buffered := r.spec.Buffers[rel]
	if buffered {
		w := was{given: true, is: st, drift: err == nil && st.id.Ctime >= r.start, text: func() ([]byte, bool) { return text, true }}
		w.is.mode, w.is.nlink = st.mode.Perm(), max(st.nlink, 1)
		if err != nil {
			w.is.mode = 0o644
		}
		return w, stat{}
	}
	if err != nil || st.mode.IsDir() {
		return was{}, st
	}
	if st.mode&fs.ModeSymlink != 0 {
		return r.throughLink(rel, st), st
	}
	return r.lowerFile(low, name, rel, st), st
}

// holdsBuffer tells whether a folder was laid in with an unsaved text.
func (r *upperReader) holdsBuffer(rel string) bool {
	for b := range r.spec.Buffers {
		if within(rel, b) {
			return true
		}
	}
	return false
}

// lowerFile is a file that was given, as far as it is known what it held then.
func (r *upperReader) lowerFile(low *dir, name, rel string, st stat) was {
	w := was{given: true, is: st, drift: st.id.Ctime >= r.start}
	if w.drift {
		w.text = func() ([]byte, bool) { return r.baseText(rel) }
		return w
	}
	w.text = func() ([]byte, bool) {
		if st.mode.IsRegular() {
			if b, now, err := low.read(name, r.limits.FileBytes); err == nil && now.id == st.id {
				return b, true
			}
		}
		return r.baseText(rel)
	}
	return w
}

func (r *upperReader) baseText(rel string) ([]byte, bool) {
	if r.spec.BaseText == nil {
		return nil, false
	}
	return r.spec.BaseText(rel, FileID{})
}

// throughLink is what a lower link to a file of the folder shows: a change there is a change of that file.
func (r *upperReader) throughLink(rel string, st stat) was {
	w := was{given: true, is: st, text: func() ([]byte, bool) { return nil, false }}
	real, err := filepath.EvalSymlinks(filepath.Join(r.spec.Root, filepath.FromSlash(rel)))
	if err != nil {
		return w
	}
	target, ok := relTo(r.spec.Root, real)
	if !ok {
		return w
	}
	root, err := openDir(r.spec.Root)
	if err != nil {
		return w
	}
	defer root.close()
	at, err := root.lstatRel(target)
	if err != nil || !at.mode.IsRegular() {
		return w
	}
	text, kept := []byte(nil), false
	if buffer, ok := r.spec.Buffers[target]; ok {
		text, kept = buffer, true
	} else if at.id.Ctime < r.start {
		b, _, err := root.readRel(target, r.limits.FileBytes)
		text, kept = b, err == nil
	}
	r.links[rel] = target
	return was{given: true, is: at, drift: at.id.Ctime >= r.start, text: func() ([]byte, bool) { return text, kept }}
}

// deletedEntry reports what was given at a path that is a whiteout.
func (r *upperReader) deletedEntry(low *dir, name, rel string, w was, lower stat, depth int) error {
	if lower.mode.IsDir() {
		return r.deleted(low, name, rel, depth)
	}
	if w.given {
		r.gone(rel, w)
	}
	return nil
}

// deleted reports everything at or below a lower entry. What is hidden at any depth is no loss that anybody was shown.
func (r *upperReader) deleted(low *dir, name, rel string, depth int) error {
	if r.overflow != "" {
		return r.ctx.Err()
	}
	w, st := r.below(low, name, rel)
	if r.spec.Hide != nil && r.spec.Hide(rel, dirEntry{name, st}) {
		return nil
	}
	if !st.mode.IsDir() {
		return r.deletedEntry(low, name, rel, w, stat{}, depth)
	}
	if depth == depthMax {
		r.over("folders nested deeper than the limit were deleted")
		return nil
	}
	sub, err := low.sub(name)
	if err != nil {
		return err
	}
	defer sub.close()
	names, err := sub.names(1 << 24)
	if err != nil {
		return err
	}
	for _, n := range names {
		if err := r.deleted(sub, n, joinRel(rel, n), depth+1); err != nil {
			return err
		}
	}
	return nil
}

// plainXattrs refuses marks by which an entry of an upper folder is not what it seems: we switched them off, and a program cannot set them (its own
// are stored under another name).
func (r *upperReader) plainXattrs(up *dir, name, rel string) error {
	b := make([]byte, 4096)
	n, err := unix.Llistxattr(fdPath(up.fd())+"/"+name, b)
	if errors.Is(err, unix.EOPNOTSUPP) || err == nil && n == 0 {
		return nil
	}
	if err != nil {
		return fmt.Errorf("attributes of %s: %w", rel, err)
	}
	for _, key := range []string{"metacopy", "redirect", "whiteout"} {
		if slices.Contains(strings.Split(string(b[:n]), "\x00"), "user.overlay."+key) {
			return fmt.Errorf("%s is marked %q, which this overlay does not use", rel, key)
		}
	}
	return nil
}

func isOpaque(up *dir, name string) bool {
	v := make([]byte, 8)
	n, err := unix.Lgetxattr(fdPath(up.fd())+"/"+name, opaqueXattr, v)
	return err == nil && string(v[:n]) == "y"
}
