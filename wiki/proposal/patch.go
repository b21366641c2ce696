package proposal

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rigwiki/rig/sandbox/diff"
)

// FromPatch turns a unified diff (of git, of GNU diff, or one that Export printed) into drafts, for "proposals import". It is applied
// strictly to the texts that read gives (false: no such page); an error names the line of the diff and the page. A deletion and a creation
// of alike texts become the rename that they are; changes of mode alone are left out. The drafts are sorted by path and not judged.
func FromPatch(text []byte, read func(path string) ([]byte, bool, error)) ([]Draft, error) {
	patches, err := diff.Parse(text)
	if err != nil {
		return nil, err
	}
	im := &importer{read: read, pages: map[string]*imported{}}
	for _, p := range patches {
		if err := im.add(p); err != nil {
			return nil, fmt.Errorf("line %d: %w", p.Line, err)
		}
	}
	drafts := im.drafts()
	if len(drafts) == 0 {
		return nil, fmt.Errorf("the diff changes nothing: %w", ErrNothing)
	}
	return drafts, nil
}

// importer gathers what the patches make of the pages.
type importer struct {
	read  func(path string) ([]byte, bool, error)
	pages map[string]*imported
	moves []diff.FileDiff // renames that the diff names
}

// imported is a page as it is and as the patches leave it.
type imported struct {
	base, text   []byte
	was, there   bool
	moved, movee bool // part of a named rename: as its old name, as its new one
}

func (im *importer) page(name string) (*imported, error) {
	if p := im.pages[name]; p != nil {
		return p, nil
	}
	if !filepath.IsLocal(filepath.FromSlash(name)) || path.Clean(name) != name || name == "." || strings.ContainsRune(name, 0) {
		return nil, fmt.Errorf("%q is not a path inside the wiki: %w", name, fs.ErrInvalid)
	}
	text, ok, err := im.read(name)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	p := &imported{base: text, text: text, was: ok, there: ok}
	im.pages[name] = p
	return p, nil
}

func (im *importer) add(p diff.Patch) error {
	if p.ModeOnly {
		return nil
	}
	to, err := im.page(p.Path)
	if err != nil {
		return err
	}
	from := to
	if p.From != "" {
		if from, err = im.page(p.From); err != nil {
			return err
		}
	}
	switch {
	case p.Kind == diff.Create && p.From == "":
		if to.there {
			return fmt.Errorf("%s: the page to be created is there already", p.Path)
		}
	case from != to && !from.was:
		return fmt.Errorf("%s: there is no such page", p.From)
	case from == to && !to.there:
		return fmt.Errorf("%s: there is no such page", p.Path)
	}
	old := from.text
	if from != to {
		old = from.base // renames and copies start from the wiki as it is, wherever they stand in the diff
	}
	text, err := diff.Apply(old, p)
	if err != nil {
		return err
	}
	return im.set(p, from, to, text)
}

// set records what a patch made.
func (im *importer) set(p diff.Patch, from, to *imported, text []byte) error {
	switch p.Kind {
	case diff.Delete:
		to.there, to.text = false, nil
	case diff.Rename:
		if from.moved || to.there {
			return fmt.Errorf("%s: renamed to %s, which is there already, or renamed twice", p.From, p.Path)
		}
		from.moved, from.there = true, false
		to.movee, to.there, to.text = true, true, text
		im.moves = append(im.moves, diff.FileDiff{Path: p.Path, From: p.From, Kind: diff.Rename, Old: from.base})
	default:
		to.there, to.text = true, text
	}
	return nil
}

// drafts pairs and sorts what came of it.
func (im *importer) drafts() []Draft {
	var list []diff.FileDiff
	for _, m := range im.moves {
		m.New = im.pages[m.Path].text
		list = append(list, m)
	}
	var gone, made []diff.FileDiff
	for name, p := range im.pages {
		f := diff.FileDiff{Path: name, Old: p.base, New: p.text}
		switch {
		case p.movee, p.moved && !p.there:
		case p.was && !p.there:
			f.Kind = diff.Delete
			gone = append(gone, f)
		case !p.was && p.there:
			f.Kind = diff.Create
			made = append(made, f)
		case p.was && !bytes.Equal(p.base, p.text):
			f.Kind = diff.Edit
			list = append(list, f)
		}
	}
	for _, l := range [][]diff.FileDiff{gone, made} {
		slices.SortFunc(l, byPath) // the order of a map must not decide the pairs
	}
	renames, rest := diff.Pair(gone, made)
	list = append(append(list, renames...), rest...)
	slices.SortFunc(list, byPath)
	drafts := make([]Draft, 0, len(list))
	for _, f := range list {
		d := Draft{File: File{Path: f.Path, From: f.From, Kind: string(f.Kind)}}
		if f.Kind != diff.Create {
			d.BaseText = notNil(f.Old)
		}
		if f.Kind != diff.Delete {
			d.NewText = notNil(f.New)
		}
		drafts = append(drafts, d)
	}
	return drafts
}

func byPath(a, b diff.FileDiff) int { return strings.Compare(a.Path, b.Path) }

// notNil makes an empty text a text: nil stands for none.
func notNil(text []byte) []byte {
	if text == nil {
		return []byte{}
	}
	return text
}
