package sandbox

import (
	"io/fs"
	"time"
)

// dirEntry shows a stat as an fs.DirEntry and fs.FileInfo.
type dirEntry struct {
	name string
	st   stat
}

func (e dirEntry) Name() string               { return e.name }
func (e dirEntry) IsDir() bool                { return e.st.mode.IsDir() }
func (e dirEntry) Type() fs.FileMode          { return e.st.mode.Type() }
func (e dirEntry) Info() (fs.FileInfo, error) { return e, nil }
func (e dirEntry) Size() int64                { return e.st.id.Size }
func (e dirEntry) Mode() fs.FileMode          { return e.st.mode }
func (e dirEntry) ModTime() time.Time         { return time.Unix(0, e.st.id.Mtime) }
func (e dirEntry) Sys() any                   { return nil }
