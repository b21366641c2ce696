package proposal

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// Note records what an editor made of a plan, as the server read it back: results name the pages by the plan's path, with Word and, where the
// text was read, Applied (and Hunks, of a page that was applied partly). A page of the plan without a result counts as not applied. What an
// editor did is recorded also where another process decided about the same meanwhile: it cannot be refused after the fact.
func (s *Store) Note(run string, plan Plan, by string, results []ReceiptFile) (Receipt, error) {
	unlock, err := s.lock()
	if err != nil {
		return Receipt{}, err
	}
	defer unlock()
	if plan.Run != run {
		return Receipt{}, fmt.Errorf("note run %s: the plan is of run %q", run, plan.Run)
	}
	j, err := s.newJournal(plan, by)
	if err != nil {
		return Receipt{}, err
	}
	byPath := make(map[string]ReceiptFile, len(results))
	for _, r := range results {
		byPath[r.Path] = r
	}
	for i := range j.Entries {
		e := &j.Entries[i]
		if e.Settled {
			continue
		}
		got, ok := byPath[e.File.Path]
		if !ok {
			got = ReceiptFile{Word: WordNotApplied, Reason: "the editor did not say"}
		}
		e.File.Word, e.File.Applied, e.File.Reason = got.Word, got.Applied, got.Reason
		if got.Word == WordPartly {
			e.File.Hunks = got.Hunks
		}
	}
	receipt, err := s.book(j)
	if err != nil {
		return receipt, err
	}
	if !plan.Undo {
		err = s.foreseeUndo(run)
	}
	if len(j.Empties) == 0 {
		return receipt, err
	}
	d, openErr := s.openDisk(run)
	if openErr != nil {
		return receipt, errors.Join(err, openErr)
	}
	defer d.close()
	return receipt, errors.Join(err, d.removeEmpty(j.Empties)) // an editor deletes pages, not the folders that they were in
}

// RemoveEmpty removes those folders of a plan that are there and empty: an editor may make them for a page that then does not come. Inner folders go
// with outer ones.
func (s *Store) RemoveEmpty(plan Plan) error {
	if len(plan.Folders) == 0 {
		return nil
	}
	d, err := s.openDisk(plan.Run)
	if err != nil {
		return err
	}
	defer d.close()
	inner := slices.Clone(plan.Folders)
	slices.Reverse(inner) // outer ones are listed first
	return errors.Join(d.removeEmpty(inner), d.sync())
}

// Discard rejects what a selection names, with a reason that is remembered; flagged pages as well, for nothing is written.
// ErrNothing where nothing of it waits. Proposals that stand on what is dropped are marked.
func (s *Store) Discard(run string, sel Selection, reason, by string) error {
	sel.Flagged = true
	unlock, err := s.lock()
	if err != nil {
		return err
	}
	defer unlock()
	err = s.update(run, func(rec *Record) error {
		if err := decidable(*rec); err != nil {
			return err
		}
		takes, _, err := resolve(*rec, sel)
		if err != nil {
			return err
		}
		n, at := 0, s.now().UTC()
		for _, t := range takes {
			f := &rec.Files[t.index]
			was := f.verdicts()
			for _, id := range t.parts {
				if was[id] == Waiting {
					f.Decided = append(f.Decided, Decision{Hunk: id, Reason: reason, By: by, At: at})
					n++
				}
			}
		}
		if n == 0 {
			return fmt.Errorf("%s: nothing of it waits: %w", run, ErrNothing)
		}
		rec.settle()
		return nil
	})
	if err != nil {
		return err
	}
	return s.markAbove(run)
}

// book writes a receipt, and the decisions and the state that follow from it. Doing it twice for one journal is doing it once: a kill may
// have come between the two files.
func (s *Store) book(j journal) (Receipt, error) {
	rec, err := s.Load(j.Run)
	if err != nil {
		return Receipt{}, err
	}
	receipts, err := s.Receipts(j.Run)
	if err != nil {
		return Receipt{}, err
	}
	receipt := j.receipt()
	again := func(r Receipt) bool { return r.At.Equal(receipt.At) && r.By == receipt.By && r.Undo == receipt.Undo }
	if !slices.ContainsFunc(receipts, again) {
		receipts = append(receipts, receipt)
		if j.Undo {
			j.markUndone(receipts)
		}
		s.step("receipt")
		if err := s.saveReceipts(j.Run, receipts); err != nil {
			return receipt, err
		}
	}
	if j.Undo {
		rec.undone(receipts, receipt)
	} else {
		j.decide(&rec)
		rec.settle()
	}
	s.step("record")
	if err := s.Save(rec); err != nil || !j.Undo {
		return receipt, err
	}
	return receipt, s.markAbove(j.Run)
}

// decide records as accepted what the journal's entries took.
func (j journal) decide(rec *Record) {
	for _, e := range j.Entries {
		if e.File.Word == WordNotApplied {
			continue
		}
		i, ok := fileAt(*rec, e.Of)
		if len(e.File.Hunks) > 0 {
			i, ok = fileOf(*rec, e.File.Hunks[0])
		}
		if !ok {
			continue
		}
		f := &rec.Files[i]
		ids, why := e.File.Hunks, ""
		if e.File.Edited {
			why = "as edited in the diff"
		}
		onlyOwn := e.File.Edited && f.Hunks > 0 // and none of the agent's
		if len(ids) == 0 && e.File.Word != WordPartly && !onlyOwn {
			ids = []string{whole}
		}
		verdicts := f.verdicts()
		for _, id := range ids {
			if verdicts[id] != Accepted {
				f.Decided = append(f.Decided, Decision{Hunk: id, Accept: true, Reason: why, By: j.By, At: j.At})
			}
		}
	}
}

func (j journal) markUndone(receipts []Receipt) {
	for _, e := range j.Entries {
		if e.File.Word == WordNotApplied || e.File.Word == WordPartly {
			continue
		}
		for _, st := range e.Steps {
			if st.Receipt >= len(receipts) || st.File >= len(receipts[st.Receipt].Files) {
				continue
			}
			receipts[st.Receipt].Files[st.File].Undone = j.At
		}
	}
}

// undone sets the state after an undo: discarded where nothing is left of the run, what waited included; partly where something stays, and what it was
// where all of it does.
func (r *Record) undone(receipts []Receipt, undo Receipt) {
	back, left := 0, 0
	for _, f := range undo.Files {
		if f.Word != WordNotApplied {
			back++
		}
	}
	for _, rc := range receipts {
		for _, f := range rc.Files {
			if !rc.Undo && f.Word != WordNotApplied && f.Undone.IsZero() {
				left++
			}
		}
	}
	if left > 0 && back == 0 {
		r.Message = fmt.Sprintf("nothing was taken back: %s changed since or could not be written", pages(left))
		return
	}
	if left > 0 {
		r.State = Partly
		r.Message = fmt.Sprintf("undone in part: %s taken back, %d changed since and kept", pages(back), left)
		return
	}
	r.drop("undone", undo.By, undo.At)
	r.State, r.Undone = Discarded, undo.At
	r.Message = fmt.Sprintf("undone: %s taken back", pages(back))
}

// drop rejects all that waits.
func (r *Record) drop(reason, by string, at time.Time) {
	for i := range r.Files {
		f := &r.Files[i]
		for _, id := range f.waiting() {
			f.Decided = append(f.Decided, Decision{Hunk: id, Reason: reason, By: by, At: at})
		}
	}
}

func pages(n int) string {
	if n == 1 {
		return "1 page"
	}
	return fmt.Sprintf("%d pages", n)
}
