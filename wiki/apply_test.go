package wiki

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/rigwiki/rig/wiki/proposal"
)

// TestApplyTakesItsTurn holds that an apply and an undo on disk plan nothing while an editor is applying, hold no lock while they wait, and give the turn
// back, also where they fail.
func TestApplyTakesItsTurn(t *testing.T) {
	h, w, _ := queryHost(t, nil)
	s, err := h.Store(w)
	if err != nil {
		t.Fatal(err)
	}
	writes := map[string]func(context.Context) error{
		"apply": func(ctx context.Context) error {
			_, err := h.Apply(ctx, w, "none", proposal.Selection{}, Unflagged, "cli")
			return err
		},
		"undo": func(ctx context.Context) error {
			_, err := h.Undo(ctx, w, "none", "cli")
			return err
		},
	}
	for name, write := range writes {
		done, err := s.Turn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		short, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
		if err := write(short); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s in an editor's turn: %v", name, err)
		}
		stop()
		if err := h.Discard(t.Context(), w, "none", proposal.Selection{}, "", "cli"); !errors.Is(err, proposal.ErrNoRun) {
			t.Errorf("discard in an editor's turn: %v", err)
		}
		done()
		for range 2 {
			guard, stop := context.WithTimeout(t.Context(), time.Minute)
			if err := write(guard); !errors.Is(err, proposal.ErrNoRun) {
				t.Errorf("%s after it: %v", name, err)
			}
			stop()
		}
	}
}
