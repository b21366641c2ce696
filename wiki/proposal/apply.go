package proposal

import (
	"errors"
	"fmt"
)

// Apply writes a plan to the wiki on disk and gives the receipt. First all pages are checked: where one is not as the plan saw it nothing
// is written (ErrMoved, a *MovedError). Then each page is replaced atomically, its text checked once more; one that moves on in that instant,
// or cannot be written, is left as it is and told by its word in the receipt and by the error, which then comes beside the receipt.
// A page that is a link inside the wiki is written where the link points; what would leave the wiki is refused.
func (s *Store) Apply(plan Plan, by string) (Receipt, error) {
	unlock, err := s.lock()
	if err != nil {
		return Receipt{}, err
	}
	defer unlock()
	if _, err := s.recoverRun(plan.Run); err != nil {
		return Receipt{}, err
	}
	if err := s.stillOpen(plan); err != nil {
		return Receipt{}, err
	}
	j, err := s.newJournal(plan, by)
	if err != nil {
		return Receipt{}, err
	}
	if err := s.check(j); err != nil {
		return Receipt{}, err
	}
	s.step("journal")
	if err := s.saveJournal(j); err != nil {
		return Receipt{}, err
	}
	return s.carryOut(j)
}

// check is the look at all pages before the first is touched.
func (s *Store) check(j journal) error {
	d, err := s.openDisk(j.Run)
	if err != nil {
		return err
	}
	defer d.close()
	var moved []string
	for _, e := range j.Entries {
		if e.Settled {
			continue
		}
		ok, err := d.unmoved(e.File)
		if err != nil {
			return fmt.Errorf("apply %s: %w", e.File.Path, err)
		}
		if !ok {
			moved = append(moved, e.File.Path)
		}
	}
	if len(moved) > 0 {
		return &MovedError{Paths: moved}
	}
	return nil
}

// carryOut does what a saved journal says, from wherever it was interrupted, and keeps the books.
func (s *Store) carryOut(j journal) (Receipt, error) {
	d, err := s.openDisk(j.Run)
	if err != nil {
		return Receipt{}, err
	}
	defer d.close()
	var failed, errs []error
	for i := range j.Entries {
		e := &j.Entries[i]
		if e.Settled {
			continue
		}
		after, err := s.text(j.Run, e.File.Accepted)
		if err == nil {
			err = d.write(job{File: e.File, After: after, Temp: e.Temp})
		}
		e.File.Word = WordApplied
		if err != nil {
			err = unwritable(err)
			e.File.Word, e.File.Reason = WordNotApplied, err.Error()
			failed = append(failed, fmt.Errorf("apply %s: %w", e.File.Path, err))
			continue
		}
		if e.File.Kind != Delete {
			text, _, err := d.read(e.File.Path)
			if err != nil {
				errs = append(errs, fmt.Errorf("read back %s: %w", e.File.Path, err))
				continue
			}
			if e.File.Applied, err = s.PutText(j.Run, text); err != nil {
				errs = append(errs, err)
			}
		}
	}
	errs = append(errs, first(failed), d.removeEmpty(j.Empties), d.sync())
	receipt, err := s.book(j)
	if err != nil {
		return receipt, errors.Join(append(errs, err)...)
	}
	s.step("done")
	return receipt, errors.Join(append(errs, s.dropJournal(j.Run), s.foreseeUndo(j.Run))...)
}

// first is the first of the pages' errors with the count of the others: on a full disk all of them say the same, and the receipt has each.
func first(failed []error) error {
	switch len(failed) {
	case 0:
		return nil
	case 1:
		return failed[0]
	}
	return fmt.Errorf("%w; %s more could not be written", failed[0], pages(len(failed)-1))
}
