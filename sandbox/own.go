package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrOwn: the folder is the run's own (Spec.Own), so that there is nothing which its changes could be told against.
var ErrOwn = errors.New("the folder is the run's own: its changes are not told")

// checkOwn refuses what no layer can do with a folder of the run's own, and leaves out what does not count there.
func (s Spec) checkOwn() (Spec, error) {
	if !s.Own {
		if len(s.Lend) > 0 {
			return s, errors.New("folders are lent to a folder of the run's own only")
		}
		return s, nil
	}
	s.Hide, s.Inject, s.Buffers, s.Gone, s.Protect = nil, nil, nil, nil, nil
	for rel, host := range s.Lend {
		if !fs.ValidPath(rel) || rel == "." || !filepath.IsAbs(host) {
			return s, fmt.Errorf("%q cannot be lent as %q", host, rel)
		}
		real, err := filepath.EvalSymlinks(host)
		if err != nil {
			return s, fmt.Errorf("lend %s: %w", rel, err)
		}
		if real != host {
			return s, fmt.Errorf("lend %s: %q leads through a link to %q", rel, host, real)
		}
	}
	return s, nil
}

// linkLent puts a link in the place of each empty folder: the copy's way, where nothing can be mounted.
func linkLent(s Spec) error {
	for rel, host := range s.Lend {
		at := filepath.Join(s.Root, filepath.FromSlash(rel))
		if err := os.Remove(at); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("lend %s: %w", rel, err)
		}
		if err := os.Symlink(host, at); err != nil {
			return fmt.Errorf("lend %s: %w", rel, err)
		}
	}
	return nil
}

// lentPaths are the lent folders, which must be readable at their own places too: links and absolute paths within them lead there.
func (s Spec) lentPaths() []string {
	var out []string
	for _, host := range s.Lend {
		out = append(out, host)
	}
	return out
}
