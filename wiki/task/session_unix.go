//go:build unix

package task

import (
	"os/exec"
	"syscall"
)

// ownSession keeps git and what it starts from our terminal, and ends them together.
func ownSession(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
