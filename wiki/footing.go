package wiki

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/rigwiki/rig/wiki/index"
	"github.com/rigwiki/rig/wiki/proposal"
)

// footing is what a run of a stacked batch is made on top of: the pages as the proposals of the runs before it would leave them. The agent finds them so,
// policy judges against them, and each change keeps which of those proposals it stands on, so that it is not applied before them.
type footing struct {
	pages map[string][]byte   // rel -> text; nil: the page would be gone
	runs  map[string][]string // rel -> the runs that change it, in their order
	fresh map[string]bool     // pages that are not there yet
}

// takeFooting plans what waits of the runs below, one on the other. Of a page where one of them is in conflict with newer text, the newer text counts.
func (r *run) takeFooting() error {
	stack := r.job.Stack
	if rec, err := r.store.Load(r.job.Revises); r.job.Revises != "" && err == nil && len(stack) == 0 {
		stack = rec.Stack // what revises a proposal stands where that stood
	}
	if len(stack) == 0 {
		return nil
	}
	r.footing = &footing{pages: map[string][]byte{}, runs: map[string][]string{}, fresh: map[string]bool{}}
	for _, id := range stack {
		rec, err := r.store.Load(id)
		if err == nil && !rec.Waits() || errors.Is(err, proposal.ErrNoRun) {
			continue // decided, and so in the wiki or not wanted
		}
		if err != nil {
			return err
		}
		plan, err := r.store.Plan(id, proposal.Selection{Flagged: true, Ahead: true}, r.current())
		if errors.Is(err, proposal.ErrNothing) {
			continue
		}
		if err != nil {
			return fmt.Errorf("take up %s: %w", id, err)
		}
		for _, c := range plan.Conflicts {
			r.rec.Warnings = append(r.rec.Warnings, fmt.Sprintf("%s starts without what %s would make of it: %s", c.Path, id, c.Reason))
		}
		r.rec.Stack = append(r.rec.Stack, id)
		r.footing.put(id, plan)
	}
	return nil
}

// put takes a plan in.
func (t *footing) put(run string, plan proposal.Plan) {
	gone := func(rel string) {
		t.pages[rel], t.runs[rel] = nil, append(t.runs[rel], run)
		delete(t.fresh, rel)
	}
	for _, p := range plan.Files {
		switch p.Kind {
		case proposal.Delete:
			gone(p.Path)
			continue
		case proposal.Rename:
			gone(p.From)
		}
		if p.Kind != proposal.Edited {
			t.fresh[p.Path] = true
		}
		t.pages[p.Path] = append([]byte{}, p.After...)
		t.runs[p.Path] = append(t.runs[p.Path], run)
	}
}

// page is a page as it would be, nil where it would be gone; false where the proposals below do not touch it.
func (t *footing) page(rel string) ([]byte, bool) {
	if t == nil {
		return nil, false
	}
	text, ok := t.pages[rel]
	return text, ok
}

// lay adds the pages to what is laid into the sandbox, and takes out those that would be gone.
func (t *footing) lay(buffers map[string][]byte) {
	if t == nil {
		return
	}
	for rel, text := range t.pages {
		if text != nil {
			buffers[rel] = text
		} else {
			delete(buffers, rel)
		}
	}
}

// gone are the pages that would be gone, but for those that are laid in all the same.
func (t *footing) gone(buffers map[string][]byte) (rels []string) {
	if t == nil {
		return nil
	}
	for _, rel := range sortedKeys(t.pages) {
		if _, laid := buffers[rel]; !laid && t.pages[rel] == nil {
			rels = append(rels, rel)
		}
	}
	return rels
}

// made are the pages that are not there yet.
func (t *footing) made() []string {
	if t == nil {
		return nil
	}
	return sortedKeys(t.fresh)
}

// view calls use with the index of the wiki as it would be. x is not to be asked within.
func (t *footing) view(x *index.Index, use func(*index.Index)) {
	if t == nil {
		use(x)
		return
	}
	x.With(t.pages, use)
}

// note tells each change what it stands on: the proposals that gave its page the text that it was made from, and those that make a page it links to.
func (t *footing) note(x *index.Index, files []proposal.Draft) {
	if t == nil {
		return
	}
	for i := range files {
		d := &files[i]
		on := t.at(nil, d.Path)
		if d.From != "" {
			on = t.at(on, d.From)
		}
		had := map[string]bool{} // links of the text that it was made from, which is covered by the page itself
		for _, l := range index.ParsePage(d.BaseText).Links {
			had[l.Target] = true
		}
		for _, l := range index.ParsePage(d.NewText).Links {
			for _, to := range x.Resolve(d.Path, l.Target) {
				if t.fresh[to] && !had[l.Target] {
					on = t.at(on, to)
				}
			}
		}
		slices.SortFunc(on, func(a, b proposal.Below) int { return cmp.Or(cmp.Compare(a.Run, b.Run), cmp.Compare(a.Path, b.Path)) })
		d.On = slices.Compact(on)
	}
}

func (t *footing) at(on []proposal.Below, rel string) []proposal.Below {
	for _, run := range t.runs[rel] {
		on = append(on, proposal.Below{Run: run, Path: rel})
	}
	return on
}
