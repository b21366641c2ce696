package wiki

import (
	"testing"

	"github.com/rigwiki/rig/sandbox"
	"github.com/rigwiki/rig/wiki/proposal"
)

// TestCompose: what a second run did on top of a first attempt, as changes of the wiki.
func TestCompose(t *testing.T) {
	planned := func(kind string, exists bool) proposal.Plan {
		p := proposal.Planned{Path: "a.md", Kind: kind, Exists: exists, After: []byte("first")}
		if exists {
			p.Before = []byte("base")
		}
		return proposal.Plan{Files: []proposal.Planned{p}}
	}
	change := func(kind sandbox.Kind) *sandbox.Change {
		c := sandbox.Change{Path: "a.md", Kind: kind, Base: []byte("first"), HasBase: true}
		if kind != sandbox.Delete {
			c.New = []byte("second")
		}
		return &c
	}
	for _, tt := range []struct {
		name   string
		plan   proposal.Plan
		second *sandbox.Change
		want   string // kind, base, new; "" for no change
	}{
		{"created, left", planned("create", false), nil, "create:first"},
		{"created, changed", planned("create", false), change(sandbox.Edit), "create:second"},
		{"created, taken back", planned("create", false), change(sandbox.Delete), ""},
		{"edited, left", planned("edit", true), nil, "edit base:first"},
		{"edited, changed", planned("edit", true), change(sandbox.Edit), "edit base:second"},
		{"edited, deleted", planned("edit", true), change(sandbox.Delete), "delete base:"},
		{"deleted, left", planned("delete", true), nil, "delete base:first"},
		{"untouched by the first", proposal.Plan{}, change(sandbox.Edit), "edit first:second"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var list []sandbox.Change
			if tt.second != nil {
				list = append(list, *tt.second)
			}
			got := ""
			for _, c := range (&revision{plan: tt.plan}).compose(list) {
				got += string(c.Kind)
				if c.HasBase {
					got += " " + string(c.Base)
				}
				got += ":" + string(c.New)
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestComposeRename: a page that the first attempt moved and the second one edits is still a move.
func TestComposeRename(t *testing.T) {
	v := &revision{plan: proposal.Plan{Files: []proposal.Planned{{Path: "new.md", From: "old.md", Kind: "rename", Before: []byte("base"), After: []byte("first"), Exists: true}}}}
	got := v.compose([]sandbox.Change{{Path: "new.md", Kind: sandbox.Edit, Base: []byte("first"), HasBase: true, New: []byte("second")}})
	if len(got) != 2 || got[0].Kind != sandbox.Create || string(got[0].New) != "second" || got[0].HasBase || got[1].Path != "old.md" || got[1].Kind != sandbox.Delete {
		t.Errorf("got %+v", got)
	}
}
