package proposal

import (
	"errors"
	"strings"
	"testing"
)

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
