//go:build unix

package adapters

import (
	"os/exec"
	"syscall"
)

// ownGroup lets a probe that outlives its time be ended with its children.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
