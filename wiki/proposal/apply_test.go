package proposal

import (
	"errors"
	"strings"
	"testing"
)

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
