package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

func lockFile(rigHome string) string { return filepath.Join(rigHome, "locks", "daemon.lock") }

// hold takes the place of this RIG_HOME's daemon.
func hold(rigHome string) (release func(), err error) {
	file := lockFile(rigHome)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, fmt.Errorf("make the lock folder: %w", err)
	}
	l := flock.New(file, flock.SetPermissions(0o600))
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond) // who asks for the status holds it for a moment
	defer cancel()
	ok, err := l.TryLockContext(ctx, 10*time.Millisecond)
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return nil, fmt.Errorf("lock %s: %w", file, err)
	}
	if !ok {
		return nil, fmt.Errorf("%w (process %d)", ErrRunning, Process(rigHome))
	}
	if err := os.WriteFile(file, []byte(strconv.Itoa(os.Getpid())), 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("write %s: %w", file, err), l.Unlock())
	}
	return func() {
		_ = os.Truncate(file, 0) // the lock itself is what counts
		_ = l.Unlock()
	}, nil
}

// Look is the process of the daemon that serves rigHome, 0 where none does, and its queue. What a killed one left as running waits for its next try.
func Look(rigHome string, now time.Time) (pid int, q *Queue, err error) {
	pid = Process(rigHome)
	if q, err = LoadQueue(rigHome); err != nil {
		return pid, nil, err
	}
	if pid == 0 {
		pid = Process(rigHome) // one that began meanwhile may have begun a run too
	}
	if pid == 0 {
		q.BookDead(now)
	}
	return pid, q, nil
}

// Process is the process id of the daemon that serves rigHome, 0 where none does.
func Process(rigHome string) int {
	file := lockFile(rigHome)
	if _, err := os.Stat(file); err != nil {
		return 0
	}
	l := flock.New(file)
	if ok, err := l.TryRLock(); err == nil && ok {
		_ = l.Unlock()
		return 0
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0
	}
	return pid
}
