package proposal

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/rigwiki/rig/sandbox/diff"
)

// Propose stores what policy made of a run's changes: the texts, the record's Files and Refused, proposal.diff and refused.diff; the record
// last, in the state that the caller has set. The run's folder exists (Create). Without drafts there is no proposal.diff.
func (s *Store) Propose(rec *Record, drafts []Draft, refused []RefusedText) error {
	if err := s.keepDrafts(rec, drafts); err != nil {
		return err
	}
	if err := s.keepRefused(rec, refused); err != nil {
		return err
	}
	return s.Save(*rec)
}

func (s *Store) keepDrafts(rec *Record, drafts []Draft) error {
	rec.Files = make([]File, 0, len(drafts))
	diffs := make([]diff.FileDiff, 0, len(drafts))
	seen := map[string]bool{}
	for _, d := range drafts {
		if seen[d.Path] {
			return fmt.Errorf("propose: %s is there twice", d.Path)
		}
		seen[d.Path] = true
		f, err := s.keepDraft(rec.Run, d)
		if err != nil {
			return err
		}
		rec.Files = append(rec.Files, f)
		diffs = append(diffs, diff.FileDiff{Path: f.Path, From: f.From, Kind: diff.Kind(f.Kind), Old: d.BaseText, New: d.NewText})
	}
	slices.SortStableFunc(rec.Files, func(a, b File) int { return bytes.Compare([]byte(a.Path), []byte(b.Path)) })
	return s.writeDiff(rec.Run, proposalDiff, nil, diffs)
}

// keepDraft stores a draft's texts. What the caller set of Base and New is replaced by what the texts are.
func (s *Store) keepDraft(run string, d Draft) (File, error) {
	f := d.File
	f.Base, f.New, f.Hunks, f.Decided = "", "", 0, nil
	hasBase := f.Kind == Delete || f.Kind == Rename || f.Kind == Edited && d.BaseText != nil
	if !slices.Contains([]string{Create, Edited, Rename, Delete}, f.Kind) {
		return f, fmt.Errorf("propose %s: no such kind: %q", f.Path, f.Kind)
	}
	if f.Kind == Rename && (f.From == "" || f.From == f.Path) {
		return f, fmt.Errorf("propose %s: a rename from %q", f.Path, f.From)
	}
	var err error
	if hasBase {
		if f.Base, err = s.PutText(run, d.BaseText); err != nil {
			return f, err
		}
	}
	if f.Kind != Delete {
		if f.New, err = s.PutText(run, d.NewText); err != nil {
			return f, err
		}
	}
	f.Added, f.Removed = diff.Stat(d.BaseText, d.NewText)
	if hasBase && f.Kind != Delete {
		f.Hunks = len(diff.Hunks(d.BaseText, d.NewText))
	}
	return f, nil
}

func (s *Store) keepRefused(rec *Record, refused []RefusedText) error {
	rec.Refused = make([]Refusal, 0, len(refused))
	var why []string
	var diffs []diff.FileDiff
	for _, r := range refused {
		rec.Refused = append(rec.Refused, r.Refusal)
		why = append(why, fmt.Sprintf("# %q: %s: %s", r.Path, r.Rule, r.Reason))
		if r.BaseText == nil && r.NewText == nil {
			continue
		}
		kind := diff.Edit
		switch {
		case r.From != "":
			kind = diff.Rename
		case r.BaseText == nil:
			kind = diff.Create
		case r.NewText == nil:
			kind = diff.Delete
		}
		diffs = append(diffs, diff.FileDiff{Path: r.Path, From: r.From, Kind: kind, Old: r.BaseText, New: r.NewText})
	}
	return s.writeDiff(rec.Run, refusedDiff, why, diffs)
}

// writeDiff writes one of the run's diffs, led by remarks; with neither there is no file.
func (s *Store) writeDiff(run, name string, remarks []string, diffs []diff.FileDiff) error {
	file := filepath.Join(s.Dir(run), name)
	if len(remarks)+len(diffs) == 0 {
		return removeIfThere(file)
	}
	var out bytes.Buffer
	for _, r := range remarks {
		fmt.Fprintln(&out, r)
	}
	if err := diff.Print(&out, diffs); err != nil {
		return fmt.Errorf("write %s of run %s: %w", name, run, err)
	}
	if err := replaceFile(file, out.Bytes(), noSync); err != nil {
		return fmt.Errorf("write %s of run %s: %w", name, run, err)
	}
	return nil
}
