package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rigwiki/rig/sandbox"
	"github.com/rigwiki/rig/wiki"
	tasks "github.com/rigwiki/rig/wiki/task"
	"github.com/rigwiki/rig/wiki/task/inside"
)

// TestMain lets the test binary be what a run starts of our own: a sandbox's helper, the git and gh of a task, the collector.
func TestMain(m *testing.M) {
	if sandbox.Main() {
		return
	}
	cwd, err := os.Getwd()
	if err != nil {
		cwd = "/"
	}
	p := inside.Process{Args: os.Args[1:], Env: os.Environ(), Dir: cwd, In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
	switch verb := wiki.CollectVerb(); {
	case filepath.Base(os.Args[0]) == "git":
		os.Exit(inside.Git(context.Background(), p))
	case filepath.Base(os.Args[0]) == "gh":
		os.Exit(inside.GH(context.Background(), p))
	case len(os.Args) == len(verb)+2 && slices.Equal(os.Args[1:len(verb)+1], verb):
		var want tasks.Wanted
		err := json.Unmarshal([]byte(os.Args[len(verb)+1]), &want)
		if err == nil {
			err = tasks.Collect(context.Background(), want, os.Stdout)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}
