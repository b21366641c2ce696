//go:build unix

package adaptertest

import (
	"os/exec"
	"syscall"
)

// endTree makes the end of the context the end of the process group.
func endTree(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
