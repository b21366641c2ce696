package adaptertest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rigwiki/rig/adapters"
)

// The real programs, where RIG_AGENTS names the folder they are in (a node_modules/.bin). RIG_REQUIRE=agents makes their absence a failure.
func agentsDir(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("RIG_AGENTS")
	if dir == "" {
		if strings.Contains(os.Getenv("RIG_REQUIRE"), "agents") {
			t.Fatal("RIG_REQUIRE asks for agents, but RIG_AGENTS names no folder")
		}
		t.Skip("RIG_AGENTS is not set: install the pinned agents and name their node_modules/.bin")
	}
	return dir
}

// subjects are the agents with how to lead them to the model.
var subjects = []struct {
	name  string
	model string
	setup func(t testing.TB, home, url string) []string
	leaks map[string]string
}{
	{name: "claude", setup: func(_ testing.TB, _, url string) []string {
		return []string{"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=sk-test"}
	}},
}

func TestReal(t *testing.T) {
	dir := agentsDir(t)
	for _, s := range subjects {
		t.Run(s.name, func(t *testing.T) {
			if _, err := os.Stat(filepath.Join(dir, s.name)); err != nil {
				if strings.Contains(os.Getenv("RIG_REQUIRE"), "agents") {
					t.Fatal(err)
				}
				t.Skipf("%s is not installed in RIG_AGENTS", s.name)
			}
			env := adapters.Env{Vars: []string{"PATH=" + dir + string(filepath.ListSeparator) + os.Getenv("PATH")}}
			a, err := adapters.NewRegistry(env).Find(s.name)
			if err != nil {
				t.Fatal(err)
			}
			Run(t, Subject{Adapter: a, Env: env, Model: s.model, Setup: s.setup, Leaks: s.leaks})
		})
	}
}
