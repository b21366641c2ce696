package proposal

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/rigwiki/rig/sandbox/diff"
)

// merge moves the step base -> theirs onto ours. Shared pages are lists: where both sides only added at one place, both stay.
func merge(base, ours, theirs []byte, page Planned) diff.Merged {
	if page.Shared {
		return diff.MergeUnion(base, ours, theirs)
	}
	return diff.Merge(base, ours, theirs)
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

// change replaces lines A0 to A1 of a base by lines.
type change struct {
	lo, hi int
	lines  [][]byte
}

// mergeTouching merges two descendants of base whose changes may touch, but not overlap nor insert at one place.
func mergeTouching(base, ours, theirs []byte) ([]byte, bool) {
	o := closed(base)
	all := append(changes(o, closed(ours)), changes(o, closed(theirs))...)
	slices.SortStableFunc(all, func(a, b change) int { return cmp.Or(cmp.Compare(a.lo, b.lo), cmp.Compare(a.hi, b.hi)) })
	lines := diff.Split(o)
	var out []byte
	done, last := 0, change{lo: -1, hi: -1}
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
		done, last = c.hi, c
	}
	out = append(out, bytes.Join(lines[done:], nil)...)
	if end := ending(base, ours, theirs); end && len(out) > 0 {
		out = out[:len(out)-1]
	}
	return out, true
}

func changes(base, side []byte) []change {
	lines := diff.Split(side)
	var list []change
	for _, op := range diff.Lines(base, side) {
		list = append(list, change{op.A0, op.A1, lines[op.B0:op.B1]})
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

// ending tells whether the merged text ends without LF: as the side that changed it has it.
func ending(base, ours, theirs []byte) bool {
	if open(ours) == open(base) {
		return open(theirs)
	}
	return open(ours)
}

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
