package index

import (
	"context"
	"os"
	"path/filepath"
)

// keepOnClose keeps what changed in memory where reading it again would cost more than writing it.
func (x *Index) keepOnClose() error {
	x.writing.Lock()
	defer x.writing.Unlock()
	x.mu.RLock()
	worth := x.base != nil && x.o.Dir != "" && len(x.over) > keepPages
	x.mu.RUnlock()
	if !worth {
		return nil
	}
	return x.build(context.Background(), nil, nil, nil) // bounded: what is in memory only
}

// keptFiles tells whether the files of all segments are still there: another process may have built the index anew.
func (x *Index) keptFiles() bool {
	for _, s := range x.segments {
		if _, err := os.Stat(filepath.Join(x.o.Dir, s.name+segmentSuffix)); s.name != "" && err != nil {
			return false
		}
	}
	return true
}
