package wiki

import (
	"context"
	"fmt"
	"os"
	"time"
)

// Hold is a wiki's lock, taken once for several runs of one batch that are on at the same time. Each has a sandbox of its own and sees the wiki without what the
// others do; for every other program it is one run that holds the wiki.
type Hold struct{ release func() }

// Hold takes the wiki's lock for a batch and sweeps what died before. It does not wait: ErrHeld where another run has it. title is what others are told.
func (h *Host) Hold(ctx context.Context, w *Wiki, title string) (*Hold, error) {
	who := holder{PID: os.Getpid(), Run: title, Op: "ingest", Since: time.Now().UTC()}
	release, err := lockRun(ctx, h.rigHome, w.ID, who, func(h holder) error {
		return fmt.Errorf("%w: %s (process %d)", ErrHeld, h.Run, h.PID)
	})
	if err != nil {
		return nil, err
	}
	s, err := h.Store(w)
	if err == nil {
		err = h.sweep(w, s, w.ID)
	}
	if err != nil {
		release()
		return nil, err
	}
	return &Hold{release: release}, nil
}

// Release gives the wiki back. All runs of the batch are over by then.
func (h *Hold) Release() { h.release() }
