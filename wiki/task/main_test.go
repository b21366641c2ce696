package task

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/rigwiki/rig/sandbox"
	"github.com/rigwiki/rig/wiki/task/inside"
)

// TestMain: this binary is a sandbox's helper, and the git and gh inside, under those names.
func TestMain(m *testing.M) {
	if sandbox.Main() {
		return
	}
	cwd, err := os.Getwd()
	if err != nil {
		cwd = "/"
	}
	p := inside.Process{Args: os.Args[1:], Env: os.Environ(), Dir: cwd, In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
	switch filepath.Base(os.Args[0]) {
	case "git":
		os.Exit(inside.Git(context.Background(), p))
	case "gh":
		os.Exit(inside.GH(context.Background(), p))
	}
	os.Exit(m.Run())
}
