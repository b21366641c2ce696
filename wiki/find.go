package wiki

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ErrNotAWiki says that no folder on the way up is a wiki (exit 4).
var ErrNotAWiki = errors.New("not a wiki")

// Find finds the wiki that a file or folder belongs to, walking up from it (design, section 4). path need not exist. The error is
// [ErrNotAWiki] where there is none, and a [*ConfigError] where its .rig/config.yml is broken.
//
// Root keeps the spelling of path (case o-ls-08); only where that spelling leads nowhere are links resolved. The nearest wiki wins,
// except that one inside another wiki's raw/ is a source of that wiki. A root that is or holds the home folder is never taken.
func Find(path string) (*Wiki, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("find the wiki of %s: %w", path, err)
	}
	start := folderOf(abs)
	w, err := walkUp(start)
	if w == nil && err == nil {
		if real := resolve(start); real != start {
			w, err = walkUp(real)
		}
	}
	if w == nil && err == nil {
		err = fmt.Errorf("%s: %w", path, ErrNotAWiki)
	}
	return w, err
}

// Folder is the wiki of layout [Links] over a folder of plain markdown. The error is [ErrNotAWiki] for a folder that is or holds the home folder.
func Folder(path string) (*Wiki, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	w := &Wiki{Root: abs, Real: resolve(abs), Layout: Links}
	if holdsHome(w.Real) {
		return nil, fmt.Errorf("%s holds the home folder: %w", path, ErrNotAWiki)
	}
	w.setName("")
	return w, nil
}

func walkUp(start string) (*Wiki, error) {
	var found *Wiki
	for dir := start; ; dir = filepath.Dir(dir) {
		w, err := wikiAt(dir)
		if err != nil && found == nil {
			return nil, err
		}
		if w != nil && (found == nil || w.inRaw(found.Real)) {
			found = w
		}
		if dir == filepath.Dir(dir) {
			return found, nil
		}
	}
}

// A rootMarker is one way in which a folder says that a wiki is here. root is absolute; config is "" where there is none.
type rootMarker func(dir string) (root, config string, ok bool)

// rootMarkers, in the order of the design.
func rootMarkers() []rootMarker {
	return []rootMarker{
		configIn(""),
		configIn("rig-wiki"),
		func(dir string) (string, string, bool) {
			return dir, "", isFile(dir, "schema.md") && (isDir(dir, "raw") || isFile(dir, "purpose.md"))
		},
		func(dir string) (string, string, bool) {
			return filepath.Join(dir, "harness", "llm-wiki"), "", isDir(dir, "harness", "llm-wiki")
		},
		func(dir string) (string, string, bool) { return dir, "", isPlain(dir) },
	}
}

func configIn(sub string) rootMarker {
	return func(dir string) (string, string, bool) {
		root := filepath.Join(dir, sub)
		config := filepath.Join(root, ".rig", "config.yml")
		return root, config, isFile(config)
	}
}

func isPlain(dir string) bool {
	return isDir(dir, "raw") && isDir(dir, "wiki") && len(agentSchemas(dir)) > 0
}

// wikiAt is the wiki that dir itself announces, nil where it announces none.
func wikiAt(dir string) (*Wiki, error) {
	for _, m := range rootMarkers() {
		root, config, ok := m(dir)
		if !ok {
			continue
		}
		w, err := openWiki(root, config)
		if err != nil {
			return nil, err
		}
		if holdsHome(w.Real) {
			continue
		}
		return w, nil
	}
	return nil, nil
}

// openWiki reads what a root looks like. config may name the wiki and move its root to a folder below (never elsewhere: a wiki's own file
// must not widen what a run can see).
func openWiki(root, config string) (*Wiki, error) {
	name := ""
	if config == "" && isFile(root, ".rig", "config.yml") {
		config = filepath.Join(root, ".rig", "config.yml")
	}
	if config != "" {
		n, err := readYAMLFile(config)
		if err != nil {
			return nil, err
		}
		name = n.text("name")
		if sub := n.text("root"); sub != "" {
			moved := filepath.Join(root, filepath.FromSlash(sub))
			if filepath.IsAbs(sub) || !within(resolve(moved), resolve(root)) {
				return nil, n.find("root").errorf(config, "root %q is not a folder below the wiki's own", sub)
			}
			root = moved
		}
	}
	w := &Wiki{Root: root, Real: resolve(root), Config: config}
	w.setName(name)
	w.setLayout()
	return w, nil
}

// folderOf is abs itself where it is a folder, else the folder that it is or would be in.
func folderOf(abs string) string {
	if isDir(abs) {
		return abs
	}
	return filepath.Dir(abs)
}

// resolve follows links in the part of an absolute path that exists; the rest is kept.
func resolve(abs string) string {
	rest := ""
	for p := abs; ; p = filepath.Dir(p) {
		if real, err := filepath.EvalSymlinks(p); err == nil {
			return filepath.Join(real, rest)
		}
		if p == filepath.Dir(p) {
			return abs
		}
		rest = filepath.Join(filepath.Base(p), rest)
	}
}

// within tells whether path is dir or lies below it, at component boundaries (case o-ls-14).
func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

func holdsHome(real string) bool {
	if real == filepath.Dir(real) {
		return true
	}
	home := HomeFolder(os.Environ())
	return filepath.IsAbs(home) && within(resolve(filepath.Clean(home)), real)
}

func isFile(elem ...string) bool {
	fi, err := os.Stat(filepath.Join(elem...))
	return err == nil && fi.Mode().IsRegular()
}

func isDir(elem ...string) bool {
	fi, err := os.Stat(filepath.Join(elem...))
	return err == nil && fi.IsDir()
}
