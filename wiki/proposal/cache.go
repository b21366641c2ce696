package proposal

import (
	"io/fs"
	"os"
	"slices"
	"sync"
)

// recent remembers the records read or written last, for a record of a thousand files takes longer to decode than a hunk to plan. A file that is
// not the same inode of the same age and size, since another process replaced it, is read again.
type recent struct {
	mu    sync.Mutex
	order []string // runs, the last used last
	byRun map[string]cached
}

type cached struct {
	info    fs.FileInfo
	rec     Record
	unknown bool // the file has fields that this version does not know
}

const maxRecent = 4

// get gives a copy of the record where file is still what it was read from.
func (c *recent) get(run string, info fs.FileInfo) (cached, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	got, ok := c.byRun[run]
	if !ok || !os.SameFile(got.info, info) || !got.info.ModTime().Equal(info.ModTime()) || got.info.Size() != info.Size() {
		return cached{}, false
	}
	got.rec = got.rec.clone()
	return got, true
}

func (c *recent) put(run string, got cached) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byRun == nil {
		c.byRun = map[string]cached{}
	}
	c.order = append(slices.DeleteFunc(c.order, func(r string) bool { return r == run }), run)
	if len(c.order) > maxRecent {
		delete(c.byRun, c.order[0])
		c.order = c.order[1:]
	}
	got.rec = got.rec.clone()
	c.byRun[run] = got
}

// clone copies what callers may change: the slices. Usage is shared; nobody changes what it holds.
func (r Record) clone() Record {
	r.Sources, r.SourceSHA = slices.Clone(r.Sources), slices.Clone(r.SourceSHA)
	r.Markers, r.Warnings = slices.Clone(r.Markers), slices.Clone(r.Warnings)
	r.Refused, r.Files = slices.Clone(r.Refused), slices.Clone(r.Files)
	for i := range r.Files {
		r.Files[i].Flags, r.Files[i].Decided = slices.Clone(r.Files[i].Flags), slices.Clone(r.Files[i].Decided)
	}
	return r
}

// likeRead tells whether the record is what decoding its file would give.
func (r Record) likeRead() bool {
	_, decoded := r.Usage.(map[string]any)
	return r.Usage == nil || decoded
}
