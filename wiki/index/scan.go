package index

import (
	"context"
	"io/fs"
	"os"
	"path"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/rigwiki/rig/sandbox"
)

// change is a path that the disk tells otherwise than the index.
type change struct {
	path  string
	class class
	gone  bool
}

// known is what the index holds of a path.
type known struct {
	id    sandbox.FileID
	class class
}

// scan compares folders with the index.
type scan struct {
	x       *Index
	ctx     context.Context
	group   *errgroup.Group
	descend func(rel string) bool             // whether a subfolder is read as well
	knownIn func(rel string) map[string]known // files of a folder by name, as the index has them; nil where it has none

	mu      sync.Mutex
	changes []change
	folders []folder
	seen    map[string]bool // folders that were read
}

func newScan(ctx context.Context, x *Index) *scan {
	s := &scan{x: x, seen: map[string]bool{}}
	s.group, s.ctx = errgroup.WithContext(ctx)
	s.group.SetLimit(workers())
	return s
}

// start reads a folder in a goroutine of its own where one is free.
func (s *scan) start(rel string) error {
	if s.group.TryGo(func() error { return s.folder(rel) }) {
		return nil
	}
	return s.folder(rel)
}

func (s *scan) folder(rel string) error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	dir := s.x.file(rel)
	st, err := lstat(dir + "/.") // the root may be a link
	if err != nil || !st.dir {
		return nil // gone: the caller misses it in seen
	}
	entries, err := readDir(dir)
	if err != nil {
		s.x.warn("folder %s is not read: %v", rel, err)
		return nil
	}
	f := folder{path: rel, mtime: st.id.Mtime, ino: st.id.Ino}
	if time.Since(time.Unix(0, f.mtime)) < settled {
		f.mtime = 0
	}
	before := s.knownIn(rel)
	pages := map[string]bool{}
	for _, d := range entries {
		pages[d.Name()] = isPage(d.Name())
	}
	var changes []change
	for _, d := range entries {
		name := d.Name()
		full := join(rel, name)
		if hidden(name) || s.x.o.Hide != nil && s.x.o.Hide(full, d) {
			continue
		}
		if d.IsDir() {
			if s.descend(full) {
				if err := s.start(full); err != nil {
					return err
				}
			}
			continue
		}
		changes = s.entry(changes, full, d, before, pages)
		delete(before, name)
	}
	for name := range before {
		changes = append(changes, change{path: join(rel, name), gone: true})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes = append(s.changes, changes...)
	s.folders = append(s.folders, f)
	s.seen[rel] = true
	return nil
}

// entry compares one file with what the index knows of it.
func (s *scan) entry(changes []change, rel string, d fs.DirEntry, before map[string]known, siblings map[string]bool) []change {
	name := d.Name()
	switch {
	case d.Type()&(fs.ModeNamedPipe|fs.ModeSocket|fs.ModeDevice|fs.ModeIrregular) != 0:
		s.x.warn("%s is no regular file and is left out", rel)
		if _, ok := before[name]; ok {
			changes = append(changes, change{path: rel, gone: true})
		}
		return changes
	case !isPage(name) || !d.Type().IsRegular():
		if before[name].class != fileClass {
			changes = append(changes, change{path: rel, class: fileClass})
		}
		return changes
	}
	c := pageClass
	if of, sure := conflictOf(name); sure || of != "" && siblings[of] && s.x.alikeFiles(rel, join(path.Dir(rel), of)) {
		c = conflictClass
	}
	was, ok := before[name]
	if ok && was.class == c {
		if c == conflictClass {
			return changes
		}
		if st, err := lstat(s.x.file(rel)); err == nil && st.regular && s.x.same(rel, st.id, was.id) {
			return changes
		}
	}
	return append(changes, change{path: rel, class: c})
}

func (x *Index) alikeFiles(a, b string) bool {
	ta, _, errA := readFile(x.file(a), nil)
	tb, _, errB := readFile(x.file(b), nil)
	return errA == nil && errB == nil && alike(ta, tb)
}

// readDir is os.ReadDir without sorting.
func readDir(dir string) ([]fs.DirEntry, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.ReadDir(-1)
}

func join(dir, name string) string {
	if dir == "" || dir == "." {
		return name
	}
	return dir + "/" + name
}
