package diff

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	godiff "github.com/sourcegraph/go-diff/diff"
)

// Kind is the kind of a change to a file.
type Kind string

// The kinds.
const (
	Create Kind = "create"
	Edit   Kind = "edit"
	Rename Kind = "rename"
	Delete Kind = "delete"
)

// FileDiff is a change to one file: both texts, whole.
type FileDiff struct {
	Path string // slash-separated and relative, raw bytes
	From string // of a rename: the old path
	Kind Kind
	Old  []byte // nil for Create
	New  []byte // nil for Delete
}

const (
	nowhere   = "/dev/null"
	emptyBlob = "e69de29" // git's name for no bytes: GNU patch removes an empty file only where an index line says so
)

// Print writes a unified diff that "git apply" and "patch -p1 --binary" take and Parse reads. Deletions come first, so that a name may
// go from file to folder, folder to file or to another case; both groups are sorted by path, so the order of files does not matter.
// A rename is written as a deletion and a creation. An edit that changes nothing is left out.
//
// Known limit: GNU patch 2.7 removes files after it made the others, so it refuses a file that makes room for a folder of its name.
func Print(w io.Writer, files []FileDiff) error {
	var gone, rest []FileDiff
	for _, f := range files {
		if f.Path == "" || f.Kind == Rename && f.From == "" {
			return errors.New("print a diff: a file without a path")
		}
		if strings.Contains(f.Path+f.From, "\x00") {
			return fmt.Errorf("print a diff: %q holds a zero byte", f.Path+f.From)
		}
		switch f.Kind {
		case Delete:
			gone = append(gone, f)
		case Rename:
			gone = append(gone, FileDiff{Path: f.From, Kind: Delete, Old: f.Old})
			rest = append(rest, FileDiff{Path: f.Path, Kind: Create, New: f.New})
		case Create:
			rest = append(rest, f)
		case Edit:
			if !bytes.Equal(f.Old, f.New) {
				rest = append(rest, f)
			}
		default:
			return fmt.Errorf("print a diff: %s: no such kind: %q", f.Path, f.Kind)
		}
	}
	out := bufio.NewWriter(w)
	for _, list := range [][]FileDiff{gone, rest} {
		slices.SortStableFunc(list, func(a, b FileDiff) int { return strings.Compare(a.Path, b.Path) })
		for _, f := range list {
			if err := godiff.WriteFileDiff(out, f.model()); err != nil {
				return fmt.Errorf("print a diff: %w", err)
			}
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("print a diff: %w", err)
	}
	return nil
}

// model is the change in go-diff's terms. Names are quoted here, for go-diff v0.10.0 prints them raw. Every file gets git's own
// headers: a header-less section after one with headers only would be read as part of it.
func (f FileDiff) model() *godiff.FileDiff {
	a, b := quote("a/"+f.Path), quote("b/"+f.Path)
	m := &godiff.FileDiff{OrigName: a, NewName: b, Extended: []string{"diff --git " + a + " " + b}}
	old, new := f.Old, f.New
	switch f.Kind {
	case Create:
		m.OrigName, old = nowhere, nil
		m.Extended = append(m.Extended, "new file mode 100644")
		if len(new) == 0 {
			m.Extended = append(m.Extended, "index 0000000.."+emptyBlob)
		}
	case Delete:
		m.NewName, new = nowhere, nil
		m.Extended = append(m.Extended, "deleted file mode 100644")
		if len(old) == 0 {
			m.Extended = append(m.Extended, "index "+emptyBlob+"..0000000")
		}
	}
	for _, h := range Hunks(old, new) {
		m.Hunks = append(m.Hunks, h.model())
	}
	return m
}

// model is the hunk in go-diff's terms: a missing LF is an offset for an old line, and a missing LF for a new one.
func (h Hunk) model() *godiff.Hunk {
	m := &godiff.Hunk{
		OrigStartLine: int32(h.OldStart), OrigLines: int32(h.OldLines),
		NewStartLine: int32(h.NewStart), NewLines: int32(h.NewLines),
		Section: h.Section,
		Body:    make([]byte, 0, len(h.Body)),
	}
	var lead byte
	for _, line := range Split(h.Body) {
		switch {
		case line[0] != '\\':
			lead = line[0]
			m.Body = append(m.Body, line...)
		case lead == '-':
			m.OrigNoNewlineAt = int32(len(m.Body))
		default:
			m.Body = m.Body[:len(m.Body)-1]
		}
	}
	return m
}
