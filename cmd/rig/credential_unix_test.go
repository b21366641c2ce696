//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// runAs makes a command run as another user.
func runAs(cmd *exec.Cmd, id int) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(id), Gid: uint32(id)}}
}
