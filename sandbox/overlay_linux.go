package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Overlay is the layer of Linux: an overlayfs mounted over the folder's own path, for the program and nobody else, in namespaces of its own.
// Nothing that it does grows with the folder. It needs Linux 5.12 (6.6 for a full tmpfs upper), unprivileged user namespaces, and a folder
// without mounts in it whose files belong to the user; else Open fails.
//
// The program sees the host read-only, HOME with Spec.State (a throwaway layer over it) and what Spec.Visible names, empty /tmp, /var/tmp, /run and
// /dev, itself alone in /proc, and of the network what Spec.Network names.
func Overlay(o OverlayOptions) Layer { return overlayLayer{o: o} }

type overlayLayer struct {
	o     OverlayOptions
	early *initHelper // nil: none was started beforehand
}

func (overlayLayer) Name() string { return "overlay" }

// An overlayBox is an open overlay. Its mounts live as long as the helper or a descriptor of them: nothing has to be unmounted.
type overlayBox struct {
	spec      Spec
	helper    *helperProc
	ours      stdio
	upper     *dir
	home      *dir // the program's HOME; nil: there is none
	kept      map[string][]byte
	net       *served
	conf      Confinement
	hiddenSet map[string]bool
	start     int64         // ns: a lower file changed from here on has drifted
	group     *controlGroup // nil: not needed, or not to be had
	disk      string        // Spec.RunDir's folder of the upper on disk; "": in memory
	gauge     *gauge        // of it
	ran       bool
	close     sync.Once
	closed    error
}

// Open builds the view in a helper process, which waits there for the program.
func (l overlayLayer) Open(ctx context.Context, s Spec) (_ Box, err error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	if s, err = s.checkOwn(); err != nil {
		return nil, err
	}
	s.Visible = append(slices.Clone(s.Visible), s.lentPaths()...)
	s.Limits = s.Limits.withDefaults()
	b := &overlayBox{spec: s, kept: map[string][]byte{}, hiddenSet: map[string]bool{}, start: coarseNow()}
	defer func() {
		if err != nil {
			b.Close()
		}
	}()
	if err := loopbackAddrs(s.Network.Loopback); err != nil {
		return nil, err
	}
	if l.o.Upper == OnDisk {
		b.disk = filepath.Join(s.RunDir, "disk")
		if err := os.Mkdir(b.disk, 0o700); err != nil {
			return nil, err
		}
	}
	g, err := newGate(s.Network.Hosts, l.o.Dialer)
	if err != nil {
		return nil, err
	}
	h := l.init()
	v, err := b.viewSpec(g) // while the helper starts
	<-h.up
	b.ours, b.helper = h.ours, h.helper
	if h.err != nil {
		return nil, fmt.Errorf("overlay: %w", h.err)
	}
	if err != nil {
		return nil, err
	}
	if err := b.handshake(ctx, v, g); err != nil {
		return nil, fmt.Errorf("overlay: %w", err)
	}
	return b, nil
}

// viewSpec says what the helper is to build.
func (b *overlayBox) viewSpec(g *gate) (viewSpec, error) {
	s := b.spec
	v := viewSpec{
		Root: s.Root, RunDir: s.RunDir, Protect: s.Protect, Cover: s.Cover, Inject: s.Inject, Buffers: s.Buffers, State: s.State, Tools: s.Tools,
		Disk: b.disk, Upper: s.Limits.Upper, Inodes: s.Limits.Inodes, Procs: s.Limits.Procs, Loopback: slices.Compact(slices.Sorted(slices.Values(s.Network.Loopback))), Proxy: len(g.rules) > 0,
	}
	v.Own, v.Lend = s.Own, s.Lend
	v.Names, v.Ports = g.names()
	var err error
	if v.UID, v.GID, err = runAs(s.Root); err != nil {
		return v, err
	}
	if v.Hidden, err = b.hidden(v.UID); err != nil {
		return v, err
	}
	for _, rel := range s.Gone {
		if b.shows(rel) {
			v.Hidden, b.hiddenSet[rel] = append(v.Hidden, rel), true
		}
	}
	for _, p := range append(alwaysShown(), s.Visible...) {
		links, real, err := resolve(p)
		if err != nil {
			return v, fmt.Errorf("show %s: %w", p, err)
		}
		v.Links, v.Visible = append(v.Links, links...), append(v.Visible, real)
	}
	slices.Sort(v.Visible)
	v.Visible = slices.Compact(v.Visible)
	if s.Home != "" {
		links, real, err := resolve(s.Home)
		if err == nil && real != "/" { // daemons' HOME, which nothing can be hidden in
			v.Links, v.Home = append(v.Links, links...), real
		}
	}
	for _, rel := range s.KeepBack {
		if text, err := os.ReadFile(filepath.Join(s.Home, rel)); err == nil {
			b.kept[rel] = text
		}
	}
	for _, m := range append(masksFor(v), s.RunDir) {
		if within(s.Root, m) {
			return v, fmt.Errorf("%s lies in %s, so that the folder cannot be laid over", m, s.Root)
		}
	}
	return v, submounts(s.Root)
}

// alwaysShown are paths that are bound in where they exist: our own binary, which adapters run as git, gh or board, and NixOS's programs.
func alwaysShown() []string {
	self, _ := os.Executable() // a binary that was replaced while we run has no path, and cannot be shown
	return slices.DeleteFunc([]string{self, "/run/current-system"}, func(p string) bool {
		_, err := os.Stat(p)
		return err != nil
	})
}

// hidden lists the entries of Root that are not shown, and refuses entries that an overlay cannot change.
func (b *overlayBox) hidden(uid int) ([]string, error) {
	d, err := openDir(b.spec.Root)
	if err != nil {
		return nil, err
	}
	defer d.close()
	names, err := d.names(1 << 20)
	if err != nil {
		return nil, err
	}
	var hidden []string
	for _, name := range names {
		st, err := d.lstat(name)
		if err != nil {
			continue // gone since
		}
		if b.spec.Hide != nil && b.spec.Hide(name, dirEntry{name, st}) && !slices.Contains(b.spec.Protect, name) {
			hidden = append(hidden, name)
			b.hiddenSet[name] = true
			continue
		}
		if os.Geteuid() != 0 && (int(st.uid) != uid || int(st.gid) != os.Getegid()) && !slices.Contains(b.spec.Protect, name) {
			return nil, foreignError(name)
		}
	}
	return hidden, nil
}

// shows tells whether a file would be shown that the program writes.
func (b *overlayBox) shows(rel string) bool {
	fi, err := os.Lstat(filepath.Join(b.spec.Root, filepath.FromSlash(rel)))
	top, _, _ := strings.Cut(rel, "/")
	return err == nil && fi.Mode().IsRegular() && !b.hiddenSet[top] && !slices.ContainsFunc(b.spec.Protect, func(p string) bool { return within(p, rel) })
}

// handshake sends the spec and takes what comes back.
func (b *overlayBox) handshake(ctx context.Context, v viewSpec, g *gate) error {
	stop := context.AfterFunc(ctx, func() { b.helper.w.close() })
	defer stop()
	if err := b.helper.w.send(v); err != nil {
		return err
	}
	var r ready
	files, err := b.helper.w.recv(&r)
	if err != nil {
		return errors.Join(ctx.Err(), fmt.Errorf("the helper ended: %w", err))
	}
	if r.Error != "" {
		return errors.New(r.Error)
	}
	b.upper, files = &dir{files[0]}, files[1:]
	if r.Home {
		b.home, files = &dir{files[0]}, files[1:]
	}
	b.conf = Confinement{Layer: "overlay", Tier: "A", Processes: true, HostWrites: true, HostSecrets: true, Network: "none", Missing: r.Missing}
	if b.disk != "" {
		b.conf.Tier = "A2"
	}
	if r.Unbounded || b.spec.Limits.Memory > 0 {
		b.bound(r.Unbounded)
	}
	if v.Proxy {
		b.conf.Network = "proxy (" + strings.Join(b.spec.Network.Hosts, ", ") + ")"
	}
	return b.serve(v, g, r.Proxy, files)
}

// bound puts the helper into a control group; where there is none, it is said what is missing.
func (b *overlayBox) bound(processes bool) {
	group, err := newControlGroup(b.spec.Limits)
	if err == nil {
		b.group = group
		err = group.add(b.helper.pid)
	}
	if err == nil {
		return
	}
	if processes {
		b.conf.Missing = append(b.conf.Missing, noLimit)
	}
	if b.spec.Limits.Memory > 0 {
		b.conf.Missing = append(b.conf.Missing, "a limit on memory")
	}
}

// serve takes over the listeners.
func (b *overlayBox) serve(v viewSpec, g *gate, proxy string, files []*os.File) error {
	if len(files) == 0 {
		return nil
	}
	b.net = newServed(g)
	for i, f := range files {
		l, err := net.FileListener(f)
		f.Close()
		if err != nil {
			return err
		}
		switch n := len(v.Loopback); {
		case i < n:
			b.net.serveLoopback(l, v.Loopback[i])
		case i < n+len(v.Ports):
			b.net.serveHosts(l, v.Ports[i-n])
		default:
			b.net.serveProxy(l, proxy)
		}
	}
	return nil
}

// Dir is the folder's own path.
func (b *overlayBox) Dir() string { return b.spec.Root }

// Confinement tells what holds.
func (b *overlayBox) Confinement() Confinement { return b.conf }

// Run runs the program in the view.
func (b *overlayBox) Run(ctx context.Context, c Command) (Exit, error) {
	if b.ran {
		return Exit{}, errors.New("a box runs one program")
	}
	b.ran = true
	c, err := c.prepared(folders{view: b.spec.Root, files: filesDir, tools: toolsDir})
	if err != nil {
		return Exit{}, err
	}
	c.Env = setenv(c.Env, "TMPDIR", "/tmp")
	if b.net != nil {
		c.Env = b.net.environment(c.Env)
	}
	b.start = coarseNow()
	if err := b.helper.run(&program{Argv: c.Argv, Env: c.Env, Dir: c.Dir, Files: c.Files}); err != nil {
		return Exit{}, fmt.Errorf("start %s: %w", c.Argv[0], err)
	}
	var onDisk []string
	if b.disk != "" {
		onDisk = []string{b.disk}
	}
	b.gauge = newGauge(b.spec, onDisk...)
	e, err := supervise(ctx, c, b.spec.Limits, b.ours, b.helper, b.gauge)
	if err == nil && b.home != nil {
		err = keepBack(b.home, b.spec, b.kept)
	}
	return e, err
}

// Close lets go of everything; the kernel then frees it.
func (b *overlayBox) Close() error {
	b.close.Do(func() {
		if b.helper != nil {
			b.helper.w.close() // PID 1 ends with it
			select {
			case <-b.helper.gone:
			case <-time.After(killWait):
				b.closed = fmt.Errorf("close: %w", ErrNotQuiescent)
			}
		}
		b.closed = errors.Join(b.closed, b.group.close())
		b.ours.close()
		if b.net != nil {
			b.closed = errors.Join(b.closed, b.net.close())
		}
		for _, d := range []*dir{b.upper, b.home} {
			if d != nil {
				d.close()
			}
		}
		if b.disk != "" {
			b.closed = errors.Join(b.closed, removeTree(b.disk))
		}
	})
	return b.closed
}

// coarseNow is the clock that file systems stamp with, in ns.
func coarseNow() int64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_REALTIME_COARSE, &ts); err != nil {
		return time.Now().UnixNano()
	}
	return ts.Nano()
}
