//go:build unix && !linux

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

func stopSignal() os.Signal { return syscall.SIGTERM }

// group is a program as leader of its own session and process group. A process that leaves the group is found by a mark in its environment, if at all.
type group struct {
	cmd  *exec.Cmd
	mark string
}

func (b *copyBox) start(p Command, its stdio) (child, error) {
	argv, mark := wrapped(b.jail, p.Argv), "RIG_SANDBOX_RUN="+newToken()
	cmd := &exec.Cmd{Path: argv[0], Args: argv, Env: append(p.Env, mark), Dir: p.Dir, Stdin: its.in, Stdout: its.out, Stderr: its.err,
		SysProcAttr: &syscall.SysProcAttr{Setsid: true}}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &group{cmd, mark}, nil
}

func (g *group) stop(sig os.Signal) {
	if s, ok := sig.(syscall.Signal); ok {
		syscall.Kill(-g.cmd.Process.Pid, s)
	}
}

func (g *group) kill() { syscall.Kill(-g.cmd.Process.Pid, syscall.SIGKILL) }

// killRest kills what is left, and tells whether anything was.
func (g *group) killRest() bool {
	left := leftovers(g.mark)
	for _, pid := range left {
		syscall.Kill(pid, syscall.SIGKILL)
	}
	return syscall.Kill(-g.cmd.Process.Pid, syscall.SIGKILL) != syscall.ESRCH || len(left) > 0
}

func (g *group) wait() (status, error) {
	err := g.cmd.Wait()
	var ee *exec.ExitError
	if err != nil && !errors.As(err, &ee) {
		return status{code: -1}, err
	}
	for deadline := time.Now().Add(killWait); g.killRest(); {
		if time.Now().After(deadline) {
			return status{code: -1}, fmt.Errorf("%w: its process group does not end", ErrNotQuiescent)
		}
		time.Sleep(5 * time.Millisecond) // no event tells when a group is empty
	}
	ws := g.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if ws.Signaled() {
		return status{128 + int(ws.Signal()), ws.Signal()}, nil
	}
	return status{code: ws.ExitStatus()}, nil
}
