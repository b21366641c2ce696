package main

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/proposal"
)

// keptRun is a run in the store that it is kept in.
type keptRun struct {
	w   *wiki.Wiki
	s   *proposal.Store
	rec proposal.Record
}

// places are those whose runs a verb about runs means: the wiki here; where there is none the git repository, for the runs of its tasks; and both where
// the wiki is a folder of the repository (rig-wiki/) that the working folder is not in.
func (a *app) places() ([]*wiki.Wiki, error) {
	dir := a.cwd
	if a.flags.wiki != "" {
		dir = a.abs(a.flags.wiki)
	}
	w, err := a.findWiki()
	if err != nil && !errors.Is(err, wiki.ErrNotAWiki) {
		return nil, err
	}
	if w != nil {
		if _, inside := w.Rel(dir); inside {
			return []*wiki.Wiki{w}, nil
		}
	}
	repo, e := wiki.Repository(dir)
	switch {
	case w == nil && e != nil:
		return nil, err
	case w == nil:
		return []*wiki.Wiki{repo}, nil
	case e != nil || repo.ID == w.ID:
		return []*wiki.Wiki{w}, nil
	}
	return []*wiki.Wiki{w, repo}, nil
}

// withPlaces runs f with a host and the places.
func (a *app) withPlaces(f func(*wiki.Host, []*wiki.Wiki) error) error {
	places, err := a.places()
	if err != nil {
		return err
	}
	h, err := a.host()
	if err != nil {
		return err
	}
	return errors.Join(f(h, places), h.Close())
}

// keptRuns are the runs of the places, newest first.
func keptRuns(h *wiki.Host, places []*wiki.Wiki) (runs []keptRun, broken []error, err error) {
	for _, w := range places {
		s, err := h.Store(w)
		if err != nil {
			return nil, nil, err
		}
		recs, bad, err := s.List()
		if err != nil {
			return nil, nil, err
		}
		broken = append(broken, bad...)
		for _, rec := range recs {
			runs = append(runs, keptRun{w, s, rec})
		}
	}
	if len(places) > 1 {
		slices.SortStableFunc(runs, func(a, b keptRun) int {
			return cmp.Or(b.rec.Started.Compare(a.rec.Started), strings.Compare(b.rec.Run, a.rec.Run))
		})
	}
	return runs, broken, nil
}

// loadRun finds a run of the places by its id.
func loadRun(h *wiki.Host, places []*wiki.Wiki, id string) (keptRun, error) {
	var names []string
	for _, w := range places {
		s, err := h.Store(w)
		if err != nil {
			return keptRun{}, err
		}
		if rec, err := s.Load(id); err == nil {
			return keptRun{w, s, rec}, nil
		}
		names = append(names, w.Name)
	}
	return keptRun{}, fail(wiki.ExitUsage, "see `rig wiki runs list`", "no run %s in %s", id, strings.Join(names, " or "))
}
