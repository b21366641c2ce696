package sandbox

import (
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// rootItself shows the folder as it is, writable, where it is the run's own.
func (b *builder) rootItself() (fd int, err error) {
	m, err := cloneTree(b.root, writable, mountAttrs)
	if err != nil {
		return -1, fmt.Errorf("root: %w", err)
	}
	b.later(b.spec.Root, m)
	return cloneTree(b.root, readOnly, mountAttrs)
}

// cloneLent gives each lent folder a throwaway layer, at its place in the root. A folder that no layer can be laid over is read-only there.
func (b *builder) cloneLent() error {
	i := 0
	for rel, host := range b.spec.Lend {
		i++
		m, err := -1, error(nil)
		if fi, statErr := os.Stat(host); statErr != nil {
			return fmt.Errorf("lend %s: %w", rel, statErr)
		} else if b.spec.UID == os.Getuid() {
			m, err = b.throwaway(host, b.scratch("lent"+strconv.Itoa(i)), uint32(fi.Mode().Perm()))
		}
		if m < 0 {
			if err != nil {
				b.missing = append(b.missing, fmt.Sprintf("%s is read-only: %v", rel, err))
			}
			if m, err = clonePath(host, readOnly, mountAttrs); err != nil {
				return fmt.Errorf("lend %s: %w", rel, err)
			}
		}
		b.inRoot = append(b.inRoot, place{rel, m})
	}
	return nil
}

// throwaway is a layer over a folder of the host whose upper one lies at top and goes with the run.
func (b *builder) throwaway(host, top string, mode uint32) (int, error) {
	var fds []int
	for _, d := range []string{"", "/upper", "/work"} {
		if err := os.Mkdir(top+d, 0o700); err != nil {
			return -1, err
		}
		fd, err := openPath(unix.AT_FDCWD, top+d)
		if err != nil {
			return -1, err
		}
		defer unix.Close(fd)
		fds = append(fds, fd)
	}
	lower, err := openPath(unix.AT_FDCWD, host)
	if err != nil {
		return -1, err
	}
	defer unix.Close(lower)
	if err := b.own(top+"/upper", mode); err != nil {
		return -1, err
	}
	return newOverlay([]int{lower}, fds[1], fds[2], b.volatile()...)
}
