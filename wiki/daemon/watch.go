package daemon

import (
	"context"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// How changes become one look: a folder must be still for a while, since a file may be on its way; a busy one is looked at all the same.
const (
	still    = 500 * time.Millisecond
	atLatest = 5 * time.Second
)

// watcher tells that something changed below a folder. What changed is for the look to find out: 10,000 files at once cost one.
type watcher struct {
	dir     string
	drive   func(dir string) string // the kind of network drive, "" for none
	poll    time.Duration           // how often the daemon looks by itself
	changed func()
	warn    func(format string, args ...any)
}

// run watches until ctx ends. Folders are watched, not files. Where the system cannot watch (no watches left, a network drive, whose changes from
// elsewhere no event tells), the daemon's own looks from time to time have to do, and that is said once.
func (w watcher) run(ctx context.Context) {
	if kind := w.drive(w.dir); kind != "" {
		w.warn("%s is on a network drive (%s): it is looked at every %s", w.dir, kind, w.poll)
		return
	}
	n, err := fsnotify.NewWatcher()
	if err == nil {
		defer n.Close()
		err = w.addAll(n, w.dir)
	}
	if err != nil {
		w.warn("%s cannot be watched (%v): it is looked at every %s", w.dir, err, w.poll)
		return
	}
	w.changed() // what came before the watches stood
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	var since time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case e, ok := <-n.Events:
			if !ok {
				return
			}
			if e.Op == fsnotify.Chmod {
				continue
			}
			if e.Op.Has(fsnotify.Create) {
				if err := w.addAll(n, e.Name); err != nil { // a file is no folder: nothing is added
					w.warn("%s cannot be watched: %v", e.Name, err)
				}
			}
		case <-n.Errors: // of all errors only a queue that ran over loses events; whatever it was, a look has the answer
		case <-timer.C:
			since = time.Time{}
			w.changed()
			continue
		}
		if since.IsZero() {
			since = time.Now()
		}
		timer.Reset(max(0, min(still, atLatest-time.Since(since))))
	}
}

// addAll watches a folder and those in it. What is gone meanwhile is no error.
func (w watcher) addAll(n *fsnotify.Watcher, dir string) error {
	return filepath.WalkDir(dir+string(filepath.Separator), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return nil
		}
		if err := n.Add(path); err != nil {
			if _, gone := filepath.EvalSymlinks(path); gone == nil {
				return err
			}
		}
		return nil
	})
}
