package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"sort"
	"sync"

	"golang.org/x/sync/errgroup"
)

// entry is a file of the view as it was laid in.
type entry struct {
	lower  stat   // of the lower file, zero for a buffer without one
	view   stat   // of the copy, right after it was written
	base   span   // the text in the pack; size -1: not kept, it is above Limits.FileBytes
	target string // rel of the file that a lower link leads to; "" where the lower entry is no link
}

// reflinkFrom is the size above which sharing blocks is worth the system call: below it the cost is the inode's
// (measured on XFS and btrfs with 4 KB pages: no gain).
const reflinkFrom = 64 << 10

// batch is how many files of one folder a worker copies at a time, so that a flat folder is shared among workers too.
const batch = 64

// A copier copies the lower folder into the view.
type copier struct {
	spec       Spec
	lower, to  *dir
	pack       *pack
	group      *errgroup.Group
	ctx        context.Context
	mu         sync.Mutex // guards what follows
	manifest   map[string]*entry
	bytes      int64 // of the files in it
	links      []string
	warnings   []string
	viewFolder map[string]bool
	leftOut    map[string]Why // entries that could not be shown
}

// copyTree fills the folder at view with what spec shows of its root.
func copyTree(ctx context.Context, spec Spec, view string, workers int, p *pack) (*copier, error) {
	lower, err := openDir(spec.Root)
	if err != nil {
		return nil, err
	}
	defer lower.close()
	to, err := openDir(view)
	if err != nil {
		return nil, err
	}
	defer to.close()
	cp := &copier{spec: spec, lower: lower, to: to, pack: p, manifest: map[string]*entry{}, viewFolder: map[string]bool{"": true}, leftOut: map[string]Why{}}
	cp.group, cp.ctx = errgroup.WithContext(ctx)
	cp.group.SetLimit(workers)
	cp.group.Go(func() error { return cp.walk("") })
	if err := cp.group.Wait(); err != nil {
		return nil, err
	}
	slices.Sort(cp.links)
	for _, rel := range cp.links {
		if err := cp.link(rel); err != nil {
			return nil, err
		}
	}
	if err := cp.buffers(); err != nil {
		return nil, err
	}
	if err := cp.inject(); err != nil {
		return nil, err
	}
	sort.Strings(cp.warnings)
	return cp, nil
}

// do runs a task on a free worker, or here where none is free: workers that make tasks never wait for each other.
func (cp *copier) do(task func() error) error {
	if cp.group.TryGo(task) {
		return nil
	}
	return task()
}

func (cp *copier) warn(format string, args ...any) {
	cp.mu.Lock()
	defer cp.mu.Unlock()
	cp.warnings = append(cp.warnings, fmt.Sprintf(format, args...))
}

// leave leaves out an entry that is a what.
func (cp *copier) leave(rel string, what Why, reason string) {
	cp.warn("%s: left out, %s", rel, reason)
	cp.mu.Lock()
	defer cp.mu.Unlock()
	cp.leftOut[rel] = what
}

// hidden tells whether rel is not shown in a copy.
func (cp *copier) hidden(rel string, st stat) bool {
	if slices.Contains(cp.spec.Protect, rel) || st.mode.IsRegular() && slices.Contains(cp.spec.Gone, rel) {
		return true
	}
	return cp.spec.Hide != nil && cp.spec.Hide(rel, dirEntry{path.Base(rel), st})
}

// walk lists one folder, makes its folders and shares out its files.
func (cp *copier) walk(rel string) error {
	if err := cp.ctx.Err(); err != nil {
		return err
	}
	d, err := cp.lower.folder(rel)
	if err != nil {
		cp.warn("%s: folder could not be read: %v", rel, errors.Unwrap(err))
		return nil
	}
	defer d.close()
	to, err := cp.to.folder(rel)
	if err != nil {
		return err
	}
	defer to.close()
	names, err := d.names(1 << 24)
	if err != nil {
		return err
	}
	var files []string
	for _, name := range names {
		at := joinRel(rel, name)
		st, err := d.lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if cp.hidden(at, st) {
			continue
		}
		switch {
		case st.mode.IsRegular():
			files = append(files, name)
		case st.mode.IsDir():
			if err := to.mkdir(name, 0o700|st.mode.Perm()); err != nil {
				return err
			}
			cp.mu.Lock()
			cp.viewFolder[at] = true
			cp.mu.Unlock()
			if err := cp.do(func() error { return cp.walk(at) }); err != nil {
				return err
			}
		case st.mode&fs.ModeSymlink != 0:
			cp.mu.Lock()
			cp.links = append(cp.links, at)
			cp.mu.Unlock()
		default:
			cp.leave(at, oddOf(st.mode), "it is a "+string(oddOf(st.mode)))
		}
	}
	for part := range slices.Chunk(files, batch) {
		if err := cp.do(func() error { return cp.files(rel, part) }); err != nil {
			return err
		}
	}
	return nil
}

// files copies some files of one folder.
func (cp *copier) files(rel string, names []string) error {
	from, err := cp.lower.folder(rel)
	if err != nil {
		return err
	}
	defer from.close()
	to, err := cp.to.folder(rel)
	if err != nil {
		return err
	}
	defer to.close()
	for _, name := range names {
		if err := cp.ctx.Err(); err != nil {
			return err
		}
		at := joinRel(rel, name)
		e, err := cp.file(from, name, to, name, at)
		if errors.Is(err, fs.ErrPermission) || errors.Is(err, errKind) {
			cp.leave(at, Mode, "it could not be read")
			continue
		}
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("copy %s: %w", at, err)
		}
		cp.mu.Lock()
		cp.manifest[at] = e
		cp.bytes += e.view.id.Size
		cp.mu.Unlock()
	}
	return nil
}

// file copies one file, or the buffer of bufferRel where the user has not saved it.
func (cp *copier) file(from *dir, name string, to *dir, toName, bufferRel string) (*entry, error) {
	text, buffered := cp.spec.Buffers[bufferRel]
	if !buffered {
		b, st, err := from.read(name, min(reflinkFrom, cp.spec.Limits.FileBytes))
		if errors.Is(err, errLarge) {
			return cp.large(from, name, to, toName)
		}
		if err != nil {
			return nil, err
		}
		return cp.text(b, st, to, toName)
	}
	st, err := from.lstat(name)
	if err != nil {
		return nil, err
	}
	return cp.text(text, st, to, toName)
}

// text lays in a text that was read.
func (cp *copier) text(b []byte, lower stat, to *dir, name string) (_ *entry, err error) {
	e := &entry{lower: lower}
	if e.view, err = to.writeNew(name, 0o600|lower.mode.Perm(), b); err != nil {
		return nil, err
	}
	e.base, err = cp.pack.put(b)
	return e, err
}

// large copies a file without holding it in memory: it shares blocks where the file system can, and copies where it cannot.
func (cp *copier) large(from *dir, name string, to *dir, toName string) (_ *entry, err error) {
	src, st, err := from.open(name)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	dst, cloned, err := cloneInto(src, to, toName, 0o600|st.mode.Perm())
	if err != nil {
		return nil, err
	}
	defer dst.Close()
	e := &entry{lower: st, base: span{size: -1}}
	keep := st.id.Size <= cp.spec.Limits.FileBytes
	var into io.Writer = dst
	if keep {
		e.base = cp.pack.reserve(st.id.Size)
		w := io.NewOffsetWriter(cp.pack.f, e.base.off)
		if into = io.MultiWriter(dst, w); cloned {
			into = w
		}
	}
	if keep || !cloned {
		n, err := io.Copy(into, io.LimitReader(src, st.id.Size))
		if err == nil && n != st.id.Size {
			err = errors.New("changed while it was copied")
		}
		if err != nil {
			return nil, err
		}
	}
	e.view, err = fstat(dst)
	return e, err
}
