package proposal

import (
	"testing"
)

// TestTwin: a page that the user made after policy had judged, and whose name many systems take for that of a new page, is a conflict of that page.
func TestTwin(t *testing.T) {
	for _, c := range []struct {
		name, mine, theirs string
		conflict           bool
	}{
		{"case", "concepts/NEW.md", "concepts/new.md", true},
		{"normal form", "cafe\u0301.md", "caf\u00e9.md", true},
		{"folder", "Notes/a.md", "notes/b.md", true},
		{"another page", "concepts/news.md", "concepts/new.md", false},
		{"another folder", "NEW.md", "concepts/new.md", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"old.md": "old\n"})
			run := f.propose(map[string]string{"old.md": "older\n", c.theirs: "agent\n"})
			f.put(c.mine, "mine\n")
			plan := f.plan(run, Selection{})
			want := map[string]string{"old.md": "older\n", c.mine: "mine\n"}
			if c.conflict != (len(plan.Conflicts) == 1 && plan.Conflicts[0].Path == c.theirs) {
				t.Fatalf("conflicts: %+v", plan.Conflicts)
			}
			if !c.conflict {
				want[c.theirs] = "agent\n"
			}
			f.carry(plan)
			f.wantPages(want)
		})
	}
}

// TestTwinGoes: a page that the same selection takes away is no obstacle; it is one where it stays.
func TestTwinGoes(t *testing.T) {
	f := newFixture(t, map[string]string{"Old.md": "one\n", "Notes/a.md": "text\n"})
	run := f.keep([]Draft{
		{File: File{Path: "Old.md", Kind: Delete}, BaseText: []byte("one\n")},
		{File: File{Path: "old.md", Kind: Create}, NewText: []byte("another thing\n")},
		{File: File{Path: "notes/a.md", From: "Notes/a.md", Kind: Rename}, BaseText: []byte("text\n"), NewText: []byte("text\n")},
	})
	if plan := f.plan(run, Selection{Paths: []string{"old.md"}}); len(plan.Conflicts) != 1 {
		t.Fatalf("Old.md stays: %+v", plan.Conflicts)
	}
	f.apply(run, Selection{})
	f.wantPages(map[string]string{"old.md": "another thing\n", "notes/a.md": "text\n"})
}

// wantPages is wantTree without the folders.
func (f *fixture) wantPages(want map[string]string) {
	f.Helper()
	got := f.tree()
	for name, text := range want {
		if got[name] != text {
			f.Errorf("%s: %q, want %q", name, got[name], text)
		}
		delete(got, name)
	}
	for name := range got {
		if name[len(name)-1] != '/' {
			f.Errorf("%s is there", name)
		}
	}
}
