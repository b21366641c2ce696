package proposal

import (
	"errors"
	"fmt"
	"slices"
)

// decidedBelow gives a *BelowError where what is taken stands on proposals of which the page in question still waits. One that was decided either way
// is no obstacle: what it left is the current text, onto which Plan merges.
func (s *Store) decidedBelow(rec Record, takes []take) error {
	var on []Below
	for _, t := range takes {
		on = append(on, rec.Files[t.index].On...)
	}
	if len(on) == 0 {
		return nil
	}
	missing := &BelowError{Run: rec.Run}
	for _, run := range rec.Stack {
		below, err := s.Load(run)
		if errors.Is(err, ErrNoRun) { // one that waits is never pruned
			continue
		}
		if err != nil {
			return err
		}
		if below.Waits() && slices.ContainsFunc(on, func(b Below) bool { return b.Run == run && below.waitsAt(b.Path) }) {
			missing.Below = append(missing.Below, below)
		}
	}
	if len(missing.Below) > 0 {
		return missing
	}
	return nil
}

func (r Record) waitsAt(path string) bool {
	i, ok := fileAt(r, path)
	return ok && r.Files[i].Waits()
}

// gone tells whether nothing of a page's change is or will be in the wiki.
func (r Record) gone(path string) bool {
	i, ok := fileAt(r, path)
	return ok && (!r.Undone.IsZero() || r.Files[i].verdict() == Rejected)
}

// Above are the proposals that wait and stand on something of the run, oldest first.
func (s *Store) Above(run string) ([]Record, error) {
	recs, _, err := s.List() // one that cannot be read stands on nothing that we know of
	if err != nil {
		return nil, err
	}
	var above []Record
	for _, rec := range slices.Backward(recs) {
		if rec.Waits() && slices.Contains(rec.Stack, run) {
			above = append(above, rec)
		}
	}
	return above, nil
}

// Lowest is the run itself, or the first of the proposals that it stands on and that still waits.
func (s *Store) Lowest(run string) (Record, error) {
	rec, err := s.Load(run)
	if err != nil {
		return rec, err
	}
	for _, id := range rec.Stack {
		if below, err := s.Load(id); err == nil && below.Waits() {
			return below, nil
		}
	}
	return rec, nil
}

// markAbove tells the proposals that stand on a run what of it will not come: a page of theirs that links to one that is not made needs a yes of its own,
// for nobody judged it without. Their texts stay as they are: they are merged onto what there is when they are applied. The caller holds the lock.
func (s *Store) markAbove(run string) error {
	below, err := s.Load(run)
	if err != nil {
		return err
	}
	above, err := s.Above(run)
	if err != nil {
		return err
	}
	for _, rec := range above {
		marked := false
		rec.Files = slices.Clone(rec.Files)
		for i := range rec.Files {
			f := &rec.Files[i]
			for _, on := range f.On {
				if on.Run != run || !below.gone(on.Path) {
					continue
				}
				marked = true
				if flag := f.orphaned(on, below); flag.Rule != "" && !slices.Contains(f.Flags, flag) {
					f.Flags = append(slices.Clone(f.Flags), flag)
				}
			}
		}
		why := fmt.Sprintf("it was made on top of %s (%s), which was %s", run, below.Title, below.howGone())
		if !marked || slices.Contains(rec.Warnings, why) {
			continue
		}
		rec.Warnings = append(slices.Clone(rec.Warnings), why)
		if err := s.Save(rec); err != nil {
			return err
		}
	}
	return nil
}

// orphaned is the flag of a change that links to a page which does not come; none where the page is the same, since a merge settles that.
func (f File) orphaned(on Below, below Record) Flag {
	if i, ok := fileAt(below, on.Path); !ok || below.Files[i].Kind != Create && below.Files[i].Kind != Rename || on.Path == f.Path || on.Path == f.From {
		return Flag{}
	}
	return Flag{Rule: "new-broken-link", Reason: fmt.Sprintf("it links to %s, a page of %s, which was %s", on.Path, below.Title, below.howGone())}
}

func (r Record) howGone() string {
	if !r.Undone.IsZero() {
		return "undone"
	}
	return "discarded"
}
