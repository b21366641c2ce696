//go:build linux || darwin

package fetch

import (
	"fmt"
	"runtime/debug"

	"golang.org/x/sys/unix"
)

// BoundProcess bounds memory (1 GiB), stack (64 MiB) and processor time (in seconds) of the process, for good: it is for one that only reads a file.
func BoundProcess(seconds int) error {
	debug.SetMaxStack(64 << 20)
	debug.SetMemoryLimit(512 << 20)
	for _, l := range []struct {
		what int
		most uint64
	}{{unix.RLIMIT_DATA, 1 << 30}, {unix.RLIMIT_CPU, uint64(seconds)}, {unix.RLIMIT_CORE, 0}} {
		if err := unix.Setrlimit(l.what, &unix.Rlimit{Cur: l.most, Max: l.most}); err != nil {
			return fmt.Errorf("bound the process: %w", err)
		}
	}
	return nil
}
