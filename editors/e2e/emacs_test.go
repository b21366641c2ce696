package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestEmacs plays each story of emacs/ in the Emacs that RIG_EMACS names, configured by the text of its README.
func TestEmacs(t *testing.T) {
	emacs := needed(t, "emacs", "RIG_EMACS")
	rig := build(t)
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	d := newDesk(t, rig)
	config := filepath.Join(d.dir, "init.el")
	if err := os.WriteFile(config, []byte(fenced(t, "../emacs/README.md", "elisp")), 0o600); err != nil {
		t.Fatal(err)
	}
	d.configure(t, `{wiki: {defaultAgent: "probe"}}`)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute) // a hang guard: it takes seconds
	defer cancel()
	cmd := exec.CommandContext(ctx, emacs, "--quick", "--batch", "--load", "emacs/story.el")
	cmd.Env = d.env("PATH="+filepath.Dir(rig)+":"+os.Getenv("PATH"), "WANT="+filepath.Join(here, "testdata/want"), "CONFIG="+config, "LANG=C.UTF-8")
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Fatalf("emacs: %v", err)
	}
	sameTree(t, "testdata/wiki", d.wiki)
}

// fenced is the first block of a language in a README: what a user copies.
func fenced(t *testing.T, readme, language string) string {
	t.Helper()
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(text), "```"+language+"\n")
	block, _, closed := strings.Cut(rest, "```")
	if !ok || !closed {
		t.Fatalf("%s has no block of %s", readme, language)
	}
	return block
}
