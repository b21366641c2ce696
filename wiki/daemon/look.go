package daemon

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/proposal"
)

// wake makes the loop look. One look that is due is enough.
func (d *daemon) wake() {
	select {
	case d.change <- struct{}{}:
	default:
	}
}

// stir has those wikis looked at that no event speaks for: what cannot be watched, and what the queue knows, since others may have decided it. One
// that takes long is left alone for longer.
func (d *daemon) stir() {
	for _, w := range d.wikis {
		known := slices.ContainsFunc(d.queue.Entries, func(e Entry) bool { return e.Wiki == w.wiki.Root })
		if (known || w.blind.Load()) && time.Since(w.looked) > 20*w.cost {
			w.dirty.Store(true)
		}
	}
}

// look queues new sources of the wikis that changed, and forgets what needs no attention any more.
func (d *daemon) look(ctx context.Context) {
	for _, w := range d.wikis {
		if !w.dirty.Swap(false) {
			continue
		}
		start := time.Now()
		if err := d.lookAt(ctx, w); err != nil && ctx.Err() == nil {
			d.Tell("look at %s: %v", w.wiki.Root, err)
		}
		w.looked, w.cost = time.Now(), time.Since(start)
	}
}

func (d *daemon) lookAt(ctx context.Context, w *watched) error {
	x, err := d.Host.Index(ctx, w.wiki)
	if err == nil {
		err = x.Refresh(ctx)
	}
	if err != nil {
		return err
	}
	sources, err := d.Host.Scan(ctx, w.wiki)
	if err != nil {
		return err
	}
	open := map[string]bool{}
	for _, s := range sources {
		open[s.Path] = s.Status == wiki.SourceNew || s.Status.Changed()
		auto := s.Status == wiki.SourceNew && w.cfg.AutoIngest(s.Path) || s.Status.Changed() && w.cfg.AutoAgain(s.Path)
		switch {
		case s.Proposal != "":
			d.adopt(w, s)
		case auto:
			d.offer(w, s.Path)
		case s.Status.Drifted():
			d.tellChange(w, s)
		}
	}
	d.forget(w, open)
	return nil
}

// adopt books a proposal that waits for a source which was tried before and is to be tried again: a daemon was killed after the run had made it and before
// it was booked, or a person ran it. Nothing of it is applied.
func (d *daemon) adopt(w *watched, s wiki.ScannedSource) {
	e := d.queue.find(w.wiki.Root, s.Path)
	if e == nil || e.State != Waiting || e.Tries == 0 {
		return
	}
	e.State, e.Run, e.Next, e.Reason = Done, s.Proposal, time.Time{}, "its proposal waits"
	d.Tell("%s: the proposal of %s waits", w.wiki.Path(s.Path), s.Proposal)
	d.keepDiff(w.wiki, e)
}

// tellChange says once that a source is not as it was ingested, and what can be done.
func (d *daemon) tellChange(w *watched, s wiki.ScannedSource) {
	key := s.Path + " " + string(s.Status)
	if w.told[key] {
		return
	}
	w.told[key] = true
	how := "`rig wiki ingest` takes it again"
	if s.Status == wiki.SourceDeleted {
		how = "`rig wiki scan --cascade` proposes what goes with it"
	}
	d.Tell("%s: %s since it was ingested; %s", w.wiki.Path(s.Path), s.Status.Word(), how)
}

// offer queues a source that is new or has changed. One that is still being written is looked at again; what is no text is a person's to look at.
func (d *daemon) offer(w *watched, rel string) {
	fi, err := os.Stat(w.wiki.Path(rel))
	if err != nil {
		return // gone meanwhile
	}
	if age := time.Since(fi.ModTime()).Abs(); age < d.Settled {
		time.AfterFunc(d.Settled, func() { w.dirty.Store(true); d.wake() })
		return
	}
	if wiki.CheckSource(w.wiki, rel) != nil {
		return
	}
	sha, err := shaOf(w.wiki, rel)
	if err != nil || d.refused(w, rel, sha) {
		return
	}
	if d.queue.add(w.wiki.Root, rel, sha, d.Now()) {
		d.Tell("queued %s", w.wiki.Path(rel))
	}
}

// refused tells whether a person has discarded a proposal for this text already.
func (d *daemon) refused(w *watched, rel, sha string) bool {
	if e := d.queue.find(w.wiki.Root, rel); e != nil && e.SHA == sha {
		return false // known: nothing is added
	}
	s, err := d.Host.Store(w.wiki)
	if err != nil {
		return false
	}
	recs, _, _ := s.List() // what cannot be read tells nothing here
	return slices.ContainsFunc(recs, func(rec proposal.Record) bool {
		i := slices.Index(rec.Sources, rel)
		return rec.Op == "ingest" && rec.State == proposal.Discarded && i >= 0 && i < len(rec.SourceSHA) && rec.SourceSHA[i] == sha
	})
}

// forget drops entries whose source is gone, or ingested by somebody, and the diffs of proposals that wait no longer. The entry of a proposal that was
// discarded stays: its source is not asked about twice.
func (d *daemon) forget(w *watched, open map[string]bool) {
	for _, e := range slices.Clone(d.queue.Entries) {
		if e.Wiki != w.wiki.Root {
			continue
		}
		if e.Diff != "" && !d.waits(w, e.Run) {
			removeDiff(w.wiki, e.Diff)
			e.Diff, d.queue.find(e.Wiki, e.Source).Diff = "", ""
		}
		if !open[e.Source] && e.State != Running && e.Diff == "" {
			d.queue.drop(e.Wiki, e.Source)
		}
	}
}

// waits tells whether a run's proposal still waits.
func (d *daemon) waits(w *watched, run string) bool {
	s, err := d.Host.Store(w.wiki)
	if err != nil {
		return true // not known: the diff stays
	}
	rec, err := s.Load(run)
	return err == nil && rec.Waits()
}

func shaOf(w *wiki.Wiki, rel string) (string, error) {
	text, err := os.ReadFile(filepath.Join(w.Real, filepath.FromSlash(rel)))
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}
