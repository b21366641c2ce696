package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// CopyOptions says how a copy is made.
type CopyOptions struct {
	Workers int // files copied at once; 0: by the number of processors
	// Unconfined lets the program run with the user's own rights (tier D) where this system confines nothing. Without it Open fails there.
	Unconfined bool
	// ForceUnconfined runs it so even where it could be confined. For tests and for finding faults.
	ForceUnconfined bool
	Dialer          Dialer // how the proxy reaches hosts; the zero value is the system's way
}

// Copy is the layer that copies the folder into Spec.RunDir: it works on every system, and its cost grows with the folder.
//
// Links to files inside the folder are shown as regular files, and changes of them are reported for the files they lead to; links that leave
// the folder, links to folders, FIFOs, sockets and devices are left out with a warning. The program's HOME is a folder of the run with copies
// of Spec.State (on Linux).
func Copy(o CopyOptions) Layer { return copyLayer{o} }

type copyLayer struct{ o CopyOptions }

func (copyLayer) Name() string { return "copy" }

// racyWindow is longer than the tick of any file system's clock, in ns.
const racyWindow = int64(50 * time.Millisecond)

// A copyBox is an open copy.
type copyBox struct {
	spec  Spec
	o     CopyOptions
	view  string
	cp    *copier
	pack  *pack
	conf  Confinement
	jail  *jail         // nil: unconfined
	gauge *gauge        // of what the program can write
	group *controlGroup // nil: not needed, or not to be had

	home    *privateHome // nil: the program has the user's own
	net     *served      // nil: nothing is served
	started int64        // ns: before the program could write
	close   sync.Once
	closed  error
}

// Open copies the folder.
func (l copyLayer) Open(ctx context.Context, s Spec) (_ Box, err error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	if s, err = s.checkOwn(); err != nil {
		return nil, err
	}
	s.Visible = append(slices.Clone(s.Visible), s.lentPaths()...)
	s.Limits = s.Limits.withDefaults()
	b := &copyBox{spec: s, o: l.o, view: filepath.Join(s.RunDir, "view"), started: time.Now().UnixNano()}
	if s.Own {
		b.view = s.Root
	}
	defer func() {
		if err != nil {
			b.Close()
		}
	}()
	if err := b.confine(); err != nil {
		return nil, err
	}
	if b.jail == nil && !l.o.Unconfined && !l.o.ForceUnconfined {
		return nil, errors.New("this system cannot confine a program that works on a copy, and running it unconfined was not allowed")
	}
	for _, d := range []string{b.filesDir(), b.tmpDir()} {
		if err := os.Mkdir(d, 0o700); err != nil {
			return nil, err
		}
	}
	if err := linkTools(b.toolsDir(), s.Tools); err != nil {
		return nil, fmt.Errorf("tools: %w", err)
	}
	b.conf.Missing = append(b.conf.Missing, toolsMissing(s.Tools)...)
	if err := b.fill(ctx); err != nil {
		return nil, err
	}
	if b.home, err = newPrivateHome(s, filepath.Join(s.RunDir, "home")); err != nil {
		return nil, err
	}
	if len(s.Tools) > 0 {
		if err := b.home.startShells(b.toolsDir()); err != nil {
			return nil, fmt.Errorf("tools: %w", err)
		}
	}
	return b, nil
}

// fill makes the view: a copy, or nothing but links to what is lent where the folder is the run's own.
func (b *copyBox) fill(ctx context.Context) (err error) {
	if b.spec.Own {
		return linkLent(b.spec)
	}
	if err := os.Mkdir(b.view, 0o700); err != nil {
		return err
	}
	if b.pack, err = newPack(b.spec.RunDir); err != nil {
		return err
	}
	workers := b.o.Workers
	if workers <= 0 {
		workers = 2 * runtime.GOMAXPROCS(0)
	}
	if b.cp, err = copyTree(ctx, b.spec, b.view, workers, b.pack); err != nil {
		return fmt.Errorf("copy %s: %w", b.spec.Root, err)
	}
	return nil
}

// unconfinedCopy is what a copy gives where nothing confines a program.
func unconfinedCopy() Confinement {
	return Confinement{Layer: "copy", Tier: "D", Network: "open", Missing: []string{
		"nothing keeps the program from writing elsewhere", "nothing keeps it from reading other files", "its network is open",
	}}
}

// check refuses what no layer can do.
func (s Spec) check() error {
	for _, p := range slices.Concat([]string{s.Root, s.RunDir}, s.Visible, s.Cover) {
		if !filepath.IsAbs(p) {
			return fmt.Errorf("%q is not an absolute path", p)
		}
	}
	real, err := filepath.EvalSymlinks(s.Root)
	if err != nil {
		return err
	}
	if real != filepath.Clean(s.Root) {
		return fmt.Errorf("%q leads through a link to %q", s.Root, real)
	}
	if fi, err := os.Stat(s.Root); err != nil {
		return err
	} else if !fi.IsDir() {
		return fmt.Errorf("%q is not a folder", s.Root)
	}
	rels := slices.Concat(s.Protect, s.State, s.KeepBack, s.Gone)
	for rel := range s.Inject {
		rels = append(rels, rel)
	}
	for rel := range s.Buffers {
		rels = append(rels, rel)
	}
	for _, rel := range rels {
		if !fs.ValidPath(rel) || rel == "." {
			return fmt.Errorf("%q is not a plain relative path", rel)
		}
	}
	return s.checkTools()
}

func (b *copyBox) filesDir() string { return filepath.Join(b.spec.RunDir, "files") }
func (b *copyBox) toolsDir() string { return filepath.Join(b.spec.RunDir, "tools") }
func (b *copyBox) tmpDir() string   { return filepath.Join(b.spec.RunDir, "tmp") }

// Dir is the copy.
func (b *copyBox) Dir() string { return b.view }

// Confinement tells what holds.
func (b *copyBox) Confinement() Confinement { return b.conf }

// Run runs the program in the copy.
func (b *copyBox) Run(ctx context.Context, c Command) (Exit, error) {
	c, err := c.prepared(folders{view: b.view, files: b.filesDir(), tools: b.toolsDir()})
	if err != nil {
		return Exit{}, err
	}
	for name, text := range c.Files {
		if err := os.WriteFile(filepath.Join(b.filesDir(), name), text, 0o600); err != nil {
			return Exit{}, err
		}
	}
	c.Env = setenv(c.Env, "TMPDIR", b.tmpDir())
	if b.home != nil {
		c.Env = setenv(c.Env, "HOME", b.home.dir)
	}
	if b.net != nil {
		c.Env = b.net.environment(c.Env)
	}
	ours, its, err := pipes()
	if err != nil {
		return Exit{}, err
	}
	b.started = time.Now().UnixNano()
	ch, err := b.start(c, its)
	its.close()
	if err != nil {
		ours.close()
		return Exit{}, fmt.Errorf("start %s: %w", c.Argv[0], err)
	}
	b.gauge = b.newGauge()
	e, err := supervise(ctx, c, b.spec.Limits, ours, ch, b.gauge)
	err = errors.Join(err, b.group.close()) // a process that everybody lost sight of ends here
	if err == nil && b.home != nil {
		err = b.home.keepBack()
	}
	return e, err
}

// newGauge measures what the program can write, beyond what it was given.
func (b *copyBox) newGauge() *gauge {
	g := newGauge(b.spec, b.tmpDir(), filepath.Join(b.spec.RunDir, "home"))
	t := g.tanks[0]
	if b.cp != nil {
		t.dirs = append(t.dirs, b.view)
		t.bytes += b.cp.bytes
		t.entries += int64(len(b.cp.manifest) + len(b.cp.viewFolder))
	}
	if b.home != nil {
		t.bytes += stateBytes - b.home.left
		t.entries += int64(stateFiles - b.home.n)
	}
	return g
}

// Changes compares the copy with what it was.
func (b *copyBox) Changes(ctx context.Context) (Changes, error) {
	if b.spec.Own {
		return Changes{}, ErrOwn
	}
	return b.read(ctx)
}

// Close removes the copy.
func (b *copyBox) Close() error {
	b.close.Do(func() {
		var errs []error
		if b.net != nil {
			errs = append(errs, b.net.close())
		}
		if b.pack != nil {
			errs = append(errs, b.pack.close())
		}
		for _, d := range []string{filepath.Join(b.spec.RunDir, "view"), b.filesDir(), b.toolsDir(), b.tmpDir(), filepath.Join(b.spec.RunDir, "home")} {
			errs = append(errs, removeTree(d))
		}
		b.closed = errors.Join(errs...)
	})
	return b.closed
}

// folders are paths as the program sees them.
type folders struct{ view, files, tools string }

// prepared checks a command and puts the paths of its files and tools where they are named.
func (c Command) prepared(at folders) (Command, error) {
	if len(c.Argv) == 0 || !filepath.IsAbs(c.Argv[0]) {
		return c, errors.New("a program needs an absolute path")
	}
	for name := range c.Files {
		if name != filepath.Base(name) || name == "." || name == ".." {
			return c, fmt.Errorf("%q is not a file name", name)
		}
	}
	if c.Dir != "" && !fs.ValidPath(c.Dir) {
		return c, fmt.Errorf("%q is not a plain relative path", c.Dir)
	}
	c.Dir = filepath.Join(at.view, filepath.FromSlash(c.Dir))
	c.Argv, c.Env = slices.Clone(c.Argv), slices.Clone(c.Env)
	for _, list := range [][]string{c.Argv, c.Env} {
		for i, s := range list {
			list[i] = strings.NewReplacer("{files}", at.files, "{tools}", at.tools).Replace(s)
		}
	}
	return c, nil
}

// setenv sets a variable in an environment list.
func setenv(env []string, name, value string) []string {
	env = slices.DeleteFunc(slices.Clone(env), func(s string) bool { return strings.HasPrefix(s, name+"=") })
	return append(env, name+"="+value)
}

// removeTree removes a folder that a program could write, also where it took away permissions.
func removeTree(path string) error {
	if err := os.RemoveAll(path); err == nil {
		return nil
	}
	filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			os.Chmod(p, 0o700) // what stays unreadable makes RemoveAll fail below
		}
		return nil
	})
	return os.RemoveAll(path)
}
