package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// viewSpec is what PID 1 of an overlay is told to build.
type viewSpec struct {
	Root, RunDir, Home string
	Protect, Cover     []string
	Own                bool
	Inject, Lend       map[string]string
	Buffers            map[string][]byte
	Hidden             []string // rel: entries of Root, and files below it, that are not shown
	Visible, State     []string
	Tools              []Tool
	Links              []link // on the way to Visible and Home
	UID, GID           int    // whom the program runs as
	Upper, Inodes      int64
	Disk               string // folder that takes the place of memory; "": memory
	Procs              int
	Loopback           []string
	Names, Ports       []string // allowed hosts for clients without a proxy
	Proxy              bool
}

// place is something to be mounted once the host's own mounts are read-only.
type place struct {
	path  string
	mount int
}

// link is a symbolic link of the host.
type link struct{ Path, Target string }

// A builder puts the view together. Everything is opened and cloned first, while the host is as it was; then the host is made read-only and
// covered; then what was cloned is attached where it was.
type builder struct {
	spec    viewSpec
	root    int     // the host's folder, held before anything is mounted: it may lie in RunDir
	stage   int     // tmpfs with the layers, at RunDir while we build
	covers  []place // empty folders over the host's
	places  []place // what goes back in
	inRoot  []place // the same, with paths relative to Root
	overs   []place // tools that stand in for programs of the host, once all is back
	masks   []string
	files   map[string]stateFile // single files of HOME
	missing []string
	bounded bool // the process namespace has a limit
}

type stateFile struct {
	text []byte
	mode fs.FileMode
}

// build makes the view and returns a descriptor of its upper folder for the parent.
func (b *builder) build() (upper int, err error) {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return -1, fmt.Errorf("make mounts private: %w", err)
	}
	b.masks = masksFor(b.spec)
	if b.root, err = openPath(unix.AT_FDCWD, b.spec.Root); err != nil {
		return -1, err
	}
	defer unix.Close(b.root)
	for _, step := range []func() error{b.cloneHost, b.cloneTools, b.protect, b.makeStage, b.inject} {
		if err := step(); err != nil {
			return -1, err
		}
	}
	if upper, err = b.layers(); err != nil {
		return -1, err
	}
	for _, step := range []func() error{b.cloneState, b.cloneLent, b.cloneCovers, b.secrets, b.cloneHosts, b.hostReadOnly, b.cover, b.proc, b.dev, b.home, b.putBack, b.putBackInRoot, b.putOver} {
		if err := step(); err != nil {
			return -1, err
		}
	}
	return upper, unix.Chdir(b.spec.Root)
}

func (b *builder) later(p string, mount int) { b.places = append(b.places, place{p, mount}) }

// cloneHost clones what must stay visible: the run's folder, the program and what it needs.
func (b *builder) cloneHost() error {
	m, err := clonePath(b.spec.RunDir, readOnly, mountAttrs)
	if err != nil {
		return fmt.Errorf("run folder: %w", err)
	}
	b.later(b.spec.RunDir, m)
	for _, p := range b.spec.Visible {
		rel, inRoot := strings.CutPrefix(p, b.spec.Root+"/")
		if !b.masked(p) && !inRoot {
			continue
		}
		m, err := clonePath(p, readOnly, mountAttrs)
		if err != nil {
			return fmt.Errorf("show: %w", err)
		}
		if inRoot {
			b.inRoot = append(b.inRoot, place{rel, m})
		} else {
			b.later(p, m)
		}
	}
	return nil
}

// protect clones what is read-only in place.
func (b *builder) protect() error {
	for _, rel := range b.spec.Protect {
		fd, err := openBeneath(b.root, rel)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ELOOP) || errors.Is(err, unix.ENOTDIR) {
			continue // nothing there, or a link, which policy judges
		}
		if err != nil {
			return fmt.Errorf("protect: %w", err)
		}
		m, err := b.cloneUnlessLink(fd)
		unix.Close(fd)
		if err != nil {
			return fmt.Errorf("protect %s: %w", rel, err)
		}
		if m >= 0 {
			b.inRoot = append(b.inRoot, place{rel, m})
		}
	}
	return nil
}

// cloneUnlessLink clones a path that was opened without following it; a link gives -1.
func (b *builder) cloneUnlessLink(fd int) (int, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return -1, err
	}
	if st.Mode&unix.S_IFMT == unix.S_IFLNK {
		return -1, nil
	}
	return cloneTree(fd, readOnly, mountAttrs)
}

// makeStage mounts two tmpfs where nobody but us sees them: one for the layers, one for what the program may litter. On disk it is one folder.
func (b *builder) makeStage() error {
	b.stage = -1
	if b.spec.Disk != "" {
		return b.stageOnDisk()
	}
	for _, at := range []string{b.spec.RunDir, b.scratch("")} {
		fs, err := newTmpfs(b.spec.Upper, b.spec.Inodes)
		if err != nil {
			return err
		}
		if err := attachPath(fs, at); err != nil {
			return err
		}
		if b.stage >= 0 {
			break
		}
		if err := b.setStage(at); err != nil {
			return err
		}
	}
	return nil
}

// setStage makes the stage's folders.
func (b *builder) setStage(at string) (err error) {
	if b.stage, err = openPath(unix.AT_FDCWD, at); err != nil {
		return err
	}
	for _, d := range []string{"upper", "work", "mid", "scratch"} {
		if err := unix.Mkdirat(b.stage, d, 0o755); err != nil {
			return err
		}
	}
	return nil
}

// stageOnDisk puts the folder of the disk where the tmpfs would be, and nothing where the program could see it.
func (b *builder) stageOnDisk() error {
	disk, err := clonePath(b.spec.Disk, writable, mountAttrs)
	if err != nil {
		return err
	}
	if err := attachPath(disk, b.spec.RunDir); err != nil {
		return err
	}
	if err := b.setStage(b.spec.RunDir); err != nil {
		return err
	}
	if err := os.Mkdir(b.scratch("blank"), 0o755); err != nil {
		return err
	}
	blank, err := clonePath(b.scratch("blank"), readOnly, 0)
	if err == nil {
		b.later(b.spec.Disk, blank)
	}
	return err
}

// volatile tells overlays on disk that nothing of them outlives a crash: no file is synchronized (overlayfs, Linux 5.10).
func (b *builder) volatile() []option {
	if b.spec.Disk == "" {
		return nil
	}
	return []option{{"volatile", ""}}
}

// scratch is the path of something in the second tmpfs while we build.
func (b *builder) scratch(name string) string { return b.spec.RunDir + "/scratch/" + name }

// inject copies the given files into folders that are mounted read-only: one for each first name of their paths.
func (b *builder) inject() error {
	tops := map[string]bool{}
	for rel, host := range b.spec.Inject {
		text, err := os.ReadFile(host)
		if err != nil {
			return err
		}
		to := b.scratch("inject/" + rel)
		if err := os.MkdirAll(path.Dir(to), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(to, text, 0o444); err != nil {
			return err
		}
		top, _, _ := strings.Cut(rel, "/")
		tops[top] = true
	}
	for top := range tops {
		c, err := clonePath(b.scratch("inject/"+top), readOnly, mountAttrs)
		if err != nil {
			return err
		}
		b.inRoot = append(b.inRoot, place{top, c})
	}
	return nil
}

// layers fills the middle layer, mounts the overlay and clones its upper folder for the parent.
func (b *builder) layers() (upper int, err error) {
	if b.spec.Own {
		return b.rootItself()
	}
	mid := &midLayer{root: b.root, dir: b.spec.RunDir + "/mid", uid: b.spec.UID, gid: b.spec.GID}
	if err := mid.fill(b.spec, b.inRoot); err != nil {
		return -1, fmt.Errorf("middle layer: %w", err)
	}
	fds := map[string]int{}
	for _, d := range []string{"upper", "work", "mid"} {
		fd, err := openPath(b.stage, d)
		if err != nil {
			return -1, err
		}
		defer unix.Close(fd)
		fds[d] = fd
	}
	if err := mid.like("", b.spec.RunDir+"/upper"); err != nil { // the view's own folder shows the attributes of upper
		return -1, err
	}
	view, err := newOverlay([]int{fds["mid"], b.root}, fds["upper"], fds["work"], b.volatile()...)
	if err != nil {
		return -1, fmt.Errorf("overlay: %w", err)
	}
	b.later(b.spec.Root, view)
	// a clone of its own: what is done to the mounts here must not reach the parent's descriptor
	return cloneTree(fds["upper"], writable, 0)
}

// cloneState makes each state folder a layer of its own over the user's, and copies single files, which programs replace by renaming.
func (b *builder) cloneState() error {
	b.files = map[string]stateFile{}
	for i, rel := range b.spec.State {
		p := path.Join(b.spec.Home, rel)
		fi, err := os.Stat(p)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("state: %w", err)
		}
		if fi.Mode().IsRegular() {
			text, err := os.ReadFile(p)
			if err != nil {
				return fmt.Errorf("state: %w", err)
			}
			b.files[p] = stateFile{text, fi.Mode().Perm()}
		}
		if !fi.IsDir() {
			continue
		}
		top := b.scratch("state" + strconv.Itoa(i))
		if b.spec.UID != os.Getuid() { // folders of its owner only: a layer over them would be closed to the program
			if err := b.copyState(rel, top); err != nil {
				return err
			}
			continue
		}
		m, err := b.throwaway(p, top, uint32(fi.Mode().Perm()))
		if err != nil {
			return fmt.Errorf("state %s: %w", rel, err)
		}
		b.later(p, m)
	}
	return nil
}

// copyState copies a state folder for a program that runs as another user.
func (b *builder) copyState(rel, top string) error {
	h := &privateHome{dir: top, spec: Spec{Home: b.spec.Home}, left: stateBytes, n: stateFiles}
	if err := h.copy(rel); err != nil {
		return fmt.Errorf("copy state %s: %w", rel, err)
	}
	err := filepath.WalkDir(top, func(p string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return unix.Lchown(p, b.spec.UID, b.spec.GID)
	})
	if err != nil {
		return err
	}
	c, err := clonePath(path.Join(top, rel), writable, 0)
	if err == nil {
		b.later(path.Join(b.spec.Home, rel), c)
	}
	return err
}

func (b *builder) own(p string, mode uint32) error {
	if err := unix.Chown(p, b.spec.UID, b.spec.GID); err != nil {
		return err
	}
	return unix.Chmod(p, mode)
}
