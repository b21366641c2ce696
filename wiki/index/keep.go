package index

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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

// worn tells whether the segments are to be made anew from all pages: there are too many, or another process did so already and took files away.
func (x *Index) worn() bool {
	if len(x.segments) > maxSegments {
		return true
	}
	for _, s := range x.segments {
		if s.name == "" || x.o.Dir == "" {
			continue
		}
		if _, err := os.Stat(filepath.Join(x.o.Dir, s.name+segmentSuffix)); err != nil {
			return true
		}
	}
	return false
}

// ensureSound proves the segments by their checksums, once, before they are used first; where one is broken, all are built anew. Full texts are proved apart.
func (x *Index) ensureSound() {
	x.proof.Do(func() {
		x.mu.RLock()
		segments := slices.Clone(x.segments)
		x.mu.RUnlock()
		for _, s := range segments {
			if s.name != "" && !x.segmentSound(s) {
				if err := x.buildAgain(context.Background(), fmt.Errorf("%s does not match its checksum", s.name)); err != nil {
					x.warn("the index is not complete: %v", err)
				}
				return
			}
		}
	})
}

// buildAgain builds everything anew, and says why.
func (x *Index) buildAgain(ctx context.Context, why error) error {
	x.warn("the kept index is built anew: %v", why)
	x.writing.Lock()
	defer x.writing.Unlock()
	return x.buildAll(ctx)
}

// buildAll reads every page anew. Who calls it holds writing.
func (x *Index) buildAll(ctx context.Context) error {
	var pages []string
	x.mu.RLock()
	for row := range uint32(x.base.count()) {
		if rel := x.base.path(row); x.base.class(row) == pageClass {
			if e, ok := x.over[rel]; !ok || e != nil {
				pages = append(pages, rel)
			}
		}
	}
	for rel, e := range x.over {
		if _, ok := x.base.find(rel); !ok && e != nil && e.class == pageClass {
			pages = append(pages, rel)
		}
	}
	x.mu.RUnlock()
	return x.buildFrom(ctx, &built{entries: map[string]*entry{}, all: true}, pages, nil)
}
