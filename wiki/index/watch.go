package index

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	quiet     = 60 * time.Millisecond  // how long a path's folder must be still before it is looked at
	patience  = 400 * time.Millisecond // how long a busy wiki may put that off
	pollEvery = 2 * time.Second
)

// Watch keeps the index at what is on disk until ctx ends, and tells of paths that may have changed, after the index has them. Folders are
// watched, not files: an editor that saves by renaming would take a file's watch away (case o-fs-09). Where the system has no watches left it
// says so once (see Warnings) and looks at the disk from time to time instead; changed is then told nil.
func (x *Index) Watch(ctx context.Context, changed func(rels []string)) error {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		x.warn("the wiki cannot be watched, it is looked at every few seconds: %v", err)
		return x.poll(ctx, changed)
	}
	defer w.Close()
	watched := map[string]bool{}
	if err := x.watchFolders(w, watched); err != nil {
		x.warn("the wiki cannot be watched, it is looked at every few seconds: %v", err)
		_ = w.Close() // its watches are of no use any more; others may need them
		return x.poll(ctx, changed)
	}
	if err := x.Refresh(ctx); err != nil { // what happened before the watches stood
		return err
	}
	changed(nil)
	return x.watch(ctx, w, watched, changed)
}

func (x *Index) watch(ctx context.Context, w *fsnotify.Watcher, watched map[string]bool, changed func([]string)) error {
	pending := map[string]bool{}
	var since time.Time
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	overflow := false
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case e, ok := <-w.Events:
			if !ok {
				return errors.New("the watcher ended")
			}
			rel, ok := x.watchedPath(e.Name)
			if !ok || e.Op == fsnotify.Chmod {
				continue
			}
			if len(pending) == 0 {
				since = time.Now()
			}
			pending[rel] = true
			timer.Reset(min(quiet, max(0, patience-time.Since(since))))
		case err := <-w.Errors:
			// Of all errors only a queue that ran over loses events; whatever it was, the disk has the answer.
			overflow = true
			x.warn("watching the wiki: %v", err)
			timer.Reset(quiet)
		case <-timer.C:
			rels := make([]string, 0, len(pending))
			for rel := range pending {
				rels = append(rels, rel)
			}
			slices.Sort(rels)
			if err := x.take(ctx, rels, overflow); err != nil {
				return err
			}
			if err := x.watchFolders(w, watched); err != nil {
				x.warn("the wiki cannot be watched, it is looked at every few seconds: %v", err)
				return x.poll(ctx, changed)
			}
			clear(pending)
			overflow = false
			changed(rels)
		}
	}
}

// take brings the index up to date after events.
func (x *Index) take(ctx context.Context, rels []string, all bool) error {
	if all {
		return x.Refresh(ctx)
	}
	return x.Changed(ctx, rels...)
}

// watchedPath is an event's path in the wiki; false for what is never part of it.
func (x *Index) watchedPath(name string) (string, bool) {
	rel, err := filepath.Rel(x.o.Root, name)
	if err != nil {
		return "", false
	}
	if rel = filepath.ToSlash(rel); rel == "." {
		return "", true
	}
	return rel, !hiddenPath(rel)
}

// watchFolders watches the folders that are not watched yet, and forgets those that are gone. A folder that is new is looked at once more
// when its watch stands, since files may have come before.
func (x *Index) watchFolders(w *fsnotify.Watcher, watched map[string]bool) error {
	first := len(watched) == 0
	for {
		x.writing.Lock()
		folders, _ := x.knowledge()
		x.writing.Unlock()
		var fresh []string
		now := make(map[string]bool, len(folders))
		for _, rel := range folders {
			now[rel] = true
			if watched[rel] {
				continue
			}
			if err := w.Add(x.file(rel)); err != nil {
				if _, gone := lstat(x.file(rel)); gone != nil {
					continue
				}
				return err
			}
			watched[rel] = true
			fresh = append(fresh, rel)
		}
		for rel := range watched {
			if !now[rel] {
				delete(watched, rel) // the kernel took the watch away with the folder
			}
		}
		if first || len(fresh) == 0 {
			return nil
		}
		if err := x.Changed(context.Background(), fresh...); err != nil { // a few folders
			return err
		}
	}
}

// Poll is Watch for a wiki of which no event tells everything, as on a network drive: it looks from time to time. changed is told nil.
func (x *Index) Poll(ctx context.Context, changed func(rels []string)) error {
	return x.poll(ctx, changed)
}

// poll refreshes from time to time, and leaves the machine twenty times as long as it takes.
func (x *Index) poll(ctx context.Context, changed func([]string)) error {
	for wait := pollEvery; ; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
		start := time.Now()
		if err := x.Refresh(ctx); err != nil {
			return err
		}
		wait = max(pollEvery, 20*time.Since(start))
		changed(nil)
	}
}
