package task

import (
	"path/filepath"
	"slices"

	"github.com/rigwiki/rig/sandbox"
)

// RealGit is the path of the user's git inside, for [Broker.Env]: package sandbox keeps what a tool stands in for.
const RealGit = "{tools}/.real/git"

// Tools are git and gh for the sandbox: our binary (self) under their names, on PATH and, where the layer can, over the real paths.
func (b *Broker) Tools(self string) []sandbox.Tool {
	git := sandbox.Tool{Name: "git", Exec: self, Over: over(b.o.Checkout.Repo.git.path, "git")}
	gh := sandbox.Tool{Name: "gh", Exec: self}
	if path, err := findProgram(b.o.Env, "gh"); err == nil {
		gh.Over = over(path, "gh")
	}
	return []sandbox.Tool{git, gh}
}

// over are the paths at which a program may be called: the one found, first, and the usual ones. Two that lead to one file are named once.
func over(found, name string) []string {
	var out, real []string
	for _, p := range []string{found, "/usr/local/bin/" + name, "/usr/bin/" + name, "/bin/" + name} {
		at, err := filepath.EvalSymlinks(p)
		if err != nil || slices.Contains(real, at) {
			continue
		}
		out, real = append(out, p), append(real, at)
	}
	return out
}
