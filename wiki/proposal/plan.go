package proposal

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Plan works out what a selection does to the current texts, and writes nothing. The rules are those of design 7.1 and 7.4: a page that moved on is merged by
// lines; what was accepted before is part of the base, so that a second decision never lands on the wrong line; a conflict keeps its whole
// page out. ErrNothing where nothing that was selected waits, a *BelowError where it stands on a proposal that does.
func (s *Store) Plan(run string, sel Selection, cur Current) (Plan, error) {
	rec, err := s.Load(run)
	if err != nil {
		return Plan{}, err
	}
	if err := decidable(rec); err != nil {
		return Plan{}, err
	}
	for path, c := range sel.Resolve {
		if c != TakeAgents && c != TakeBoth {
			return Plan{}, fmt.Errorf("%s: no such choice: %q", path, c)
		}
	}
	takes, unflagged, err := resolve(rec, sel)
	if err != nil {
		return Plan{}, err
	}
	if !sel.Ahead {
		if err := s.decidedBelow(rec, takes); err != nil {
			return Plan{}, err
		}
	}
	plan := Plan{Run: run, Unflagged: unflagged, choices: sel.Resolve}
	if len(takes) == 0 && len(unflagged) == 0 {
		return plan, fmt.Errorf("%s: nothing of it waits: %w", run, ErrNothing)
	}
	cur, done := s.reach(rec, cur)
	defer done()
	for _, t := range takes {
		if err := plan.led(rec.Files[t.index].Path, s.planFile(&plan, rec.Files[t.index], t.parts, cur)); err != nil {
			return Plan{}, err
		}
	}
	plan.makeRoom(rec.Wiki)
	return plan, nil
}

// decidable gives an error where the run is not one about which something can be decided.
func decidable(rec Record) error {
	switch {
	case !rec.Undone.IsZero():
		return fmt.Errorf("%s was undone: %w", rec.Run, ErrNothing)
	case rec.State == Queued || rec.State == Running:
		return fmt.Errorf("%s is not done yet: %w", rec.Run, ErrNothing)
	case rec.Branch != "":
		return fmt.Errorf("%s is on branch %s, where git merges it: %w", rec.Run, rec.Branch, ErrNothing)
	case len(rec.Files) == 0:
		return fmt.Errorf("%s proposes nothing: %w", rec.Run, ErrNothing)
	}
	return nil
}

// planFile adds one file to the plan: to Files, Settled or Conflicts.
func (s *Store) planFile(plan *Plan, f File, parts []string, cur Current) error {
	base, made, err := s.fileTexts(plan.Run, f)
	if err != nil {
		return err
	}
	p := Planned{Path: f.Path, Kind: f.Kind, Flags: f.Flags, Shared: f.Shared, file: f.Path}
	if f.Hunks > 0 {
		p.Hunks = parts
	}
	switch f.Kind {
	case Create:
		return plan.create(p, made, cur)
	case Delete:
		return plan.remove(p, base, cur)
	default:
		return plan.edit(p, stepOf(f, base, made, parts), cur)
	}
}

func (plan *Plan) create(p Planned, made []byte, cur Current) error {
	now, ok, err := cur(p.Path)
	if err != nil {
		return fmt.Errorf("read %s: %w", p.Path, err)
	}
	p.Before, p.After, p.Exists = now, made, ok
	switch {
	case !ok:
		p.Before, p.Edits = nil, edits(nil, made)
		plan.Files = append(plan.Files, p)
	case bytes.Equal(now, made):
		plan.settled(p)
	case plan.choice(p, p.Path) == TakeAgents:
		p.Kind = Edited
		plan.add(p)
	default:
		plan.conflict(p.Path, "a page of this name has come meanwhile", nil, made, now)
	}
	return nil
}

func (plan *Plan) remove(p Planned, base []byte, cur Current) error {
	now, ok, err := cur(p.Path)
	if err != nil {
		return fmt.Errorf("read %s: %w", p.Path, err)
	}
	p.Before, p.Exists = now, ok
	switch {
	case !ok:
		plan.settled(p)
	case bytes.Equal(now, base), plan.choice(p, p.Path) == TakeAgents:
		plan.Files = append(plan.Files, p)
	default:
		plan.conflict(p.Path, "the page that would be deleted was changed meanwhile", base, nil, now)
	}
	return nil
}

// textStep is the step that the selection makes of a page: from the base with what was accepted before, to that with what is taken now.
type textStep struct {
	at, to       string // where the page should be now, and then
	base, theirs []byte
	noBase       bool // nobody knows what the agent was given
}

func stepOf(f File, base, made []byte, parts []string) textStep {
	verdicts := f.verdicts()
	had := func(id string) bool { return verdicts[id] == Accepted }
	has := func(id string) bool { return had(id) || slices.Contains(parts, id) }
	return textStep{at: f.place(had), to: f.place(has), base: f.textWith(base, made, had), theirs: f.textWith(base, made, has), noBase: f.Base == ""}
}

// edit plans an edit, a move, or both.
func (plan *Plan) edit(p Planned, st textStep, cur Current) error {
	p.Path, p.Kind = st.to, Edited
	now, ok, err := cur(st.at)
	if err != nil {
		return fmt.Errorf("read %s: %w", st.at, err)
	}
	p.Before, p.Exists = now, ok
	if st.at != st.to {
		there, taken, err := cur(st.to)
		if err != nil {
			return fmt.Errorf("read %s: %w", st.to, err)
		}
		// On a disk that folds case the new name of a case-only rename shows the page itself.
		if taken && strings.EqualFold(st.at, st.to) && bytes.Equal(there, now) {
			taken = false
		}
		switch {
		case !ok && taken && (bytes.Equal(there, st.base) || bytes.Equal(there, st.theirs)):
			p.Before, p.Exists, ok = there, true, true // moved by hand
		case taken:
			plan.conflict(p.Path, "a page of this name has come meanwhile", st.base, st.theirs, there)
			return nil
		default:
			p.Kind, p.From = Rename, st.at
		}
	}
	return plan.editHere(p, st, ok)
}

// editHere plans the text of a page that is, or is not (ok), where it should be.
func (plan *Plan) editHere(p Planned, st textStep, ok bool) error {
	agents := plan.choice(p, st.at) == TakeAgents
	switch {
	case !ok && agents:
		p.Kind, p.From, p.Before, p.After, p.Edits = Create, "", nil, st.theirs, edits(nil, st.theirs)
		plan.Files = append(plan.Files, p)
		return nil
	case !ok:
		plan.conflict(st.at, "the page is gone", st.base, st.theirs, nil)
		return nil
	case st.noBase && !agents && !bytes.Equal(p.Before, st.theirs):
		plan.conflict(st.at, "the page was changed while the agent ran", nil, st.theirs, p.Before)
		return nil
	case st.noBase:
		p.After = st.theirs
	default:
		m := merge(st.base, p.Before, st.theirs, p)
		if len(m.Conflicts) > 0 {
			choice := plan.choice(p, st.at)
			if choice == "" {
				plan.conflict(st.at, "the same lines were changed meanwhile", st.base, st.theirs, p.Before)
				c := &plan.Conflicts[len(plan.Conflicts)-1]
				c.Regions, c.Line = regions(m), m.Conflicts[0].OursLine
				return nil
			}
			m.Text = chosen(choice, m.Text, st, p.Before)
		}
		p.After = m.Text
	}
	plan.add(p)
	return nil
}

// choice is what the user wants of a page in conflict: named by the path in the proposal, or by that where the page is.
func (plan *Plan) choice(p Planned, at string) Choice {
	if c, ok := plan.choices[p.file]; ok {
		return c
	}
	return plan.choices[at]
}

// add puts a page that exists and is to be edited or moved where it belongs: there may be nothing to do.
func (plan *Plan) add(p Planned) {
	if p.From == "" && bytes.Equal(p.Before, p.After) {
		plan.settled(p)
		return
	}
	p.Edits = edits(p.Before, p.After)
	plan.Files = append(plan.Files, p)
}

// settled records a page that is already as it would be made. As an edit that changes nothing: an undo must take back nothing either.
func (plan *Plan) settled(p Planned) {
	p.Kind, p.From = Edited, ""
	plan.Settled = append(plan.Settled, p)
}

// led makes a conflict of a page that a link leads to where it may not be written.
func (plan *Plan) led(path string, err error) error {
	if !errors.Is(err, ErrLink) {
		return err
	}
	plan.conflict(path, strings.TrimPrefix(strings.TrimSuffix(err.Error(), ": "+ErrLink.Error()), "read "+path+": "), nil, nil, nil)
	return nil
}

func (plan *Plan) conflict(path, reason string, base, agent, yours []byte) {
	plan.Conflicts = append(plan.Conflicts, Conflict{Path: path, Reason: reason, Base: base, Agent: agent, Yours: yours})
}
