package proposal

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// journalsDir holds the journals of a store, a file each under the run's name: what was interrupted is found without a look at every run.
const journalsDir = ".journals"

func (s *Store) journal(run string) string { return filepath.Join(s.dir, journalsDir, run) }

// journal is what has to be known to finish an apply that was killed. It is on disk, whole, before the first page is touched, and goes when
// receipt and record are written. The texts are in the store.
type journal struct {
	Run     string    `json:"run"`
	By      string    `json:"by"`
	At      time.Time `json:"at"`
	Undo    bool      `json:"undo,omitempty"`
	Entries []entry   `json:"entries"`
	Folders []string  `json:"folders,omitempty"` // that were missing
	Empties []string  `json:"empties,omitempty"` // to be removed where empty
}

// entry is one file of the journal.
type entry struct {
	File    ReceiptFile `json:"file"`
	Of      string      `json:"of"` // path of the record's file
	Steps   []step      `json:"steps,omitempty"`
	Settled bool        `json:"settled,omitempty"` // nothing to write
	Temp    string      `json:"temp"`              // name of the temporary file beside the page; Temp+"-old" for the page that goes
}

// newJournal turns a plan into a journal, with all its texts in the store.
func (s *Store) newJournal(plan Plan, by string) (journal, error) {
	j := journal{Run: plan.Run, By: by, At: s.now().UTC(), Undo: plan.Undo, Folders: plan.Folders, Empties: plan.empties}
	token := strings.ToLower(rand.Text()[:8])
	for _, list := range []struct {
		files   []Planned
		settled bool
	}{{plan.Files, false}, {plan.Settled, true}} {
		for _, p := range list.files {
			e, err := s.newEntry(plan.Run, p)
			if err != nil {
				return journal{}, err
			}
			e.Temp = fmt.Sprintf(".rig-%s-%d", token, len(j.Entries))
			if list.settled {
				e.Settled, e.File.Word, e.File.Applied = true, WordApplied, e.File.Accepted
			}
			j.Entries = append(j.Entries, e)
		}
	}
	if len(j.Entries) == 0 {
		return journal{}, fmt.Errorf("%s: the plan has nothing to apply: %w", plan.Run, ErrNothing)
	}
	if !plan.Undo {
		j.Empties = emptied(plan.Files, s.keeps)
	}
	return j, nil
}

// emptied are the folders, inner ones first, that the pages of a plan leave and no new page comes to: what was made for a page goes with the last one.
// An undo takes away what its run had made instead, and makes these again.
func emptied(files []Planned, keeps func(path string) bool) []string {
	left, needed := map[string]bool{}, map[string]bool{}
	for _, p := range files {
		gone := p.From
		if p.Kind == Delete {
			gone = p.Path
		} else {
			for dir := path.Dir(p.Path); dir != "."; dir = path.Dir(dir) {
				needed[dir] = true
			}
		}
		for dir := path.Dir(gone); dir != "." && !keeps(dir); dir = path.Dir(dir) {
			left[dir] = true
		}
	}
	folders := slices.Sorted(maps.Keys(left))
	slices.Reverse(folders) // "a/b" before "a"
	return slices.DeleteFunc(folders, func(dir string) bool { return needed[dir] })
}

func (s *Store) newEntry(run string, p Planned) (entry, error) {
	e := entry{Of: p.file, Steps: p.steps, File: ReceiptFile{Path: p.Path, From: p.From, Kind: p.Kind, Hunks: p.Hunks, Shared: p.Shared, Edited: p.Edited}}
	if e.Of == "" {
		e.Of = p.Path
	}
	var err error
	if p.Exists {
		if e.File.Before, err = s.PutText(run, p.Before); err != nil {
			return e, err
		}
	}
	if p.Kind != Delete && (p.Exists || p.Kind == Create) {
		e.File.Accepted, err = s.PutText(run, p.After)
	}
	return e, err
}

// stillOpen refuses a plan whose parts were decided, or whose steps were taken back, since it was made.
func (s *Store) stillOpen(plan Plan) error {
	rec, err := s.Load(plan.Run)
	if err != nil {
		return err
	}
	if plan.Undo {
		return s.stillDone(plan)
	}
	if err := decidable(rec); err != nil {
		return err
	}
	for _, p := range slices.Concat(plan.Files, plan.Settled) {
		i, ok := fileAt(rec, p.file)
		if !ok {
			return fmt.Errorf("%s: %w", p.Path, ErrUnknown)
		}
		ids := p.Hunks
		if len(ids) == 0 {
			ids = []string{whole}
		}
		verdicts := rec.Files[i].verdicts()
		for _, id := range ids {
			if verdicts[id] == Accepted {
				return fmt.Errorf("%s of run %s: %w", p.Path, plan.Run, ErrDecided)
			}
		}
	}
	return nil
}

func (s *Store) stillDone(plan Plan) error {
	receipts, err := s.Receipts(plan.Run)
	if err != nil {
		return err
	}
	for _, p := range slices.Concat(plan.Files, plan.Settled) {
		for _, st := range p.steps {
			if st.Receipt >= len(receipts) || st.File >= len(receipts[st.Receipt].Files) || !receipts[st.Receipt].Files[st.File].Undone.IsZero() {
				return fmt.Errorf("undo of %s in run %s: %w", p.Path, plan.Run, ErrDecided)
			}
		}
	}
	return nil
}

func (j journal) receipt() Receipt {
	r := Receipt{At: j.At, By: j.By, Undo: j.Undo, Folders: j.Folders, Files: make([]ReceiptFile, 0, len(j.Entries))}
	for _, e := range j.Entries {
		r.Files = append(r.Files, e.File)
	}
	return r
}

func (s *Store) journaled(run string) bool {
	_, err := os.Lstat(s.journal(run))
	return err == nil
}

func (s *Store) saveJournal(j journal) error {
	data, err := json.Marshal(j)
	if err == nil {
		err = os.MkdirAll(filepath.Join(s.dir, journalsDir), 0o700)
	}
	if err == nil {
		err = replaceFile(s.journal(j.Run), data, s.flush)
	}
	if err != nil {
		return fmt.Errorf("write the journal of run %s: %w", j.Run, err)
	}
	return nil
}

func (s *Store) dropJournal(run string) error {
	if err := removeIfThere(s.journal(run)); err != nil {
		return fmt.Errorf("remove the journal of run %s: %w", run, err)
	}
	return nil
}

// Recover finishes what a kill interrupted: the plan had been consented to, so each page that is still as the plan saw it gets its new text, and one that was
// changed since is left alone and recorded as not applied. It gives the runs it finished. Call it at the start, with the wiki's lock held.
func (s *Store) Recover() ([]string, error) {
	unlock, err := s.lock()
	if err != nil {
		return nil, err
	}
	defer unlock()
	journals, err := os.ReadDir(filepath.Join(s.dir, journalsDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("look for interrupted applies: %w", err)
	}
	var finished []string
	var errs []error
	for _, e := range journals {
		run := e.Name()
		if !validID(run) {
			continue // a temporary file of one that was never written
		}
		ok, err := s.recoverRun(run)
		if err != nil {
			errs = append(errs, err)
		}
		if ok {
			finished = append(finished, run)
		}
	}
	return finished, errors.Join(errs...)
}

// recoverRun finishes the journal of one run; false where it has none.
func (s *Store) recoverRun(run string) (bool, error) {
	data, err := os.ReadFile(s.journal(run))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("recover run %s: %w", run, err)
	}
	if _, err := os.Lstat(s.Dir(run)); errors.Is(err, fs.ErrNotExist) {
		return false, s.dropJournal(run) // somebody took the run away, and its texts with it
	}
	var j journal
	if err := json.Unmarshal(data, &j); err != nil {
		return false, fmt.Errorf("recover run %s: its journal: %w", run, err)
	}
	if j.Run != run {
		return false, fmt.Errorf("recover run %s: its journal is of run %q", run, j.Run)
	}
	_, err = s.carryOut(j)
	return true, err
}
