package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
)

// A pack keeps the texts that a program was given, one after the other in one file, so that the base of a change is what the program
// saw even when the user saves meanwhile. Where the system allows it the file has no name: a program cannot write it, a crash leaves nothing.
type pack struct {
	f   *os.File
	end atomic.Int64
}

// span is a text in a pack.
type span struct{ off, size int64 }

func newPack(dir string) (*pack, error) {
	name := filepath.Join(dir, "base.pack")
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	if runtime.GOOS != "windows" {
		if err := os.Remove(name); err != nil {
			f.Close()
			return nil, err
		}
	}
	return &pack{f: f}, nil
}

// reserve makes room for size bytes, to be written with f.WriteAt.
func (p *pack) reserve(size int64) span {
	return span{p.end.Add(size) - size, size}
}

// put appends a text.
func (p *pack) put(b []byte) (span, error) {
	s := p.reserve(int64(len(b)))
	_, err := p.f.WriteAt(b, s.off)
	return s, err
}

func (p *pack) get(s span) ([]byte, error) {
	b := make([]byte, s.size)
	_, err := p.f.ReadAt(b, s.off)
	return b, err
}

func (p *pack) close() error {
	err := p.f.Close()
	if rm := os.Remove(p.f.Name()); rm != nil && !errors.Is(rm, fs.ErrNotExist) && err == nil {
		err = rm
	}
	return err
}
