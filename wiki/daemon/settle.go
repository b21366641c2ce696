package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/proposal"
)

// settle books the end of a run.
func (d *daemon) settle(ctx context.Context, r result) {
	d.busy--
	for _, w := range d.wikis { // the list may be a new one since
		if w.wiki.ID == r.w.wiki.ID {
			w.busy = false
		}
	}
	e := d.queue.find(r.w.wiki.Root, r.source)
	if e == nil {
		return
	}
	e.Run = r.rec.Run
	where := r.w.wiki.Path(r.source)
	switch {
	case r.rec.State == proposal.Proposed:
		e.State, e.Reason = Done, r.rec.Message
		d.Tell("%s: proposed, %s", where, r.rec.Message)
		d.decide(context.WithoutCancel(ctx), r, e)
	case r.rec.State == proposal.Cancelled && d.runs.Err() != nil:
		e.State = Waiting // given back: no try of its own
		d.Tell("%s: given back to the queue", where)
	case r.rec.State == proposal.Cancelled:
		e.State, e.Reason = GaveUp, "cancelled by a person"
		d.Tell("%s: %s", where, e.Reason)
	case r.rec.Exit == wiki.ExitNothing: // the agent has nothing to say to it, or it is ingested
		e.State, e.Reason = GaveUp, r.rec.Message
		d.Tell("%s: %s", where, e.Reason)
	default:
		if r.rec.Exit == wiki.ExitAgent || r.rec.Exit == wiki.ExitConfig {
			d.queue.unspend()
		}
		e.failed(r.rec.Message, d.Now())
		d.Tell("%s: %s (try %d of %d)", where, e.Reason, e.Tries, maxTries)
	}
}

// decide applies a proposal where the user allowed it and nothing of it is flagged; elsewhere it is written beside the wiki, to be read.
func (d *daemon) decide(ctx context.Context, r result, e *Entry) {
	w := r.w.wiki
	if d.Apply && r.w.cfg.MayApply(r.source) {
		res, err := d.Host.Apply(ctx, w, r.rec.Run, proposal.Selection{}, wiki.Unflagged, "daemon")
		switch {
		case err != nil:
			d.Tell("apply %s: %v", r.rec.Run, err)
		case len(res.Flagged) > 0:
			d.Tell("%s waits: %s need a yes", r.rec.Run, strings.Join(res.Flagged, ", "))
		case len(res.Unsaved)+len(res.Conflicts) > 0:
			d.Tell("%s waits in part: pages are open with unsaved text, or have changed", r.rec.Run)
		default:
			d.Tell("applied %s", r.rec.Run)
			return
		}
	}
	d.keepDiff(w, e)
}

// keepDiff writes what waits of an entry's run beside the wiki and books where.
func (d *daemon) keepDiff(w *wiki.Wiki, e *Entry) {
	rel, err := d.writeDiff(w, d.queue.diffOf(*e), e.Run)
	if err != nil {
		d.Tell("%v", err)
		return
	}
	e.Diff = rel
}

// writeDiff writes what waits of a proposal to a file of <wiki>/proposals/, in the form that `rig wiki proposals import` reads. rel is "" where nothing does.
func (d *daemon) writeDiff(w *wiki.Wiki, at, run string) (rel string, err error) {
	s, err := d.Host.Store(w)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if err := s.Export(run, &b); err != nil || b.Len() == 0 {
		return "", err
	}
	dir := filepath.Join(w.Real, "proposals")
	if fi, err := os.Lstat(dir); err == nil && !fi.IsDir() {
		return "", fmt.Errorf("write the diff of %s: %s is no folder", run, dir)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("write the diff of %s: %w", run, err)
	}
	f, err := os.CreateTemp(dir, ".diff-*")
	if err != nil {
		return "", fmt.Errorf("write the diff of %s: %w", run, err)
	}
	_, err = f.WriteString(b.String())
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err == nil {
		err = os.Rename(f.Name(), filepath.Join(w.Real, filepath.FromSlash(at)))
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return "", fmt.Errorf("write the diff of %s: %w", run, err)
	}
	return at, nil
}

// diffOf is where the diff of a source lies: where it lay before, else at a name that no other source of the wiki has, since notes.md, notes.txt
// and a folder's file may come to the same.
func (q *Queue) diffOf(e Entry) string {
	if e.Diff != "" {
		return e.Diff
	}
	name := path.Join("proposals", diffName(e.Source))
	at := name + ".diff"
	for n := 2; slices.ContainsFunc(q.Entries, func(o Entry) bool { return o.Wiki == e.Wiki && strings.EqualFold(o.Diff, at) }); n++ {
		at = fmt.Sprintf("%s-%d.diff", name, n)
	}
	return at
}

// diffName is the name of a source without its extension; folders of raw/ are told by dashes.
func diffName(source string) string {
	name := strings.TrimPrefix(source, "raw/")
	name = strings.TrimSuffix(name, path.Ext(name))
	return strings.ReplaceAll(name, "/", "-")
}

// removeDiff takes away a diff of ours whose proposal was decided. The folder goes with the last one.
func removeDiff(w *wiki.Wiki, rel string) {
	file := filepath.Join(w.Real, filepath.FromSlash(rel))
	if err := os.Remove(file); err == nil || errors.Is(err, fs.ErrNotExist) {
		_ = os.Remove(filepath.Dir(file)) // not empty: others wait
	}
}
