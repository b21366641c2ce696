package wiki

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAnswers: a program is asked once over all processes, and again when it was replaced.
func TestAnswers(t *testing.T) {
	top := t.TempDir()
	asked := filepath.Join(top, "asked")
	program := func(version string) {
		script := "#!/bin/sh\necho asked >>" + asked + "\necho " + version + "\n"
		if err := os.WriteFile(filepath.Join(top, "claude"), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		version string // "": the program stays
		asked   int    // --version and --help
	}{{"2.1.0", 2}, {"", 2}, {"2.1.10", 4}, {"", 4}} {
		if step.version != "" {
			program(step.version)
		}
		h, err := NewHost(Options{RigHome: filepath.Join(top, "rig"), Self: "/bin/rig", Env: []string{"PATH=" + top + ":/usr/bin:/bin", "HOME=" + top}})
		if err != nil {
			t.Fatal(err)
		}
		agents, err := h.Agents(t.Context(), nil, nil)
		if err != nil || !agents[0].Usable || step.version != "" && agents[0].Version != step.version {
			t.Fatalf("%+v, %v", agents, err)
		}
		text, _ := os.ReadFile(asked)
		if n := strings.Count(string(text), "asked"); n != step.asked {
			t.Errorf("asked %d times, want %d", n, step.asked)
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}
}
