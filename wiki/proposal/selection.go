package proposal

import (
	"fmt"
)

// take is what a selection means for one file of the record.
type take struct {
	index int      // in Record.Files
	parts []string // ids, in order
}

// resolve turns a selection into parts. unflagged are the flagged pages that were left out for want of an explicit yes.
func resolve(rec Record, sel Selection) (takes []take, unflagged []string, err error) {
	if len(sel.Paths)+len(sel.Hunks) > 0 {
		takes, err = resolveNamed(rec, sel)
		return takes, nil, err
	}
	for i, f := range rec.Files {
		parts := f.waiting()
		switch {
		case len(parts) == 0:
		case len(f.Flags) > 0 && !sel.Flagged:
			unflagged = append(unflagged, f.Path)
		default:
			takes = append(takes, take{i, parts})
		}
	}
	return takes, unflagged, nil
}

func resolveNamed(rec Record, sel Selection) ([]take, error) {
	want := make(map[int]map[string]bool, len(sel.Paths)+len(sel.Hunks))
	add := func(i int, id string) {
		if want[i] == nil {
			want[i] = map[string]bool{}
		}
		want[i][id] = true
	}
	for _, path := range sel.Paths {
		i, ok := fileAt(rec, path)
		if !ok {
			return nil, fmt.Errorf("%s: %w", path, ErrUnknown)
		}
		for _, id := range rec.Files[i].waiting() {
			add(i, id)
		}
	}
	for _, id := range sel.Hunks {
		i, ok := fileOf(rec, id)
		if !ok {
			return nil, fmt.Errorf("%s: %w", id, ErrUnknown)
		}
		if rec.Files[i].verdicts()[id] != Accepted {
			add(i, id)
		}
	}
	var takes []take
	for i, f := range rec.Files {
		if want[i] == nil {
			continue
		}
		t := take{index: i}
		for _, id := range f.parts() {
			if want[i][id] {
				t.parts = append(t.parts, id)
			}
		}
		takes = append(takes, t)
	}
	return takes, nil
}

// fileAt finds a file by its path; by the path that a page is moved from where nothing else has that name.
func fileAt(rec Record, path string) (int, bool) {
	from := -1
	for i, f := range rec.Files {
		if f.Path == path {
			return i, true
		}
		if f.From == path {
			from = i
		}
	}
	return from, from >= 0
}

// fileOf finds the file that a hunk id belongs to.
func fileOf(rec Record, id string) (int, bool) {
	for i, f := range rec.Files {
		if f.owns(id) {
			return i, true
		}
	}
	return 0, false
}
