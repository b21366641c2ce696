package wiki

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/rigwiki/rig/wiki/proposal"
)

// Consent is how far a yes goes that names no page.
type Consent int

// The consents.
const (
	Unflagged   Consent = iota // nothing is applied where something is flagged
	WithFlagged                // the yes is for the flagged pages as well
)

// turnWait is how long an apply on disk waits for one in an editor, which loses its turn sooner unless its server was halted.
const turnWait = 2 * time.Minute

// Result is what an apply or an undo on disk came to.
type Result struct {
	Receipt   proposal.Receipt
	Conflicts []proposal.Conflict // left as they are
	Unsaved   []string            // left waiting, since an editor has unsaved text of them
	Flagged   []string            // not empty: nothing was applied, since these need an explicit yes
}

// Apply applies a selection of a proposal to the disk, as a terminal or the daemon does. Pages with unsaved text in an editor are left waiting.
// It waits while an editor is applying to the same wiki.
func (h *Host) Apply(ctx context.Context, w *Wiki, run string, sel proposal.Selection, c Consent, by string) (Result, error) {
	s, release, err := h.pageWriter(ctx, w)
	if err != nil {
		return Result{}, err
	}
	defer release()
	sel.Flagged = c == WithFlagged
	plan, err := s.Plan(run, sel, Disk(w))
	if err != nil {
		return Result{}, err
	}
	if flagged := flaggedIn(plan); c == Unflagged && len(flagged) > 0 {
		return Result{Flagged: flagged}, nil
	}
	return h.write(s, w, plan, by)
}

// flaggedIn are the flagged pages that a plan holds or leaves out for want of a yes.
func flaggedIn(plan proposal.Plan) []string {
	paths := slices.Clone(plan.Unflagged)
	for _, f := range plan.Files {
		if len(f.Flags) > 0 {
			paths = append(paths, f.Path)
		}
	}
	return paths
}

// Undo takes back what a run applied, on disk, keeping later edits.
func (h *Host) Undo(ctx context.Context, w *Wiki, run, by string) (Result, error) {
	s, release, err := h.pageWriter(ctx, w)
	if err != nil {
		return Result{}, err
	}
	defer release()
	plan, err := s.PlanUndo(run, Disk(w))
	if err != nil {
		return Result{}, err
	}
	return h.write(s, w, plan, by)
}

// Discard drops a selection of a proposal, with the reason.
func (h *Host) Discard(ctx context.Context, w *Wiki, run string, sel proposal.Selection, reason, by string) error {
	s, release, err := h.writer(ctx, w)
	if err != nil {
		return err
	}
	defer release()
	return s.Discard(run, sel, reason, by)
}

// writer opens the store with the apply lock held.
func (h *Host) writer(ctx context.Context, w *Wiki) (*proposal.Store, func(), error) {
	s, err := h.Store(w)
	if err != nil {
		return nil, nil, err
	}
	release, err := h.LockApply(ctx, w, s)
	return s, release, err
}

// pageWriter is writer for what plans and writes pages: the turn comes first, as in an editor, which holds it while it takes and leaves the apply lock.
func (h *Host) pageWriter(ctx context.Context, w *Wiki) (*proposal.Store, func(), error) {
	s, err := h.Store(w)
	if err != nil {
		return nil, nil, err
	}
	until, stop := context.WithTimeout(ctx, turnWait)
	defer stop()
	done, err := s.Turn(until)
	if err != nil && ctx.Err() == nil {
		return nil, nil, fmt.Errorf("%w: an editor has been applying to %s for %s", ErrHeld, w.Name, turnWait)
	} else if err != nil {
		return nil, nil, err
	}
	release, err := h.LockApply(ctx, w, s)
	if err != nil {
		done()
		return nil, nil, err
	}
	return s, func() { release(); done() }, nil
}

// write carries a plan out but for the pages that an editor has unsaved.
func (h *Host) write(s *proposal.Store, w *Wiki, plan proposal.Plan, by string) (Result, error) {
	unsaved, err := UnsavedPages(h.rigHome, w)
	if err != nil {
		return Result{}, err
	}
	res := Result{Conflicts: plan.Conflicts}
	plan.Files = slices.DeleteFunc(slices.Clone(plan.Files), func(p proposal.Planned) bool {
		held := slices.Contains(unsaved, p.Path) || p.From != "" && slices.Contains(unsaved, p.From)
		if held {
			res.Unsaved = append(res.Unsaved, p.Path)
		}
		return held
	})
	if len(plan.Files)+len(plan.Settled) == 0 && len(res.Conflicts)+len(res.Unsaved) > 0 {
		return res, nil // every page of it is left as it is
	}
	res.Receipt, err = s.Apply(plan, by)
	return res, err
}

// Disk reads pages as they are on disk; a link that leads out of the wiki is an error.
func Disk(w *Wiki) proposal.Current { return proposal.OnDisk(w.Real) }
