package wiki

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// pausePath is a file beside the lock: while it is there, the wiki's queued runs wait in every program. What runs goes on.
func (h *Host) pausePath(w *Wiki) string { return lockPath(h.rigHome, w.ID, ".paused") }

// Pause makes the wiki's queue wait. A run that a person starts in a terminal is not queued and goes on.
func (h *Host) Pause(w *Wiki) error {
	path := h.pausePath(w)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("pause the queue of %s: %w", w.Name, err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		return fmt.Errorf("pause the queue of %s: %w", w.Name, err)
	}
	return nil
}

// Resume lets the queue go on. One that is not paused is no error.
func (h *Host) Resume(w *Wiki) error {
	if err := os.Remove(h.pausePath(w)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("resume the queue of %s: %w", w.Name, err)
	}
	return nil
}

// Paused tells whether the wiki's queue waits.
func (h *Host) Paused(w *Wiki) bool {
	_, err := os.Stat(h.pausePath(w))
	return err == nil
}
