package proposal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
)

// disk is the wiki's folder as Apply sees it. All goes through an os.Root, so that no link, also none made in the instant between
// look and act, leads out of the wiki. Paths are slash-separated and relative.
type disk struct {
	root  *os.Root
	homes []string               // absolute names of the root, for links that are absolute
	dirty map[string]bool        // folders with changed names, to be synced
	keeps func(path string) bool // what is not written through a link
	step  func(name string)
	flush func(*os.File) error
}

const maxLinks = 16 // links followed on one path; more is a loop

// OnDisk is the Current of the disk: the text of the page at a path below root, through links that stay inside.
func OnDisk(root string) Current {
	return func(rel string) ([]byte, bool, error) {
		d, err := openDisk(root)
		if err != nil {
			return nil, false, err
		}
		defer d.close()
		return d.read(rel)
	}
}

func (s *Store) openDisk(run string) (*disk, error) {
	rec, err := s.Load(run)
	if err != nil {
		return nil, err
	}
	d, err := openDisk(rec.Wiki)
	if err != nil {
		return nil, err
	}
	d.step, d.flush, d.keeps = s.step, s.flush, s.keeps
	return d, nil
}

func openDisk(root string) (*disk, error) {
	r, err := os.OpenRoot(root)
	if err != nil {
		return nil, fmt.Errorf("open the wiki: %w", err)
	}
	d := &disk{root: r, homes: []string{filepath.Clean(root)}, dirty: map[string]bool{}, step: func(string) {}, flush: (*os.File).Sync, keeps: func(string) bool { return false }}
	if real, err := filepath.EvalSymlinks(root); err == nil && real != d.homes[0] {
		d.homes = append(d.homes, real)
	}
	return d, nil
}

func (d *disk) close() { _ = d.root.Close() } // nothing was written through this descriptor

// reach is cur, with ErrLink for a page that a link leads to where it may not be written. Where the wiki cannot be opened the disk tells so later.
func (s *Store) reach(rec Record, cur Current) (Current, func()) {
	d, err := openDisk(rec.Wiki)
	if err != nil {
		return cur, func() {}
	}
	d.keeps = s.keeps
	return func(rel string) ([]byte, bool, error) {
		if _, err := d.page(rel); errors.Is(err, ErrLink) {
			return nil, false, err
		}
		return cur(rel)
	}, d.close
}

// absent tells whether an error says that there is no such file; a file where a folder had to be says so too.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// name is the path with the links of its folders resolved; its last element, which may be a link or missing, stays.
func (d *disk) name(rel string) (string, error) {
	if !filepath.IsLocal(filepath.FromSlash(rel)) || path.Clean(rel) != rel || rel == "." || strings.ContainsRune(rel, 0) {
		return "", fmt.Errorf("%q is not a path inside the wiki: %w", rel, fs.ErrInvalid)
	}
	dir, err := d.follow(path.Dir(rel))
	if err != nil {
		return "", err
	}
	return path.Join(dir, path.Base(rel)), nil
}

// page is the path with all links resolved: where the page's bytes really are.
func (d *disk) page(rel string) (string, error) {
	if _, err := d.name(rel); err != nil {
		return "", err
	}
	at, err := d.follow(rel)
	if err == nil && at != rel && d.keeps(at) {
		return "", fmt.Errorf("%s is a link to %s, which no run may write: %w", rel, at, ErrLink)
	}
	return at, err
}

// follow resolves the links of a path, each of which has to stay inside the wiki.
func (d *disk) follow(rel string) (string, error) {
	done, rest, links := ".", rel, 0
	for rest != "." && rest != "" {
		first, more, _ := strings.Cut(rest, "/")
		at := path.Join(done, first)
		info, err := d.root.Lstat(filepath.FromSlash(at))
		if err != nil && absent(err) {
			return path.Join(at, more), nil
		}
		if err != nil {
			return "", err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			done, rest = at, more
			continue
		}
		if links++; links > maxLinks {
			return "", fmt.Errorf("%s: too many links: %w", rel, ErrLink)
		}
		target, err := d.root.Readlink(filepath.FromSlash(at))
		if err != nil {
			return "", err
		}
		inside, ok := d.inside(done, target)
		if !ok {
			return "", fmt.Errorf("%s is a link out of the wiki: %w", at, ErrLink)
		}
		done, rest = ".", path.Join(inside, more)
	}
	return done, nil
}

// inside is the target of a link in the folder dir, relative to the wiki; false where it leaves it.
func (d *disk) inside(dir, target string) (string, bool) {
	if filepath.IsAbs(target) {
		for _, home := range d.homes {
			rel, err := filepath.Rel(home, target)
			if err == nil && filepath.IsLocal(rel) {
				return filepath.ToSlash(rel), true
			}
		}
		return "", false
	}
	rel := path.Join(dir, filepath.ToSlash(target))
	return rel, filepath.IsLocal(filepath.FromSlash(rel))
}

// read gives the text of a page; false where there is none. What is not a regular file is no page.
func (d *disk) read(rel string) ([]byte, bool, error) {
	at, err := d.page(rel)
	if err != nil {
		return nil, false, err
	}
	return d.readAt(at)
}

// readAt reads a file at a resolved path.
func (d *disk) readAt(at string) (text []byte, ok bool, err error) {
	info, err := d.root.Lstat(filepath.FromSlash(at))
	if err != nil && absent(err) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	if !info.Mode().IsRegular() {
		return nil, false, nil
	}
	f, err := d.root.OpenFile(filepath.FromSlash(at), os.O_RDONLY|nonblock, 0) // not blocked by a FIFO that took the name
	if err != nil && absent(err) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	text, err = io.ReadAll(f)
	return text, err == nil, errors.Join(err, f.Close())
}

// sumAt is the sha256 of the file at a resolved path; "" where there is none.
func (d *disk) sumAt(at string) (string, error) {
	text, ok, err := d.readAt(at)
	if err != nil || !ok {
		return "", err
	}
	return Sum(text), nil
}

// taken tells whether anything stands at a resolved path, be it a page or not.
func (d *disk) taken(at string) (bool, error) {
	_, err := d.root.Lstat(filepath.FromSlash(at))
	if err != nil && absent(err) {
		return false, nil
	}
	return err == nil, err
}

// unmoved tells whether the pages of a change are as the plan saw them. Folders that earlier changes of the plan make or free are no obstacle.
func (d *disk) unmoved(f ReceiptFile) (bool, error) {
	if f.Kind == Create || f.Kind == Rename {
		if ok, err := d.vacant(f.Path, f.From); err != nil || !ok || f.Kind == Create {
			return ok, err
		}
	}
	from := f.Path
	if f.From != "" {
		from = f.From
		if at, err := d.name(from); err != nil {
			return false, err
		} else if d.isLink(at) {
			return false, fmt.Errorf("%s is a link; it has to be moved by hand: %w", from, ErrLink)
		}
	}
	text, ok, err := d.read(from)
	return ok && Sum(text) == f.Before, err
}

// vacant tells whether a page can come to a path: nothing is there, but for a folder, which may be one that the plan empties, and for the page
// itself where only the case of its name changes on a disk that folds case.
func (d *disk) vacant(rel, from string) (bool, error) {
	at, err := d.name(rel)
	if err != nil {
		return false, err
	}
	info, err := d.root.Lstat(filepath.FromSlash(at))
	switch {
	case err != nil && absent(err):
		return true, nil
	case err != nil:
		return false, err
	case info.Mode()&fs.ModeSymlink != 0:
		return false, fmt.Errorf("%s is a link: %w", rel, ErrLink)
	case info.IsDir():
		return true, nil
	case !strings.EqualFold(rel, from):
		return false, nil
	}
	old, err := d.root.Stat(filepath.FromSlash(from))
	return err == nil && os.SameFile(info, old), nil
}

func (d *disk) isLink(at string) bool {
	info, err := d.root.Lstat(filepath.FromSlash(at))
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

func (d *disk) isFolder(at string) bool {
	info, err := d.root.Lstat(filepath.FromSlash(at))
	return err == nil && info.IsDir()
}

// removeEmpty removes those folders that are empty. One that is not, or is gone, is left.
func (d *disk) removeEmpty(folders []string) error {
	for _, dir := range folders {
		at, err := d.name(dir)
		if err != nil {
			return err
		}
		info, err := d.root.Lstat(filepath.FromSlash(at))
		if err != nil || !info.IsDir() {
			continue
		}
		if err := d.root.Remove(filepath.FromSlash(at)); err == nil {
			d.dirty[path.Dir(at)] = true
		}
	}
	return nil
}

// sync makes the changed names durable, where the system can.
func (d *disk) sync() error {
	for dir := range d.dirty {
		f, err := d.root.Open(filepath.FromSlash(dir))
		if err != nil {
			continue // removed since
		}
		syncFolder(f)
		_ = f.Close() // opened to read
	}
	return nil
}
