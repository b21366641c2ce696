package adapters

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Registry finds adapters by name.
type Registry struct{ env Env }

// NewRegistry makes a registry over the folders of env. It reads nothing yet.
func NewRegistry(env Env) *Registry { return &Registry{env: env} }

// builtins are the adapters that need no folder, in the order that users see.
func builtins() []Adapter {
	return []Adapter{
		claude{},
		codex{},
		opencode{},
		pi{},
		acpAgent{},
		builtinAgent{},
	}
}

// An UnknownError says that there is no agent of a name.
type UnknownError struct {
	Name  string
	Known []string
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("no agent %q (known: %s)", e.Name, strings.Join(e.Known, ", "))
}

// Names become folder names: no separators, no dots in front.
var nameRE = lazyRE(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// Find looks for a directory adapter in the project (where it is trusted), then in RigHome, then built in; the first wins.
// The error is an *UnknownError. Names that begin with "acp:" are reserved.
func (r *Registry) Find(name string) (Adapter, error) {
	if nameRE().MatchString(name) {
		for _, root := range r.roots() {
			dir := filepath.Join(root, name)
			if fi, err := os.Stat(dir); err == nil && fi.IsDir() {
				return Directory(dir), nil
			}
		}
		for _, a := range builtins() {
			if a.Name() == name {
				return a, nil
			}
		}
	}
	var known []string
	for _, a := range r.List() {
		known = append(known, a.Name())
	}
	return nil, &UnknownError{Name: name, Known: known}
}

// Builtin is the adapter of that name that needs no folder. An exported adapter calls it, wherever its folder lies and whatever its name hides.
func (r *Registry) Builtin(name string) (Adapter, error) {
	e := &UnknownError{Name: name}
	for _, a := range builtins() {
		if a.Name() == name {
			return a, nil
		}
		e.Known = append(e.Known, a.Name())
	}
	return nil, e
}

// List gives every adapter that Find finds: built in, then directory adapters by name, each name once.
func (r *Registry) List() []Adapter {
	var list []Adapter
	var names []string
	for _, root := range r.roots() {
		entries, err := os.ReadDir(root)
		if err != nil {
			continue // no such folder: no adapters in it
		}
		for _, e := range entries {
			dir := filepath.Join(root, e.Name())
			if fi, err := os.Stat(dir); err == nil && fi.IsDir() && nameRE().MatchString(e.Name()) && !slices.Contains(names, e.Name()) {
				list, names = append(list, Directory(dir)), append(names, e.Name())
			}
		}
	}
	slices.SortFunc(list, func(a, b Adapter) int { return strings.Compare(a.Name(), b.Name()) })
	all := builtins()
	for i, b := range all {
		if at := slices.IndexFunc(list, func(a Adapter) bool { return a.Name() == b.Name() }); at >= 0 {
			all[i] = list[at]
			list = slices.Delete(list, at, at+1)
		}
	}
	return append(all, list...)
}

func (r *Registry) roots() []string {
	var roots []string
	if r.env.Project != "" {
		roots = append(roots, filepath.Join(r.env.Project, "local", "adapters"))
	}
	if r.env.RigHome != "" {
		roots = append(roots, filepath.Join(r.env.RigHome, "adapters"))
	}
	return roots
}
