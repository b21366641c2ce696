package wiki

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// ErrHeld: another run holds the wiki (exit 31).
var ErrHeld = errors.New("another run holds the wiki")

// holder is what a lock file tells about who holds it. It is for people; the lock itself is flock's.
type holder struct {
	PID   int       `json:"pid"`
	Run   string    `json:"run"`
	Op    string    `json:"op"`
	Since time.Time `json:"since"`
}

// lockPoll is how often a queued run of another process's lock asks again.
const lockPoll = 200 * time.Millisecond

// lockPath is locks/<wiki>.lock below RIG_HOME; suffix tells its siblings apart ("apply").
func lockPath(rigHome, wikiID, suffix string) string {
	return filepath.Join(rigHome, "locks", wikiID+suffix)
}

// lockRun takes the wiki's run lock. wait is called once when another process holds it; if it returns an error the wait ends with that.
func lockRun(ctx context.Context, rigHome, wikiID string, who holder, wait func(h holder) error) (release func(), err error) {
	path := lockPath(rigHome, wikiID, ".lock")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("make the lock folder: %w", err)
	}
	l := flock.New(path, flock.SetPermissions(0o600))
	ok, err := l.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	if !ok {
		if err := wait(readHolder(path)); err != nil {
			return nil, err
		}
		if ok, err = l.TryLockContext(ctx, lockPoll); err != nil || !ok {
			return nil, fmt.Errorf("wait for %s: %w", path, context.Cause(ctx))
		}
	}
	text, err := json.Marshal(who)
	if err == nil {
		err = os.WriteFile(path, text, 0o600)
	}
	if err != nil {
		_ = l.Unlock()
		return nil, fmt.Errorf("write %s: %w", path, err)
	}
	return func() {
		_ = os.Truncate(path, 0) // the name of a run that is over would mislead; the lock itself is what counts
		_ = l.Unlock()
	}, nil
}

// held tells whether somebody has a run lock. It is asked about others' only.
func held(rigHome, wikiID string) bool {
	l := flock.New(lockPath(rigHome, wikiID, ".lock"), flock.SetFlag(os.O_RDONLY))
	ok, err := l.TryRLock()
	if err != nil {
		return !errors.Is(err, os.ErrNotExist) // no file: nobody ever had it
	}
	_ = l.Unlock()
	return !ok
}

func readHolder(path string) (h holder) {
	text, err := os.ReadFile(path)
	if err == nil {
		_ = json.Unmarshal(text, &h) // a half-written holder is only less to say
	}
	return h
}

// lockApply serializes writers of one wiki's pages and receipts; it is held for moments.
func lockApply(ctx context.Context, rigHome, wikiID string) (release func(), err error) {
	path := lockPath(rigHome, wikiID, ".apply.lock")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("make the lock folder: %w", err)
	}
	l := flock.New(path, flock.SetPermissions(0o600))
	if ok, err := l.TryLockContext(ctx, lockPoll/4); err != nil || !ok {
		return nil, fmt.Errorf("lock %s: %w", path, errors.Join(err, context.Cause(ctx)))
	}
	return func() { _ = l.Unlock() }, nil
}

// Unsaved is a server's published list of pages with unsaved text. It is held by a lock on its file, so that a server that
// died publishes nothing.
type Unsaved struct {
	l    *flock.Flock
	path string
}

// Publish names the wiki's pages (rel) that have unsaved text in this process, for other processes to leave alone.
func Publish(rigHome string, w *Wiki, u *Unsaved, pages []string) (*Unsaved, error) {
	if u == nil {
		path := lockPath(rigHome, w.ID, fmt.Sprintf(".unsaved.%d", os.Getpid()))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, fmt.Errorf("make the lock folder: %w", err)
		}
		u = &Unsaved{l: flock.New(path, flock.SetPermissions(0o600)), path: path}
		if ok, err := u.l.TryLock(); err != nil || !ok {
			return nil, fmt.Errorf("publish unsaved pages in %s: %w", path, errors.Join(err, ErrHeld))
		}
	}
	text, err := json.Marshal(pages)
	if err != nil {
		return u, fmt.Errorf("publish unsaved pages: %w", err)
	}
	if err := os.WriteFile(u.path, text, 0o600); err != nil {
		return u, fmt.Errorf("publish unsaved pages: %w", err)
	}
	return u, nil
}

// Close withdraws the list.
func (u *Unsaved) Close() error {
	err := os.Remove(u.path)
	return errors.Join(err, u.l.Unlock())
}

// UnsavedPages are the pages (rel, sorted) that some living server has unsaved text of.
func UnsavedPages(rigHome string, w *Wiki) ([]string, error) {
	files, err := filepath.Glob(lockPath(rigHome, w.ID, ".unsaved.*"))
	if err != nil {
		return nil, fmt.Errorf("look for unsaved pages: %w", err)
	}
	var all []string
	for _, f := range files {
		if strings.HasSuffix(f, fmt.Sprintf(".%d", os.Getpid())) {
			continue // our own
		}
		l := flock.New(f)
		if ok, err := l.TryLock(); err == nil && ok { // nobody holds it: its server is gone
			_ = os.Remove(f)
			_ = l.Unlock()
			continue
		}
		pages, err := readUnsaved(f)
		if errors.Is(err, os.ErrNotExist) {
			continue // withdrawn between the listing and now
		}
		if err != nil {
			return nil, err
		}
		all = append(all, pages...)
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// readUnsaved reads one list. Its server rewrites it in place (a rename would leave the lock on the old file), so a reader may meet
// it half written and asks again.
func readUnsaved(file string) (pages []string, err error) {
	for range 20 {
		var text []byte
		if text, err = os.ReadFile(file); err != nil {
			return nil, fmt.Errorf("read unsaved pages: %w", err)
		}
		if err = json.Unmarshal(text, &pages); err == nil {
			return pages, nil
		}
		time.Sleep(5 * time.Millisecond)
	}
	return nil, fmt.Errorf("read %s: %w", file, err)
}
