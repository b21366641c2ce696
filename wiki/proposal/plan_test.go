package proposal

import (
	"testing"
)

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
