package index

import (
	"context"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/rigwiki/rig/sandbox"
)

// Refresh brings the index to what is on disk, with a stat for each page. Pages that did not change are not read.
func (x *Index) Refresh(ctx context.Context) error {
	x.writing.Lock()
	defer x.writing.Unlock()
	return x.refresh(ctx)
}

func (x *Index) refresh(ctx context.Context) error {
	s := newScan(ctx, x)
	s.descend = func(string) bool { return true }
	folders, knownIn := x.knowledge()
	s.knownIn = knownIn
	if err := s.run([]string{""}); err != nil {
		return err
	}
	for _, rel := range folders {
		if !s.seen[rel] {
			s.goneFolder(rel)
		}
	}
	return x.apply(ctx, s)
}

// refreshFolders reads the folders in which entries came or went.
func (x *Index) refreshFolders(ctx context.Context) error {
	x.writing.Lock()
	defer x.writing.Unlock()
	var stale []string
	for i := range x.base.folderCount() {
		f := x.base.folder(i)
		st, err := lstat(x.file(f.path) + "/.")
		if err != nil || !st.dir || st.id.Mtime != f.mtime || st.id.Ino != f.ino {
			stale = append(stale, f.path)
		}
	}
	if len(stale) == 0 {
		return nil
	}
	return x.rescan(ctx, stale)
}

// rescan reads folders anew, and those below them that are new.
func (x *Index) rescan(ctx context.Context, dirs []string) error {
	s := newScan(ctx, x)
	folders, knownIn := x.knowledge()
	have := make(map[string]bool, len(folders))
	for _, f := range folders {
		have[f] = true
	}
	s.descend = func(rel string) bool { return !have[rel] }
	s.knownIn = knownIn
	if err := s.run(dirs); err != nil {
		return err
	}
	for _, rel := range dirs {
		if s.seen[rel] {
			continue
		}
		for _, f := range folders {
			if f == rel || strings.HasPrefix(f, rel+"/") {
				s.goneFolder(f)
			}
		}
	}
	return x.apply(ctx, s)
}

func (s *scan) run(dirs []string) error {
	for _, rel := range dirs {
		if err := s.start(rel); err != nil {
			_ = s.group.Wait()
			return err
		}
	}
	return s.group.Wait()
}

// goneFolder notes that all files of a folder are gone.
func (s *scan) goneFolder(rel string) {
	for name := range s.knownIn(rel) {
		s.changes = append(s.changes, change{path: join(rel, name), gone: true})
	}
	s.folders = append(s.folders, folder{path: rel, ino: goneIno})
}

// goneIno marks a folder that is no longer there.
const goneIno = 1<<64 - 1

// knowledge gives the folders that the index knows, and a function that gives the files of one.
func (x *Index) knowledge() (folders []string, in func(rel string) map[string]known) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	at := map[string]int{}
	for i := range x.base.folderCount() {
		rel := x.base.folder(i).path
		at[rel] = i
		if x.folders[rel].ino != goneIno {
			folders = append(folders, rel)
		}
	}
	for rel, f := range x.folders {
		if _, ok := at[rel]; !ok && f.ino != goneIno {
			folders = append(folders, rel)
		}
	}
	over := map[string]map[string]*entry{}
	for rel, e := range x.over {
		dir, name := splitPath(rel)
		if over[dir] == nil {
			over[dir] = map[string]*entry{}
		}
		over[dir][name] = e
	}
	base := x.base // only replaced by who holds writing, as our caller does
	return folders, func(rel string) map[string]known {
		out := map[string]known{}
		if i, ok := at[rel]; ok {
			first, n := base.folderRows(i)
			for row := first; row < first+n; row++ {
				out[path.Base(base.path(row))] = known{base.id(row), base.class(row)}
			}
		}
		for name, e := range over[rel] {
			if e == nil {
				delete(out, name)
			} else {
				out[name] = known{e.id, e.class}
			}
		}
		return out
	}
}

func splitPath(rel string) (dir, name string) {
	if i := strings.LastIndexByte(rel, '/'); i >= 0 {
		return rel[:i], rel[i+1:]
	}
	return "", rel
}

const (
	keepInMemory = 256 // changed pages that are held in memory; more go to a segment
	keepPages    = 64  // changed pages, or folders read anew, that make a new kept index worth its price
	keepFolders  = 16
)

// apply takes what a scan found into the index.
func (x *Index) apply(ctx context.Context, s *scan) error {
	entries := map[string]*entry{}
	var pages []string
	for _, c := range s.changes {
		switch {
		case c.gone:
			entries[c.path] = nil
		case c.class == pageClass:
			pages = append(pages, c.path)
		default:
			entries[c.path] = &entry{path: c.path, class: c.class, at: docRef{segment: noSegment}}
		}
	}
	slices.Sort(pages)
	if len(pages) > keepInMemory || x.base == nil {
		return x.build(ctx, pages, entries, s.folders)
	}
	for _, rel := range pages {
		if err := ctx.Err(); err != nil {
			return err
		}
		if e := x.read(rel); e != nil {
			entries[rel] = e
		} else {
			entries[rel] = nil
		}
	}
	x.mu.Lock()
	for rel, e := range entries {
		x.replace(rel, e)
	}
	known := x.baseFolders()
	for _, f := range s.folders {
		if known[f.path] == f {
			delete(x.folders, f.path)
		} else {
			x.folders[f.path] = f
		}
	}
	worth := len(x.over) > keepPages || len(x.folders) > keepFolders
	x.mu.Unlock()
	if worth {
		return x.build(ctx, nil, nil, nil)
	}
	return nil
}

// baseFolders gives the folders of base by path. The caller holds mu.
func (x *Index) baseFolders() map[string]folder {
	out := make(map[string]folder, x.base.folderCount())
	for i := range x.base.folderCount() {
		f := x.base.folder(i)
		out[f.path] = f
	}
	return out
}

// replace sets what is on disk at a path; the text before is kept for merges. The caller holds mu for writing.
func (x *Index) replace(rel string, e *entry) {
	if r, ok := x.onDisk(rel); ok && r.e != nil && r.e.content != nil {
		x.old.add(rel, r.e.id, r.e.content.text)
	}
	x.set(rel, func() { x.over[rel] = e })
}

// read reads a page from disk; nil where it is none.
func (x *Index) read(rel string) *entry {
	text, st, err := readFile(x.file(rel), nil)
	if err != nil {
		x.warn("%s is not read: %v", rel, err)
		return nil
	}
	return fresh(rel, trusted(st.id), text)
}

// trusted is the identity under which a file that was just read is kept. One written within the last tick could be written again without a
// trace: its change time is dropped, so that the next look at it reads it again.
func trusted(id sandbox.FileID) sandbox.FileID {
	if since := time.Since(time.Unix(0, max(id.Mtime, id.Ctime))); since >= 0 && since < settled {
		id.Ctime = 0
	}
	return id
}
