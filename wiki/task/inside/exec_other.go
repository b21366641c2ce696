//go:build !unix

package inside

import (
	"errors"
	"fmt"
	"os/exec"
)

// exec runs the real git with the streams of this process and gives its exit status.
func (t *tool) exec(args, env []string) int {
	cmd := exec.CommandContext(t.ctx, t.door.Git, args...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = t.Dir, env, t.In, t.Out, t.Err
	var exit *exec.ExitError
	switch err := cmd.Run(); {
	case errors.As(err, &exit):
		return exit.ExitCode()
	case err != nil:
		fmt.Fprintf(t.Err, "rig: start %s: %v\n", t.door.Git, err)
		return 127
	}
	return 0
}
