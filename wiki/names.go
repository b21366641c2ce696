package wiki

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/rigwiki/rig/sandbox"
	"github.com/rigwiki/rig/wiki/proposal"
)

// names knows the names in the real wiki's folders that a run touched, and those that the proposal adds. Each folder is read once.
type names struct {
	root    string
	going   map[string]bool
	folders map[string]map[string][]string // rel folder -> SameName -> names on disk
	added   map[string]map[string]string   // rel folder -> SameName -> name that the proposal makes
}

func newNames(root string, going map[string]bool) *names {
	return &names{root: root, going: going, folders: map[string]map[string][]string{}, added: map[string]map[string]string{}}
}

// folder reads the names of one folder. One that cannot be read has none: what is in it cannot be lost by us.
func (n *names) folder(rel string) map[string][]string {
	if f, ok := n.folders[rel]; ok {
		return f
	}
	f := map[string][]string{}
	n.folders[rel] = f
	if n.root == "" {
		return f
	}
	d, err := os.Open(filepath.Join(n.root, filepath.FromSlash(rel)))
	if err != nil {
		return f
	}
	defer d.Close()
	list, _ := d.Readdirnames(-1)
	for _, name := range list {
		key := proposal.SameName(name)
		f[key] = append(f[key], name)
	}
	return f
}

func (n *names) exists(rel string) bool {
	for _, name := range n.folder(dirOf(rel))[proposal.SameName(path.Base(rel))] {
		if name == path.Base(rel) {
			return true
		}
	}
	return false
}

// twin is the path of another entry that a file system may take for rel, or for a folder above it: one on disk that does not go away in the same
// run, or one that the proposal makes. "" where there is none.
func (n *names) twin(rel string) string {
	dir := ""
	for _, c := range strings.Split(rel, "/") {
		key := proposal.SameName(c)
		if other, ok := n.added[dir][key]; ok && other != c {
			return path.Join(dir, other)
		}
		for _, other := range n.folder(dir)[key] {
			at := path.Join(dir, other)
			if other != c && !n.exists(path.Join(dir, c)) && !n.goesAway(at) {
				return at
			}
		}
		dir = path.Join(dir, c)
	}
	return ""
}

// goesAway tells whether a file is deleted by the run, or a folder with all that is in it. It stops at the first file that stays.
func (n *names) goesAway(rel string) bool {
	if n.going[rel] {
		return true
	}
	d, err := os.ReadDir(filepath.Join(n.root, filepath.FromSlash(rel)))
	if err != nil || len(d) == 0 {
		return false
	}
	for _, e := range d {
		if at := path.Join(rel, e.Name()); !n.going[at] && (!e.IsDir() || !n.goesAway(at)) {
			return false
		}
	}
	return true
}

// add notes the names of a change that was kept.
func (n *names) add(c sandbox.Change) {
	if c.Kind == sandbox.Delete {
		return
	}
	dir := ""
	for _, name := range strings.Split(c.Path, "/") {
		if n.added[dir] == nil {
			n.added[dir] = map[string]string{}
		}
		n.added[dir][proposal.SameName(name)] = name
		dir = path.Join(dir, name)
	}
}

// dirOf is the folder of a rel path, "" for the root.
func dirOf(rel string) string {
	if dir := path.Dir(rel); dir != "." {
		return dir
	}
	return ""
}
