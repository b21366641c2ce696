package proposal

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

func (f *fixture) link(target, name string) {
	f.Helper()
	at := filepath.Join(f.wiki, name)
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		f.Fatal(err)
	}
	if err := os.Symlink(target, at); err != nil {
		if runtime.GOOS == "windows" {
			f.Skip("this account may not make links")
		}
		f.Fatal(err)
	}
}

func (f *fixture) wantNoTemp() {
	f.Helper()
	for name := range f.tree() {
		if strings.HasPrefix(filepath.Base(name), ".rig-") {
			f.Errorf("%s is left", name)
		}
	}
}

// o-fs-03: links inside the wiki stay links, modes stay.
func TestLinksAndModes(t *testing.T) {
	f := newFixture(t, map[string]string{"shared/real.md": "old\n", "private.md": "old\n", "plain.md": "old\n", "dir/p.md": "old\n"})
	f.link("../shared/real.md", "wiki/linked.md")
	f.link("dir", "alias")
	f.link(filepath.Join(f.wiki, "plain.md"), "wiki/abs.md")
	if err := os.Chmod(filepath.Join(f.wiki, "private.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	edit := func(path string) Draft {
		return Draft{File: File{Path: path, Kind: Edited}, BaseText: []byte("old\n"), NewText: []byte("new\n")}
	}
	run := f.keep([]Draft{edit("wiki/linked.md"), edit("private.md"), edit("wiki/abs.md"), edit("alias/p.md"),
		{File: File{Path: "alias/made.md", Kind: Create}, NewText: []byte("new\n")}})
	f.apply(run, Selection{})
	f.wantTree(map[string]string{"shared/real.md": "new\n", "private.md": "new\n", "plain.md": "new\n", "dir/p.md": "new\n", "dir/made.md": "new\n",
		"wiki/linked.md": "-> ../shared/real.md", "alias": "-> dir", "wiki/abs.md": "-> " + filepath.Join(f.wiki, "plain.md")})
	for name, want := range map[string]os.FileMode{"private.md": 0o600, "plain.md": 0o644} {
		if info, err := os.Stat(filepath.Join(f.wiki, name)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: mode %v, %v", name, info.Mode(), err)
		}
	}
	f.undo(run)
	if got := f.text("dir/p.md") + f.text("shared/real.md") + f.text("plain.md"); got != "old\nold\nold\n" {
		t.Errorf("after undo: %q", got)
	}
}

// A page that became a link to what is not to be written is a conflict, and no undo writes there either.
func TestLinksToWhatIsKept(t *testing.T) {
	f := newFixture(t, map[string]string{"p.md": "old\n", "q.md": "old\n", "raw/s.md": "old\n", "a.md": "old\n"})
	f.Store.keeps = func(path string) bool { return strings.HasPrefix(path, "raw/") }
	edit := func(path string) Draft {
		return Draft{File: File{Path: path, Kind: Edited}, BaseText: []byte("old\n"), NewText: []byte("new\n")}
	}
	run := f.keep([]Draft{edit("p.md"), edit("q.md"), edit("a.md")})
	leads := func(name, text string) {
		f.del(name)
		f.put("raw/s.md", text)
		f.link("raw/s.md", name)
	}
	leads("p.md", "old\n")
	plan, err := f.Plan(run, Selection{}, OnDisk(f.wiki))
	if err != nil || len(plan.Conflicts) != 1 || plan.Conflicts[0].Reason != "p.md is a link to raw/s.md, which no run may write" {
		t.Fatalf("%+v, %v", plan, err)
	}
	f.apply(run, Selection{Paths: []string{"q.md", "a.md"}})
	leads("q.md", "new\n")
	plan, err = f.PlanUndo(run, OnDisk(f.wiki))
	if err != nil || len(plan.Conflicts) != 1 || len(plan.Files) != 1 {
		t.Fatalf("%+v, %v", plan, err)
	}
	if _, err := f.Apply(plan, "cli"); err != nil {
		t.Fatal(err)
	}
	if got := f.text("raw/s.md") + f.text("a.md"); got != "new\nold\n" {
		t.Errorf("after undo: %q", got)
	}
}

// Nothing is written through a link that leaves the wiki, nor over one; nothing else of the plan is written either.
func TestLinksOutOfTheWiki(t *testing.T) {
	for name, d := range map[string]Draft{
		"page":    {File: File{Path: "out.md", Kind: Edited}, BaseText: []byte("old\n"), NewText: []byte("new\n")},
		"folder":  {File: File{Path: "outdir/made.md", Kind: Create}, NewText: []byte("new\n")},
		"climb":   {File: File{Path: "../outside.md", Kind: Edited}, BaseText: []byte("old\n"), NewText: []byte("new\n")},
		"dangles": {File: File{Path: "dangling.md", Kind: Create}, NewText: []byte("new\n")},
		"loop":    {File: File{Path: "loop/x.md", Kind: Create}, NewText: []byte("new\n")},
		"move":    {File: File{Path: "moved.md", From: "inner.md", Kind: Rename}, BaseText: []byte("old\n"), NewText: []byte("old\n")},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"a.md": "a\n", "real.md": "old\n"})
			outside := filepath.Join(filepath.Dir(f.wiki), "outside.md")
			if err := os.WriteFile(outside, []byte("old\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			run := f.keep([]Draft{d, {File: File{Path: "a.md", Kind: Edited}, BaseText: []byte("a\n"), NewText: []byte("b\n")}})
			// The plan is made from what an editor shows, which knows nothing of links.
			cur := func(path string) ([]byte, bool, error) {
				switch path {
				case "a.md":
					return []byte("a\n"), true, nil
				case d.Path, d.From:
					if d.Kind != Create && (d.From == "") == (path == d.Path) || path == d.From {
						return d.BaseText, true, nil
					}
				}
				return nil, false, nil
			}
			plan, err := f.Plan(run, Selection{}, cur)
			if err != nil {
				t.Fatal(err)
			}
			if len(plan.Files) != 2 {
				t.Fatalf("plan %+v", plan)
			}
			f.link(outside, "out.md")
			f.link("../", "outdir")
			f.link("nowhere.md", "dangling.md")
			f.link("loop", "loop")
			f.link("real.md", "inner.md")
			before := f.tree() // the links came after the plan
			if _, err := f.Apply(plan, "cli"); err == nil {
				t.Error("it was applied")
			} else if name != "climb" && !errors.Is(err, ErrLink) {
				t.Errorf("error %v", err)
			}
			if got := f.tree(); !mapsEqual(got, before) {
				t.Errorf("the wiki: %q", got)
			}
			if text, err := os.ReadFile(outside); err != nil || string(text) != "old\n" {
				t.Errorf("outside: %q, %v", text, err)
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(f.wiki), "made.md")); err == nil {
				t.Error("a page was made outside")
			}
			led := map[string]string{"page": "out.md is a link out of the wiki", "folder": "outdir is a link out of the wiki", "loop": "loop: too many links"}[name]
			if plan, err = f.Plan(run, Selection{}, cur); err != nil || led != "" && (len(plan.Conflicts) != 1 || plan.Conflicts[0].Reason != led || len(plan.Files) != 1) {
				t.Errorf("planned again: %+v, %v", plan, err)
			}
		})
	}
}

func mapsEqual(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if w, ok := b[k]; !ok || v != w {
			return false
		}
	}
	return true
}

// A page that cannot be written is told; the others are applied, and no temporary file is left.
func TestOnePageCannotBeWritten(t *testing.T) {
	f := newFixture(t, map[string]string{"a.md": "a\n", "full/x.md": "x\n"})
	run := f.keep([]Draft{
		{File: File{Path: "a.md", Kind: Edited}, BaseText: []byte("a\n"), NewText: []byte("b\n")},
		{File: File{Path: "full", Kind: Create}, NewText: []byte("a folder that is not empty has the name\n")},
	})
	r, err := f.Apply(f.plan(run, Selection{}), "cli")
	if err == nil || !strings.Contains(err.Error(), "full") {
		t.Errorf("error %v", err)
	}
	for _, file := range r.Files {
		if want := map[string]Word{"a.md": WordApplied, "full": WordNotApplied}[file.Path]; file.Word != want || (file.Reason == "") != (want == WordApplied) {
			t.Errorf("%+v", file)
		}
	}
	f.wantTree(map[string]string{"a.md": "b\n", "full/x.md": "x\n"})
	f.wantState(run, Partly)
	f.wantNoTemp()
	f.undo(run)
	f.wantTree(map[string]string{"a.md": "a\n", "full/x.md": "x\n"})
}

// Where the file system cannot exchange names or refuse to overwrite, the older ways are taken.
func TestWithoutRenameat2(t *testing.T) {
	f := newFixture(t, map[string]string{"a.md": "a\n"})
	d, err := openDisk(f.wiki)
	if err != nil {
		t.Fatal(err)
	}
	defer d.close()
	f.put("tmp", "new\n")
	if err := d.linkNew("tmp", "a.md"); !errors.Is(err, ErrMoved) {
		t.Errorf("over a page: %v", err)
	}
	if err := d.linkNew("tmp", "b.md"); err != nil {
		t.Error(err)
	}
	f.put("tmp", "new\n")
	if err := d.lookAndRename("tmp", "a.md"); !errors.Is(err, ErrMoved) {
		t.Errorf("over a page: %v", err)
	}
	if err := d.lookAndRename("tmp", "c.md"); err != nil {
		t.Error(err)
	}
	f.wantTree(map[string]string{"a.md": "a\n", "b.md": "new\n", "c.md": "new\n"})
}

// What the system does not allow is told of the page, by no name of ours.
func TestUnwritable(t *testing.T) {
	f := newFixture(t, map[string]string{"sub/a.md": "a\n"})
	run := f.propose(map[string]string{"sub/a.md": "b\n"})
	plan := f.plan(run, Selection{})
	f.Store.flush = func(file *os.File) error {
		if strings.Contains(file.Name(), "run.json") || !strings.HasPrefix(file.Name(), f.wiki) {
			return nil
		}
		return &fs.PathError{Op: "sync", Path: file.Name(), Err: syscall.EROFS}
	}
	r, err := f.Apply(plan, "cli")
	var no *UnwritableError
	if !errors.As(err, &no) || !errors.Is(err, syscall.EROFS) || err.Error() != "apply sub/a.md: cannot be written: read-only file system" {
		t.Errorf("error %v", err)
	}
	if r.Files[0].Word != WordNotApplied || r.Files[0].Reason != "cannot be written: read-only file system" {
		t.Errorf("%+v", r.Files[0])
	}
	f.wantTree(map[string]string{"sub/a.md": "a\n"})
	f.wantState(run, Proposed)
	f.wantNoTemp()
}

// A disk that takes nothing is told once for all pages, and an undo that took nothing back leaves the run as it was.
func TestUnwritableDisk(t *testing.T) {
	f := newFixture(t, map[string]string{"a.md": "a\n", "b.md": "b\n"})
	run := f.propose(map[string]string{"a.md": "1\n", "b.md": "2\n"})
	plan := f.plan(run, Selection{})
	works, full := f.Store.flush, func(file *os.File) error {
		if !strings.HasPrefix(file.Name(), f.wiki) {
			return nil
		}
		return &fs.PathError{Op: "sync", Path: file.Name(), Err: syscall.ENOSPC}
	}
	f.Store.flush = full
	if _, err := f.Apply(plan, "cli"); err == nil || err.Error() != "apply a.md: cannot be written: no space left on device; 1 page more could not be written" {
		t.Errorf("error %v", err)
	}
	f.Store.flush = works
	if _, err := f.Apply(f.plan(run, Selection{}), "cli"); err != nil {
		t.Fatal(err)
	}
	f.wantState(run, Applied)
	undo, err := f.PlanUndo(run, OnDisk(f.wiki))
	if err != nil {
		t.Fatal(err)
	}
	f.Store.flush = full
	if _, err := f.Apply(undo, "cli"); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("error %v", err)
	}
	f.wantState(run, Applied)
	f.wantTree(map[string]string{"a.md": "1\n", "b.md": "2\n"})
	f.Store.flush = works
	if undo, err = f.PlanUndo(run, OnDisk(f.wiki)); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Apply(undo, "cli"); err != nil {
		t.Fatal(err)
	}
	f.wantState(run, Discarded)
	f.wantTree(map[string]string{"a.md": "a\n", "b.md": "b\n"})
}
