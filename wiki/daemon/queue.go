package daemon

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// State is where an entry of the queue stands.
type State string

// The states. A source that is ingested, or whose proposal waits, has no entry.
const (
	Waiting State = "waiting"  // for its turn, or for the next try
	Running State = "running"  // in a run; where no daemon runs, one was killed in it (see BookDead)
	GaveUp  State = "gave-up"  // for this text of the source
	Done    State = "proposed" // its proposal waits: the entry remembers the diff beside the wiki
)

// Entry is a source in the queue.
type Entry struct {
	Wiki   string    `json:"wiki"` // root, as the user names it
	Source string    `json:"source"`
	SHA    string    `json:"sha"` // of the source when it was queued
	State  State     `json:"state"`
	Added  time.Time `json:"added"`
	Tries  int       `json:"tries"`
	Next   time.Time `json:"next,omitzero"` // not before
	Run    string    `json:"run,omitempty"` // the last
	Reason string    `json:"reason,omitempty"`
	Diff   string    `json:"diff,omitempty"` // path of the proposal's diff in the wiki
}

// Queue is the daemon's memory, one file. Only the daemon writes it.
type Queue struct {
	Entries []Entry     `json:"entries"`
	Spent   []time.Time `json:"spent"` // when the runs of the last 24 hours were started
	file    string
}

// QueueFile is where the queue lies below RIG_HOME.
func QueueFile(rigHome string) string { return filepath.Join(rigHome, "daemon", "queue.json") }

// LoadQueue reads the queue; one that is not there is empty. A broken one is an error: it is never thrown away silently.
func LoadQueue(rigHome string) (*Queue, error) {
	q := &Queue{file: QueueFile(rigHome)}
	text, err := os.ReadFile(q.file)
	if errors.Is(err, fs.ErrNotExist) {
		return q, nil
	}
	if err == nil {
		err = json.Unmarshal(text, q)
	}
	if err != nil {
		return nil, fmt.Errorf("read the daemon's queue %s: %w", q.file, err)
	}
	return q, nil
}

// Save replaces the file: it is the old one or the new one, also after a crash.
func (q *Queue) Save() error {
	text, err := json.MarshalIndent(q, "", " ")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(q.file), 0o700)
	}
	if err != nil {
		return fmt.Errorf("keep the daemon's queue: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(q.file), ".queue-*")
	if err != nil {
		return fmt.Errorf("keep the daemon's queue: %w", err)
	}
	_, err = f.Write(append(text, '\n'))
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), q.file)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the first error is the one to tell
		return fmt.Errorf("keep the daemon's queue: %w", err)
	}
	return nil
}

// find is the entry of a source.
func (q *Queue) find(wiki, source string) *Entry {
	for i := range q.Entries {
		if q.Entries[i].Wiki == wiki && q.Entries[i].Source == source {
			return &q.Entries[i]
		}
	}
	return nil
}

// add queues a source, unless what it says is known. It tells whether the queue changed.
func (q *Queue) add(wiki, source, sha string, now time.Time) bool {
	e := q.find(wiki, source)
	if e == nil {
		q.Entries = append(q.Entries, Entry{Wiki: wiki, Source: source, SHA: sha, State: Waiting, Added: now})
		return true
	}
	if e.SHA == sha || e.State == Running {
		return false
	}
	*e = Entry{Wiki: wiki, Source: source, SHA: sha, State: Waiting, Added: now, Diff: e.Diff}
	return true
}

// drop forgets a source.
func (q *Queue) drop(wiki, source string) {
	q.Entries = slices.DeleteFunc(q.Entries, func(e Entry) bool { return e.Wiki == wiki && e.Source == source })
}

// due is the first entry of a wiki whose time has come. A time that lies further ahead than any pause of ours is a clock's jump, and has come.
func (q *Queue) due(wiki string, now time.Time) *Entry {
	for i := range q.Entries {
		e := &q.Entries[i]
		if e.Wiki == wiki && e.State == Waiting && (!now.Before(e.Next) || e.Next.Sub(now) > longest) {
			return e
		}
	}
	return nil
}

// day is what the limit of runs is counted over.
const day = 24 * time.Hour

// maySpend tells whether one more run may start. What lies ahead of the clock, which was put back, counts as of now: it neither frees runs nor
// blocks them for longer than a day.
func (q *Queue) maySpend(limit int, now time.Time) bool {
	kept := q.Spent[:0]
	for _, t := range q.Spent {
		if t.After(now) {
			t = now
		}
		if now.Sub(t) < day {
			kept = append(kept, t)
		}
	}
	q.Spent = kept
	return len(kept) < limit
}

// Pauses between tries: they grow, up to the longest; after the last try the source is given up.
const (
	firstPause = time.Minute
	longest    = 6 * time.Hour
	maxTries   = 5
)

// pause is how long to wait after so many tries.
func pause(tries int) time.Duration {
	d := firstPause
	for range min(tries, 10) - 1 {
		d *= 4
	}
	return min(d, longest)
}

// another gives what was given up after several tries a fresh start: what it failed of may be mended.
func (q *Queue) another() {
	for i := range q.Entries {
		if e := &q.Entries[i]; e.State == GaveUp && e.Tries >= maxTries {
			e.State, e.Tries, e.Next = Waiting, 0, time.Time{}
		}
	}
}

// unspend takes back that a run was started: it never came to an agent.
func (q *Queue) unspend() {
	if n := len(q.Spent); n > 0 {
		q.Spent = q.Spent[:n-1]
	}
}

// failed books a try that came to nothing: another one later, or none.
func (e *Entry) failed(reason string, now time.Time) {
	e.Tries++
	e.Reason = reason
	if e.Tries >= maxTries {
		e.State, e.Next = GaveUp, time.Time{}
		e.Reason = fmt.Sprintf("given up after %d tries: %s", e.Tries, reason)
		return
	}
	e.State, e.Next = Waiting, now.Add(pause(e.Tries))
}

// BookDead books the runs that a daemon was killed in, each as a try that came to nothing. Who only looks at the queue where no daemon runs calls it on
// what was read, without saving it, and sees what the next daemon will.
func (q *Queue) BookDead(now time.Time) {
	for i := range q.Entries {
		if e := &q.Entries[i]; e.State == Running {
			e.failed("the daemon died during the run", now)
		}
	}
}

// Today counts the runs that were started within the last 24 hours.
func (q *Queue) Today(now time.Time) int {
	q.maySpend(0, now)
	return len(q.Spent)
}
