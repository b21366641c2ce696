package index

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// rebase lays out names anew: what base holds, changed by over, changed by b. Pages in memory go to a segment. Who calls it holds writing.
func (x *Index) rebase(ctx context.Context, b *built, folders []folder) error {
	x.mu.RLock()
	taken := make(map[string]*entry, len(x.over)) // what of over is taken, to tell it from what changes meanwhile
	w := segmentWriter{x: x, whole: true}
	defer w.drop()
	var err error
	for rel, e := range x.over {
		taken[rel] = e
		if _, ok := b.entries[rel]; ok || err != nil {
			continue
		}
		if e != nil && e.content != nil {
			moved := *e
			moved.content = nil
			err = w.add(&moved, e.content.page, e.content.text)
			continue
		}
		b.entries[rel] = e
	}
	x.mu.RUnlock()
	if err == nil {
		err = w.close(b)
	}
	if err != nil {
		return err
	}
	segments, entries := x.merged(b)
	list := x.mergedFolders(folders)
	m, err := x.writeNames(ctx, segments, entries, list)
	if err != nil {
		return err
	}
	n, err := openNames(m)
	if err != nil {
		m.close()
		return err
	}
	x.install(n, segments, taken, list)
	return nil
}

// merged gives the segments and all entries of the new base; at of new entries is moved behind the segments that stay.
func (x *Index) merged(b *built) ([]*segment, []*entry) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	var segments []*segment
	if !b.all {
		segments = slices.Clone(x.segments)
	}
	shift := uint32(len(segments))
	segments = append(segments, b.segments...)
	entries := make([]*entry, 0, x.base.count()+len(b.entries))
	for row := range uint32(x.base.count()) {
		if _, ok := b.entries[x.base.path(row)]; !ok {
			entries = append(entries, x.base.entry(row))
		}
	}
	for _, e := range b.entries {
		if e == nil {
			continue
		}
		if e.at.segment != noSegment && e.class == pageClass {
			e.at.segment += shift
		}
		entries = append(entries, e)
	}
	slices.SortFunc(entries, func(a, b *entry) int { return comparePaths(a.path, b.path) })
	return segments, entries
}

// comparePaths orders by folder, then name.
func comparePaths(a, b string) int {
	da, na := splitPath(a)
	db, nb := splitPath(b)
	if c := strings.Compare(da, db); c != 0 {
		return c
	}
	return strings.Compare(na, nb)
}

func (x *Index) mergedFolders(fresh []folder) []folder {
	x.mu.RLock()
	defer x.mu.RUnlock()
	all := map[string]folder{}
	for i := range x.base.folderCount() {
		f := x.base.folder(i)
		all[f.path] = f
	}
	for rel, f := range x.folders {
		all[rel] = f
	}
	for _, f := range fresh {
		all[f.path] = f
	}
	out := make([]folder, 0, len(all))
	for _, f := range all {
		if f.ino != goneIno {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b folder) int { return strings.Compare(a.path, b.path) })
	return out
}

// writeNames lays out the names file and puts it in place.
func (x *Index) writeNames(ctx context.Context, segments []*segment, entries []*entry, folders []folder) (mapping, error) {
	var b namesBuilder
	at := 0
	for _, f := range folders { // in the order of the entries' folders
		first := len(b.rows) / rowSize
		for at < len(entries) {
			dir, _ := splitPath(entries[at].path)
			if dir > f.path {
				break
			}
			if dir == f.path { // else its folder is gone
				b.add(entries[at])
			}
			at++
		}
		b.folder(f, first, len(b.rows)/rowSize-first)
	}
	meta := []string{x.o.Root, x.o.Rules}
	var docs []int
	for _, s := range segments {
		meta = append(meta, s.name)
		docs = append(docs, s.count())
	}
	parts := b.finish(meta, docs)
	if x.o.Dir == "" {
		return mapping{data: slices.Concat(parts...)}, nil
	}
	if err := ctx.Err(); err != nil {
		return mapping{}, err
	}
	file := filepath.Join(x.o.Dir, namesFile)
	if err := writeWhole(file, parts...); err != nil {
		return mapping{}, err
	}
	x.sweep(segments)
	return mapFile(file)
}

// sweep takes away segments that no index of late can use.
func (x *Index) sweep(segments []*segment) {
	used := map[string]bool{}
	for _, s := range segments {
		used[s.name] = true
	}
	entries, err := readDir(x.o.Dir)
	if err != nil {
		return // the next build sweeps
	}
	for _, d := range entries {
		name := strings.TrimSuffix(d.Name(), filepath.Ext(d.Name()))
		left := strings.HasPrefix(name, ".new-")
		if !slices.Contains([]string{textSuffix, segmentSuffix, fullTextSuffix}, filepath.Ext(d.Name())) && !left || used[name] {
			continue
		}
		if fi, err := d.Info(); err == nil && time.Since(fi.ModTime()) > retiredGrace {
			_ = os.Remove(filepath.Join(x.o.Dir, d.Name()))
		}
	}
}

// install swaps the base.
func (x *Index) install(n *names, segments []*segment, taken map[string]*entry, folders []folder) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.base != nil {
		x.base.close()
	}
	for _, s := range x.segments {
		if !slices.Contains(segments, s) {
			s.close()
		}
	}
	left := map[string]*entry{}
	for rel, e := range x.over {
		if was, ok := taken[rel]; !ok || was != e {
			left[rel] = e
		}
	}
	buffers := x.buffers
	x.base, x.segments = n, segments
	x.over, x.buffers, x.keys, x.masked = map[string]*entry{}, map[string]*entry{}, map[uint64][]string{}, map[uint32]bool{}
	for rel, e := range left {
		x.set(rel, func() { x.over[rel] = e })
	}
	for rel, e := range buffers {
		x.set(rel, func() { x.buffers[rel] = e })
	}
	x.folders = map[string]folder{}
}
