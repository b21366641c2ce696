package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// ready is what PID 1 says when the view stands. With it come descriptors: the upper folder, HOME (where there is one), and the listeners in the
// order of viewSpec.Loopback, then one for each of Ports, then the proxy's.
type ready struct {
	Error   string
	Missing []string
	Home    bool
	Proxy   string // the proxy's address
	// Unbounded: nothing here bounds the number of processes. The parent may have a control group that does.
	Unbounded bool
}

// filesDir is where Command.Files are in an overlay.
const filesDir = "/run/rig-files"

// initMain is PID 1 of an overlay: it builds the view, gives up every right, runs one program and ends with it. The kernel then ends everything
// else in its process namespace.
func initMain() {
	runtime.LockOSThread() // the filter and the bounding set go by thread: the program is started from this one
	w, err := inheritedWire()
	if err != nil || os.Getpid() != 1 {
		fmt.Fprintln(os.Stderr, "this is a helper of package sandbox, not a command")
		syscall.Exit(2)
	}
	dropInherited()
	var spec viewSpec
	if _, err := w.recv(&spec); err != nil {
		syscall.Exit(2)
	}
	b := &builder{spec: spec}
	r, fds, err := initSetup(b)
	if err != nil {
		w.send(ready{Error: err.Error()})
		syscall.Exit(1)
	}
	if err := w.send(r, fds...); err != nil {
		syscall.Exit(1)
	}
	for _, fd := range fds {
		unix.Close(fd)
	}
	err = lockDown(b) // while the other end prepares its order
	ignoreSignals()   // not before: what is done to all threads costs by their number, and nobody signals us yet
	initRun(w, err)
}

// initSetup builds and listens.
func initSetup(b *builder) (r ready, fds []int, err error) {
	spec := b.spec
	upper, err := b.build()
	if err != nil {
		return r, nil, err
	}
	fds = append(fds, upper)
	if spec.Home != "" {
		home, err := clonePath(spec.Home, writable, 0)
		if err != nil {
			return r, nil, err
		}
		fds = append(fds, home)
		r.Home = true
	}
	listeners, proxy, err := listenInside(spec)
	if err != nil {
		return r, nil, err
	}
	fds = append(fds, listeners...)
	r.Proxy, r.Missing = proxy, b.missing
	r.Unbounded = !b.bounded && spec.UID == 0 && unix.Getuid() == 0 // a limit of resources holds for everybody else
	if v := landlockABI(); v < 1 {
		r.Missing = append(r.Missing, "Landlock, the second wall (the mounts hold)")
	}
	return r, fds, nil
}

// lockDown gives up every right. No program is started where that fails.
func lockDown(b *builder) error {
	if err := limitProcesses(b.spec.Procs); err != nil {
		return err
	}
	offerFirst()
	if err := dropPrivileges(b.spec.UID, b.spec.GID); err != nil {
		return err
	}
	if err := landlockView(b.spec, b.masks); err != nil {
		return fmt.Errorf("landlock: %w", err)
	}
	return loadFilter(thisThread, ownNet)
}

// initRun starts the program it is told, in a process that was locked down, and waits for it. unlocked is why it was not.
func initRun(w *wire, unlocked error) {
	var o order
	if _, err := w.recv(&o); err != nil || o.Run == nil {
		syscall.Exit(0) // closed without a run
	}
	if unlocked != nil {
		w.send(report{Error: "lock down: " + unlocked.Error()})
		syscall.Exit(1)
	}
	pid, err := initStart(o.Run)
	if err != nil {
		w.send(report{Error: err.Error()})
		syscall.Exit(1)
	}
	w.send(report{Started: true})
	var over atomic.Bool
	go func() {
		for {
			var o order
			if _, err := w.recv(&o); err != nil {
				syscall.Exit(1)
			}
			if o.Kill && over.CompareAndSwap(false, true) {
				w.send(report{Ended: &ended{128 + int(syscall.SIGKILL), syscall.SIGKILL}})
				syscall.Exit(0)
			}
			if o.Stop != 0 {
				syscall.Kill(-pid, o.Stop)
			}
		}
	}()
	for {
		var ws syscall.WaitStatus
		got, err := syscall.Wait4(-1, &ws, 0, nil)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			w.send(report{Error: "wait: " + err.Error()})
			syscall.Exit(1)
		}
		if got == pid && over.CompareAndSwap(false, true) {
			e := endedFrom(ws)
			w.send(report{Ended: &e, Quiet: endOthers()})
			syscall.Exit(0)
		}
	}
}

// endOthers ends all that is left in the process namespace, and tells whether that is known to be over. The kernel does the same when PID 1 ends, but with it go the mounts and
// the network, which take longer than a small run's changes to read: these can be read meanwhile.
func endOthers() (quiet bool) {
	if err := syscall.Kill(-1, syscall.SIGKILL); err != nil && err != syscall.ESRCH {
		return false
	}
	for {
		switch _, err := syscall.Wait4(-1, nil, syscall.WALL, nil); err {
		case nil, syscall.EINTR:
		case syscall.ECHILD:
			return true
		default:
			return false
		}
	}
}

func initStart(p *program) (int, error) {
	if len(p.Files) > 0 {
		if err := os.Mkdir(filesDir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return 0, err
		}
	}
	for name, text := range p.Files {
		if err := os.WriteFile(filepath.Join(filesDir, name), text, 0o600); err != nil {
			return 0, err
		}
	}
	pid, err := start(p.Argv[0], p.Argv, &os.ProcAttr{
		Dir: p.Dir, Env: p.Env, Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}, Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return 0, err
	}
	return pid, dropStdio()
}
