package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rigwiki/rig/wiki/proposal"
)

// TestKilledAfterTheRun: a daemon that was killed between the end of a run and its booking has left a proposal: the next one books it, with its diff, and
// runs nothing for it, also where it may apply.
func TestKilledAfterTheRun(t *testing.T) {
	r := newRig(t, failing)
	r.source("a.md", "# A\n")
	sha, err := shaOf(r.wiki, "raw/a.md")
	if err != nil {
		t.Fatal(err)
	}
	s, err := r.host.Store(r.wiki)
	if err != nil {
		t.Fatal(err)
	}
	rec := proposal.Record{Run: "made", Wiki: r.wiki.Root, Op: "ingest", State: proposal.Running, Title: "ingest raw/a.md", Sources: []string{"raw/a.md"}, SourceSHA: []string{sha}, Started: time.Now().UTC()}
	if err := s.Create(rec); err != nil {
		t.Fatal(err)
	}
	rec.State = proposal.Proposed
	if err := s.Propose(&rec, []proposal.Draft{{File: proposal.File{Path: "concepts/a.md", Kind: proposal.Create}, NewText: []byte("# A page\n")}}, nil); err != nil {
		t.Fatal(err)
	}
	q := &Queue{file: QueueFile(r.host.RigHome()), Entries: []Entry{{Wiki: r.wiki.Root, Source: "raw/a.md", SHA: sha, State: Running, Added: time.Now()}}}
	if err := q.Save(); err != nil {
		t.Fatal(err)
	}
	r.start(Options{Apply: true})
	r.until("it is booked", func() bool {
		e := r.entry("raw/a.md")
		return e.State == Done && e.Run == "made" && e.Diff == "proposals/a.diff"
	})
	if text, err := os.ReadFile(filepath.Join(r.wiki.Root, "proposals", "a.diff")); err != nil || !strings.Contains(string(text), "+# A page") {
		t.Errorf("%q %v", text, err)
	}
	r.kill()
	if n, _ := r.host.counts(); n != 0 {
		t.Errorf("%d runs", n)
	}
	if got, err := s.Load("made"); err != nil || got.State != proposal.Proposed {
		t.Errorf("%v %v", got.State, err)
	}
}

// TestOrder: sources are taken in the order in which they came into the queue, those of one look by path; one that failed leaves the others their turn.
func TestOrder(t *testing.T) {
	r := newRig(t, failing)
	for _, name := range []string{"c.md", "a.md", "b.md"} {
		r.source(name, "# "+name+"\n")
		old := time.Now().Add(-time.Hour) // all of them have stood still
		if err := os.Chtimes(filepath.Join(r.wiki.Root, "raw", name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	r.start(Options{})
	r.until("one try each", func() bool { n, _ := r.host.counts(); return n == 3 })
	r.source("0.md", "# 0\n")
	r.until("the late one", func() bool { n, _ := r.host.counts(); return n == 4 })
	r.kill()
	if got := strings.Join(r.host.jobs, " "); got != "raw/a.md raw/b.md raw/c.md raw/0.md" {
		t.Error(got)
	}
}

// TestDay: the limit is over 24 hours, not over a date: midnight and the hour that summer time takes or gives free no run, also after the queue was kept.
func TestDay(t *testing.T) {
	here, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("no time zones on this machine: ", err)
	}
	for name, c := range map[string]struct{ spent, before, after time.Time }{
		"midnight":        {time.Date(2026, 7, 1, 23, 59, 0, 0, here), time.Date(2026, 7, 2, 23, 58, 59, 0, here), time.Date(2026, 7, 2, 23, 59, 0, 0, here)},
		"an hour is lost": {time.Date(2026, 3, 28, 12, 0, 0, 0, here), time.Date(2026, 3, 29, 12, 59, 59, 0, here), time.Date(2026, 3, 29, 13, 0, 0, 0, here)},
		"an hour is won":  {time.Date(2026, 10, 24, 12, 0, 0, 0, here), time.Date(2026, 10, 25, 10, 59, 59, 0, here), time.Date(2026, 10, 25, 11, 0, 0, 0, here)},
		"the hour twice":  {time.Date(2026, 10, 25, 0, 30, 0, 0, time.UTC).In(here), time.Date(2026, 10, 26, 0, 29, 59, 0, time.UTC).In(here), time.Date(2026, 10, 26, 0, 30, 0, 0, time.UTC).In(here)},
	} {
		home := t.TempDir()
		q := &Queue{file: QueueFile(home), Spent: []time.Time{c.spent}}
		if err := q.Save(); err != nil {
			t.Fatal(err)
		}
		if q, err = LoadQueue(home); err != nil {
			t.Fatal(err)
		}
		if q.maySpend(1, c.before) || !q.maySpend(1, c.after) {
			t.Errorf("%s: %v", name, q.Spent)
		}
	}
	e := Entry{}
	at := time.Date(2026, 3, 29, 1, 59, 30, 0, here) // the clock goes from 2 to 3
	if e.failed("no", at); e.Next.Sub(at) != firstPause || e.Next.Hour() != 3 {
		t.Errorf("the next try is at %s", e.Next)
	}
}
