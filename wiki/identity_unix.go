//go:build unix

package wiki

import (
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// statID is the stat identity of a regular file as a word, and when its inode changed last.
func statID(file string) (id string, changed time.Time, err error) {
	var st unix.Stat_t
	if err := unix.Lstat(file, &st); err != nil {
		return "", time.Time{}, &os.PathError{Op: "lstat", Path: file, Err: err}
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return "", time.Time{}, &os.PathError{Op: "lstat", Path: file, Err: os.ErrInvalid}
	}
	return fmt.Sprintf("%x-%x-%x-%x-%x", st.Dev, st.Ino, st.Size, st.Mtim.Nano(), st.Ctim.Nano()), time.Unix(0, st.Ctim.Nano()), nil
}

// fileIdentity tells one folder from another that has its path.
func fileIdentity(path string) string {
	fi, err := os.Stat(path)
	if err != nil {
		return ""
	}
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return fmt.Sprint(st.Dev, ":", st.Ino)
	}
	return ""
}
