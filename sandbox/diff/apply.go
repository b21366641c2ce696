package diff

import (
	"bytes"
	"errors"
	"fmt"

	godiff "github.com/sourcegraph/go-diff/diff"
)

// Apply gives the text that a patch makes of old: strict, without offsets or fuzz. Every line of context and every removed line must stand
// where its hunk says, with the same bytes, and the counts must hold; an error names the hunk (1-based) and the line of old. The result of
// Delete is empty. Old is the text at Patch.From where there is one.
func Apply(old []byte, p Patch) ([]byte, error) {
	switch {
	case p.Binary:
		return nil, fmt.Errorf("apply to %s: a binary file", p.Path)
	case p.Absent && p.Kind != Delete:
		return nil, fmt.Errorf("apply to %s: the text is not in the diff", p.Path)
	case p.Absent:
		return nil, nil
	case p.Kind == Create && p.From == "" && len(old) > 0:
		return nil, fmt.Errorf("apply to %s: the file to be created has a text", p.Path)
	}
	out := make([]byte, 0, len(old))
	lines, at := Split(old), 0
	for i, h := range p.Hunks {
		var err error
		if out, at, err = applyHunk(out, lines, at, h); err != nil {
			return nil, fmt.Errorf("apply to %s: hunk %d: %w", p.Path, i+1, err)
		}
	}
	if at < len(lines) && isOpen(out) {
		return nil, fmt.Errorf("apply to %s: %w", p.Path, errGlued)
	}
	out = join(out, lines[at:])
	if p.Kind == Delete && len(out) > 0 {
		return nil, fmt.Errorf("apply to %s: the deletion leaves %d bytes", p.Path, len(out))
	}
	return out, nil
}

var errGlued = errors.New("a line without LF would stand before others")

func isOpen(text []byte) bool { return len(text) > 0 && text[len(text)-1] != '\n' }

// applyHunk appends the lines of old from at up to the hunk, and the hunk's new lines; next is the first line of old behind it.
func applyHunk(out []byte, lines [][]byte, at int, h *godiff.Hunk) (text []byte, next int, err error) {
	start := int(h.OrigStartLine)
	if h.OrigLines > 0 {
		start-- // with no old lines, the number is that of the line before
	}
	if start < at || start > len(lines) {
		return nil, 0, fmt.Errorf("it starts at line %d; it may from %d to %d", h.OrigStartLine, at+1, len(lines)+1)
	}
	out, at = join(out, lines[at:start]), start
	removed, added, offset := 0, 0, 0
	for _, line := range Split(h.Body) {
		offset += len(line)
		lead, content := line[0], line[1:]
		if lead == '\n' {
			lead, content = ' ', line
		}
		if int(h.OrigNoNewlineAt) == offset && lead == '-' {
			content = bytes.TrimSuffix(content, lf)
		}
		if lead != '+' {
			if at == len(lines) || !bytes.Equal(lines[at], content) {
				return nil, 0, fmt.Errorf("line %d is not what the diff expects", at+1)
			}
			at++
			removed++
		}
		if lead != '-' {
			if isOpen(out) {
				return nil, 0, errGlued
			}
			out = append(out, content...)
			added++
		}
	}
	if removed != int(h.OrigLines) || added != int(h.NewLines) {
		return nil, 0, fmt.Errorf("it has %d old and %d new lines; its header says %d and %d", removed, added, h.OrigLines, h.NewLines)
	}
	return out, at, nil
}

// Reverse gives the patch that leads back. A binary patch, a copy, and a creation or deletion without its text have none.
func Reverse(p Patch) (Patch, error) {
	if p.Binary || p.Absent || p.Kind == Create && p.From != "" {
		return Patch{}, fmt.Errorf("reverse the patch of %s: it does not say enough", p.Path)
	}
	r := p
	switch p.Kind {
	case Create:
		r.Kind = Delete
	case Delete:
		r.Kind = Create
	case Rename:
		r.Path, r.From = p.From, p.Path
	}
	// Names are not needed, but go-diff takes a file without a new one for an "Only in" line.
	m, err := godiff.ReverseFileDiff(&godiff.FileDiff{OrigName: "a", NewName: "b", Hunks: p.Hunks})
	if err != nil {
		return Patch{}, fmt.Errorf("reverse the patch of %s: %w", p.Path, err)
	}
	r.Hunks = m.Hunks
	// A hunk's place in the new text follows from its place in the old one; the number that the diff gives for it may be stale.
	delta := int32(0)
	for i, h := range p.Hunks {
		start := h.OrigStartLine + delta
		switch {
		case h.OrigLines == 0 && h.NewLines > 0:
			start++
		case h.OrigLines > 0 && h.NewLines == 0:
			start--
		}
		r.Hunks[i].OrigStartLine = start
		delta += h.NewLines - h.OrigLines
	}
	return r, nil
}
