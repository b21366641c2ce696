package index

import (
	"context"
	"slices"
)

// openView opens an index that another process keeps, for the files as this process sees them. What differs is held in memory; where no index is kept, all
// is. Nothing is written.
func (x *Index) openView(ctx context.Context) (*Index, error) {
	kept := x.load()
	x.o.Dir = ""
	if kept && !x.segmentsSound() {
		x.closeFiles()
	}
	x.proof.Do(func() {})
	if err := x.Refresh(ctx); err != nil {
		x.closeFiles()
		return nil, err
	}
	return x, nil
}

// segmentsSound proves the segments: in a view what is broken is left, since the texts are compared by what they say.
func (x *Index) segmentsSound() bool {
	return !slices.ContainsFunc(x.segments, func(s *segment) bool { return s.name != "" && !sound(s.data) })
}

// same tells whether a file is the one that the index read.
func (x *Index) same(rel string, now, was FileID) bool {
	switch x.o.View {
	case Mounted:
		now.Dev, now.Ino = was.Dev, was.Ino
	case Copied:
		return now.Size == was.Size && x.sameText(rel)
	}
	return now == was
}

// sameText compares a file with the text that the kept index has of it. Who calls it holds writing.
func (x *Index) sameText(rel string) bool {
	row, ok := x.base.find(rel)
	if !ok {
		return false
	}
	at := x.base.entry(row).at
	if int(at.segment) >= len(x.segments) {
		return false
	}
	text, _, err := readFile(x.file(rel), nil)
	return err == nil && x.segments[at.segment].holds(at.doc, text)
}
