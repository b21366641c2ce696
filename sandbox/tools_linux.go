package sandbox

import (
	"os"
	"path/filepath"
	"slices"
)

// toolsDir is where tools are in an overlay.
const toolsDir = "/run/rig-tools"

// cloneTools clones the tools' executables, and what they stand in for, while the host is as it was.
func (b *builder) cloneTools() error {
	show := func(host, at string) error {
		m, err := clonePath(host, readOnly, mountAttrs)
		if err == nil {
			b.later(at, m)
		}
		return err
	}
	for _, t := range b.spec.Tools {
		if err := show(t.Exec, filepath.Join(toolsDir, t.Name)); err != nil {
			return err
		}
		for i, over := range t.Over {
			real, err := filepath.EvalSymlinks(over)
			if err != nil {
				continue // nothing there to stand in for
			}
			if i == 0 {
				if err := show(real, filepath.Join(toolsDir, realDir, t.Name)); err != nil {
					return err
				}
			}
			m, err := clonePath(t.Exec, readOnly, mountAttrs)
			if err != nil {
				return err
			}
			b.overs = append(b.overs, place{real, m})
		}
	}
	return nil
}

// putOver attaches the tools that stand in for a program of the host, where that is shown.
func (b *builder) putOver() error {
	slices.SortStableFunc(b.overs, func(p, q place) int { return len(p.path) - len(q.path) })
	for _, p := range b.overs {
		if fi, err := os.Stat(p.path); err != nil || fi.IsDir() {
			continue
		}
		if err := attachPath(p.mount, p.path); err != nil {
			return err
		}
	}
	return nil
}
