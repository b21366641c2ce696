package sandbox

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// The reaper is a process of its own because a subreaper waits for every child it has, and ours has others than the run's. It stands outside
// the program's confinement, so that the program cannot end it, and ends when the socket to us does. A guard stands over it (guardMain): should somebody
// end one of the two, the other ends what the program started.

// names of our helpers, as argv[0]
const (
	guardName  = "rig-sandbox-guard"
	reaperName = "rig-sandbox-reaper"
	execName   = "rig-sandbox-exec"
	initName   = "rig-sandbox-init"
)

// program is what a helper is to start.
type program struct {
	Argv, Env []string
	Dir       string
	Jail      *jail             `json:",omitempty"` // tier B: entered by a second stage
	Files     map[string][]byte `json:",omitempty"` // overlay: written inside, to filesDir
}

// order is a message to a helper, report one from it.
type order struct {
	Run  *program       `json:",omitempty"`
	Stop syscall.Signal `json:",omitempty"`
	Kill bool           `json:",omitempty"`
}

type report struct {
	Started bool
	Ended   *ended
	Quiet   bool // with Ended, of an init: no process of the run is left but itself, which touches nothing any more
	Error   string
}

// ended is how the program ended; it is sent when no process of the run is left (reaper; init where it says so) or will be when the helper is gone.
type ended struct {
	Code   int
	Signal syscall.Signal
}

func endedFrom(ws syscall.WaitStatus) ended {
	if ws.Signaled() {
		return ended{128 + int(ws.Signal()), ws.Signal()}
	}
	return ended{Code: ws.ExitStatus()}
}

func (e ended) status() status {
	s := status{code: e.Code}
	if e.Signal != 0 {
		s.signal = e.Signal
	}
	return s
}

// Helpers end by syscall.Exit: there is nothing to flush, and a build with the race detector sleeps a second in os.Exit.

// reaperMain starts one program, and ends with it and everything that came from it.
func reaperMain() {
	runtime.LockOSThread() // Pdeathsig of the program is tied to this thread
	w, err := inheritedWire()
	if err != nil {
		fmt.Fprintln(os.Stderr, "this is a helper of package sandbox, not a command")
		syscall.Exit(2)
	}
	dropInherited()
	ignoreSignals()
	var o order
	if _, err := w.recv(&o); err != nil || o.Run == nil {
		syscall.Exit(2)
	}
	pid, err := reaperStart(o.Run)
	if err != nil {
		w.send(report{Error: err.Error()})
		syscall.Exit(1)
	}
	w.send(report{Started: true})
	go func() {
		for {
			var o order
			if _, err := w.recv(&o); err != nil || o.Kill {
				killTree(time.Now().Add(killWait))
				if err != nil {
					return
				}
			}
			if o.Stop != 0 {
				syscall.Kill(-pid, o.Stop)
			}
		}
	}()
	e, err := reap(pid)
	if err != nil {
		w.send(report{Error: err.Error()})
		syscall.Exit(1)
	}
	w.send(report{Ended: &e})
	syscall.Exit(0)
}

// dropInherited keeps what we inherited (an editor's files, a terminal's) from the program: nobody marked those descriptors.
func dropInherited() {
	if unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) == nil { // Linux 5.11
		return
	}
	for fd := 3; fd < 4096; fd++ {
		unix.CloseOnExec(fd)
	}
}

// ignoreSignals keeps a helper alive whatever the program sends to it; only SIGKILL, which its confinement must deny, ends it.
func ignoreSignals() {
	c, asked := make(chan os.Signal, 1), make(chan struct{})
	go func() {
		signal.Notify(c, fatalSignals()...) // not on our thread: each signal is a round trip with another goroutine
		close(asked)
		for range c {
		}
	}()
	<-asked
}

// fatalSignals are those that end or stop a Go program which does not ask for them (runtime/sigtab_linux_generic.go: SigKill, SigThrow, SigPanic,
// SigDefault). To ask for all 65 costs two switches of threads for each.
func fatalSignals() []os.Signal {
	return []os.Signal{
		unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGILL, unix.SIGTRAP, unix.SIGABRT, unix.SIGBUS, unix.SIGFPE, unix.SIGSEGV, unix.SIGTERM,
		unix.SIGSTKFLT, unix.SIGSYS, unix.SIGTSTP, unix.SIGTTIN, unix.SIGTTOU,
	}
}

func reaperStart(p *program) (int, error) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return 0, fmt.Errorf("become subreaper: %w", err)
	}
	attr := &os.ProcAttr{
		Dir: p.Dir, Env: p.Env, Files: []*os.File{os.Stdin, os.Stdout, os.Stderr},
		Sys: &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}, // in our session: see killSession
	}
	pid, err := 0, error(nil)
	if p.Jail == nil {
		pid, err = start(p.Argv[0], p.Argv, attr)
	} else {
		pid, err = startJailed(p, attr)
	}
	if err != nil {
		return 0, err
	}
	return pid, dropStdio()
}

func start(path string, argv []string, attr *os.ProcAttr) (int, error) {
	p, err := os.StartProcess(path, argv, attr)
	if err != nil {
		return 0, err
	}
	return p.Pid, nil
}

// dropStdio lets go of the program's streams, so that they end with the program.
func dropStdio() error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	for fd := range 3 {
		if err := unix.Dup3(int(null.Fd()), fd, 0); err != nil {
			return err
		}
	}
	return nil
}

// reap waits for pid, then ends what it left behind, until no child is left.
func reap(pid int) (ended, error) {
	var e ended
	for {
		var ws syscall.WaitStatus
		got, err := syscall.Wait4(-1, &ws, 0, nil)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return e, fmt.Errorf("wait: %w", err)
		}
		if got == pid {
			e = endedFrom(ws)
			break
		}
	}
	deadline := time.Now().Add(killWait)
	for {
		killTree(deadline)
		for {
			got, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
			if err == syscall.ECHILD {
				return e, nil
			}
			if got <= 0 && err != syscall.EINTR {
				break
			}
		}
		if time.Now().After(deadline) {
			return e, errors.New("processes of the run do not end")
		}
		time.Sleep(time.Millisecond) // they have been sent SIGKILL: nothing tells when they are gone but asking
	}
}

// killTree stops all descendants of this process, so that none can start another meanwhile, then kills them.
func killTree(deadline time.Time) {
	stopped := map[int]bool{}
	for time.Now().Before(deadline) {
		fresh := 0
		for _, pid := range descendants() {
			if !stopped[pid] {
				stopped[pid] = true
				fresh++
				syscall.Kill(pid, syscall.SIGSTOP)
			}
		}
		if fresh == 0 {
			break
		}
	}
	for pid := range stopped {
		syscall.Kill(pid, syscall.SIGKILL)
	}
}

// proc is a row of the process table.
type proc struct{ pid, ppid, session int }

// processTable reads the processes that we see, without those that only wait to be reaped.
func processTable() []proc {
	d, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1) // what was read before an error is of use
	var all []proc
	for _, n := range names {
		pid, err := strconv.Atoi(n)
		if err != nil {
			continue
		}
		b, err := os.ReadFile("/proc/" + n + "/stat")
		if err != nil {
			continue
		}
		// "pid (name, which may hold anything) state ppid pgrp session …", proc_pid_stat(5)
		var state string
		p := proc{pid: pid}
		var group int
		if _, err := fmt.Sscan(string(b[strings.LastIndexByte(string(b), ')')+1:]), &state, &p.ppid, &group, &p.session); err == nil && state != "Z" && state != "X" {
			all = append(all, p)
		}
	}
	return all
}

// descendants are all that came from this process.
func descendants() []int {
	kids := map[int][]int{}
	for _, p := range processTable() {
		kids[p.ppid] = append(kids[p.ppid], p.pid)
	}
	var all []int
	for next := kids[os.Getpid()]; len(next) > 0; {
		pid := next[0]
		all = append(all, pid)
		next = append(next[1:], kids[pid]...)
	}
	return all
}

// killSession ends what is left of a session whose leader, a reaper, is gone: not all that its program may have started, but most.
func killSession(id int) {
	for range 100 {
		left := 0
		for _, p := range processTable() {
			if p.session == id && p.pid != id {
				left++
				syscall.Kill(p.pid, syscall.SIGKILL)
			}
		}
		if left == 0 {
			return
		}
	}
}
