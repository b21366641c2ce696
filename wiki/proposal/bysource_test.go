package proposal

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestOfSource: the runs of a source, newest first, also of runs from before the file was made, of pruned ones none, and no other run's record is read.
func TestOfSource(t *testing.T) {
	f := newFixture(t, nil)
	start := time.Now().Add(-time.Hour)
	create := func(n int, shas ...string) {
		t.Helper()
		if err := f.Create(Record{Run: fmt.Sprintf("r%d", n), Wiki: f.wiki, State: Done, Started: start.Add(time.Duration(n) * time.Minute), SourceSHA: shas}); err != nil {
			t.Fatal(err)
		}
	}
	want := func(sha string, runs ...string) {
		t.Helper()
		recs, err := f.OfSource(sha)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, rec := range recs {
			got = append(got, rec.Run)
		}
		if !slices.Equal(got, runs) {
			t.Errorf("runs of %q: %q, want %q", sha, got, runs)
		}
	}
	create(0, "aa")
	create(1, "bb", "aa")
	create(2)
	want("aa", "r1", "r0")
	create(3, "bb")
	create(4, "aa", "aa")
	want("aa", "r4", "r1", "r0")
	want("bb", "r3", "r1")
	want("a")
	want("")
	if err := os.WriteFile(filepath.Join(f.Dir("r3"), recordFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	want("bb", "r1") // what cannot be read tells nothing
	if gone, err := f.Prune(4, 0); err != nil || len(gone) != 0 {
		t.Fatalf("%q %v", gone, err)
	}
	if gone, err := f.Prune(3, 0); err != nil || !slices.Equal(gone, []string{"r0"}) {
		t.Fatalf("%q %v", gone, err)
	}
	want("aa", "r4", "r1")
	create(5, "aa")
	want("aa", "r5", "r4", "r1")
}
