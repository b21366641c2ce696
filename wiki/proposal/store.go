package proposal

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// A Store keeps the runs of one wiki, a folder each. Several stores, also of several processes, may share a folder: files are replaced
// atomically, and what reads, decides and writes holds a lock.
type Store struct {
	dir    string
	now    func() time.Time
	step   func(name string)      // called before each thing that a kill could interrupt; tests stop there
	flush  func(*os.File) error   // makes a file durable before it gets its name
	keeps  func(path string) bool // see OpenKeeping
	recent recent
}

const (
	recordFile   = "run.json"
	receiptFile  = "receipt.json"
	proposalDiff = "proposal.diff"
	refusedDiff  = "refused.diff"
	undoDiff     = "undo.diff"
	lockFile     = ".lock"
	turnFile     = ".turn"
)

// turnPoll is how often a wait for the turn asks again.
const turnPoll = 20 * time.Millisecond

// Open opens the store in dir ($RIG_HOME/runs/<wiki>) and makes the folder where it is missing.
func Open(dir string) (*Store, error) {
	return OpenKeeping(dir, func(string) bool { return false })
}

// OpenKeeping is Open for a wiki with files that are not written, also where a link comes to lead to one after policy has judged, and with folders
// that stay when their last page goes: keeps tells both by their path below the wiki.
func OpenKeeping(dir string, keeps func(path string) bool) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("open the run store: %w", err)
	}
	return &Store{dir: dir, now: time.Now, step: func(string) {}, flush: (*os.File).Sync, keeps: keeps}, nil
}

// NewRunID makes the id of a run that starts at t: [a-z0-9-]+, sorted by time, with a tail of 50 random bits.
func NewRunID(t time.Time, op string) string {
	keep := func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return -1
	}
	u := t.UTC()
	return fmt.Sprintf("%s-%03d-%s-%s", u.Format("20060102-150405"), u.Nanosecond()/int(time.Millisecond),
		strings.Map(keep, strings.ToLower(op)), strings.ToLower(rand.Text()[:10]))
}

// Dir is the folder of a run. It does not say that the run exists.
func (s *Store) Dir(run string) string { return filepath.Join(s.dir, run) }

// validID keeps ids, which come from users and other processes, from leaving the store's folder.
func validID(run string) bool {
	return run != "" && strings.Trim(run, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// Create makes the folder of a new run and saves its record.
func (s *Store) Create(rec Record) error {
	if !validID(rec.Run) {
		return fmt.Errorf("create run %q: an id is made of a-z, 0-9 and -", rec.Run)
	}
	if err := os.Mkdir(s.Dir(rec.Run), 0o700); err != nil {
		return fmt.Errorf("create run %s: %w", rec.Run, err)
	}
	if err := os.Mkdir(filepath.Join(s.Dir(rec.Run), "files"), 0o700); err != nil {
		return fmt.Errorf("create run %s: %w", rec.Run, err)
	}
	return errors.Join(s.Save(rec), s.noteSources(rec))
}

// Save replaces the record of a run. Fields of a newer version that stand in the old file are kept. Use Update where the record may have
// been changed by others since it was loaded.
func (s *Store) Save(rec Record) error {
	if !validID(rec.Run) {
		return fmt.Errorf("save run %q: %w", rec.Run, ErrNoRun)
	}
	name := filepath.Join(s.Dir(rec.Run), recordFile)
	old, err := s.toCarry(rec.Run, name)
	if err != nil {
		return fmt.Errorf("save run %s: %w", rec.Run, err)
	}
	data, err := encodeRecord(rec, old)
	if err != nil {
		return fmt.Errorf("save run %s: %w", rec.Run, err)
	}
	flush := s.flush
	if rec.State == Queued || rec.State == Running {
		flush = noSync // a machine that loses power loses the run as well
	}
	var info fs.FileInfo
	err = replaceFile(name, data, func(f *os.File) error {
		var statErr error
		info, statErr = f.Stat()
		return errors.Join(statErr, flush(f))
	})
	if err != nil {
		return fmt.Errorf("save run %s: %w", rec.Run, err)
	}
	if rec.likeRead() {
		s.recent.put(rec.Run, cached{info, rec, old != nil})
	}
	return nil
}

// toCarry gives the bytes of the record as it is on disk where it has fields that this version does not know, else none.
func (s *Store) toCarry(run, name string) ([]byte, error) {
	info, err := os.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if got, ok := s.recent.get(run, info); ok && !got.unknown {
		return nil, nil
	}
	old, err := os.ReadFile(name)
	if err != nil || !hasUnknown(old) {
		return nil, err
	}
	return old, nil
}

// Load reads the record of a run; ErrNoRun where there is none.
func (s *Store) Load(run string) (Record, error) {
	if !validID(run) {
		return Record{}, fmt.Errorf("%q: %w", run, ErrNoRun)
	}
	name := filepath.Join(s.Dir(run), recordFile)
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return Record{}, fmt.Errorf("%s: %w", run, ErrNoRun)
	}
	if err != nil {
		return Record{}, fmt.Errorf("load run %s: %w", run, err)
	}
	if got, ok := s.recent.get(run, info); ok {
		return got.rec, nil
	}
	data, err := os.ReadFile(name) // may be newer than info: then the next Load sees that
	if err != nil {
		return Record{}, fmt.Errorf("load run %s: %w", run, err)
	}
	rec, unknown, err := decodeRecord(data)
	if err != nil {
		return Record{}, fmt.Errorf("load run %s: %w", run, err)
	}
	if rec.Run != run {
		return Record{}, fmt.Errorf("load run %s: its record is of run %q", run, rec.Run)
	}
	s.recent.put(run, cached{info, rec, unknown})
	return rec, nil
}

// Update loads a record, lets change alter it and saves it, all under the store's lock. Nothing is saved where change gives an error.
func (s *Store) Update(run string, change func(*Record) error) error {
	unlock, err := s.lock()
	if err != nil {
		return err
	}
	defer unlock()
	return s.update(run, change)
}

// update is Update under a lock that the caller holds.
func (s *Store) update(run string, change func(*Record) error) error {
	rec, err := s.Load(run)
	if err != nil {
		return err
	}
	if err := change(&rec); err != nil {
		return err
	}
	return s.Save(rec)
}

// List gives the records, newest first. Runs that cannot be read are reported in broken, an error each that names the run, and are no
// reason to hide the others.
func (s *Store) List() (recs []Record, broken []error, err error) {
	runs, err := s.runs()
	if err != nil {
		return nil, nil, err
	}
	for _, run := range runs {
		rec, err := s.Load(run)
		if err != nil {
			broken = append(broken, err)
			continue
		}
		recs = append(recs, rec)
	}
	slices.SortStableFunc(recs, func(a, b Record) int {
		if c := b.Started.Compare(a.Started); c != 0 {
			return c
		}
		return strings.Compare(b.Run, a.Run)
	})
	return recs, broken, nil
}

// runs are the ids of all runs, in no order that counts.
func (s *Store) runs() ([]string, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	var runs []string
	for _, e := range entries {
		if e.IsDir() && validID(e.Name()) {
			runs = append(runs, e.Name())
		}
	}
	return runs, nil
}

// Prune removes runs beyond the newest keep and those that started more than age ago, and tells which; 0 means no bound. A proposal that
// waits, a run that is under way and one with an unfinished apply are never removed. Runs that cannot be read are left for a person to look at.
func (s *Store) Prune(keep int, age time.Duration) ([]string, error) {
	unlock, err := s.lock()
	if err != nil {
		return nil, err
	}
	defer unlock()
	recs, _, err := s.List()
	if err != nil {
		return nil, err
	}
	var gone []string
	var errs []error
	for i, rec := range recs {
		over := keep > 0 && i >= keep || age > 0 && s.now().Sub(rec.Started) > age
		if !over || rec.Waits() || rec.State == Queued || rec.State == Running || s.journaled(rec.Run) {
			continue
		}
		if err := os.RemoveAll(s.Dir(rec.Run)); err != nil {
			errs = append(errs, fmt.Errorf("prune run %s: %w", rec.Run, err))
			continue
		}
		gone = append(gone, rec.Run)
	}
	return gone, errors.Join(append(errs, s.forgetSources())...)
}

// lock excludes other writers, of this process and of others. It is not reentrant.
func (s *Store) lock() (unlock func(), err error) {
	l := flock.New(filepath.Join(s.dir, lockFile), flock.SetPermissions(0o600))
	if err := l.Lock(); err != nil {
		return nil, fmt.Errorf("lock the run store: %w", err)
	}
	return func() { _ = l.Close() }, nil // closing cannot leave it held: the kernel drops it with the descriptor
}

// Turn is held by an editor from its plan until what it made of it is noted: what another editor, or a second click, planned meanwhile would be about
// texts that are just being changed, and be applied on top. It waits as long as ctx allows. The turn of a program that died is free.
func (s *Store) Turn(ctx context.Context) (done func(), err error) {
	l := flock.New(filepath.Join(s.dir, turnFile), flock.SetPermissions(0o600))
	if _, err := l.TryLockContext(ctx, turnPoll); err != nil {
		_ = l.Close()
		return nil, fmt.Errorf("wait for the turn to apply: %w", err)
	}
	return func() { _ = l.Close() }, nil
}

// Receipts gives the receipts of a run, oldest first.
func (s *Store) Receipts(run string) ([]Receipt, error) {
	data, err := os.ReadFile(filepath.Join(s.Dir(run), receiptFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read receipts of %s: %w", run, err)
	}
	var list []Receipt
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("read receipts of %s: %w", run, err)
	}
	return list, nil
}

func (s *Store) saveReceipts(run string, list []Receipt) error {
	data, err := json.Marshal(list)
	if err != nil {
		return fmt.Errorf("save receipts of %s: %w", run, err)
	}
	if err := replaceFile(filepath.Join(s.Dir(run), receiptFile), append(data, '\n'), s.flush); err != nil {
		return fmt.Errorf("save receipts of %s: %w", run, err)
	}
	return nil
}
