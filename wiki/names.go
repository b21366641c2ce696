package wiki

import (
	"path"
	"strings"

	"github.com/rigwiki/rig/sandbox"
	"github.com/rigwiki/rig/wiki/proposal"
)

// names knows the names in the real wiki's folders that a run touched, and those that the proposal adds. Each folder is read once.
type names struct {
	proposal.Neighbours
	added map[string]map[string]string // rel folder -> SameName -> name that the proposal makes
}

func newNames(root string, going map[string]bool) *names {
	return &names{Neighbours: proposal.NewNeighbours(root, going), added: map[string]map[string]string{}}
}

func (n *names) exists(rel string) bool {
	for _, name := range n.Folder(dirOf(rel))[proposal.SameName(path.Base(rel))] {
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
		for _, other := range n.Folder(dir)[key] {
			at := path.Join(dir, other)
			if other != c && !n.exists(path.Join(dir, c)) && !n.GoesAway(at) {
				return at
			}
		}
		dir = path.Join(dir, c)
	}
	return ""
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
