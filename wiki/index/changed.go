package index

import (
	"context"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// Changed tells the index of paths (relative; files or folders) that may have changed; others are not looked at. A file costs a stat, a
// folder a stat for each file that is in it.
func (x *Index) Changed(ctx context.Context, rels ...string) error {
	x.writing.Lock()
	defer x.writing.Unlock()
	folders, _ := x.knowledge()
	have := map[string]bool{"": true}
	for _, f := range folders {
		have[f] = true
	}
	s := newScan(ctx, x)
	var dirs []string
	for _, rel := range rels {
		if rel = path.Clean(rel); rel == "." {
			rel = ""
		}
		parent, name := splitPath(rel)
		fi, err := os.Lstat(x.file(rel))
		switch {
		case have[rel]:
			dirs = append(dirs, rel)
		case !localPath(rel) || hidden(name):
		case !have[parent]: // a new folder, or a hidden one: the nearest folder that is known tells
			for !have[parent] {
				parent, _ = splitPath(parent)
			}
			dirs = append(dirs, parent)
		case err == nil && fi.IsDir():
			dirs = append(dirs, parent)
		default:
			s.one(rel, fi)
		}
	}
	slices.Sort(dirs)
	if err := x.apply(ctx, s); err != nil || len(dirs) == 0 {
		return err
	}
	return x.rescan(ctx, slices.Compact(dirs))
}

// one compares a single file; fi is nil where it is gone.
func (s *scan) one(rel string, fi fs.FileInfo) {
	dir, name := splitPath(rel)
	before := map[string]known{}
	s.x.mu.RLock()
	if r, ok := s.x.onDisk(rel); ok {
		before[name] = known{r.entry().id, r.class()}
	}
	s.x.mu.RUnlock()
	if fi == nil {
		if len(before) > 0 {
			s.changes = append(s.changes, change{path: rel, gone: true})
		}
		return
	}
	d := fs.FileInfoToDirEntry(fi)
	if s.x.o.Hide != nil && s.x.o.Hide(rel, d) {
		return
	}
	siblings := map[string]bool{}
	if of, _ := conflictOf(name); of != "" {
		_, err := lstat(s.x.file(join(dir, of)))
		siblings[of] = err == nil
	}
	s.changes = s.entry(s.changes, rel, d, before, siblings)
}

// hiddenPath tells a path with a part that is never part of a wiki.
func hiddenPath(rel string) bool {
	for part := range strings.SplitSeq(rel, "/") {
		if part == "" || hidden(part) {
			return true
		}
	}
	return false
}
