package main

import (
	"cmp"
	"context"

	"github.com/rigwiki/rig/wiki/task/inside"
)

// insideGit is the git that an agent finds in a task run.
func insideGit(ctx context.Context, a *app, args []string) int {
	return inside.Git(ctx, a.process(args))
}

// insideGH is its gh.
func insideGH(ctx context.Context, a *app, args []string) int { return inside.GH(ctx, a.process(args)) }

func (a *app) process(args []string) inside.Process {
	return inside.Process{Args: args, Env: a.env, Dir: cmp.Or(a.cwd, "."), In: a.in, Out: a.out, Err: a.err}
}
