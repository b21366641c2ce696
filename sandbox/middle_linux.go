package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"

	"golang.org/x/sys/unix"
)

// opaqueXattr marks a folder whose lower one does not show (overlayfs with userxattr).
const opaqueXattr = "user.overlay.opaque"

// midLayer is the layer between the folder and what the program writes: whiteouts over what is hidden, unsaved texts, mount points.
type midLayer struct {
	root     int
	dir      string
	uid, gid int
}

// fill makes the layer; points are mount points in it.
func (m *midLayer) fill(s viewSpec, points []place) error {
	if err := m.like("", m.dir); err != nil {
		return err
	}
	for _, p := range points {
		var st unix.Stat_t
		if err := unix.Fstat(p.mount, &st); err != nil {
			return err
		}
		make := m.mkdirs
		if st.Mode&unix.S_IFMT != unix.S_IFDIR {
			make = func(rel string) error { return m.file(rel, nil) }
		}
		if err := make(p.path); err != nil {
			return err
		}
	}
	for rel, text := range s.Buffers {
		if slices.ContainsFunc(s.Protect, func(p string) bool { return within(p, rel) }) {
			continue
		}
		if err := m.file(rel, text); err != nil {
			return fmt.Errorf("unsaved text of %s: %w", rel, err)
		}
	}
	for _, name := range s.Hidden {
		if err := m.mkdirs(path.Dir(name)); err != nil {
			return err
		}
		err := unix.Mknod(m.dir+"/"+name, unix.S_IFCHR, 0)
		if errors.Is(err, fs.ErrExist) { // a mount point is in it: nothing else of it shows
			err = unix.Setxattr(m.dir+"/"+name, opaqueXattr, []byte("y"), 0)
		}
		if err != nil {
			return fmt.Errorf("whiteout %s: %w", name, err)
		}
	}
	return nil
}

// file makes a file and its folders.
func (m *midLayer) file(rel string, text []byte) error {
	if err := m.mkdirs(path.Dir(rel)); err != nil {
		return err
	}
	p := m.dir + "/" + rel
	if err := os.WriteFile(p, text, 0o644); err != nil {
		return err
	}
	return m.like(rel, p)
}

func (m *midLayer) mkdirs(rel string) error {
	p := m.dir + "/" + rel
	if st, err := os.Lstat(p); err == nil && st.IsDir() {
		return nil
	}
	if err := m.mkdirs(path.Dir(rel)); err != nil {
		return err
	}
	if err := os.Mkdir(p, 0o755); err != nil {
		return err
	}
	return m.like(rel, p)
}

// like gives p the owner and mode that rel has in the folder, or those of the program where there is none.
func (m *midLayer) like(rel, p string) error {
	uid, gid := m.uid, m.gid
	mode := uint32(0)
	fd, err := m.root, error(nil)
	if rel != "" {
		fd, err = openBeneath(m.root, rel)
	}
	if err == nil {
		var st unix.Stat_t
		if err := unix.Fstat(fd, &st); err != nil {
			return err
		}
		uid, gid, mode = int(st.Uid), int(st.Gid), st.Mode&0o7777
		if st.Mode&unix.S_IFMT == unix.S_IFLNK {
			mode = 0
		}
		if rel != "" {
			unix.Close(fd)
		}
	}
	if err := unix.Chown(p, uid, gid); err != nil {
		return err
	}
	if mode == 0 {
		return nil
	}
	return unix.Chmod(p, mode)
}
