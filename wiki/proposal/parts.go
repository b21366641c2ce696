package proposal

import (
	"strconv"
	"strings"

	"github.com/rigwiki/rig/sandbox/diff"
)

// Verdict is where one part of a proposal stands.
type Verdict string

// The verdicts.
const (
	Waiting  Verdict = "waiting"
	Accepted Verdict = "accepted"
	Rejected Verdict = "rejected"
	mixed    Verdict = "partly" // of a file whose parts went different ways
)

// whole is the id of the one part of a change that has no hunks.
const whole = ""

// The parts of a file are what a decision can be about, each: its hunks ("<path>#<n>"); for a page that is moved and edited the move as well
// ("<path>#move"), for nobody who accepts a line has accepted a new name; else the change as a whole. The ids are made of counts kept in
// the record, so that telling what waits reads no text.
func (f File) parts() []string {
	if f.Hunks == 0 || f.Kind == Create || f.Kind == Delete {
		return []string{whole}
	}
	ids := make([]string, 0, f.Hunks+1)
	if f.Kind == Rename {
		ids = append(ids, f.moveID())
	}
	for n := range f.Hunks {
		ids = append(ids, f.hunkID(strconv.Itoa(n+1)))
	}
	return ids
}

func (f File) hunkID(n string) string { return f.Path + "#" + n }
func (f File) moveID() string         { return f.Path + "#move" }

// owns tells whether a hunk id is one of this file's.
func (f File) owns(id string) bool {
	tail, ok := strings.CutPrefix(id, f.Path+"#")
	if !ok || f.Hunks == 0 || f.Kind == Create || f.Kind == Delete {
		return false
	}
	if tail == "move" {
		return f.Kind == Rename
	}
	n, err := strconv.Atoi(tail)
	return err == nil && n >= 1 && n <= f.Hunks && strconv.Itoa(n) == tail
}

// verdicts tells for each part what was decided last.
func (f File) verdicts() map[string]Verdict {
	ids := f.parts()
	m := make(map[string]Verdict, len(ids))
	for _, id := range ids {
		m[id] = Waiting
	}
	for _, d := range f.Decided {
		v := Rejected
		if d.Accept {
			v = Accepted
		}
		if d.Hunk != whole {
			if _, ok := m[d.Hunk]; ok {
				m[d.Hunk] = v
			}
			continue
		}
		for id := range m {
			m[id] = v
		}
	}
	return m
}

// Parts are the ids of what a decision can be about, in the order of the page: hunks, led by the move of a page that is also edited; "" alone for a change
// without hunks, which is addressed by path.
func (f File) Parts() []string { return f.parts() }

// Waiting are those of Parts that are undecided.
func (f File) Waiting() []string { return f.waiting() }

// count is the number of parts.
func (f File) count() int {
	switch {
	case f.Hunks == 0 || f.Kind == Create || f.Kind == Delete:
		return 1
	case f.Kind == Rename:
		return f.Hunks + 1
	}
	return f.Hunks
}

// waiting are the parts that are undecided, in order.
func (f File) waiting() []string {
	if len(f.Decided) == 0 {
		return f.parts()
	}
	m := f.verdicts()
	var ids []string
	for _, id := range f.parts() {
		if m[id] == Waiting {
			ids = append(ids, id)
		}
	}
	return ids
}

// verdict sums up the parts of the file.
func (f File) verdict() Verdict {
	seen := map[Verdict]bool{}
	for _, v := range f.verdicts() {
		seen[v] = true
	}
	switch {
	case seen[Waiting]:
		return Waiting
	case len(seen) > 1:
		return mixed
	case seen[Accepted]:
		return Accepted
	default:
		return Rejected
	}
}

// moves tells whether the page changes its name where just the parts that in holds are taken.
func (f File) moves(in func(id string) bool) bool {
	if f.Kind != Rename {
		return false
	}
	if f.Hunks == 0 {
		return in(whole)
	}
	return in(f.moveID())
}

// place is the page's path where just the parts that in holds are taken.
func (f File) place(in func(id string) bool) string {
	if f.Kind == Rename && !f.moves(in) {
		return f.From
	}
	return f.Path
}

// textWith is the proposal's text of the page with just the hunks that in holds; base and proposed are the file's texts.
func (f File) textWith(base, proposed []byte, in func(id string) bool) []byte {
	if f.Hunks == 0 {
		if f.Kind == Rename || !in(whole) {
			return base
		}
		return proposed
	}
	some, all := false, true
	for n := range f.Hunks {
		got := in(f.hunkID(strconv.Itoa(n + 1)))
		some, all = some || got, all && got
	}
	switch {
	case all:
		return proposed
	case !some:
		return base
	}
	return diff.Select(base, proposed, func(h diff.Hunk) bool { return in(f.hunkID(h.ID)) })
}
