package proposal

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/rigwiki/rig/sandbox/diff"
)

// fixture is a store and a wiki on disk.
type fixture struct {
	testing.TB
	*Store
	wiki string
}

func newFixture(t testing.TB, pages map[string]string) *fixture {
	t.Helper()
	return newFixtureIn(t, t.TempDir(), pages)
}

// newQuickFixture is for the tests that make thousands of files: in memory where the system has such a folder, and without fsync, which
// only the power could tell.
func newQuickFixture(t testing.TB, pages map[string]string) *fixture {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "proposal-test-")
	if err != nil {
		dir = t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) }) // a leftover in memory fails nothing
	f := newFixtureIn(t, dir, pages)
	f.Store.flush = noSync
	return f
}

func newFixtureIn(t testing.TB, dir string, pages map[string]string) *fixture {
	t.Helper()
	f := &fixture{TB: t, wiki: filepath.Join(dir, "wiki")}
	if err := os.Mkdir(f.wiki, 0o755); err != nil {
		t.Fatal(err)
	}
	var err error
	if f.Store, err = Open(filepath.Join(dir, "runs", "w-0123")); err != nil {
		t.Fatal(err)
	}
	for name, text := range pages {
		f.put(name, text)
	}
	return f
}

func (f *fixture) put(name, text string) {
	f.Helper()
	file := filepath.Join(f.wiki, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		f.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) del(name string) {
	f.Helper()
	if err := os.Remove(filepath.Join(f.wiki, name)); err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) text(name string) string {
	f.Helper()
	text, err := os.ReadFile(filepath.Join(f.wiki, name))
	if err != nil {
		f.Fatal(err)
	}
	return string(text)
}

// tree is the wiki's files by path, and its folders, which end in "/".
func (f *fixture) tree() map[string]string {
	f.Helper()
	m := map[string]string{}
	err := filepath.WalkDir(f.wiki, func(p string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(f.wiki, p)
		rel = filepath.ToSlash(rel)
		switch {
		case err != nil:
			return err
		case rel == ".":
		case d.IsDir():
			m[rel+"/"] = ""
		case d.Type()&fs.ModeSymlink != 0:
			m[rel], err = os.Readlink(p)
			m[rel] = "-> " + m[rel]
		default:
			var text []byte
			text, err = os.ReadFile(p)
			m[rel] = string(text)
		}
		return err
	})
	if err != nil {
		f.Fatal(err)
	}
	return m
}

func (f *fixture) wantTree(want map[string]string) {
	f.Helper()
	got := f.tree()
	for name := range want {
		for dir := filepath.Dir(name); dir != "."; dir = filepath.Dir(dir) {
			if _, ok := want[dir+"/"]; !ok {
				delete(got, dir+"/")
			}
		}
	}
	for name, text := range want {
		if g, ok := got[name]; !ok || g != text {
			f.Errorf("%s: got %q (there: %v), want %q", name, g, ok, text)
		}
		delete(got, name)
	}
	for name := range got {
		f.Errorf("%s is there", name)
	}
}

// propose keeps what leads from the wiki on disk to pages; a page left out of pages is deleted.
func (f *fixture) propose(pages map[string]string, shared ...string) string {
	f.Helper()
	before := map[string]string{}
	for name, text := range f.tree() {
		if !strings.HasSuffix(name, "/") {
			before[name] = text
		}
	}
	return f.proposeStep(before, pages, shared...)
}

func (f *fixture) proposeStep(before, pages map[string]string, shared ...string) string {
	f.Helper()
	var gone, made []diff.FileDiff
	var drafts []Draft
	for name, text := range before {
		if now, ok := pages[name]; !ok {
			gone = append(gone, diff.FileDiff{Path: name, Kind: diff.Delete, Old: []byte(text)})
		} else if now != text {
			drafts = append(drafts, Draft{File: File{Path: name, Kind: Edited}, BaseText: []byte(text), NewText: []byte(now)})
		}
	}
	for name, text := range pages {
		if _, ok := before[name]; !ok {
			made = append(made, diff.FileDiff{Path: name, Kind: diff.Create, New: []byte(text)})
		}
	}
	for _, l := range [][]diff.FileDiff{gone, made} {
		sort.Slice(l, func(i, j int) bool { return l[i].Path < l[j].Path })
	}
	renames, rest := diff.Pair(gone, made)
	for _, d := range append(renames, rest...) {
		drafts = append(drafts, Draft{File: File{Path: d.Path, From: d.From, Kind: string(d.Kind)}, BaseText: d.Old, NewText: d.New})
	}
	for i := range drafts {
		for _, s := range shared {
			drafts[i].Shared = drafts[i].Shared || drafts[i].Path == s
		}
	}
	return f.keep(drafts)
}

func (f *fixture) keep(drafts []Draft) string {
	f.Helper()
	now := time.Now()
	rec := Record{Run: NewRunID(now, "ingest"), Wiki: f.wiki, Op: "ingest", Agent: "probe", State: Proposed, Started: now.UTC()}
	if err := f.Create(rec); err != nil {
		f.Fatal(err)
	}
	if err := f.Propose(&rec, drafts, nil); err != nil {
		f.Fatal(err)
	}
	return rec.Run
}

func (f *fixture) plan(run string, sel Selection) Plan {
	f.Helper()
	plan, err := f.Plan(run, sel, OnDisk(f.wiki))
	if err != nil {
		f.Fatal(err)
	}
	for _, p := range plan.Files {
		if got := spliced(p); p.Kind != Delete && !bytes.Equal(got, p.After) {
			f.Fatalf("%s: the edits give %q, the plan says %q", p.Path, got, p.After)
		}
	}
	return plan
}

func spliced(p Planned) []byte {
	var out []byte
	done := 0
	for _, e := range p.Edits {
		out = append(append(out, p.Before[done:e.Start]...), e.New...)
		done = e.End
	}
	return append(out, p.Before[done:]...)
}

// apply applies a selection that has no conflict.
func (f *fixture) apply(run string, sel Selection) Receipt {
	f.Helper()
	plan := f.plan(run, sel)
	if len(plan.Conflicts) > 0 {
		f.Fatalf("conflicts: %+v", plan.Conflicts)
	}
	return f.carry(plan)
}

func (f *fixture) carry(plan Plan) Receipt {
	f.Helper()
	r, err := f.Apply(plan, "cli")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range r.Files {
		if file.Kind != Delete && file.Applied != file.Accepted {
			f.Errorf("%s: applied %s, accepted %s", file.Path, file.Applied, file.Accepted)
		}
	}
	return r
}

func (f *fixture) undo(run string) Plan {
	f.Helper()
	plan, err := f.PlanUndo(run, OnDisk(f.wiki))
	if err != nil {
		f.Fatal(err)
	}
	if len(plan.Files)+len(plan.Settled) > 0 {
		f.carry(plan)
	}
	return plan
}

func (f *fixture) record(run string) Record {
	f.Helper()
	rec, err := f.Load(run)
	if err != nil {
		f.Fatal(err)
	}
	return rec
}

func (f *fixture) wantState(run string, want State) {
	f.Helper()
	if rec := f.record(run); rec.State != want {
		f.Errorf("state %s, want %s (%+v)", rec.State, want, rec.Files)
	}
}

// hunkIDs are the ids of the proposal's hunks that stand so.
func (f *fixture) hunkIDs(run string, state Verdict) []string {
	f.Helper()
	shown, err := f.Show(run)
	if err != nil {
		f.Fatal(err)
	}
	var ids []string
	for _, file := range shown.Files {
		for _, h := range file.Hunks {
			if h.State == state {
				ids = append(ids, h.ID)
			}
		}
	}
	return ids
}
