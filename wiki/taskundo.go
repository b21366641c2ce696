package wiki

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/rigwiki/rig/wiki/proposal"
	"github.com/rigwiki/rig/wiki/task"
)

// UndoTask takes a task's run back: its branch goes back to where it was, or away where the run made it. A branch that went on since, or is checked out,
// is left alone ([proposal.ErrMoved]). What was pushed is not taken back: rewriting what is public is nobody's but the user's.
func (h *Host) UndoTask(ctx context.Context, w *Wiki, run string) (proposal.Record, error) {
	s, release, err := h.writer(ctx, w)
	if err != nil {
		return proposal.Record{}, err
	}
	defer release()
	rec, err := s.Load(run)
	if err != nil {
		return rec, err
	}
	if rec.Tip == "" || !rec.Undone.IsZero() {
		return rec, fmt.Errorf("%s left no branch: %w", run, proposal.ErrNothing)
	}
	git, err := task.FindGit(h.env)
	if err != nil {
		return rec, err
	}
	repo, err := task.Open(ctx, git, w.Real)
	if err != nil {
		return rec, err
	}
	ref := rec.Branch
	if !strings.HasPrefix(ref, "refs/") {
		ref = "refs/heads/" + ref
	}
	if err := repo.TakeBack(ctx, ref, rec.Tip, rec.Was); errors.Is(err, task.ErrMoved) {
		return rec, fmt.Errorf("%w: %w", proposal.ErrMoved, err)
	} else if err != nil {
		return rec, err
	}
	err = s.Update(run, func(r *proposal.Record) error {
		r.Undone, r.State = time.Now().UTC(), proposal.Discarded
		rec = *r
		return nil
	})
	return rec, err
}
