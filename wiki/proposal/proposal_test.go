package proposal

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func long(change ...string) string {
	m := map[string]string{}
	for i := 0; i < len(change); i += 2 {
		m[change[i]] = change[i+1]
	}
	var b strings.Builder
	b.WriteString("# Long\n\n")
	for i := 1; i <= 60; i++ {
		line := fmt.Sprintf("line %d", i)
		if to, ok := m[line]; ok {
			line = to
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// The steps of one apply and its undo, for every kind of change.
func TestApplyAndUndoRestoreBytes(t *testing.T) {
	cases := map[string]struct{ before, after map[string]string }{
		"edit":                  {map[string]string{"a.md": "one\ntwo\n"}, map[string]string{"a.md": "one\n2\n"}},
		"create in new folder":  {map[string]string{"a.md": "x\n"}, map[string]string{"a.md": "x\n", "n/m/b.md": "b"}},
		"create empty":          {map[string]string{"a.md": "x\n"}, map[string]string{"a.md": "x\n", "e.md": ""}},
		"delete":                {map[string]string{"a.md": "x\n", "d.md": "gone\n"}, map[string]string{"a.md": "x\n"}},
		"rename":                {map[string]string{"a.md": long()}, map[string]string{"s/b.md": long()}},
		"rename and edit":       {map[string]string{"a.md": long()}, map[string]string{"b.md": long("line 7", "seven")}},
		"case only":             {map[string]string{"rag.md": "# RAG\nold\nmore lines\n"}, map[string]string{"RAG.md": "# RAG\nold\nmore lines!\n"}},
		"case only, no edit":    {map[string]string{"rag.md": long()}, map[string]string{"RAG.md": long()}},
		"file to folder":        {map[string]string{"a.md": "x\n"}, map[string]string{"a.md/b.md": "y y y y y y y\n"}},
		"folder to file":        {map[string]string{"a.md/b.md": "x\n"}, map[string]string{"a.md": "y y y y y y y\n"}},
		"crlf, no last newline": {map[string]string{"a.md": "\xef\xbb\xbfone\r\ntwo"}, map[string]string{"a.md": "\xef\xbb\xbfone\r\ntwo\r\nthree"}},
		"emptied":               {map[string]string{"a.md": "x\n"}, map[string]string{"a.md": ""}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, c.before)
			before := f.tree()
			run := f.propose(c.after)
			if got := f.tree(); !maps.Equal(got, before) {
				t.Fatalf("the proposal changed the wiki: %q", got)
			}
			f.apply(run, Selection{})
			f.wantTree(c.after)
			f.wantState(run, Applied)
			if _, err := f.Plan(run, Selection{}, OnDisk(f.wiki)); !errors.Is(err, ErrNothing) {
				t.Errorf("a second apply: %v", err)
			}
			f.undo(run)
			if name != "folder to file" {
				if got := f.tree(); !maps.Equal(got, before) {
					t.Errorf("after undo: %q, want %q", got, before)
				}
			}
			f.wantTree(c.before)
			f.wantState(run, Discarded)
			if rec := f.record(run); !strings.HasPrefix(rec.Message, "undone") || rec.Undone.IsZero() {
				t.Errorf("message %q, undone %v", rec.Message, rec.Undone)
			}
			if _, err := f.PlanUndo(run, OnDisk(f.wiki)); !errors.Is(err, ErrNothing) {
				t.Errorf("a second undo: %v", err)
			}
		})
	}
}

// Check 04: the second hunk first, after the user typed above, then the first.
func TestHunksInAnyOrderOverMovedText(t *testing.T) {
	f := newFixture(t, map[string]string{"long.md": long()})
	run := f.propose(map[string]string{"long.md": long("line 10", "line ten", "line 50", "line fifty")})
	ids := f.hunkIDs(run, Waiting)
	if len(ids) != 2 || ids[0] != "long.md#1" {
		t.Fatalf("hunks %q", ids)
	}
	f.put("long.md", "new first line\n"+long("line 30", "line 30\nmine"))
	f.apply(run, Selection{Hunks: ids[1:]})
	f.wantState(run, Partly)
	f.wantTree(map[string]string{"long.md": "new first line\n" + long("line 30", "line 30\nmine", "line 50", "line fifty")})
	if got := f.hunkIDs(run, Waiting); len(got) != 1 || got[0] != ids[0] {
		t.Errorf("waiting: %q", got)
	}
	f.apply(run, Selection{Hunks: ids[:1]})
	f.wantState(run, Applied)
	f.wantTree(map[string]string{"long.md": "new first line\n" + long("line 30", "line 30\nmine", "line 50", "line fifty", "line 10", "line ten")})
	f.undo(run)
	f.wantTree(map[string]string{"long.md": "new first line\n" + long("line 30", "line 30\nmine")})
}

func TestDiscardThenApplyRest(t *testing.T) {
	f := newFixture(t, map[string]string{"long.md": long(), "x.md": "x\n"})
	run := f.propose(map[string]string{"long.md": long("line 10", "line ten", "line 50", "line fifty"), "x.md": "y\n"})
	if err := f.Discard(run, Selection{Hunks: []string{"long.md#1"}}, "not true", "editor"); err != nil {
		t.Fatal(err)
	}
	f.wantState(run, Proposed)
	shown, err := f.Show(run)
	if err != nil {
		t.Fatal(err)
	}
	if h := shown.Files[0].Hunks[0]; h.State != Rejected || h.Reason != "not true" || shown.Files[0].State != Waiting {
		t.Errorf("shown %+v", shown.Files[0])
	}
	f.apply(run, Selection{})
	f.wantTree(map[string]string{"long.md": long("line 50", "line fifty"), "x.md": "y\n"})
	f.wantState(run, Partly)
	if rec := f.record(run); rec.Waits() {
		t.Error("it still waits")
	}
	// A hunk that was rejected may be taken after all, by its id.
	f.apply(run, Selection{Hunks: []string{"long.md#1"}})
	f.wantTree(map[string]string{"long.md": long("line 50", "line fifty", "line 10", "line ten"), "x.md": "y\n"})
	f.wantState(run, Applied)
}

func TestDiscardAll(t *testing.T) {
	f := newFixture(t, map[string]string{"a.md": "a\n"})
	run := f.keep([]Draft{{File: File{Path: "a.md", Kind: Delete, Flags: []Flag{{Rule: "deletes-page"}}}, BaseText: []byte("a\n")}})
	if err := f.Discard(run, Selection{}, "", "cli"); err != nil {
		t.Fatal(err)
	}
	f.wantState(run, Discarded)
	if err := f.Discard(run, Selection{}, "", "cli"); !errors.Is(err, ErrNothing) {
		t.Errorf("second discard: %v", err)
	}
	if _, err := f.Plan(run, Selection{Paths: []string{"a.md"}}, OnDisk(f.wiki)); !errors.Is(err, ErrNothing) {
		t.Errorf("plan of what was discarded: %v", err)
	}
}

func TestFlaggedNeedAYes(t *testing.T) {
	f := newFixture(t, map[string]string{"a.md": "a\n", "b.md": "b\n"})
	run := f.keep([]Draft{
		{File: File{Path: "a.md", Kind: Delete, Flags: []Flag{{Rule: "deletes-page", Reason: "r"}}}, BaseText: []byte("a\n")},
		{File: File{Path: "b.md", Kind: Edited}, BaseText: []byte("b\n"), NewText: []byte("c\n")},
	})
	plan := f.plan(run, Selection{})
	if len(plan.Files) != 1 || plan.Files[0].Path != "b.md" || len(plan.Unflagged) != 1 || plan.Unflagged[0] != "a.md" {
		t.Errorf("plan %+v", plan)
	}
	for _, sel := range []Selection{{Flagged: true}, {Paths: []string{"a.md", "b.md"}}} {
		if plan := f.plan(run, sel); len(plan.Files) != 2 || len(plan.Unflagged) != 0 || len(plan.Files[1].Flags) != 1 {
			t.Errorf("%+v: plan %+v", sel, plan)
		}
	}
}

func TestUnknownNames(t *testing.T) {
	f := newFixture(t, map[string]string{"a.md": "a\n"})
	run := f.propose(map[string]string{"a.md": "b\n"})
	for _, sel := range []Selection{{Paths: []string{"b.md"}}, {Hunks: []string{"a.md#2"}}, {Hunks: []string{"a.md#move"}}, {Hunks: []string{"a.md#01"}}} {
		if _, err := f.Plan(run, sel, OnDisk(f.wiki)); !errors.Is(err, ErrUnknown) {
			t.Errorf("%+v: %v", sel, err)
		}
	}
	for _, run := range []string{"nope", "", "../x", "a/b"} {
		if _, err := f.Load(run); !errors.Is(err, ErrNoRun) {
			t.Errorf("load %q: %v", run, err)
		}
	}
}

// Design 7.4 and o-df-18: the page moved on.
func TestMovedOn(t *testing.T) {
	const none = "\x00"
	cases := []struct {
		name                     string
		base, agent, yours, want string
		conflict                 string
	}{
		{"elsewhere", "1\n2\n3\n4\n5\n", "1\n2\n3\n4\nfive\n", "one\n2\n3\n4\n5\n", "one\n2\n3\n4\nfive\n", ""},
		{"same line", "rate 3\n", "rate 4\n", "rate 5\n", "rate 5\n", "same lines"},
		{"same edit", "rate 3\n", "rate 4\n", "rate 4\n", "rate 4\n", ""},
		{"edited page gone", "a\n", "b\n", none, none, "gone"},
		{"deleted page changed", "a\n", none, "a!\n", "a!\n", "changed meanwhile"},
		{"deleted page gone", "a\n", none, none, none, ""},
		{"created page came", none, "a\n", "mine\n", "mine\n", "has come"},
		{"created page came alike", none, "a\n", "a\n", "a\n", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			pages := func(text string) map[string]string {
				if text == none {
					return map[string]string{}
				}
				return map[string]string{"p.md": text}
			}
			f := newFixture(t, pages(c.yours))
			run := f.proposeStep(pages(c.base), pages(c.agent))
			plan := f.plan(run, Selection{})
			if c.conflict == "" {
				f.carry(plan)
				f.wantTree(pages(c.want))
				f.wantState(run, Applied)
				f.undo(run)
				return
			}
			if len(plan.Files) != 0 || len(plan.Conflicts) != 1 || !strings.Contains(plan.Conflicts[0].Reason, c.conflict) {
				t.Fatalf("plan %+v", plan)
			}
			if _, err := f.Apply(plan, "cli"); !errors.Is(err, ErrNothing) {
				t.Errorf("apply: %v", err)
			}
			f.wantTree(pages(c.want))
			f.wantState(run, Proposed)
		})
	}
}

// What was settled without a write is not taken back: it was the user's own doing.
func TestUndoLeavesWhatItDidNotMake(t *testing.T) {
	f := newFixture(t, map[string]string{"p.md": "a\n", "q.md": "q\n"})
	run := f.proposeStep(map[string]string{"q.md": "q\n", "r.md": "r\n"}, map[string]string{"p.md": "a\n", "q.md": "Q\n"})
	f.apply(run, Selection{})
	f.undo(run)
	f.wantTree(map[string]string{"p.md": "a\n", "q.md": "q\n"})
}

// o-df-15: the move is one part, each edit another.
func TestRenamePartsApart(t *testing.T) {
	setup := func(t *testing.T) (*fixture, string) {
		f := newFixture(t, map[string]string{"a.md": long()})
		return f, f.propose(map[string]string{"b.md": long("line 10", "ten", "line 50", "fifty")})
	}
	t.Run("hunk, move, hunk", func(t *testing.T) {
		f, run := setup(t)
		if ids := f.hunkIDs(run, Waiting); strings.Join(ids, " ") != "b.md#move b.md#1 b.md#2" {
			t.Fatalf("ids %q", ids)
		}
		f.apply(run, Selection{Hunks: []string{"b.md#2"}})
		f.wantTree(map[string]string{"a.md": long("line 50", "fifty")})
		f.apply(run, Selection{Hunks: []string{"b.md#move"}})
		f.wantTree(map[string]string{"b.md": long("line 50", "fifty")})
		f.apply(run, Selection{Hunks: []string{"b.md#1"}})
		f.wantTree(map[string]string{"b.md": long("line 50", "fifty", "line 10", "ten")})
		f.wantState(run, Applied)
		f.put("b.md", "mine\n"+f.text("b.md"))
		f.undo(run)
		f.wantTree(map[string]string{"a.md": "mine\n" + long()})
	})
	t.Run("all but the move", func(t *testing.T) {
		f, run := setup(t)
		if err := f.Discard(run, Selection{Hunks: []string{"b.md#move"}}, "keep the name", "editor"); err != nil {
			t.Fatal(err)
		}
		f.apply(run, Selection{Paths: []string{"b.md"}})
		f.wantTree(map[string]string{"a.md": long("line 10", "ten", "line 50", "fifty")})
		f.wantState(run, Partly)
	})
	t.Run("moved by hand", func(t *testing.T) {
		f, run := setup(t)
		f.del("a.md")
		f.put("b.md", long())
		f.apply(run, Selection{})
		f.wantTree(map[string]string{"b.md": long("line 10", "ten", "line 50", "fifty")})
	})
	t.Run("name taken", func(t *testing.T) {
		f, run := setup(t)
		f.put("b.md", "mine\n")
		if plan := f.plan(run, Selection{}); len(plan.Conflicts) != 1 || len(plan.Files) != 0 {
			t.Errorf("plan %+v", plan)
		}
	})
}

func TestDiffAndExport(t *testing.T) {
	f := newFixture(t, map[string]string{"long.md": long(), "d.md": "d\n"})
	after := map[string]string{"long.md": long("line 10", "ten", "line 50", "fifty"), "n/x y.md": "no newline"}
	run := f.propose(after)
	var out strings.Builder
	if err := f.Export(run, &out); err != nil {
		t.Fatal(err)
	}
	if stored, err := os.ReadFile(filepath.Join(f.Dir(run), "proposal.diff")); err != nil || string(stored) != out.String() {
		t.Errorf("proposal.diff (%v):\n%s\nexport:\n%s", err, stored, out.String())
	}
	cmd := exec.Command("git", "apply", "-p1", "-")
	cmd.Dir, cmd.Stdin = f.wiki, strings.NewReader(out.String())
	cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(f.wiki))
	if _, err := exec.LookPath("git"); err != nil {
		t.Log("no git here: the export is not tried with it")
	} else if msg, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("git apply: %v: %s", err, msg)
	} else {
		f.wantTree(after)
	}
	f = newFixture(t, map[string]string{"long.md": long()})
	run = f.propose(map[string]string{"long.md": long("line 10", "ten", "line 50", "fifty")})
	f.apply(run, Selection{Hunks: []string{"long.md#1"}})
	out.Reset()
	if err := f.Diff(run, &out); err != nil {
		t.Fatal(err)
	}
	if s := out.String(); strings.Contains(s, "+ten") || !strings.Contains(s, "+fifty") {
		t.Errorf("what waits:\n%s", s)
	}
}
