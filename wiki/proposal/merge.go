package proposal

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/rigwiki/rig/sandbox/diff"
)

// merge moves the step base -> theirs onto ours. Shared pages are lists: where both sides only added at one place, both stay, and
// changes that touch without overlapping are no conflict.
func merge(base, ours, theirs []byte, page Planned) diff.Merged {
	if !page.Shared {
		return diff.Merge(base, ours, theirs)
	}
	m := diff.MergeUnion(base, ours, theirs)
	if len(m.Conflicts) > 0 {
		if text, ok := mergeTouching(base, ours, theirs); ok {
			return diff.Merged{Text: text}
		}
	}
	return m
}

// chosen is a merge whose conflicts are settled by choice; mine is the merge with the user's lines at the conflicts.
func chosen(choice Choice, mine []byte, st textStep, ours []byte) []byte {
	agents := diff.Merge(st.base, st.theirs, ours).Text // the sides changed: the agent's lines at the conflicts
	if choice == TakeAgents {
		return agents
	}
	a, b := closed(mine), closed(agents)
	from, to := diff.Split(a), diff.Split(b)
	var out []byte
	done := 0
	for _, op := range diff.Lines(a, b) {
		out = append(out, bytes.Join(from[done:op.A1], nil)...)
		out = append(out, bytes.Join(to[op.B0:op.B1], nil)...)
		done = op.A1
	}
	out = append(out, bytes.Join(from[done:], nil)...)
	if open(mine) && open(agents) {
		out = bytes.TrimSuffix(out, []byte("\n"))
	}
	return out
}

// mergeBack moves the step back from base, what was applied, to theirs, what was before, onto ours. It is more patient than a merge of two
// authors: taking lines back beside lines that came later is no conflict, or no log entry could be taken back once another follows it.
func mergeBack(base, ours, theirs []byte, page Planned) diff.Merged {
	if bytes.Equal(base, ours) {
		return diff.Merged{Text: theirs}
	}
	if text, ok := mergeTouching(base, ours, theirs); ok {
		return diff.Merged{Text: text}
	}
	return merge(base, ours, theirs, page)
}

// change replaces lines lo to hi of a base by lines.
type change struct {
	lo, hi int
	lines  [][]byte
	open   bool // the text it leads to ends without LF
}

// mergeTouching merges two descendants of base whose changes may touch, but not overlap nor insert at one place. Where equal lines repeat, as
// they do in logs, one step can be told in several ways; it looks for one in which the sides do not overlap.
func mergeTouching(base, ours, theirs []byte) ([]byte, bool) {
	lines := diff.Split(closed(base))
	a, b := changes(base, ours), changes(base, theirs)
	end := open(ours)
	if end == open(base) {
		end = open(theirs)
	}
	for _, told := range [][2][]change{{a, b}, {slide(lines, a, up), slide(lines, b, down)}, {slide(lines, a, down), slide(lines, b, up)}} {
		if out, ok := interleave(lines, slices.Concat(told[0], told[1]), end); ok {
			return out, true
		}
	}
	return nil, false
}

// interleave makes the changes of both sides on the lines of a base; false where they overlap, or differ at one place. end tells whether
// the last line has no LF where neither side changed it. A line that was not the last of its text keeps its LF where it becomes the last.
func interleave(lines [][]byte, all []change, end bool) ([]byte, bool) {
	slices.SortStableFunc(all, func(a, b change) int { return cmp.Or(cmp.Compare(a.lo, b.lo), cmp.Compare(a.hi, b.hi)) })
	var out []byte
	done, last := 0, change{lo: -1, hi: -1}
	fromBase := true // whether the last line written is the base's
	for _, c := range all {
		if c.lo == last.lo && c.hi == last.hi {
			if slices.EqualFunc(c.lines, last.lines, bytes.Equal) {
				continue // both sides made it
			}
			return nil, false
		}
		if c.lo < done {
			return nil, false
		}
		out = append(out, bytes.Join(lines[done:c.lo], nil)...)
		out = append(out, bytes.Join(c.lines, nil)...)
		if c.lo > done || len(c.lines) > 0 {
			fromBase = len(c.lines) == 0
		}
		if c.hi == len(lines) {
			end = c.open && (fromBase || len(c.lines) > 0)
		}
		done, last = c.hi, c
	}
	out = append(out, bytes.Join(lines[done:], nil)...)
	if end && len(out) > 0 {
		out = out[:len(out)-1]
	}
	return out, true
}

// shift moves a change by one line where that makes the same text of the base's lines; false where it does not.
type shift func(lines [][]byte, c change) (change, bool)

// slide tells changes as far up or down as equal lines allow. Changes of one side stay apart.
func slide(lines [][]byte, list []change, by shift) []change {
	out := slices.Clone(list)
	for i := range out {
		for {
			c, ok := by(lines, out[i])
			if !ok || i > 0 && c.lo <= out[i-1].hi || i+1 < len(out) && c.hi >= out[i+1].lo {
				break
			}
			out[i] = c
		}
	}
	return out
}

func up(lines [][]byte, c change) (change, bool) {
	n := len(c.lines)
	switch {
	case c.lo == 0:
	case n == 0 && bytes.Equal(lines[c.lo-1], lines[c.hi-1]):
		return change{c.lo - 1, c.hi - 1, nil, c.open}, true
	case c.lo == c.hi && n > 0 && bytes.Equal(lines[c.lo-1], c.lines[n-1]):
		return change{c.lo - 1, c.hi - 1, slices.Concat(c.lines[n-1:], c.lines[:n-1]), c.open}, true
	}
	return c, false
}

func down(lines [][]byte, c change) (change, bool) {
	n := len(c.lines)
	switch {
	case c.hi == len(lines):
	case n == 0 && bytes.Equal(lines[c.lo], lines[c.hi]):
		return change{c.lo + 1, c.hi + 1, nil, c.open}, true
	case c.lo == c.hi && n > 0 && bytes.Equal(lines[c.lo], c.lines[0]):
		return change{c.lo + 1, c.hi + 1, slices.Concat(c.lines[1:], c.lines[:1]), c.open}, true
	}
	return c, false
}

func changes(base, side []byte) []change {
	a, b := closed(base), closed(side)
	lines := diff.Split(b)
	var list []change
	for _, op := range diff.Lines(a, b) {
		list = append(list, change{op.A0, op.A1, lines[op.B0:op.B1], open(side)})
	}
	return list
}

// closed is the text with a LF at its end. A text that ends without one has the same lines; how the result ends is settled apart.
func closed(text []byte) []byte {
	if open(text) {
		return append(text[:len(text):len(text)], '\n')
	}
	return text
}

func open(text []byte) bool { return len(text) > 0 && text[len(text)-1] != '\n' }

// edits are the replacements at line boundaries that lead from before to after.
func edits(before, after []byte) []Edit {
	var list []Edit
	for _, sp := range diff.Splices(before, after) {
		list = append(list, Edit(sp))
	}
	return list
}

// regions are the places of a conflict.
func regions(m diff.Merged) []Region {
	var list []Region
	for _, c := range m.Conflicts {
		list = append(list, Region{Base: c.Base, Agent: c.Theirs, Yours: c.Ours, Line: c.OursLine})
	}
	return list
}
