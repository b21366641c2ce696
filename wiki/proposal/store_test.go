package proposal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestNewRunID(t *testing.T) {
	at := time.Date(2026, 11, 30, 12, 7, 9, 45e6, time.FixedZone("x", 3600))
	a, b := NewRunID(at, "act-pr"), NewRunID(at, "Ünder/../")
	if !regexp.MustCompile(`^20261130-110709-045-act-pr-[a-z2-7]{10}$`).MatchString(a) || !regexp.MustCompile(`^[a-z0-9-]+$`).MatchString(b) {
		t.Errorf("ids %q, %q", a, b)
	}
	if later := NewRunID(at.Add(time.Millisecond), "act-pr"); later < a || NewRunID(at, "act-pr") == a {
		t.Errorf("ids %q, %q", a, later)
	}
}

func TestModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes on Windows")
	}
	f := newFixture(t, map[string]string{"a.md": "a\n"})
	f.apply(f.propose(map[string]string{"a.md": "b\n"}), Selection{})
	err := filepath.WalkDir(f.dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		}
		if err == nil && info.Mode().Perm() != want {
			t.Errorf("%s: mode %v", p, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// A field of a newer version is kept, at every depth, through saves and decisions.
func TestUnknownFieldsAreKept(t *testing.T) {
	f := newFixture(t, map[string]string{"a.md": "a\n", "b.md": "b\n"})
	run := f.propose(map[string]string{"a.md": "A\n", "b.md": "B\n"})
	name := filepath.Join(f.Dir(run), recordFile)
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(data), `"path":"b.md"`, `"path":"b.md","risk":{"level":12345678901234567890}`, 1)
	text = strings.Replace(text, "{", `{"future":[1,"two"],`, 1)
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f.apply(run, Selection{Paths: []string{"b.md"}})
	if err := f.Discard(run, Selection{}, "no", "cli"); err != nil {
		t.Fatal(err)
	}
	data, err = os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Future []any `json:"future"`
		Files  []struct {
			Path    string `json:"path"`
			Risk    struct{ Level json.Number }
			Decided []Decision
		}
	}
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Future) != 2 || len(got.Files) != 2 || got.Files[1].Risk.Level != "12345678901234567890" || got.Files[0].Risk.Level != "" || len(got.Files[1].Decided) != 1 {
		t.Errorf("run.json: %s", data)
	}
}

func TestListIsNewestFirstAndBearsBrokenRuns(t *testing.T) {
	f := newFixture(t, nil)
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range 3 {
		if err := f.Create(Record{Run: fmt.Sprintf("r%d", i), Wiki: f.wiki, State: Done, Started: at.Add(time.Duration(i) * time.Hour)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(f.Dir("r1"), recordFile), []byte(`{"run":"r1",`), 0o600); err != nil {
		t.Fatal(err)
	}
	recs, broken, err := f.List()
	if err != nil || len(recs) != 2 || recs[0].Run != "r2" || recs[1].Run != "r0" {
		t.Errorf("list %+v, %v", recs, err)
	}
	if len(broken) != 1 || !strings.Contains(broken[0].Error(), "r1") {
		t.Errorf("broken %v", broken)
	}
	if err := f.Create(Record{Run: "r0"}); err == nil {
		t.Error("a run was created twice")
	}
	if err := f.Create(Record{Run: "../r9"}); err == nil {
		t.Error("a run outside the store was created")
	}
}

func TestPrune(t *testing.T) {
	f := newFixture(t, map[string]string{"a.md": "a\n"})
	open := f.propose(map[string]string{"a.md": "b\n"})
	err := f.Update(open, func(rec *Record) error {
		rec.Started = time.Now().Add(-1000 * time.Hour)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, state := range []State{Done, Done, Running, Failed, Discarded} {
		rec := Record{Run: fmt.Sprintf("r%d", i), Wiki: f.wiki, State: state, Started: time.Now().Add(-time.Duration(i+1) * time.Hour)}
		if err := f.Create(rec); err != nil {
			t.Fatal(err)
		}
	}
	gone, err := f.Prune(2, 0)
	if err != nil || !slices.Equal(gone, []string{"r3", "r4"}) {
		t.Errorf("by count: %q, %v", gone, err)
	}
	gone, err = f.Prune(0, 90*time.Minute)
	if err != nil || !slices.Equal(gone, []string{"r1"}) {
		t.Errorf("by age: %q, %v", gone, err)
	}
	f.wantState(open, Proposed)
	if err := f.Discard(open, Selection{}, "", "cli"); err != nil {
		t.Fatal(err)
	}
	if gone, err = f.Prune(0, 100*time.Hour); err != nil || !slices.Equal(gone, []string{open}) {
		t.Errorf("once decided: %q, %v", gone, err)
	}
}

func TestDamagedTextIsAnError(t *testing.T) {
	f := newFixture(t, map[string]string{"a.md": "a\n"})
	run := f.propose(map[string]string{"a.md": "b\n"})
	sum := f.record(run).Files[0].New
	if err := os.WriteFile(filepath.Join(f.Dir(run), "files", sum), []byte("x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Text(run, sum); err == nil {
		t.Error("another text was given")
	}
	if _, err := f.Plan(run, Selection{}, OnDisk(f.wiki)); err == nil {
		t.Error("another text was planned")
	}
	if _, err := f.Text(run, "../run.json"); err == nil {
		t.Error("a file that is no text was given")
	}
}

// Two processes on one folder: each hunk is decided once, and no decision is lost.
func TestTwoStoresOnOneFolder(t *testing.T) {
	pages, after := map[string]string{}, map[string]string{}
	for i := range 12 {
		name := fmt.Sprintf("p%02d.md", i)
		pages[name], after[name] = "old\n", "new "+name+"\n"
	}
	f := newFixture(t, pages)
	run := f.propose(after)
	var wg sync.WaitGroup
	var mu sync.Mutex
	done := map[string]int{}
	for range 2 {
		other, err := Open(f.dir)
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			for name := range after {
				plan, err := other.Plan(run, Selection{Paths: []string{name}}, OnDisk(f.wiki))
				if err == nil {
					_, err = other.Apply(plan, "cli")
				}
				switch {
				case err == nil && len(plan.Files) == 1:
					mu.Lock()
					done[name]++
					mu.Unlock()
				case err == nil, errors.Is(err, ErrNothing), errors.Is(err, ErrDecided), errors.Is(err, ErrMoved):
				default:
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	f.wantTree(after)
	f.wantState(run, Applied)
	receipts, err := f.Receipts(run)
	if err != nil || len(receipts) != len(after) {
		t.Errorf("%d receipts, %v", len(receipts), err)
	}
	for name := range after {
		if done[name] != 1 {
			t.Errorf("%s: applied %d times", name, done[name])
		}
	}
}

// Hunks rejected by several stores at once are all remembered.
func TestDiscardsAtOnce(t *testing.T) {
	pages, after := map[string]string{}, map[string]string{}
	for i := range 30 {
		name := fmt.Sprintf("p%02d.md", i)
		pages[name], after[name] = "old\n", "new\n"
	}
	f := newQuickFixture(t, pages)
	run := f.propose(after)
	var wg sync.WaitGroup
	for name := range after {
		other, err := Open(f.dir)
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			if err := other.Discard(run, Selection{Paths: []string{name}}, "no", "editor"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	f.wantState(run, Discarded)
}

// A record belongs to who loaded it: changing it changes nothing for others until it is saved.
func TestLoadedRecordsAreApart(t *testing.T) {
	f := newFixture(t, map[string]string{"a.md": "a\n"})
	run := f.propose(map[string]string{"a.md": "b\n"})
	rec := f.record(run)
	rec.Files[0].Path = "z.md"
	rec.Files[0].Decided = append(rec.Files[0].Decided, Decision{Accept: true})
	if again := f.record(run); again.Files[0].Path != "a.md" || len(again.Files[0].Decided) != 0 {
		t.Errorf("loaded again: %+v", again.Files[0])
	}
	if err := f.Save(rec); err != nil {
		t.Fatal(err)
	}
	rec.Files[0].Path = "y.md"
	if again := f.record(run); again.Files[0].Path != "z.md" {
		t.Errorf("after the save: %+v", again.Files[0])
	}
}
