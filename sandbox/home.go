package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// keepBackMax bounds a file that is copied back to HOME: credentials are small.
const keepBackMax = 1 << 20

// stateMax bounds what is copied of the program's state folders: bytes and files.
const (
	stateBytes = 256 << 20
	stateFiles = 20_000
)

// A privateHome is a HOME that lasts as long as the run: copies of the program's state, nothing else.
type privateHome struct {
	dir  string
	spec Spec
	kept map[string][]byte // KeepBack files as they were copied
	left int64
	n    int
}

// newPrivateHome makes one at dir.
func newPrivateHome(s Spec, dir string) (*privateHome, error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	h := &privateHome{dir: dir, spec: s, kept: map[string][]byte{}, left: stateBytes, n: stateFiles}
	if s.Home == "" {
		return h, nil
	}
	for _, rel := range s.State {
		if err := h.copy(rel); err != nil {
			return nil, fmt.Errorf("copy state %s: %w", rel, err)
		}
	}
	for _, p := range s.Visible { // what the program needs of HOME is found at the same place in this one
		if rel, ok := relTo(s.Home, p); ok && rel != "." {
			to := filepath.Join(dir, filepath.FromSlash(rel))
			if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
				return nil, err
			}
			if err := os.Symlink(p, to); err != nil && !errors.Is(err, fs.ErrExist) {
				return nil, err
			}
		}
	}
	for _, rel := range s.KeepBack {
		b, err := os.ReadFile(filepath.Join(s.Home, rel))
		if err == nil {
			h.kept[rel] = b
		}
	}
	return h, nil
}

// startShells lets login shells find the tools. A file that is there stays as it is.
func (h *privateHome) startShells(tools string) error {
	for name, text := range shellStarts(tools) {
		f, err := os.OpenFile(filepath.Join(h.dir, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return err
		}
		_, err = f.WriteString(text)
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// copy copies one state folder or file; links are kept as they are, other kinds left out.
func (h *privateHome) copy(rel string) error {
	from := filepath.Join(h.spec.Home, rel)
	return filepath.WalkDir(from, func(p string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			return nil
		}
		if err != nil {
			return err
		}
		sub, err := filepath.Rel(h.spec.Home, p)
		if err != nil {
			return err
		}
		to := filepath.Join(h.dir, sub)
		if d.IsDir() {
			return os.MkdirAll(to, 0o700)
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		if d.Type()&fs.ModeSymlink != 0 {
			target, err := os.Readlink(p)
			if err != nil {
				return err
			}
			return os.Symlink(target, to)
		}
		if !d.Type().IsRegular() {
			return nil
		}
		fi, err := d.Info()
		if err != nil {
			return nil // gone since it was listed
		}
		if h.left -= fi.Size(); h.left < 0 {
			return errors.New("state is larger than what may be copied")
		}
		if h.n--; h.n < 0 {
			return errors.New("state has more files than may be copied")
		}
		b, err := os.ReadFile(p)
		if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		return os.WriteFile(to, b, 0o600|fi.Mode().Perm())
	})
}

// keepBack copies refreshed credentials back to the user's HOME.
func (h *privateHome) keepBack() error {
	if len(h.spec.KeepBack) == 0 || h.spec.Home == "" {
		return nil
	}
	d, err := openDir(h.dir)
	if err != nil {
		return err
	}
	defer d.close()
	return keepBack(d, h.spec, h.kept)
}

// keepBack copies the files of Spec.KeepBack from a HOME that the program could write to the user's, where they differ from what they were and are
// what such a file is: regular, not linked elsewhere, small, and JSON where it is called so. Any other is left, silently: what the program
// did to its own HOME is no change that anybody waits for. A file that was written in the user's HOME meanwhile stays.
func keepBack(home *dir, s Spec, were map[string][]byte) error {
	for _, rel := range s.KeepBack {
		text, st, err := home.readRel(rel, keepBackMax)
		if err != nil || st.nlink != 1 || bytes.Equal(text, were[rel]) || len(text) == 0 {
			continue
		}
		if strings.HasSuffix(rel, ".json") && !json.Valid(text) {
			continue
		}
		to := filepath.Join(s.Home, rel)
		fi, err := os.Lstat(to)
		was, given := were[rel]
		switch {
		case errors.Is(err, fs.ErrNotExist) && !given:
		case err != nil || !fi.Mode().IsRegular() || !given:
			continue
		default:
			if now, err := os.ReadFile(to); err != nil || !bytes.Equal(now, was) {
				continue
			}
		}
		if err := replaceFile(to, text); err != nil {
			return fmt.Errorf("keep %s: %w", rel, err)
		}
	}
	return nil
}

// replaceFile writes a file at once, for its owner only.
func replaceFile(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".rig-*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err2 := f.Sync(); err == nil {
		err = err2
	}
	if err2 := f.Close(); err == nil {
		err = err2
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
