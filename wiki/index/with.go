package index

import (
	"maps"
	"slices"
)

// With asks use to look at the wiki as it would be with other texts: a page with its new text, nil for one that is gone. Nothing is changed, and what use is given
// is not to be kept. A refresh waits until use returns.
func (x *Index) With(pages map[string][]byte, use func(*Index)) {
	x.ensureSound()
	x.mu.RLock()
	defer x.mu.RUnlock()
	y := &Index{o: x.o, base: x.base, segments: x.segments, over: maps.Clone(x.over), buffers: maps.Clone(x.buffers), keys: make(map[uint64][]string, len(x.keys)),
		masked: maps.Clone(x.masked), folders: maps.Clone(x.folders)}
	for k, rels := range x.keys {
		y.keys[k] = slices.Clone(rels)
	}
	y.borrowed, y.laying, y.rank = true, x.laying, x.rank
	y.proof.Do(func() {}) // x has proved them
	for rel, text := range pages {
		if text != nil {
			y.SetBuffer(rel, text)
			continue
		}
		y.set(rel, func() {
			delete(y.buffers, rel)
			y.over[rel] = nil
		})
	}
	use(y)
}
