//go:build !unix

package index

import (
	"os"

	"github.com/rigwiki/rig/sandbox"
)

// status is what one stat tells.
type status struct {
	id      sandbox.FileID
	regular bool
	dir     bool
}

func lstat(file string) (status, error) {
	fi, err := os.Lstat(file)
	if err != nil {
		return status{}, err
	}
	return status{id: sandbox.FileID{Size: fi.Size(), Mtime: fi.ModTime().UnixNano()}, regular: fi.Mode().IsRegular(), dir: fi.IsDir()}, nil
}

func readFile(file string, _ []byte) ([]byte, status, error) {
	st, err := lstat(file)
	if err != nil {
		return nil, st, err
	}
	if !st.regular {
		return nil, st, &os.PathError{Op: "read", Path: file, Err: errNotRegular}
	}
	text, err := os.ReadFile(file)
	return text, st, err
}

func mapFile(file string) (mapping, error) {
	data, err := os.ReadFile(file)
	return mapping{data: data}, err
}
