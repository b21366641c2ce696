package sandbox

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
)

// A copyReader compares the view of a copy with its manifest.
type copyReader struct {
	collector
	ctx     context.Context
	spec    Spec
	cp      *copier
	lower   *dir
	racy    int64 // change times of the view from here on prove nothing: the program may have run in the same tick
	seen    map[string]bool
	entries int64
}

func (b *copyBox) read(ctx context.Context) (Changes, error) {
	lower, err := openDir(b.spec.Root)
	if err != nil {
		return Changes{}, err
	}
	defer lower.close()
	view, err := b.openView()
	if err != nil {
		return Changes{}, err
	}
	defer view.close()
	r := &copyReader{
		collector: collector{limits: b.spec.Limits}, ctx: ctx, spec: b.spec, cp: b.cp, lower: lower,
		racy: b.started - racyWindow, seen: make(map[string]bool, len(b.cp.manifest)),
	}
	if err := r.walk(view, "", 0); err != nil {
		return Changes{}, err
	}
	if r.overflow == "" {
		for rel, e := range b.cp.manifest {
			if !r.seen[rel] {
				r.gone(rel, r.was(rel, e))
			}
		}
	}
	links := map[string]string{}
	for rel, e := range b.cp.manifest {
		if e.target != "" {
			links[rel] = e.target
		}
	}
	r.mergeLinks(links)
	r.overfull(b.gauge)
	return r.result(slices.Clone(b.cp.warnings)), nil
}

// openView opens the view, also where the program took away its permissions.
func (b *copyBox) openView() (*dir, error) {
	run, err := openDir(b.spec.RunDir)
	if err != nil {
		return nil, err
	}
	defer run.close()
	st, err := run.lstat(filepath.Base(b.view))
	if err != nil {
		return nil, err
	}
	if !st.mode.IsDir() {
		return nil, fmt.Errorf("%s: no longer a folder", b.view)
	}
	return subView(run, filepath.Base(b.view), st)
}

func (r *copyReader) walk(d *dir, rel string, depth int) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	left := r.limits.Inodes + int64(len(r.cp.manifest)+len(r.cp.viewFolder)) - r.entries
	names, err := d.names(int(left))
	if err != nil {
		return err
	}
	r.entries += int64(len(names))
	if int64(len(names)) > left {
		r.over("more files in the view than the limit")
	}
	for _, name := range names {
		if r.overflow != "" {
			return nil
		}
		if err := r.visit(d, name, joinRel(rel, name), depth); err != nil {
			return err
		}
	}
	return nil
}

func (r *copyReader) visit(d *dir, name, rel string, depth int) error {
	st, err := d.lstat(name)
	if err != nil {
		return err
	}
	if was, out := r.cp.leftOut[rel]; out { // what is there was not shown, and nothing may take its place
		r.odd(rel, st, was)
		return nil
	}
	if st.mode.IsDir() {
		if !r.cp.viewFolder[rel] {
			r.dirs = append(r.dirs, rel)
		}
		if depth == depthMax {
			r.odd(rel, st, TooLarge)
			return nil
		}
		sub, err := subView(d, name, st)
		if err != nil {
			return err
		}
		defer sub.close()
		return r.walk(sub, rel, depth+1)
	}
	if _, injected := r.spec.Inject[rel]; injected {
		return nil
	}
	e := r.cp.manifest[rel]
	if e == nil {
		return r.present(rel, d, name, st, was{})
	}
	r.seen[rel] = true
	if st.id == e.view.id && st.mode == e.view.mode && (st.id.Ctime < r.racy || e.base.size < 0) {
		return nil
	}
	return r.present(rel, d, name, st, r.was(rel, e))
}

// was tells what was given at rel; where the lower entry is a link, what was given is its target's text.
func (r *copyReader) was(rel string, e *entry) was {
	at := rel
	if e.target != "" {
		at = e.target
	}
	now, err := r.lower.lstatRel(at)
	w := was{given: true, is: e.lower, drift: now.id != e.lower.id}
	if err != nil {
		w.drift = e.lower.id != FileID{}
	}
	w.is.mode = e.view.mode
	w.text = func() ([]byte, bool) {
		if e.base.size < 0 {
			return nil, false
		}
		b, err := r.cp.pack.get(e.base)
		return b, err == nil
	}
	return w
}
