package proposal

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rigwiki/rig/sandbox/diff"
)

// step names one entry of a run's receipts.
type step struct{ Receipt, File int }

// PlanUndo works out how to take back all that was applied of a run: the receipts in reverse, each entry a three-way merge that keeps what
// was changed since (base: what was applied; mine: the text now; theirs: what was before). A page whose later edits sit on the same lines is a
// conflict and stays as it is. It writes undo.diff anew. ErrNothing where nothing is left to take back.
func (s *Store) PlanUndo(run string, cur Current) (Plan, error) {
	rec, err := s.Load(run)
	if err != nil {
		return Plan{}, err
	}
	receipts, err := s.Receipts(run)
	if err != nil {
		return Plan{}, err
	}
	cur, done := s.reach(rec, cur)
	defer done()
	u, err := s.takeBack(run, receipts, cur)
	if err != nil {
		return Plan{}, err
	}
	if len(u.order) == 0 {
		return Plan{}, fmt.Errorf("%s: nothing to undo: %w", run, ErrNothing)
	}
	plan := u.plan()
	for _, r := range receipts {
		if !r.Undo {
			plan.empties = append(plan.empties, r.Folders...)
		}
	}
	slices.SortFunc(plan.empties, func(a, b string) int { return strings.Compare(b, a) }) // inner ones first
	plan.empties = slices.Compact(plan.empties)
	plan.makeRoom(rec.Wiki)
	return plan, s.writeUndoDiff(plan)
}

// takeBack plays the receipts backwards on the pages that cur gives.
func (s *Store) takeBack(run string, receipts []Receipt, cur Current) (*undo, error) {
	u := &undo{store: s, run: run, cur: cur, pages: map[string]*page{}}
	for i := len(receipts) - 1; i >= 0; i-- {
		for j := len(receipts[i].Files) - 1; j >= 0; j-- {
			if f := receipts[i].Files[j]; receipts[i].stands(f) {
				if err := u.back(f, step{i, j}); err != nil {
					return nil, err
				}
			}
		}
	}
	return u, nil
}

// stands tells whether an entry was applied and not taken back since.
func (r Receipt) stands(f ReceiptFile) bool {
	return !r.Undo && f.Undone.IsZero() && f.Word != WordNotApplied
}

// foreseeUndo writes undo.diff as it would take the run back from the pages as they were applied. After an undo the diff of that stays.
func (s *Store) foreseeUndo(run string) error {
	receipts, err := s.Receipts(run)
	if err != nil || len(receipts) == 0 || receipts[len(receipts)-1].Undo {
		return err
	}
	left := map[string]string{} // path -> sha256 of the text that the receipts left there
	for _, r := range receipts {
		for _, f := range r.Files {
			if !r.stands(f) {
				continue
			}
			delete(left, f.From)
			switch {
			case f.Kind == Delete:
				delete(left, f.Path)
			case f.Applied != "" && s.hasText(run, f.Applied):
				left[f.Path] = f.Applied
			default:
				left[f.Path] = f.Accepted
			}
		}
	}
	u, err := s.takeBack(run, receipts, func(path string) ([]byte, bool, error) {
		sum, there := left[path]
		text, err := s.text(run, sum)
		return text, there, err
	})
	if err != nil || len(u.order) == 0 {
		return err
	}
	return s.writeUndoDiff(u.plan())
}

func (s *Store) writeUndoDiff(plan Plan) error {
	var diffs []diff.FileDiff
	for _, p := range plan.Files {
		diffs = append(diffs, diff.FileDiff{Path: p.Path, From: p.From, Kind: diff.Kind(p.Kind), Old: p.Before, New: p.After})
	}
	return s.writeDiff(plan.Run, undoDiff, nil, diffs)
}

// undo plays the receipts backwards on a picture of the pages.
type undo struct {
	store *Store
	run   string
	cur   Current
	pages map[string]*page // by the path where they are in the picture
	order []*page
}

// page is one page of the picture: as it is, and as it would be.
type page struct {
	was, at        string // path now and in the picture
	existed, there bool
	before, text   []byte
	shared         bool
	steps          []step
	conflict       *Conflict
}

func (u *undo) page(path string) (*page, error) {
	if p := u.pages[path]; p != nil {
		return p, nil
	}
	text, ok, err := u.cur(path)
	led := errors.Is(err, ErrLink)
	if err != nil && !led {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	p := &page{was: path, at: path, existed: ok, there: ok, before: text, text: text}
	if led {
		p.fail(strings.TrimSuffix(err.Error(), ": "+ErrLink.Error()), nil, nil)
	}
	u.pages[path] = p
	u.order = append(u.order, p)
	return p, nil
}

// back takes one receipt entry back in the picture.
func (u *undo) back(f ReceiptFile, st step) error {
	p, err := u.page(f.Path)
	if err != nil {
		return err
	}
	p.steps = append(p.steps, st)
	p.shared = p.shared || f.Shared
	if p.conflict != nil {
		return nil
	}
	before, err := u.store.text(u.run, f.Before)
	if err != nil {
		return err
	}
	applied := f.Accepted
	if f.Applied != "" && u.store.hasText(u.run, f.Applied) {
		applied = f.Applied // as the editor left it: taking back its reshaping too restores the bytes
	}
	after, err := u.store.text(u.run, applied)
	if err != nil {
		return err
	}
	switch f.Kind {
	case Create:
		p.uncreate(after)
	case Delete:
		p.undelete(before)
	default:
		p.unedit(after, before)
		if f.Kind == Rename {
			return u.unmove(p, f.From)
		}
	}
	return nil
}

func (p *page) uncreate(after []byte) {
	switch {
	case !p.there:
	case bytes.Equal(p.text, after):
		p.there, p.text = false, nil
	default:
		p.fail("the page that the run made was edited since; it stays", nil, after)
	}
}

func (p *page) undelete(before []byte) {
	switch {
	case !p.there:
		p.there, p.text = true, before
	case !bytes.Equal(p.text, before):
		p.fail("a page of this name has come since the run deleted it", before, nil)
	}
}

// unedit takes an edit back. A page that is gone stays gone: deleting it was a later edit.
func (p *page) unedit(after, before []byte) {
	if !p.there {
		return
	}
	m := mergeBack(after, p.text, before, Planned{Shared: p.shared})
	if len(m.Conflicts) > 0 {
		p.fail("the lines that the run changed were edited since", after, before)
		p.conflict.Regions, p.conflict.Line = regions(m), m.Conflicts[0].OursLine
		return
	}
	p.text = m.Text
}

func (u *undo) unmove(p *page, from string) error {
	if p.conflict != nil || !p.there {
		return nil
	}
	old, err := u.page(from)
	if err != nil {
		return err
	}
	if old.conflict != nil {
		p.conflict = old.conflict
		return nil
	}
	// On a disk that folds case the old name of a case-only rename shows the page itself.
	if old.there && !(strings.EqualFold(from, p.at) && bytes.Equal(old.before, p.before)) {
		p.fail("a page of the old name "+from+" has come since", p.before, p.text)
		return nil
	}
	delete(u.pages, p.at)
	u.order = slices.DeleteFunc(u.order, func(q *page) bool { return q == old })
	p.steps = append(p.steps, old.steps...)
	p.at = from
	u.pages[from] = p
	return nil
}

func (p *page) fail(reason string, base, agent []byte) {
	p.conflict = &Conflict{Path: p.was, Reason: reason, Base: base, Agent: agent, Yours: p.before}
}

// plan compares the picture with the pages as they are.
func (u *undo) plan() Plan {
	plan := Plan{Run: u.run, Undo: true}
	for _, p := range u.order {
		if p.conflict != nil {
			plan.Conflicts = append(plan.Conflicts, *p.conflict)
			continue
		}
		f := Planned{Path: p.at, Exists: p.existed, Before: p.before, After: p.text, Shared: p.shared, file: p.at, steps: p.steps}
		switch {
		case p.existed && !p.there:
			f.Kind = Delete
			plan.Files = append(plan.Files, f)
		case !p.existed && p.there:
			f.Kind, f.Edits = Create, edits(nil, p.text)
			plan.Files = append(plan.Files, f)
		case !p.existed:
			f.Kind = Edited
			plan.Settled = append(plan.Settled, f)
		default:
			f.Kind = Edited
			if p.was != p.at {
				f.Kind, f.From = Rename, p.was
			}
			plan.add(f)
		}
	}
	return plan
}
