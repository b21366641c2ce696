package proposal

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// Amend corrects a receipt by what was seen later: a page that waited was saved, an editor reshaped it on saving, or an edit that was
// thought lost arrived. results name the pages by the receipt's path, with Word, Applied and, of a page applied partly, Hunks. What is accepted stays accepted:
// a page cannot become not applied.
func (s *Store) Amend(run string, at time.Time, results []ReceiptFile) error {
	unlock, err := s.lock()
	if err != nil {
		return err
	}
	defer unlock()
	receipts, err := s.Receipts(run)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(receipts, func(r Receipt) bool { return r.At.Equal(at) })
	if i < 0 {
		return fmt.Errorf("amend run %s: no receipt of %s: %w", run, at.Format(time.RFC3339Nano), ErrUnknown)
	}
	r := &receipts[i]
	j := journal{Run: run, By: r.By, At: s.now().UTC(), Undo: r.Undo}
	for _, got := range results {
		k := slices.IndexFunc(r.Files, func(f ReceiptFile) bool { return f.Path == got.Path })
		if k < 0 || got.Word == WordNotApplied {
			return fmt.Errorf("amend run %s: %s cannot become %q: %w", run, got.Path, got.Word, ErrUnknown)
		}
		f := &r.Files[k]
		arrived := f.Word == WordNotApplied
		if got.Word == WordPartly {
			f.Hunks = got.Hunks
		}
		f.Word, f.Applied, f.Reason = got.Word, got.Applied, ""
		if arrived {
			j.Entries = append(j.Entries, entry{File: *f, Of: f.Path})
		}
	}
	if err := errors.Join(s.saveReceipts(run, receipts), s.foreseeUndo(run)); err != nil || len(j.Entries) == 0 || j.Undo {
		return err
	}
	rec, err := s.Load(run)
	if err != nil {
		return err
	}
	j.decide(&rec)
	rec.settle()
	return s.Save(rec)
}
