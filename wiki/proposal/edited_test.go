package proposal

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
)

// exported is the run's diff as a client shows it, with remarks on top.
func (f *fixture) exported(run string) string {
	f.Helper()
	var out bytes.Buffer
	if err := f.Export(run, &out); err != nil {
		f.Fatal(err)
	}
	return "# a remark\n" + out.String()
}

func (f *fixture) planEdited(run, text string, sel Selection) Plan {
	f.Helper()
	plan, err := f.PlanEdited(run, []byte(text), sel, OnDisk(f.wiki))
	if err != nil {
		f.Fatal(err)
	}
	if len(plan.Conflicts) > 0 {
		f.Fatalf("conflicts: %+v", plan.Conflicts)
	}
	return plan
}

// What the user made of the diff is what is applied, and an undo gives back what was.
func TestEditedDiff(t *testing.T) {
	before := map[string]string{"a.md": long(), "b.md": "b\n", "d.md": "delete me\n", "old.md": long("line 2", "of old"), "wait.md": "w\n"}
	after := map[string]string{"a.md": long("line 5", "five", "line 25", "twenty-five"), "b.md": "b\nmore\n", "new.md": "# New\none\ntwo\n",
		"s/moved.md": long("line 2", "of old", "line 30", "thirty"), "wait.md": "w\nx\n"}
	f := newFixture(t, before)
	run := f.propose(after)
	text := f.exported(run)
	from, cut := strings.Index(text, "diff --git a/a.md"), strings.Index(text, "diff --git a/wait.md")
	text = text[:from] + strings.NewReplacer("+five\n", "+FIVE\n+and more\n", "-line 25\n", " line 25\n", "+twenty-five\n", "", "+two\n", "", "+thirty\n", "+THIRTY\n").Replace(text[from:cut])
	f.put("a.md", "typed\n"+before["a.md"])
	f.carry(f.planEdited(run, text, Selection{}))
	want := map[string]string{"a.md": "typed\n" + long("line 5", "FIVE\nand more"), "b.md": "b\nmore\n", "new.md": "# New\none\n",
		"s/moved.md": long("line 2", "of old", "line 30", "THIRTY"), "wait.md": "w\n"}
	f.wantTree(want)
	f.wantState(run, Partly)
	if got := f.hunkIDs(run, Waiting); !slices.Equal(got, []string{"a.md#2", "wait.md#1"}) {
		t.Errorf("waiting are %v", got)
	}
	f.apply(run, Selection{Hunks: []string{"a.md#2"}}) // the next decision finds its lines
	want["a.md"] = "typed\n" + long("line 5", "FIVE\nand more", "line 25", "twenty-five")
	f.wantTree(want)
	f.undo(run)
	was := maps.Clone(before)
	was["a.md"] = "typed\n" + before["a.md"]
	f.wantTree(was)
}

// What was rejected stays rejected where its lines stand in the text as they were.
func TestEditedDiffKeepsRejections(t *testing.T) {
	before := map[string]string{"a.md": long(), "b.md": "b\n"}
	f := newFixture(t, before)
	run := f.propose(map[string]string{"a.md": long("line 5", "five", "line 25", "twenty-five"), "b.md": "c\n"})
	text := f.exported(run)
	if err := f.Discard(run, Selection{Hunks: []string{"a.md#1"}, Paths: []string{"b.md"}}, "no", "cli"); err != nil {
		t.Fatal(err)
	}
	f.carry(f.planEdited(run, strings.Replace(text, "+twenty-five", "+25", 1), Selection{}))
	f.wantTree(map[string]string{"a.md": long("line 25", "25"), "b.md": "b\n"})
	if _, err := f.PlanEdited(run, []byte(text), Selection{Paths: []string{"b.md"}}, OnDisk(f.wiki)); !errors.Is(err, ErrNothing) {
		t.Errorf("the rejected page: %v", err)
	}
	f.carry(f.planEdited(run, strings.Replace(text, "+five", "+5", 1), Selection{Paths: []string{"a.md"}}))
	f.wantTree(map[string]string{"a.md": long("line 5", "5", "line 25", "25"), "b.md": "b\n"})
}

// A flagged page has to be named, whatever was made of its text.
func TestEditedDiffFlagged(t *testing.T) {
	f := newFixture(t, map[string]string{"a.md": "a\n", "b.md": "b\n"})
	run := f.keep([]Draft{
		{File: File{Path: "a.md", Kind: Edited, Flags: []Flag{{"shrinks-page", "x"}}}, BaseText: []byte("a\n"), NewText: []byte("b\n")},
		{File: File{Path: "b.md", Kind: Edited}, BaseText: []byte("b\n"), NewText: []byte("c\n")},
	})
	text := strings.Replace(f.exported(run), "+b", "+edited", 1)
	plan := f.planEdited(run, text, Selection{})
	if !slices.Equal(plan.Unflagged, []string{"a.md"}) || len(plan.Files) != 1 {
		t.Fatalf("%+v", plan)
	}
	f.carry(f.planEdited(run, text, Selection{Paths: []string{"a.md"}}))
	f.wantTree(map[string]string{"a.md": "edited\n", "b.md": "b\n"})
}

func TestEditedDiffRefused(t *testing.T) {
	f := newFixture(t, map[string]string{"a.md": long(), "d.md": "d\n", "o.md": "o\n"})
	run := f.propose(map[string]string{"a.md": long("line 5", "five", "line 25", "twenty-five"), "n.md": "n\n", "o.md": "o\n"})
	text := f.exported(run)
	for _, c := range []struct{ name, old, new, want string }{
		{"context", " line 24\n", " line twenty-four\n", "hunk 2: line 26 is not what the diff expects"},
		{"removed line", "-line 5\n", "-line V\n", "a.md: hunk 1"},
		{"no lead", " line 4\n", "line 4\n", "starts with 'l'"},
		{"a remark inside", "+five\n", "# five\n", "starts with '#'"},
		{"another page", "diff --git a/n.md", "diff --git a/o.md b/o.md\n--- a/o.md\n+++ b/o.md\n@@ -1 +1 @@\n-o\n+p\ndiff --git a/n.md", "o.md: not in this proposal"},
		{"out of the wiki", "+++ b/n.md", "+++ b/../n.md", "../n.md: not in this proposal"},
		{"twice", "diff --git a/n.md", text[strings.Index(text, "diff --git a/a.md"):strings.Index(text, "diff --git a/n.md")] + "diff --git a/n.md", "a.md: it is there twice"},
		{"a deletion kept", "+++ /dev/null\n@@ -1,1 +0,0 @@\n-d\n", "+++ b/d.md\n@@ -1,1 +1,1 @@\n-d\n+e\n", "line"},
		{"no context left", text[strings.Index(text, " line 2\n"):strings.Index(text, "+five")], "", "no line of the page is left"},
		{"the head of a hunk", "@@ -4,7", "@@ 4,7", "the head of a hunk"},
	} {
		t.Run(c.name, func(t *testing.T) {
			edited := strings.Replace(text, c.old, c.new, 1)
			if c.name == "no context left" {
				edited = strings.Replace(edited, " line 6\n line 7\n line 8\n", "", 1)
			}
			if edited == text {
				t.Fatalf("%q is not in\n%s", c.old, text)
			}
			_, err := f.PlanEdited(run, []byte(edited), Selection{}, OnDisk(f.wiki))
			var e *DiffError
			if !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "line ") {
				t.Fatalf("got %v\n%s", err, edited)
			}
			t.Log(err)
		})
	}
	f.wantTree(map[string]string{"a.md": long(), "d.md": "d\n", "o.md": "o\n"})
}

// FuzzEditedDiff holds that whatever is made of the diff is refused or planned, never a plan for a page that the proposal does not have.
func FuzzEditedDiff(f *testing.F) {
	x := newFixture(f, map[string]string{"a.md": long(), "d.md": "d\n"})
	run := x.propose(map[string]string{"a.md": long("line 5", "five"), "n.md": "n\n"})
	f.Add(x.exported(run))
	f.Add("@@ -1 +1 @@\n")
	f.Add("diff --git a/a.md b/a.md\n--- a/a.md\n+++ b/a.md\n@@ -1,1 +1,1 @@\n\n\n")
	f.Fuzz(func(t *testing.T, text string) {
		plan, err := x.PlanEdited(run, []byte(text), Selection{}, OnDisk(x.wiki))
		if err != nil {
			return
		}
		for _, p := range plan.Files {
			if !slices.Contains([]string{"a.md", "d.md", "n.md"}, p.Path) {
				t.Errorf("%q plans %s", text, p.Path)
			}
		}
	})
}
