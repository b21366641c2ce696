package index

import (
	"slices"

	"github.com/rigwiki/rig/sandbox"
)

// TextAt gives the text that a page had at start, where that is certain although it was changed since: a whole [Index.Refresh] ended at seen, later than start, and met
// the page as it was. start and seen are times of the file system's clock, in ns. It is false where the page was changed between the two, where
// no refresh ended, or where the text is no longer kept.
func (x *Index) TextAt(rel string, start, seen int64) ([]byte, bool) {
	if seen <= start {
		return nil, false
	}
	ids := x.versions(rel)
	best := sandbox.FileID{}
	for _, id := range ids {
		switch {
		case id.Ctime >= start && id.Ctime <= seen:
			return nil, false // the refresh may have met this version first: what it had at start is not known
		case id.Ctime < start && id.Ctime > best.Ctime:
			best = id
		}
	}
	if best.Ctime == 0 {
		return nil, false
	}
	return x.Text(rel, best)
}

// versions are the stat identities of rel whose texts may still be kept.
func (x *Index) versions(rel string) []sandbox.FileID {
	x.ensureSound()
	x.mu.RLock()
	defer x.mu.RUnlock()
	var ids []sandbox.FileID
	if e := x.over[rel]; e != nil {
		ids = append(ids, e.id)
	}
	for _, o := range x.old.list {
		if o.rel == rel {
			ids = append(ids, o.id)
		}
	}
	for _, s := range x.segments {
		s.pathKeys.find(keyHash(pathKey, rel), func(doc uint32) {
			if s.path(doc) == rel {
				ids = append(ids, s.id(doc))
			}
		})
	}
	return slices.Clip(ids)
}
