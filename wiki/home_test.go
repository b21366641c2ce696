package wiki

import (
	"encoding/json"
	"os/user"
	"path/filepath"
	"testing"
)

// TestHomeFolder: without HOME our state lies in the home folder that the system knows, never in the working folder, which is a wiki's.
func TestHomeFolder(t *testing.T) {
	if got := HomeFolder([]string{"HOME=/somewhere"}); got != "/somewhere" {
		t.Errorf("HOME is said, got %q", got)
	}
	u, err := user.Current()
	if err != nil {
		t.Skipf("the system does not know this user: %v", err)
	}
	for _, env := range [][]string{nil, {"HOME="}} {
		h, err := NewHost(Options{Env: env, Self: "/bin/rig"})
		if err != nil {
			t.Fatal(err)
		}
		if want := filepath.Join(u.HomeDir, ".rig"); h.RigHome() != want {
			t.Errorf("with %q the state is in %s, want %s", env, h.RigHome(), want)
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestAgentsOfSettings: which agent is the default, and where a program is, may stand in an editor's settings.
func TestAgentsOfSettings(t *testing.T) {
	top := t.TempDir()
	h, err := NewHost(Options{RigHome: filepath.Join(top, "rig"), Self: "/bin/rig", Env: []string{"PATH=/usr/bin:/bin", "HOME=" + top}})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	for text, want := range map[string]string{`{}`: "claude", `{"defaultAgent": "builtin"}`: "builtin"} {
		var s Settings
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			t.Fatal(err)
		}
		agents, err := h.Agents(t.Context(), nil, &s)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range agents {
			if a.Default != (a.Name == want) {
				t.Errorf("with %s: %s default %v", text, a.Name, a.Default)
			}
		}
	}
}
