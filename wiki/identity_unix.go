//go:build unix

package wiki

import (
	"fmt"
	"os"
	"syscall"
)

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
