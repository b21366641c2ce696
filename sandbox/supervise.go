package sandbox

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// A child is a started program together with what contains it.
type child interface {
	stop(sig os.Signal) // asks the program and its group to end
	kill()              // ends every process of the run
	wait() (status, error)
}

// status is how a program ended, code as in Exit.
type status struct {
	code   int
	signal os.Signal
}

// stdio holds our ends of a program's streams.
type stdio struct{ in, out, err *os.File }

// pipes makes the streams: ours, and the program's, which the caller closes once it has started.
func pipes() (ours, its stdio, err error) {
	for _, p := range []struct{ r, w **os.File }{{&its.in, &ours.in}, {&ours.out, &its.out}, {&ours.err, &its.err}} {
		if *p.r, *p.w, err = os.Pipe(); err != nil {
			ours.close()
			its.close()
			return stdio{}, stdio{}, err
		}
	}
	return ours, its, nil
}

func (s stdio) close() {
	for _, f := range []*os.File{s.in, s.out, s.err} {
		if f != nil {
			f.Close()
		}
	}
}

// killWait is how long killed processes may take to be gone before the run counts as not quiescent.
const killWait = 15 * time.Second

// A run supervises one program.
type run struct {
	c      Command
	limits Limits
	io     stdio
	child  child
	gauge  *gauge

	start   time.Time
	heard   atomic.Int64 // ns since start of the last byte on either stream
	ended   chan struct{}
	status  status
	err     error
	talked  chan struct{} // Talk returned; never closed where there is none
	streams sync.WaitGroup
	killed  bool // it took SIGKILL
}

// supervise talks with a started program until it and everything it started is gone.
// g, where it is not nil, ends it when it has written too much.
func supervise(ctx context.Context, c Command, l Limits, s stdio, ch child, g *gauge) (Exit, error) {
	r := &run{c: c, limits: l, io: s, child: ch, gauge: g, start: time.Now(), ended: make(chan struct{}), talked: make(chan struct{})}
	talkCtx, hush := context.WithCancel(ctx)
	defer hush()
	r.streams.Add(2)
	go r.stdin()
	go r.stdout(talkCtx)
	go r.stderr()
	go func() {
		r.status, r.err = ch.wait()
		close(r.ended)
	}()
	measured, enough := context.WithCancel(ctx)
	defer enough()
	why := r.watch(ctx, r.gauge.watch(measured))
	if why != Exited {
		hush()
		r.end()
	}
	r.drain()
	select {
	case <-r.ended:
	default:
		return Exit{Code: -1, Why: why, Duration: time.Since(r.start)}, ErrNotQuiescent
	}
	e := Exit{Code: r.status.code, Signal: r.status.signal, Why: why, Duration: time.Since(r.start)}
	if r.killed && e.Signal == os.Kill {
		e.Code = -1
	}
	return e, r.err
}

// watch waits for the first reason to end.
func (r *run) watch(ctx context.Context, full <-chan struct{}) Ending {
	var timeout, linger <-chan time.Time
	if r.c.Timeout > 0 {
		timeout = time.After(r.c.Timeout)
	}
	idle := time.NewTimer(max(r.c.Idle, time.Millisecond))
	defer idle.Stop()
	if r.c.Idle <= 0 {
		idle.Stop()
	}
	talked := r.talked
	for {
		select {
		case <-r.ended:
			return Exited
		case <-ctx.Done():
			return Cancelled
		case <-full:
			return Overfull
		case <-timeout:
			return TimedOut
		case <-linger:
			return Finished
		case <-talked:
			talked = nil
			linger = time.After(r.limits.Linger)
		case <-idle.C:
			left := r.c.Idle - (time.Since(r.start) - time.Duration(r.heard.Load()))
			if left <= 0 {
				return WentIdle
			}
			idle.Reset(left)
		}
	}
}

// end stops the tree: first Talk may say good-bye where it can write (its context is cancelled), then the program's own stop signal, then SIGKILL.
func (r *run) end() {
	if r.c.TwoWay {
		r.within(r.limits.Grace, r.talked)
	}
	sig := r.c.Stop
	if sig == nil {
		sig = stopSignal()
	}
	r.child.stop(sig)
	if r.within(r.limits.Grace, nil) {
		return
	}
	r.child.kill()
	r.killed = true
	r.within(killWait, nil)
}

// within waits for the end, or for also, at most d, and tells whether the tree is gone.
func (r *run) within(d time.Duration, also <-chan struct{}) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-r.ended:
		return true
	case <-also:
	case <-t.C:
	}
	return false
}

// drain waits for the streams to be read to their ends. With the tree gone nobody holds their other ends, except a process that
// got them by other ways; then they are cut.
func (r *run) drain() {
	done := make(chan struct{})
	go func() {
		r.streams.Wait()
		close(done)
	}()
	for _, cut := range []func(){r.io.close, func() {}} {
		t := time.NewTimer(r.limits.Grace)
		select {
		case <-done:
			t.Stop()
			r.io.close()
			return
		case <-t.C:
			cut()
		}
	}
}

func (r *run) stdin() {
	if r.c.TwoWay {
		return
	}
	// A program that ends without reading makes this fail (EPIPE): no fault of the run.
	r.io.in.Write(r.c.Stdin)
	r.io.in.Close()
}

func (r *run) stdout(ctx context.Context) {
	defer r.streams.Done()
	out := &tap{from: r.io.out, to: r.c.Stdout, run: r}
	if r.c.Talk != nil {
		r.c.Talk(ctx, twoWay{out, r})
		close(r.talked)
	}
	if r.c.TwoWay {
		r.io.in.Close()
	}
	io.Copy(io.Discard, out)
}

func (r *run) stderr() {
	defer r.streams.Done()
	io.Copy(io.Discard, &tap{from: r.io.err, to: r.c.Stderr, run: r})
}

// A tap reads a stream, copies what it read, and notes that there was life.
type tap struct {
	from *os.File
	to   io.Writer
	run  *run
}

func (t *tap) Read(p []byte) (int, error) {
	n, err := t.from.Read(p)
	if n > 0 {
		t.run.heard.Store(int64(time.Since(t.run.start)))
		if t.to != nil {
			t.to.Write(p[:n])
		}
	}
	if errors.Is(err, os.ErrClosed) {
		err = io.EOF
	}
	return n, err
}

// twoWay is what Talk gets.
type twoWay struct {
	*tap
	run *run
}

func (t twoWay) Write(p []byte) (int, error) {
	if !t.run.c.TwoWay {
		return 0, errors.New("standard input is not open")
	}
	return t.run.io.in.Write(p)
}
