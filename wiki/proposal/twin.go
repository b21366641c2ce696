package proposal

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// SameName is the form in which two names of one folder are compared: equal means that a file system that ignores case or normal form
// takes them for one file.
func SameName(name string) string {
	if !strings.ContainsFunc(name, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return strings.ToLower(name)
	}
	return norm.NFC.String(cases.Fold().String(norm.NFD.String(name)))
}

// Neighbours are the names on disk beside pages that are to be made. Each folder is read once.
type Neighbours struct {
	root    string
	going   map[string]bool                // files (rel) that will be deleted or moved
	folders map[string]map[string][]string // rel folder -> SameName -> names on disk
}

// NewNeighbours looks below root, an absolute path; "" has no names.
func NewNeighbours(root string, going map[string]bool) Neighbours {
	return Neighbours{root: root, going: going, folders: map[string]map[string][]string{}}
}

// Folder gives the names of one folder, rel, "" for the root, by [SameName]. One that cannot be read has none: what is in it cannot be lost by us.
func (n Neighbours) Folder(rel string) map[string][]string {
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
		key := SameName(name)
		f[key] = append(f[key], name)
	}
	return f
}

// GoesAway tells whether a file will be deleted or moved, or a folder with all that is in it. It follows no link below it, and stops at the first file that stays.
func (n Neighbours) GoesAway(rel string) bool {
	if n.going[rel] {
		return true
	}
	list, err := os.ReadDir(filepath.Join(n.root, filepath.FromSlash(rel)))
	if err != nil || len(list) == 0 {
		return false
	}
	for _, e := range list {
		if at := path.Join(rel, e.Name()); !n.going[at] && (!e.IsDir() || !n.GoesAway(at)) {
			return false
		}
	}
	return true
}

// twin is the path of another entry that a file system may take for rel, or for a folder above it, and that does not go away with the plan; ""
// where there is none. A name that stands there itself is none of its own making.
func (n Neighbours) twin(rel string) string {
	dir := ""
	for _, c := range strings.Split(rel, "/") {
		others := n.Folder(dir)[SameName(c)]
		if slices.Contains(others, c) {
			others = nil
		}
		for _, other := range others {
			if at := path.Join(dir, other); !n.GoesAway(at) {
				return at
			}
		}
		dir = path.Join(dir, c)
	}
	return ""
}
