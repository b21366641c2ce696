package wiki

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// A Board is an endpoint of events that a program of ours serves beside its work (design, section 9).
type Board struct {
	Port  int    `json:"port"`
	Token string `json:"token,omitempty"` // "" where none is required
}

// PublishBoard names the endpoint that this process serves, so that sessions of wired projects find it without being told a port. It is held by a lock
// on its file: a program that died publishes nothing.
func PublishBoard(rigHome string, b Board) (withdraw func() error, err error) {
	path := filepath.Join(rigHome, "locks", fmt.Sprintf("board.%d", os.Getpid()))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("make the lock folder: %w", err)
	}
	l := flock.New(path, flock.SetPermissions(0o600))
	if ok, err := l.TryLock(); err != nil || !ok {
		return nil, fmt.Errorf("publish the events endpoint in %s: %w", path, errors.Join(err, ErrHeld))
	}
	text, err := json.Marshal(b)
	if err == nil {
		err = os.WriteFile(path, text, 0o600)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("publish the events endpoint: %w", err), l.Unlock())
	}
	return func() error { return errors.Join(os.Remove(path), l.Unlock()) }, nil
}

// Boards are the endpoints that living programs of ours publish, in no order. What cannot be read is left out: an emitter has nobody to tell.
func Boards(rigHome string) []Board {
	files, err := filepath.Glob(filepath.Join(rigHome, "locks", "board.*"))
	if err != nil {
		return nil // the folder's name is no pattern's
	}
	var out []Board
	for _, f := range files {
		l := flock.New(f, flock.SetFlag(os.O_RDONLY))
		if ok, err := l.TryRLock(); err != nil || ok { // nobody holds it: its program is gone, and so may be its port
			_ = l.Unlock()
			continue
		}
		text, err := os.ReadFile(f)
		var b Board
		if err == nil && json.Unmarshal(text, &b) == nil && b.Port > 0 {
			out = append(out, b)
		}
	}
	return out
}
