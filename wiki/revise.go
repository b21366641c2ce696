package wiki

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/rigwiki/rig/sandbox"
	"github.com/rigwiki/rig/wiki/proposal"
)

// revision is the proposal that a run starts from (design, section 7.1): what waits of it is laid into the sandbox, so that the agent goes on from
// there, and is part of what the run proposes.
type revision struct {
	plan proposal.Plan // of all that waits, on the texts as they are
}

// takeRevised plans what waits of the run that this one revises. A page where the proposal conflicts with newer text starts as it is.
func (r *run) takeRevised() error {
	if r.job.Revises == "" {
		return nil
	}
	plan, err := r.store.Plan(r.job.Revises, proposal.Selection{Flagged: true, Ahead: true}, r.current())
	if err != nil {
		return fmt.Errorf("take up %s: %w", r.job.Revises, err)
	}
	for _, c := range plan.Conflicts {
		r.rec.Warnings = append(r.rec.Warnings, fmt.Sprintf("%s starts as it is now: %s", c.Path, c.Reason))
	}
	r.revised = &revision{plan: plan}
	return nil
}

// current reads a page as the agent would see it: as the proposals below would leave it, else an unsaved buffer, else the disk.
func (r *run) current() proposal.Current {
	disk := Disk(r.wiki)
	return func(rel string) ([]byte, bool, error) {
		if text, ok := r.footing.page(rel); ok {
			return text, text != nil, nil
		}
		if b, ok := r.job.Buffers[rel]; ok {
			return b.Text, true, nil
		}
		return disk(rel)
	}
}

// lay adds the proposal's texts to what is laid into the sandbox.
func (v *revision) lay(buffers map[string][]byte) {
	if v == nil {
		return
	}
	for _, p := range v.plan.Files {
		if p.Kind != proposal.Delete {
			buffers[p.Path] = p.After
		}
	}
}

// compose turns changes against the first attempt into changes against the wiki.
func (v *revision) compose(list []sandbox.Change) []sandbox.Change {
	if v == nil {
		return list
	}
	touched := make(map[string]sandbox.Change, len(list))
	for _, c := range list {
		touched[c.Path] = c
	}
	for _, p := range v.plan.Files {
		if p.Kind == proposal.Rename {
			compose(touched, sandbox.Change{Path: p.From, Kind: sandbox.Delete, Base: p.Before, HasBase: true})
			compose(touched, sandbox.Change{Path: p.Path, Kind: sandbox.Create, New: p.After, Mode: 0o644})
			continue
		}
		first := sandbox.Change{Path: p.Path, Kind: sandbox.Kind(p.Kind), Base: p.Before, HasBase: p.Exists, New: p.After, Mode: 0o644}
		compose(touched, first)
	}
	out := make([]sandbox.Change, 0, len(touched))
	for _, c := range touched {
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b sandbox.Change) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// compose puts the first attempt's change of a page before what the run did to it.
func compose(touched map[string]sandbox.Change, first sandbox.Change) {
	first.Size = int64(len(first.New))
	second, ok := touched[first.Path]
	switch {
	case !ok:
		touched[first.Path] = first
	case second.Kind == sandbox.Odd, first.Kind == sandbox.Delete: // the agent saw the page as it is: its word counts
	case second.Kind == sandbox.Delete && !first.HasBase: // made by the first attempt, taken back by the second
		delete(touched, first.Path)
	default:
		if second.Kind != sandbox.Delete {
			second.Kind = first.Kind
		}
		second.Base, second.HasBase, second.Drift = first.Base, first.HasBase, false
		touched[first.Path] = second
	}
}

// replaceRevised discards the proposal that this one takes the place of.
func (r *run) replaceRevised() {
	if r.revised == nil || r.rec.State != proposal.Proposed {
		return
	}
	if err := r.store.Discard(r.job.Revises, proposal.Selection{}, "revised by "+r.rec.Run, cmp.Or(r.job.By, "cli")); err != nil {
		r.rec.Warnings = append(r.rec.Warnings, fmt.Sprintf("%s still waits: %v", r.job.Revises, err))
	}
}
