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

// Two proposals that wait on the same lists never lose each other's entries, whichever is taken back.
func TestSharedPages(t *testing.T) {
	index := "# Index\n\n- [[a]]\n- [[z]]\n"
	log := "# Log\n\n## day 1\n- created [[a]]" // no last newline
	entry := func(n string) (string, string) {
		return strings.Replace(index, "- [[a]]\n", "- [[a]]\n- [["+n+"]]\n", 1), log + "\n\n## day 2\n- created [[" + n + "]]"
	}
	for _, first := range []int{0, 1} {
		f := newFixture(t, map[string]string{"index.md": index, "log.md": log})
		var runs []string
		for _, n := range []string{"one", "two"} {
			i, l := entry(n)
			runs = append(runs, f.propose(map[string]string{"index.md": i, "log.md": l}, "index.md", "log.md"))
		}
		f.apply(runs[0], Selection{})
		f.apply(runs[1], Selection{})
		for _, want := range []string{"[[a]]\n", "[[one]]\n", "[[two]]\n", "[[z]]\n"} {
			if !strings.Contains(f.text("index.md"), want) {
				t.Errorf("index lost %q: %q", want, f.text("index.md"))
			}
		}
		if l := f.text("log.md"); !strings.Contains(l, "- created [[one]]\n") || !strings.HasSuffix(l, "- created [[two]]") {
			t.Errorf("log: %q", l)
		}
		if plan := f.undo(runs[first]); len(plan.Conflicts) > 0 {
			t.Fatalf("undo of %d: %+v", first, plan.Conflicts)
		}
		left := []string{"two", "one"}[first]
		i, l := entry(left)
		f.wantTree(map[string]string{"index.md": i, "log.md": l})
		f.undo(runs[1-first])
		f.wantTree(map[string]string{"index.md": index, "log.md": log})
	}
}

func TestUndoKeepsLaterEdits(t *testing.T) {
	f := newFixture(t, map[string]string{"p.md": "1\n2\n3\n", "q.md": "q\n"})
	run := f.propose(map[string]string{"p.md": "1\ntwo\n3\n", "q.md": "Q\n", "n.md": "new\n"})
	f.apply(run, Selection{})
	f.put("p.md", "1\ntwo\nmine\n3\n")
	f.put("n.md", "new\nmine\n")
	f.put("q.md", "Q mine\n")
	plan := f.undo(run)
	if len(plan.Conflicts) != 2 {
		t.Errorf("conflicts %+v", plan.Conflicts)
	}
	f.wantTree(map[string]string{"p.md": "1\n2\nmine\n3\n", "q.md": "Q mine\n", "n.md": "new\nmine\n"})
	f.wantState(run, Partly)
	// Once the user has taken the edits back, the rest can be undone.
	f.put("n.md", "new\n")
	f.put("q.md", "Q\n")
	f.undo(run)
	f.wantTree(map[string]string{"p.md": "1\n2\nmine\n3\n", "q.md": "q\n"})
	f.wantState(run, Discarded)
}

func TestApplyChecksThePagesFirst(t *testing.T) {
	f := newFixture(t, map[string]string{"a.md": "a\n", "b.md": "b\n", "old.md": long()})
	run := f.propose(map[string]string{"a.md": "A\n", "b.md": "B\n", "c.md": "c\n", "new.md": long()})
	plan := f.plan(run, Selection{})
	for _, name := range []string{"b.md", "c.md", "new.md"} {
		f.put(name, "typed\n")
	}
	_, err := f.Apply(plan, "cli")
	var moved *MovedError
	if !errors.Is(err, ErrMoved) || !errors.As(err, &moved) || strings.Join(moved.Paths, " ") != "new.md c.md b.md" {
		t.Errorf("error %v", err)
	}
	f.wantTree(map[string]string{"a.md": "a\n", "old.md": long(), "b.md": "typed\n", "c.md": "typed\n", "new.md": "typed\n"})
	f.wantState(run, Proposed)
}

// Somebody saves in the instant between check and swap: the saved text stays.
func TestSaveDuringTheSwap(t *testing.T) {
	for _, at := range []string{"swap", "take away", "name"} {
		t.Run(at, func(t *testing.T) {
			f := newFixture(t, map[string]string{"e.md": "e\n", "d.md": "d\n"})
			run := f.propose(map[string]string{"e.md": "E\n", "n.md": "n\n"})
			plan := f.plan(run, Selection{Flagged: true})
			f.Store.step = func(name string) {
				if name == at {
					f.put(map[string]string{"swap": "e.md", "take away": "d.md", "name": "n.md"}[at], "typed\n")
				}
			}
			r, err := f.Apply(plan, "cli")
			if !errors.Is(err, ErrMoved) {
				t.Errorf("error %v", err)
			}
			bad := 0
			for _, file := range r.Files {
				if file.Word == WordNotApplied {
					bad++
				}
			}
			if bad != 1 {
				t.Errorf("receipt %+v", r.Files)
			}
			want := map[string]string{"e.md": "E\n", "n.md": "n\n"}
			want[map[string]string{"swap": "e.md", "take away": "d.md", "name": "n.md"}[at]] = "typed\n"
			f.wantTree(want)
			f.wantState(run, Partly)
		})
	}
}

// Saved once before the swap and once more before it is taken back: the newest text wins.
func TestSaveTwiceDuringTheSwap(t *testing.T) {
	f := newFixture(t, map[string]string{"e.md": "e\n"})
	run := f.propose(map[string]string{"e.md": "E\n"})
	plan := f.plan(run, Selection{})
	f.Store.step = func(name string) {
		if name == "swap" || name == "swapped" {
			f.put("e.md", name+"\n")
		}
	}
	if _, err := f.Apply(plan, "cli"); !errors.Is(err, ErrMoved) {
		t.Errorf("error %v", err)
	}
	f.wantTree(map[string]string{"e.md": "swapped\n"})
}

func TestDecidedMeanwhile(t *testing.T) {
	f := newFixture(t, map[string]string{"a.md": "a\n"})
	run := f.propose(map[string]string{"a.md": "b\n"})
	one, two := f.plan(run, Selection{}), f.plan(run, Selection{})
	f.carry(one)
	if _, err := f.Apply(two, "cli"); err == nil {
		t.Error("the second plan was applied")
	}
	u1, err := f.PlanUndo(run, OnDisk(f.wiki))
	if err != nil {
		t.Fatal(err)
	}
	f.carry(u1)
	if _, err := f.Apply(u1, "cli"); !errors.Is(err, ErrDecided) {
		t.Errorf("undo twice: %v", err)
	}
}

// What an editor applied is booked by what was read back.
func TestNote(t *testing.T) {
	f := newFixture(t, map[string]string{"a.md": "a\n", "b.md": "b\n", "c.md": "c\n", "long.md": long()})
	run := f.propose(map[string]string{"a.md": "A  \n", "b.md": "B\n", "c.md": "C\n", "long.md": long("line 10", "ten", "line 50", "fifty")})
	plan := f.plan(run, Selection{})
	f.put("a.md", "A\n") // the editor trims
	f.put("long.md", long("line 50", "fifty"))
	put := func(text string) string {
		sum, err := f.PutText(run, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	r, err := f.Note(run, plan, "editor", []ReceiptFile{
		{Path: "a.md", Word: WordReshaped, Applied: put("A\n")},
		{Path: "b.md", Word: WordNotApplied, Applied: put("b\n")},
		{Path: "long.md", Word: WordPartly, Applied: put(f.text("long.md")), Hunks: []string{"long.md#2"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Files) != 4 || r.By != "editor" {
		t.Errorf("receipt %+v", r)
	}
	f.wantState(run, Partly)
	again := f.plan(run, Selection{})
	var paths []string
	for _, p := range again.Files {
		paths = append(paths, p.Path)
	}
	if got := strings.Join(paths, " "); got != "b.md c.md long.md" {
		t.Errorf("still waiting: %s", got)
	}
	f.undo(run)
	f.wantTree(map[string]string{"a.md": "a\n", "b.md": "b\n", "c.md": "c\n", "long.md": long()})
	f.wantState(run, Discarded)
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

// Issue 5: a conflict is settled by a choice made in sight of both sides; undo takes the choice back.
func TestResolve(t *testing.T) {
	page := func(line string) string { return "top\n" + line + "\nend\n" }
	cases := []struct {
		name              string
		base, agent, mine map[string]string
		choice            Choice
		want              map[string]string // nil: still a conflict
	}{
		{"agent's lines", map[string]string{"p.md": page("3")}, map[string]string{"p.md": page("4")}, map[string]string{"p.md": "mine\n" + page("5")},
			TakeAgents, map[string]string{"p.md": "mine\n" + page("4")}},
		{"both", map[string]string{"p.md": page("3")}, map[string]string{"p.md": page("4")}, map[string]string{"p.md": "mine\n" + page("5")},
			TakeBoth, map[string]string{"p.md": "mine\n" + page("5\n4")}},
		{"a page came", nil, map[string]string{"p.md": "agent\n"}, map[string]string{"p.md": "mine\n"}, TakeAgents, map[string]string{"p.md": "agent\n"}},
		{"a page came, both", nil, map[string]string{"p.md": "agent\n"}, map[string]string{"p.md": "mine\n"}, TakeBoth, nil},
		{"deleted page changed", map[string]string{"p.md": "x\n"}, nil, map[string]string{"p.md": "y\n"}, TakeAgents, map[string]string{}},
		{"edited page gone", map[string]string{"p.md": "x\n"}, map[string]string{"p.md": "y\n"}, nil, TakeAgents, map[string]string{"p.md": "y\n"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t, c.mine)
			run := f.proposeStep(c.base, c.agent)
			if plan := f.plan(run, Selection{}); len(plan.Conflicts) != 1 {
				t.Fatalf("no conflict: %+v", plan)
			}
			plan := f.plan(run, Selection{Paths: []string{"p.md"}, Resolve: map[string]Choice{"p.md": c.choice}})
			if c.want == nil {
				if len(plan.Conflicts) != 1 || len(plan.Files) != 0 {
					t.Errorf("plan %+v", plan)
				}
				return
			}
			f.carry(plan)
			f.wantTree(c.want)
			f.wantState(run, Applied)
			f.undo(run)
			f.wantTree(c.mine)
		})
	}
	f := newFixture(t, map[string]string{"p.md": "x\n"})
	run := f.propose(map[string]string{"p.md": "y\n"})
	if _, err := f.Plan(run, Selection{Resolve: map[string]Choice{"p.md": "mine"}}, OnDisk(f.wiki)); err == nil {
		t.Error("an unknown choice was taken")
	}
}

// What is seen after the read-back corrects the receipt.
func TestAmend(t *testing.T) {
	f := newFixture(t, map[string]string{"a.md": "a\n", "long.md": long()})
	run := f.propose(map[string]string{"a.md": "A  \n", "long.md": long("line 10", "ten", "line 50", "fifty")})
	r, err := f.Note(run, f.plan(run, Selection{}), "editor", []ReceiptFile{{Path: "a.md", Word: WordUnsaved}})
	if err != nil {
		t.Fatal(err)
	}
	f.wantState(run, Partly)
	f.put("a.md", "A\n")
	f.put("long.md", long("line 10", "ten", "line 50", "fifty"))
	sum, err := f.PutText(run, []byte("A\n"))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Amend(run, r.At, []ReceiptFile{{Path: "a.md", Word: WordReshaped, Applied: sum}, {Path: "long.md", Word: WordApplied}}); err != nil {
		t.Fatal(err)
	}
	f.wantState(run, Applied)
	for _, bad := range [][]ReceiptFile{{{Path: "a.md", Word: WordNotApplied}}, {{Path: "z.md", Word: WordApplied}}} {
		if err := f.Amend(run, r.At, bad); !errors.Is(err, ErrUnknown) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	f.undo(run)
	f.wantTree(map[string]string{"a.md": "a\n", "long.md": long()})
}
