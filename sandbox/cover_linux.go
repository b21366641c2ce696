package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// masksFor lists the folders that are covered by empty ones: temporary files, sockets and state of the system, every HOME, and what the caller covers.
// None lies below another.
func masksFor(s viewSpec) []string {
	var masks []string
	for _, p := range append([]string{"/tmp", "/var/tmp", "/run", "/home", "/root", s.Home}, s.Cover...) {
		if p == "" || p == "/" {
			continue
		}
		real, err := filepath.EvalSymlinks(p)
		if fi, err2 := os.Stat(real); err == nil && err2 == nil && fi.IsDir() && real != "/" {
			masks = append(masks, real)
		}
	}
	slices.Sort(masks)
	masks = slices.Compact(masks)
	return slices.DeleteFunc(masks, func(p string) bool {
		return slices.ContainsFunc(masks, func(q string) bool { return p != q && within(q, p) })
	})
}

func (b *builder) masked(p string) bool {
	return slices.ContainsFunc(b.masks, func(m string) bool { return within(m, p) }) || within("/dev", p)
}

// cloneCovers makes the covers, and what hides single files.
func (b *builder) cloneCovers() error {
	for i, m := range append(slices.Clone(b.masks), "/dev") {
		p := b.scratch("cover" + strconv.Itoa(i))
		if err := os.Mkdir(p, 0o755); err != nil {
			return err
		}
		mode := uint32(0o755)
		if m == "/tmp" || m == "/var/tmp" {
			mode = 0o1777
		}
		if err := b.own(p, mode); err != nil {
			return err
		}
		c, err := clonePath(p, writable, 0)
		if err != nil {
			return err
		}
		b.covers = append(b.covers, place{m, c})
	}
	return nil
}

// hostsAddr is where names of allowed hosts lead: an address of the loopback interface.
const hostsAddr = "127.77.0.1"

// cloneHosts makes a private hosts file, which leads the names of allowed hosts to us.
func (b *builder) cloneHosts() error {
	real, err := filepath.EvalSymlinks("/etc/hosts")
	if err != nil || b.masked(real) {
		return nil // no such file: nothing reads it
	}
	text := "127.0.0.1 localhost\n::1 localhost\n"
	if name, err := os.Hostname(); err == nil {
		text += "127.0.0.1 " + name + "\n"
	}
	for _, n := range b.spec.Names {
		text += hostsAddr + " " + n + "\n"
	}
	p := b.scratch("hosts")
	if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
		return err
	}
	c, err := clonePath(p, readOnly, mountAttrs)
	if err != nil {
		return err
	}
	b.later(real, c)
	return nil
}

// hostReadOnly makes every mount of the host read-only here, and lets go of the stage.
func (b *builder) hostReadOnly() error {
	if err := unix.Unmount(b.spec.RunDir, unix.MNT_DETACH); err != nil {
		return fmt.Errorf("leave the stage: %w", err)
	}
	err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID})
	if err != nil {
		return fmt.Errorf("make the host read-only: %w", err)
	}
	return nil
}

// devices are the device files that programs need.
func devices() []string { return []string{"null", "zero", "full", "random", "urandom", "tty"} }

// cover covers the host's folders, /dev among them; the real devices are cloned just before.
func (b *builder) cover() error {
	var nodes []place
	for _, d := range devices() {
		c, err := clonePath("/dev/"+d, writable, unix.MOUNT_ATTR_NOSUID)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("device %s: %w", d, err)
		}
		// the clone took over that the host is read-only here; a device file is written all the same, but not its attributes
		nodes = append(nodes, place{"/dev/" + d, c})
	}
	b.places = append(b.places, nodes...)
	for _, p := range b.covers {
		if err := attachPath(p.mount, p.path); err != nil {
			return err
		}
	}
	return nil
}

// proc mounts a process table of our own, and keeps what in it is not about processes from a program that is root.
func (b *builder) proc() error {
	m, err := newMount("proc", mountAttrs|unix.MOUNT_ATTR_NOEXEC)
	if err != nil {
		return err
	}
	if err := attachPath(m, "/proc"); err != nil {
		return err
	}
	// Belongs to this user namespace only. Refused where it is not ours to set: seccomp denies new ones as well.
	os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0)
	b.bounded = boundPIDs(b.spec.Procs)
	for _, p := range []string{"bus", "fs", "irq", "sys", "sysrq-trigger", "kcore", "keys", "acpi", "scsi"} {
		c, err := clonePath("/proc/"+p, readOnly, 0)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("/proc/%s: %w", p, err)
		}
		if err := attachPath(c, "/proc/"+p); err != nil {
			return err
		}
	}
	return nil
}

// dev fills the private /dev.
func (b *builder) dev() error {
	for _, d := range devices() {
		if err := os.WriteFile("/dev/"+d, nil, 0o666); err != nil {
			return err
		}
	}
	for name, to := range map[string]string{"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2", "ptmx": "pts/ptmx"} {
		if err := os.Symlink(to, "/dev/"+name); err != nil {
			return err
		}
	}
	for _, d := range []string{"/dev/shm", "/dev/pts"} {
		if err := os.Mkdir(d, 0o755); err != nil {
			return err
		}
	}
	if err := b.own("/dev/shm", 0o1777); err != nil {
		return err
	}
	m, err := newMount("devpts", unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NOEXEC, option{"newinstance", ""}, option{"ptmxmode", "0666"}, option{"mode", "0600"})
	if err != nil {
		b.missing = append(b.missing, "pseudo-terminals: "+err.Error()) // few programs open one
		return nil
	}
	return attachPath(m, "/dev/pts")
}

// home makes HOME, the links on the way to what is shown, and the single files of the program's state.
func (b *builder) home() error {
	if b.spec.Home != "" && b.masked(b.spec.Home) {
		if err := b.mkdirs(b.spec.Home); err != nil {
			return err
		}
	}
	for _, l := range b.spec.Links {
		if _, err := os.Lstat(l.Path); err == nil || !b.masked(l.Path) {
			continue
		}
		if err := b.mkdirs(path.Dir(l.Path)); err != nil {
			return err
		}
		if err := os.Symlink(l.Target, l.Path); err != nil {
			return err
		}
	}
	for p, f := range b.files {
		if err := b.mkdirs(path.Dir(p)); err != nil {
			return err
		}
		if err := os.WriteFile(p, f.text, 0o600); err != nil {
			return err
		}
		if err := b.own(p, uint32(f.mode)); err != nil {
			return err
		}
	}
	return b.startShells()
}

// startShells lets login shells find the tools. A file of the program's state stays as it is.
func (b *builder) startShells() error {
	if len(b.spec.Tools) == 0 || b.spec.Home == "" || !b.masked(b.spec.Home) {
		return nil
	}
	for name, text := range shellStarts(toolsDir) {
		at := path.Join(b.spec.Home, name)
		if _, err := os.Lstat(at); err == nil {
			continue
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			return err
		}
		if err := b.own(at, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// putBack attaches what was cloned, outer folders first.
func (b *builder) putBack() error {
	slices.SortStableFunc(b.places, func(p, q place) int { return strings.Compare(p.path, q.path) })
	for _, p := range b.places {
		if err := b.pointFor(p); err != nil {
			return fmt.Errorf("mount point: %w", err)
		}
		if err := attachPath(p.mount, p.path); err != nil {
			return err
		}
	}
	return nil
}

// putBackInRoot does the same in the view of the folder, whose names are not to be trusted.
func (b *builder) putBackInRoot() error {
	root, err := openPath(unix.AT_FDCWD, b.spec.Root)
	if err != nil {
		return err
	}
	defer unix.Close(root)
	slices.SortStableFunc(b.inRoot, func(p, q place) int { return strings.Compare(p.path, q.path) })
	for _, p := range b.inRoot {
		at, err := openBeneath(root, p.path)
		if err != nil {
			return err
		}
		err = attach(p.mount, at)
		unix.Close(at)
		if err != nil {
			return fmt.Errorf("%s: %w", p.path, err)
		}
	}
	return nil
}

// pointFor makes a mount point, where it lies below a cover.
func (b *builder) pointFor(p place) error {
	if _, err := os.Lstat(p.path); err == nil || !b.masked(p.path) {
		return nil
	}
	var st unix.Stat_t
	if err := unix.Fstat(p.mount, &st); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT == unix.S_IFDIR {
		return b.mkdirs(p.path)
	}
	if err := b.mkdirs(path.Dir(p.path)); err != nil {
		return err
	}
	return os.WriteFile(p.path, nil, 0o600)
}

// mkdirs makes folders that belong to the program.
func (b *builder) mkdirs(p string) error {
	if _, err := os.Lstat(p); err == nil {
		return nil
	}
	if err := b.mkdirs(path.Dir(p)); err != nil {
		return err
	}
	if err := os.Mkdir(p, 0o755); err != nil {
		return err
	}
	return b.own(p, 0o755)
}

// secrets covers files that a program with root's number could read by their mode.
func (b *builder) secrets() error {
	if b.spec.UID != 0 {
		return nil
	}
	if err := os.WriteFile(b.scratch("file"), nil, 0); err != nil {
		return err
	}
	if err := os.Mkdir(b.scratch("folder"), 0o700); err != nil {
		return err
	}
	for _, p := range secretFiles() {
		fi, err := os.Lstat(p)
		if err != nil || fi.Mode()&fs.ModeSymlink != 0 {
			continue
		}
		blank := b.scratch("file")
		if fi.IsDir() {
			blank = b.scratch("folder")
		}
		c, err := clonePath(blank, readOnly, mountAttrs)
		if err != nil {
			return err
		}
		b.later(p, c)
	}
	return nil
}

// secretFiles are root's own.
func secretFiles() []string {
	return []string{"/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/ssh", "/etc/ssl/private", "/etc/sudoers", "/etc/sudoers.d"}
}
