package builtin

import (
	"regexp"
	"sync"
)

// lazyRE compiles a pattern when it is first asked for. A run starts this program several times (helpers, git and gh for the agent), and
// most of these starts match nothing.
func lazyRE(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
