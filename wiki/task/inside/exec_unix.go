//go:build unix

package inside

import (
	"fmt"
	"os"
	"syscall"
)

// exec becomes the real git: its streams, signals and exit status are those of this process.
func (t *tool) exec(args, env []string) int {
	if err := os.Chdir(t.Dir); err != nil {
		return t.fail(args[0], err)
	}
	err := syscall.Exec(t.door.Git, append([]string{"git"}, args...), env)
	fmt.Fprintf(t.Err, "rig: start %s: %v\n", t.door.Git, err)
	return 127
}
