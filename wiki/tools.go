package wiki

import (
	"slices"
	"strings"

	"github.com/rigwiki/rig/sandbox"
)

// tools are the commands that an agent finds on PATH because of its grant: our own binary under another name.
func (r *run) tools() []sandbox.Tool {
	var tools []sandbox.Tool
	return tools
}

// toolsFirst puts the run's tools at the head of PATH.
func (r *run) toolsFirst(env []string) []string {
	if len(r.tools()) == 0 {
		return env
	}
	env = slices.Clone(env)
	for i, kv := range env {
		if path, ok := strings.CutPrefix(kv, "PATH="); ok {
			env[i] = "PATH={tools}:" + path
			return env
		}
	}
	return append(env, "PATH={tools}:/usr/local/bin:/usr/bin:/bin")
}
