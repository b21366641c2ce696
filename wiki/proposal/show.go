package proposal

import (
	"io"

	"github.com/rigwiki/rig/sandbox/diff"
)

// Shown is a proposal as rigwiki.proposal.show answers it (design 7.1).
type Shown struct {
	Run     string      `json:"run"`
	State   State       `json:"state"`
	Files   []ShownFile `json:"files"`
	Refused []Refusal   `json:"refused"`
}

// ShownFile is one file of a proposal. Creates, deletes and pure renames have no hunks and are addressed by path.
type ShownFile struct {
	Path    string      `json:"path"`
	Kind    string      `json:"kind"`
	From    string      `json:"from,omitempty"`
	Flags   []string    `json:"flags"`   // the rules
	Reasons []Flag      `json:"reasons"` // the same with their reasons
	Added   int         `json:"added"`
	Removed int         `json:"removed"`
	State   Verdict     `json:"state"` // waiting while any part is; else accepted, rejected, or partly
	Hunks   []ShownHunk `json:"hunks"`
}

// ShownHunk is one hunk. Its id is the same for the proposal's life, whatever is decided about others. The move of a page that is also
// edited is one too, with id "<path>#move" and no text.
type ShownHunk struct {
	ID     string  `json:"id"`
	Header string  `json:"header"`
	Text   string  `json:"text"` // unified diff lines: ' ', '-' or '+' first
	State  Verdict `json:"state"`
	Reason string  `json:"reason,omitempty"` // given with the last decision
}

// Show gives the files and hunks of a proposal, with what was decided about each.
func (s *Store) Show(run string) (Shown, error) {
	rec, err := s.Load(run)
	if err != nil {
		return Shown{}, err
	}
	shown := Shown{Run: rec.Run, State: rec.State, Files: make([]ShownFile, 0, len(rec.Files)), Refused: rec.Refused}
	if shown.Refused == nil {
		shown.Refused = []Refusal{}
	}
	for _, f := range rec.Files {
		file, err := s.showFile(run, f)
		if err != nil {
			return Shown{}, err
		}
		shown.Files = append(shown.Files, file)
	}
	return shown, nil
}

// ShowPage is Show for the files of one page, by its path in the proposal or that which it is moved from. It reads no other.
func (s *Store) ShowPage(run, path string) ([]ShownFile, error) {
	rec, err := s.Load(run)
	if err != nil {
		return nil, err
	}
	var list []ShownFile
	for _, f := range rec.Files {
		if f.Path != path && f.From != path {
			continue
		}
		file, err := s.showFile(run, f)
		if err != nil {
			return nil, err
		}
		list = append(list, file)
	}
	return list, nil
}

func (s *Store) showFile(run string, f File) (ShownFile, error) {
	out := ShownFile{Path: f.Path, Kind: f.Kind, From: f.From, Flags: Rules(f.Flags), Reasons: f.Flags, Added: f.Added, Removed: f.Removed,
		State: f.verdict(), Hunks: []ShownHunk{}}
	if out.Reasons == nil {
		out.Reasons = []Flag{}
	}
	if f.Hunks == 0 {
		return out, nil
	}
	base, proposed, err := s.fileTexts(run, f)
	if err != nil {
		return out, err
	}
	verdicts, reasons := f.verdicts(), f.reasons()
	add := func(id, header string, body []byte) {
		out.Hunks = append(out.Hunks, ShownHunk{ID: id, Header: header, Text: string(body), State: verdicts[id], Reason: reasons[id]})
	}
	if f.Kind == Rename {
		add(f.moveID(), "rename from "+f.From+" to "+f.Path, nil)
	}
	for _, h := range diff.Hunks(base, proposed) {
		add(f.hunkID(h.ID), h.Header(), h.Body)
	}
	return out, nil
}

// reasons are those given with the last decision about each hunk.
func (f File) reasons() map[string]string {
	m := map[string]string{}
	for _, d := range f.Decided {
		m[d.Hunk] = d.Reason
	}
	return m
}

func (s *Store) fileTexts(run string, f File) (base, proposed []byte, err error) {
	if base, err = s.text(run, f.Base); err != nil {
		return nil, nil, err
	}
	proposed, err = s.text(run, f.New)
	return base, proposed, err
}

// Diff writes what still waits as a unified diff, against the proposal's base with what was accepted already.
func (s *Store) Diff(run string, w io.Writer) error {
	return s.print(run, w, func(v map[string]Verdict) (old, proposed func(string) bool) {
		return func(id string) bool { return v[id] == Accepted },
			func(id string) bool { return v[id] == Accepted || v[id] == Waiting }
	})
}

// Export writes the kept changes as a -p1 unified diff against the proposal's base, less what was rejected (design section 6).
func (s *Store) Export(run string, w io.Writer) error {
	return s.print(run, w, func(v map[string]Verdict) (old, proposed func(string) bool) {
		return func(string) bool { return false },
			func(id string) bool { return v[id] != Rejected }
	})
}

// print writes the step from the parts that old holds to those that proposed holds.
func (s *Store) print(run string, w io.Writer, sides func(map[string]Verdict) (old, proposed func(string) bool)) error {
	rec, err := s.Load(run)
	if err != nil {
		return err
	}
	var diffs []diff.FileDiff
	for _, f := range rec.Files {
		old, proposed := sides(f.verdicts())
		d, changed, err := s.between(run, f, old, proposed)
		if err != nil {
			return err
		}
		if changed {
			diffs = append(diffs, d)
		}
	}
	return diff.Print(w, diffs)
}

// between is the change of one file from one set of its parts to another.
func (s *Store) between(run string, f File, old, proposed func(string) bool) (d diff.FileDiff, changed bool, err error) {
	base, made, err := s.fileTexts(run, f)
	if err != nil {
		return d, false, err
	}
	if f.Kind == Create || f.Kind == Delete {
		d = diff.FileDiff{Path: f.Path, Kind: diff.Kind(f.Kind), Old: base, New: made}
		return d, old(whole) != proposed(whole), nil
	}
	d = diff.FileDiff{Path: f.place(proposed), From: f.place(old), Kind: diff.Rename,
		Old: f.textWith(base, made, old), New: f.textWith(base, made, proposed)}
	if d.From == d.Path {
		d.Kind, d.From = diff.Edit, ""
	}
	return d, d.Kind == diff.Rename || string(d.Old) != string(d.New), nil
}

// Rules are the names of flags, as the contract's JSON has them.
func Rules(flags []Flag) []string {
	names := make([]string, len(flags))
	for i, f := range flags {
		names[i] = f.Rule
	}
	return names
}
