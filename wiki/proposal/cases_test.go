package proposal

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// The cases, as archives: base/ is what the agent was given, agent/ what it made, yours/ the pages now, want/ the pages after an apply.
// The comment may name the conflicts and the order of the plan.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			sides := map[string]map[string]string{"base": {}, "agent": {}, "yours": {}, "want": {}}
			for _, f := range ar.Files {
				side, name, _ := strings.Cut(f.Name, "/")
				sides[side][name] = string(f.Data)
			}
			f := newFixture(t, sides["yours"])
			run := f.proposeStep(sides["base"], sides["agent"])
			plan := f.plan(run, Selection{})
			var order, conflicts []string
			for _, p := range plan.Files {
				order = append(order, p.Kind+" "+p.Path)
			}
			for _, c := range plan.Conflicts {
				conflicts = append(conflicts, c.Path)
			}
			for line := range strings.Lines(string(ar.Comment)) {
				key, want, _ := strings.Cut(strings.TrimSpace(line), ": ")
				switch key {
				case "order":
					if got := strings.Join(order, ", "); got != want {
						t.Errorf("order %s, want %s", got, want)
					}
				case "conflict":
					if got := strings.Join(conflicts, ", "); got != want {
						t.Errorf("conflicts %s, want %s", got, want)
					}
				}
			}
			f.carry(plan)
			f.wantTree(sides["want"])
			f.undo(run)
			f.wantTree(sides["yours"])
		})
	}
}
