package wiki

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rigwiki/rig/wiki/proposal"
)

// TestSweepReadsNoHistory: a dead run is known by its folder, at once; one whose folder was taken away is closed when the whole history is looked at, once a day.
func TestSweepReadsNoHistory(t *testing.T) {
	top := t.TempDir()
	w, _, err := Init(filepath.Join(top, "wiki"), InitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	h, err := NewHost(Options{RigHome: filepath.Join(top, "home"), Env: os.Environ(), Self: os.Args[0]})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	s, err := h.Store(w) // looks at the history, of which there is none
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range []string{"with", "without"} {
		if err := s.Create(proposal.Record{Run: run, Wiki: w.Root, Op: "ingest", State: proposal.Running, Started: time.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := h.runDir(w, "with"); err != nil {
		t.Fatal(err)
	}
	young, err := h.runDir(w, "young") // its record is about to be written
	if err != nil {
		t.Fatal(err)
	}
	old, err := h.runDir(w, "old")
	if err != nil {
		t.Fatal(err)
	}
	hourAgo := time.Now().Add(-time.Hour)
	if err := os.Chtimes(old, hourAgo, hourAgo); err != nil {
		t.Fatal(err)
	}
	states := func(with, without proposal.State) {
		t.Helper()
		if err := h.sweep(w, s, w.ID); err != nil {
			t.Fatal(err)
		}
		for run, want := range map[string]proposal.State{"with": with, "without": without} {
			if rec, err := s.Load(run); err != nil || rec.State != want {
				t.Errorf("%s: %s %v, want %s", run, rec.State, err, want)
			}
		}
	}
	states(proposal.Failed, proposal.Running)
	left, err := os.ReadDir(filepath.Dir(young))
	if err != nil || len(left) != 1 || left[0].Name() != "young" {
		t.Errorf("folders left: %v %v", left, err)
	}
	yesterday := time.Now().Add(-25 * time.Hour)
	if err := os.Chtimes(filepath.Join(h.rigHome, "runs", w.ID, ".tended"), yesterday, yesterday); err != nil {
		t.Fatal(err)
	}
	states(proposal.Failed, proposal.Failed)
}
