//go:build unix

package proposal

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives a file the owner of the page that it replaces, where we may: a server that runs as root must not take pages away from their user.
func keepOwner(f *os.File, like fs.FileInfo) {
	if st, ok := like.Sys().(*syscall.Stat_t); ok {
		_ = f.Chown(int(st.Uid), int(st.Gid)) // refused to ordinary users where it differs: then the page becomes ours
	}
}
