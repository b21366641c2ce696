package proposal

import (
	"errors"
	"testing"
)

// stacked is two proposals, the second on top of the first: it goes on in a page of the first, changes one that the first changes too, links to a page that
// the first makes, and makes one that stands alone.
func stacked(t *testing.T) (f *fixture, first, second string) {
	wiki := map[string]string{"index.md": "# Index\n- [[x]]\n", "page.md": "one\ntwo\nthree\nfour\nfive\n"}
	one := map[string]string{"index.md": "# Index\n- [[x]]\n- [[a]]\n", "page.md": "ONE\ntwo\nthree\nfour\nfive\n", "a.md": "# A\n"}
	two := map[string]string{"index.md": "# Index\n- [[x]]\n- [[a]]\n- [[b]]\n", "page.md": "ONE\ntwo\nthree\nfour\nFIVE\n", "a.md": "# A\nmore\n", "b.md": "see [[a]]\n", "alone.md": "alone\n"}
	f = newFixture(t, wiki)
	first = f.proposeStep(wiki, one, "index.md")
	second = f.proposeStep(one, two, "index.md")
	err := f.Update(second, func(rec *Record) error {
		rec.Stack = []string{first}
		for i := range rec.Files {
			switch file := &rec.Files[i]; file.Path {
			case "index.md", "page.md", "a.md":
				file.On = []Below{{first, file.Path}}
			case "b.md":
				file.On = []Below{{first, "a.md"}}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return f, first, second
}

// TestStackOrder: what stands on a proposal that waits is not planned, by page, hunk or edited diff; what stands alone is. In order nothing is in conflict.
func TestStackOrder(t *testing.T) {
	f, first, second := stacked(t)
	var below *BelowError
	for _, sel := range []Selection{{}, {Paths: []string{"b.md"}}, {Hunks: []string{"page.md#1"}}} {
		if _, err := f.Plan(second, sel, OnDisk(f.wiki)); !errors.As(err, &below) || len(below.Below) != 1 || below.Below[0].Run != first {
			t.Errorf("plan of %+v: %v", sel, err)
		}
	}
	edited := "--- a/page.md\n+++ b/page.md\n@@ -3,3 +3,3 @@\n three\n four\n-five\n+SIX\n"
	if _, err := f.PlanEdited(second, []byte(edited), Selection{}, OnDisk(f.wiki)); !errors.As(err, &below) {
		t.Errorf("plan of an edited diff: %v", err)
	}
	if rec, err := f.Lowest(second); err != nil || rec.Run != first {
		t.Errorf("lowest: %s, %v", rec.Run, err)
	}
	f.apply(second, Selection{Paths: []string{"alone.md"}})
	f.apply(first, Selection{Paths: []string{"a.md"}})
	f.apply(second, Selection{Paths: []string{"b.md", "a.md"}}) // the pages that they stand on are there
	if _, err := f.Plan(second, Selection{Paths: []string{"page.md"}}, OnDisk(f.wiki)); !errors.As(err, &below) {
		t.Errorf("plan over a page that waits: %v", err)
	}
	f.apply(first, Selection{})
	f.apply(second, Selection{})
	f.wantState(second, Applied)
	f.wantTree(map[string]string{"index.md": "# Index\n- [[x]]\n- [[a]]\n- [[b]]\n", "page.md": "ONE\ntwo\nthree\nfour\nFIVE\n", "a.md": "# A\nmore\n", "b.md": "see [[a]]\n", "alone.md": "alone\n"})
	f.undo(first)
	f.wantTree(map[string]string{"index.md": "# Index\n- [[x]]\n- [[b]]\n", "page.md": "one\ntwo\nthree\nfour\nFIVE\n", "a.md": "# A\nmore\n", "b.md": "see [[a]]\n", "alone.md": "alone\n"})
}

// TestStackGone: where the first is discarded, or applied and undone, the second is marked, is merged onto what there is, and what it made of a page that
// does not come is told as a conflict.
func TestStackGone(t *testing.T) {
	for name, drop := range map[string]func(f *fixture, run string){
		"discarded": func(f *fixture, run string) {
			if err := f.Discard(run, Selection{}, "no", "cli"); err != nil {
				f.Fatal(err)
			}
		},
		"undone": func(f *fixture, run string) { f.apply(run, Selection{}); f.undo(run) },
	} {
		t.Run(name, func(t *testing.T) {
			f, first, second := stacked(t)
			drop(f, first)
			rec := f.record(second)
			if len(rec.Warnings) != 1 {
				t.Errorf("warnings: %q", rec.Warnings)
			}
			for _, file := range rec.Files {
				if flagged := len(file.Flags) > 0; flagged != (file.Path == "b.md") {
					t.Errorf("%s: flags %v", file.Path, file.Flags)
				}
			}
			plan := f.plan(second, Selection{Flagged: true})
			if len(plan.Conflicts) != 1 || plan.Conflicts[0].Path != "a.md" {
				t.Errorf("conflicts: %+v", plan.Conflicts)
			}
			f.carry(plan)
			f.wantTree(map[string]string{"index.md": "# Index\n- [[x]]\n- [[b]]\n", "page.md": "one\ntwo\nthree\nfour\nFIVE\n", "b.md": "see [[a]]\n", "alone.md": "alone\n"})
		})
	}
}
