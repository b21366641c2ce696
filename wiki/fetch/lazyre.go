package fetch

import (
	"regexp"
	"sync"
)

// lazyRE compiles an expression when it is first used.
func lazyRE(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
