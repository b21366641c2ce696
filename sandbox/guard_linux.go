package sandbox

import (
	"fmt"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// guardMain starts the reaper and ends with it. What a reaper that was killed leaves behind becomes the guard's (prctl(2), PR_SET_CHILD_SUBREAPER), in sessions
// of its own too, and is ended. The socket to us is the reaper's alone; how the guard ends says whether the two stayed whole.
func guardMain() {
	runtime.LockOSThread()
	if _, err := inheritedWire(); err != nil {
		fmt.Fprintln(os.Stderr, "this is a helper of package sandbox, not a command")
		syscall.Exit(2)
	}
	dropInherited()
	ignoreSignals()
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		syscall.Exit(2)
	}
	wire := os.NewFile(3, "wire")
	pid, err := start("/proc/self/exe", []string{reaperName}, &os.ProcAttr{
		Dir: "/", Env: helperEnv(), Files: []*os.File{os.Stdin, os.Stdout, os.Stderr, wire}, Sys: &syscall.SysProcAttr{},
	})
	wire.Close()
	if err != nil || dropStdio() != nil {
		syscall.Exit(2)
	}
	e, err := reap(pid)
	if err != nil || e.Code != 0 {
		syscall.Exit(1)
	}
	syscall.Exit(0)
}
