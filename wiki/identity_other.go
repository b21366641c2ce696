//go:build !unix

package wiki

import (
	"fmt"
	"os"
	"time"
)

// statID is the stat identity of a regular file as a word, and when it changed last.
func statID(file string) (id string, changed time.Time, err error) {
	fi, err := os.Lstat(file)
	if err != nil {
		return "", time.Time{}, err
	}
	if !fi.Mode().IsRegular() {
		return "", time.Time{}, &os.PathError{Op: "lstat", Path: file, Err: os.ErrInvalid}
	}
	return fmt.Sprintf("%x-%x", fi.Size(), fi.ModTime().UnixNano()), fi.ModTime(), nil
}

// fileIdentity tells one folder from another that has its path; here the path has to do.
func fileIdentity(string) string { return "" }
