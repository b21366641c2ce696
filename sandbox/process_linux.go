package sandbox

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
)

// stopSignal is the stop signal of a program that has none of its own.
func stopSignal() os.Signal { return syscall.SIGTERM }

// helpers is the table of what this executable can be started as.
func helpers() map[string]func() {
	return map[string]func(){
		guardName:  guardMain,
		reaperName: reaperMain,
		initName:   initMain,
		execName:   execMain,
		probeName:  probeMain,
	}
}

// A helperProc is a running helper: the guard of a copy, with the reaper, or PID 1 of an overlay.
type helperProc struct {
	w    *wire
	pid  int
	gone chan struct{} // closed when the process has been waited for
	// quiet is closed when no process of the run is left but the helper, or not even that
	quiet chan struct{}
	hush  func()
	// session is the guard's and the reaper's, 0 where the helper has a process namespace that ends with it
	session int
	killed  bool // it did not end by itself; read after gone
}

// startHelper starts this executable as the named helper, with the program's streams as its own. The helper is waited for on the thread that
// started it: Pdeathsig goes by thread.
func startHelper(name string, its stdio, attr *syscall.SysProcAttr) (*helperProc, error) {
	w, far, err := newWire()
	if err != nil {
		return nil, err
	}
	defer far.Close()
	cmd := &exec.Cmd{
		Path: "/proc/self/exe", Args: []string{name}, Env: helperEnv(), Dir: "/", SysProcAttr: attr,
		Stdin: its.in, Stdout: its.out, Stderr: its.err, ExtraFiles: []*os.File{far},
	}
	h := &helperProc{w: w, gone: make(chan struct{}), quiet: make(chan struct{})}
	h.hush = sync.OnceFunc(func() { close(h.quiet) })
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine, which has the helper's whole life
		err := cmd.Start()
		if err == nil {
			h.pid = cmd.Process.Pid
			if name == guardName {
				h.session = h.pid
			}
		}
		started <- err
		if err == nil {
			cmd.Wait()
			h.killed = cmd.ProcessState.ExitCode() == -1
			h.hush() // before: who waits for the end may look at the changes at once
			close(h.gone)
		}
	}()
	if err := <-started; err != nil {
		w.close()
		return nil, fmt.Errorf("start helper: %w", err)
	}
	return h, nil
}

// helperEnv is what a helper's runtime is told: two processors, since a helper does one thing after another, and with one alone its scheduler
// wakes a second thread at each system call; and no collection before it holds much more than it ever does.
func helperEnv() []string { return []string{"GOMAXPROCS=2", "GOGC=400"} }

// run hands the program to the helper and returns when it has started.
func (h *helperProc) run(p *program) error {
	if err := h.w.send(order{Run: p}); err != nil {
		return fmt.Errorf("talk to helper: %w", err)
	}
	var r report
	if _, err := h.w.recv(&r); err != nil {
		return fmt.Errorf("%w: the helper ended: %v", ErrNotQuiescent, err)
	}
	if r.Error != "" {
		return errors.New(r.Error)
	}
	return nil
}

func (h *helperProc) stop(sig os.Signal) {
	if s, ok := sig.(syscall.Signal); ok {
		h.w.send(order{Stop: s}) // a helper that is gone has nothing to stop
	}
}

func (h *helperProc) kill() { h.w.send(order{Kill: true}) }

// wait returns when the helper is gone, or says that it alone is left. A helper that did not say that nothing is left leaves that open.
func (h *helperProc) wait() (status, error) {
	defer h.w.close()
	heard := make(chan struct{})
	var r report
	var err error
	go func() {
		defer close(heard)
		_, err = h.w.recv(&r)
	}()
	select {
	case <-heard:
		if r.Ended != nil && r.Quiet && h.session == 0 {
			h.hush()
			return r.Ended.status(), nil
		}
		<-h.gone
	case <-h.gone: // and had nothing to say, or it has been said and not been heard yet
		if h.killed && h.session > 0 {
			h.w.send(order{Kill: true}) // to the reaper, which has lost its guard
		}
		<-heard
	}
	if r.Ended == nil || h.killed && h.session > 0 {
		if err == nil || errors.Is(err, io.EOF) {
			err = fmt.Errorf("the helper ended early: %s", r.Error)
		}
		if h.session > 0 {
			killSession(h.session)
		}
		return status{code: -1}, fmt.Errorf("%w: %v", ErrNotQuiescent, err)
	}
	return r.Ended.status(), nil
}
