package proposal

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"github.com/rigwiki/rig/sandbox/diff"
)

// DiffError tells what is wrong with an edited diff. Line is the 1-based line of the diff; 0 where Err names it.
type DiffError struct {
	Line int
	Path string // "" where it is about no one page
	Err  error
}

func (e *DiffError) Error() string {
	s := e.Err.Error()
	if e.Path != "" {
		s = e.Path + ": " + s
	}
	if e.Line > 0 {
		s = fmt.Sprintf("line %d: %s", e.Line, s)
	}
	return "the edited diff: " + s
}

// Unwrap gives Err.
func (e *DiffError) Unwrap() error { return e.Err }

// PlanEdited is Plan for the run's diff as the user edited it, as with "git add -e": text is a unified diff against what the agent was given, and
// what it makes of a page is what is accepted of that page. Counts in the heads of hunks need not be right. What is not in text waits on, and what was
// decided before and stands in text as it was stays so. sel.Paths names the pages that are meant, all where there are
// none, less the flagged ones unless sel.Flagged; sel.Hunks means nothing here. What cannot be read, does not match its base, or is about a page that
// the proposal does not have, is a *DiffError, and nothing is planned.
func (s *Store) PlanEdited(run string, text []byte, sel Selection, cur Current) (Plan, error) {
	rec, err := s.Load(run)
	if err != nil {
		return Plan{}, err
	}
	if err := decidable(rec); err != nil {
		return Plan{}, err
	}
	for _, path := range sel.Paths {
		if _, ok := fileAt(rec, path); !ok {
			return Plan{}, fmt.Errorf("%s: %w", path, ErrUnknown)
		}
	}
	versions, err := s.readEdited(rec, text)
	if err != nil {
		return Plan{}, err
	}
	cur, done := s.reach(rec, cur)
	defer done()
	plan := Plan{Run: run, choices: sel.Resolve}
	found := false
	var takes []take
	for i, f := range rec.Files {
		v, ok := versions[i]
		named := slices.Contains(sel.Paths, f.Path) || f.From != "" && slices.Contains(sel.Paths, f.From)
		switch {
		case !ok || len(sel.Paths) > 0 && !named:
			continue
		case len(f.Flags) > 0 && !named && !sel.Flagged:
			if v.edited || f.Waits() {
				plan.Unflagged, found = append(plan.Unflagged, f.Path), true
			}
			continue
		}
		took, err := s.planVersion(&plan, f, v, cur)
		if was := len(plan.Conflicts); err != nil {
			if err := plan.led(f.Path, err); err != nil {
				return Plan{}, err
			}
			took = len(plan.Conflicts) > was
		}
		if took {
			found, takes = true, append(takes, take{index: i})
		}
	}
	if err := s.decidedBelow(rec, takes); err != nil {
		return Plan{}, err
	}
	if !found {
		return plan, fmt.Errorf("%s: nothing of it waits: %w", run, ErrNothing)
	}
	plan.makeRoom(rec.Wiki)
	return plan, nil
}

// version is what an edited diff makes of one file.
type version struct {
	base, made, text []byte // as the agent was given it, as the agent made it, as the user did
	edited           bool   // text is not made
}

// planVersion adds one file to the plan; false where nothing of it is left to take.
func (s *Store) planVersion(plan *Plan, f File, v version, cur Current) (bool, error) {
	if !v.edited {
		parts := f.waiting()
		if len(parts) == 0 {
			return false, nil
		}
		return true, s.planFile(plan, f, parts, cur)
	}
	p := Planned{Path: f.Path, Kind: f.Kind, Flags: f.Flags, Shared: f.Shared, Edited: true, file: f.Path}
	if f.Kind == Create {
		return true, plan.create(p, v.text, cur)
	}
	verdicts := f.verdicts()
	text := v.withoutDecided(f, verdicts)
	p.Hunks = v.taken(f, text, verdicts)
	st := textStep{base: v.base, theirs: text, noBase: f.Base == ""}
	st.at = f.place(func(id string) bool { return verdicts[id] == Accepted })
	st.to = f.place(func(id string) bool { return verdicts[id] != Rejected || id == whole })
	if len(p.Hunks) == 0 && st.at == st.to && bytes.Equal(text, v.base) {
		return false, nil
	}
	return true, plan.edit(p, st, cur)
}

// withoutDecided is the user's text less the hunks that were decided before and stand in it as they were.
func (v version) withoutDecided(f File, verdicts map[string]Verdict) []byte {
	made, text := diff.Split(v.made), diff.Split(v.text)
	var decided []diff.Hunk
	for _, h := range diff.Hunks(v.base, v.made) {
		if verdicts[f.hunkID(h.ID)] != Waiting {
			decided = append(decided, h)
		}
	}
	return diff.Select(v.base, v.text, func(h diff.Hunk) bool {
		return !slices.ContainsFunc(decided, func(r diff.Hunk) bool {
			return slices.EqualFunc(h.Ops, r.Ops, func(a, b diff.Op) bool {
				return a.A0 == b.A0 && a.A1 == b.A1 && slices.EqualFunc(text[a.B0:a.B1], made[b.B0:b.B1], bytes.Equal)
			})
		})
	})
}

// taken are the parts of which text has something, as it was or edited, and that are not accepted already.
func (v version) taken(f File, text []byte, verdicts map[string]Verdict) (ids []string) {
	if f.Hunks == 0 {
		return nil
	}
	if id := f.moveID(); f.Kind == Rename && verdicts[id] == Waiting {
		ids = append(ids, id)
	}
	ops := diff.Lines(v.base, text)
	for n, h := range diff.Hunks(v.base, v.made) {
		first, last := h.Ops[0], h.Ops[len(h.Ops)-1]
		touches := func(op diff.Op) bool { return op.A0 <= last.A1 && op.A1 >= first.A0 }
		if id := f.hunkID(strconv.Itoa(n + 1)); verdicts[id] != Accepted && slices.ContainsFunc(ops, touches) {
			ids = append(ids, id)
		}
	}
	return ids
}

// sections are what an edited diff says of paths.
type sections struct {
	base  func(path string) ([]byte, bool, error)
	gone  map[string]int // path -> line
	made  map[string]section
	edits map[string]section
}

type section struct {
	text []byte
	line int
}

// readEdited gives the versions by place in rec.Files.
func (s *Store) readEdited(rec Record, text []byte) (map[int]version, error) {
	counted, err := recount(text)
	if err != nil {
		return nil, err
	}
	patches, err := diff.Parse(counted)
	if err != nil {
		return nil, &DiffError{Err: err}
	}
	sec := sections{base: s.bases(rec), gone: map[string]int{}, made: map[string]section{}, edits: map[string]section{}}
	for _, p := range patches {
		if p.ModeOnly {
			continue
		}
		if err := sec.add(p); err != nil {
			return nil, err
		}
	}
	versions := map[int]version{}
	for i, f := range rec.Files {
		now, ok, err := sec.of(f)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		base, made, err := s.fileTexts(rec.Run, f)
		if err != nil {
			return nil, err
		}
		versions[i] = version{base, made, now, f.Kind != Delete && !bytes.Equal(now, made)}
	}
	return versions, sec.rest()
}

// bases gives the texts that the agent was given, by their paths then; an error where the proposal has no such page.
func (s *Store) bases(rec Record) func(string) ([]byte, bool, error) {
	known, base := map[string]bool{}, map[string]string{}
	for _, f := range rec.Files {
		known[f.Path], known[f.From] = true, true
		if f.Kind != Create {
			base[f.place(func(string) bool { return false })] = f.Base
		}
	}
	return func(path string) ([]byte, bool, error) {
		sum, there := base[path]
		if !known[path] {
			return nil, false, ErrUnknown
		}
		text, err := s.text(rec.Run, sum)
		return text, there, err
	}
}

// add takes in what the diff says of one file.
func (sec *sections) add(p diff.Patch) error {
	fail := func(err error) error { return &DiffError{p.Line, p.Path, err} }
	if _, _, err := sec.base(p.Path); err != nil {
		return fail(err)
	}
	from := p.Path
	if p.From != "" {
		from = p.From
	}
	old, there, err := sec.base(from)
	switch {
	case err != nil:
		return fail(err)
	case p.Kind == diff.Create && p.From != "":
		return fail(fmt.Errorf("a copy is not what the proposal does"))
	case p.Kind == diff.Create:
		old = nil
	case !there:
		return fail(fmt.Errorf("the agent was given no such page"))
	}
	text, err := diff.Apply(old, p)
	if err != nil {
		return &DiffError{hunkAt(old, p), "", err}
	}
	into := sec.edits
	switch p.Kind {
	case diff.Delete, diff.Rename:
		if sec.gone[from] > 0 {
			return fail(fmt.Errorf("it goes twice"))
		}
		sec.gone[from] = p.Line
		if p.Kind == diff.Delete {
			return nil
		}
		into = sec.made
	case diff.Create:
		into = sec.made
	}
	if _, twice := into[p.Path]; twice {
		return fail(fmt.Errorf("it is there twice"))
	}
	into[p.Path] = section{text, p.Line}
	return nil
}

// hunkAt is the line of the first hunk that does not fit.
func hunkAt(old []byte, p diff.Patch) int {
	one := p
	for i, h := range p.Hunks {
		if one.Hunks = p.Hunks[:i+1]; one.Kind == diff.Delete {
			one.Kind = diff.Edit // it leaves what the later hunks would take
		}
		if _, err := diff.Apply(old, one); err != nil {
			return int(h.StartPosition)
		}
	}
	return p.Line
}

// of gives what the diff makes of a file, and takes it from what is left. What it does to the page has to be what the proposal does.
func (sec *sections) of(f File) (text []byte, ok bool, err error) {
	if f.Kind == Edited {
		e, ok := sec.edits[f.Path]
		delete(sec.edits, f.Path)
		return e.text, ok, nil
	}
	goes := f.Path
	if f.Kind == Rename {
		goes = f.From
	}
	line, gone := sec.gone[goes]
	made, isMade := sec.made[f.Path]
	switch {
	case f.Kind == Rename && gone != isMade:
		return nil, false, &DiffError{max(line, made.line), f.Path, fmt.Errorf("a move from %s takes both its parts", f.From)}
	case f.Kind == Rename && gone:
		delete(sec.gone, goes)
		delete(sec.made, f.Path)
		return made.text, true, nil
	case f.Kind == Create:
		delete(sec.made, f.Path)
		return made.text, isMade, nil
	default:
		delete(sec.gone, goes)
		return nil, gone, nil
	}
}

// rest is an error about the first of what no file of the proposal took.
func (sec *sections) rest() error {
	var first *DiffError
	left := func(path string, line int) {
		if first == nil || line < first.Line {
			first = &DiffError{line, path, fmt.Errorf("that is not what the proposal does with it")}
		}
	}
	for path, line := range sec.gone {
		left(path, line)
	}
	for path, e := range sec.made {
		left(path, e.line)
	}
	for path, e := range sec.edits {
		left(path, e.line)
	}
	if first == nil {
		return nil
	}
	return first
}
