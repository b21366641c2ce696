//go:build unix

package index

import (
	"os"

	"golang.org/x/sys/unix"

	"github.com/rigwiki/rig/sandbox"
)

// status is what one stat tells.
type status struct {
	id      sandbox.FileID
	regular bool
	dir     bool
}

func lstat(file string) (status, error) {
	var st unix.Stat_t
	if err := unix.Lstat(file, &st); err != nil {
		return status{}, err
	}
	return statusOf(&st), nil
}

func statusOf(st *unix.Stat_t) status {
	kind := uint32(st.Mode) & unix.S_IFMT
	return status{
		id:      sandbox.FileID{Dev: uint64(st.Dev), Ino: st.Ino, Size: st.Size, Mtime: st.Mtim.Nano(), Ctime: st.Ctim.Nano()},
		regular: kind == unix.S_IFREG, dir: kind == unix.S_IFDIR,
	}
}

// readFile reads a regular file into buf and tells its identity as it was when it was opened. It follows no link and waits for no writer of
// a FIFO (case o-fs-05).
func readFile(file string, buf []byte) ([]byte, status, error) {
	fd, err := unix.Open(file, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, status{}, &os.PathError{Op: "open", Path: file, Err: err}
	}
	defer unix.Close(fd)
	var raw unix.Stat_t
	if err := unix.Fstat(fd, &raw); err != nil {
		return nil, status{}, &os.PathError{Op: "stat", Path: file, Err: err}
	}
	st := statusOf(&raw)
	if !st.regular {
		return nil, st, &os.PathError{Op: "read", Path: file, Err: errNotRegular}
	}
	buf = buf[:0]
	if need := int(st.id.Size) + 1; cap(buf) < need {
		buf = make([]byte, 0, need)
	}
	for {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		n, err := unix.Read(fd, buf[len(buf):cap(buf)])
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return nil, st, &os.PathError{Op: "read", Path: file, Err: err}
		}
		if n <= 0 {
			return buf, st, nil
		}
		buf = buf[:len(buf)+n]
	}
}

// mapFile maps a whole file for reading. The file must never be written again, only replaced.
func mapFile(file string) (mapping, error) {
	f, err := os.Open(file)
	if err != nil {
		return mapping{}, err
	}
	defer f.Close()
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return mapping{}, &os.PathError{Op: "stat", Path: file, Err: err}
	}
	id := statusOf(&st).id
	if id.Size == 0 {
		return mapping{}, nil
	}
	data, err := unix.Mmap(int(f.Fd()), 0, int(id.Size), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return mapping{}, &os.PathError{Op: "map", Path: file, Err: err}
	}
	return mapping{data: data, fileID: id, unmap: unix.Munmap}, nil
}
