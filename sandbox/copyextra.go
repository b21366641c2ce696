package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// link lays in a regular file where the lower folder has a link to a file inside it.
func (cp *copier) link(rel string) error {
	real, err := filepath.EvalSymlinks(filepath.Join(cp.spec.Root, filepath.FromSlash(rel)))
	if err != nil {
		cp.leave(rel, Symlink, "the link leads nowhere")
		return nil
	}
	target, ok := relTo(cp.spec.Root, real)
	if !ok {
		cp.leave(rel, Symlink, "the link leaves the folder")
		return nil
	}
	if cp.manifest[target] == nil {
		cp.leave(rel, Symlink, "the link does not lead to a file that is shown")
		return nil
	}
	from, name, err := cp.lower.beneath(target)
	if err != nil {
		return err
	}
	defer from.close()
	to, toName, err := cp.to.beneath(rel)
	if err != nil {
		return err
	}
	defer to.close()
	e, err := cp.file(from, name, to, toName, target)
	if err != nil {
		return fmt.Errorf("copy %s: %w", rel, err)
	}
	e.target = target
	cp.manifest[rel] = e
	return nil
}

// buffers lays in unsaved texts of files that are not on disk yet.
func (cp *copier) buffers() error {
	for rel, text := range cp.spec.Buffers {
		if cp.manifest[rel] != nil || slices.ContainsFunc(cp.spec.Protect, func(p string) bool { return within(p, rel) }) {
			continue
		}
		p, name, err := cp.folderFor(rel)
		if err == nil {
			var e *entry
			if e, err = cp.text(text, stat{mode: 0o644, nlink: 1}, p, name); err == nil {
				e.lower = stat{}
				cp.manifest[rel] = e
			}
			p.close()
		}
		if err != nil && !errors.Is(err, fs.ErrExist) { // its folder is a link, or hidden by a file
			cp.warn("%s: its unsaved text could not be laid in: %v", rel, err)
		}
	}
	return nil
}

// inject lays in the given files, read-only.
func (cp *copier) inject() error {
	for rel, host := range cp.spec.Inject {
		b, err := os.ReadFile(host)
		if err != nil {
			return err
		}
		p, name, err := cp.folderFor(rel)
		if err == nil {
			_, err = p.writeNew(name, 0o444, b)
			p.close()
		}
		if err != nil {
			return fmt.Errorf("lay in %s: %w", rel, err)
		}
	}
	return nil
}

// folderFor makes the folders that rel needs, and opens the one that is to hold it.
func (cp *copier) folderFor(rel string) (*dir, string, error) {
	for i := range len(rel) {
		if rel[i] != '/' {
			continue
		}
		p, name, err := cp.to.beneath(rel[:i])
		if err != nil {
			return nil, "", err
		}
		err = p.mkdir(name, 0o755)
		p.close()
		if err != nil {
			return nil, "", err
		}
		cp.viewFolder[rel[:i]] = true
	}
	return cp.to.beneath(rel)
}

// relTo is the slash path of p below root.
func relTo(root, p string) (string, bool) {
	rel, err := filepath.Rel(root, p)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}
