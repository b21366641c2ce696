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

// neighbours are the names beside the new pages of a plan, as they are on disk now: policy saw those of the start, and the user may have made
// one since. Each folder is read once.
type neighbours struct {
	root    string
	going   map[string]bool                // pages that the plan deletes or moves
	folders map[string]map[string][]string // rel folder -> SameName -> names on disk
}

// folder gives the names of one folder. One that cannot be read has none: the write tells why.
func (n neighbours) folder(rel string) map[string][]string {
	if f, ok := n.folders[rel]; ok {
		return f
	}
	f := map[string][]string{}
	n.folders[rel] = f
	list, err := os.ReadDir(filepath.Join(n.root, filepath.FromSlash(rel)))
	if err != nil {
		return f
	}
	for _, e := range list {
		key := SameName(e.Name())
		f[key] = append(f[key], e.Name())
	}
	return f
}

// twin is the path of another entry that a file system may take for rel, or for a folder above it, and that does not go away with the plan; ""
// where there is none. A name that stands there itself is none of its own making.
func (n neighbours) twin(rel string) string {
	dir := "."
	for _, c := range strings.Split(rel, "/") {
		others := n.folder(dir)[SameName(c)]
		if slices.Contains(others, c) {
			others = nil
		}
		for _, other := range others {
			if at := path.Join(dir, other); !n.goesAway(at) {
				return at
			}
		}
		dir = path.Join(dir, c)
	}
	return ""
}

// goesAway tells whether the plan takes a page away, or a folder with all that is in it. It stops at the first file that stays.
func (n neighbours) goesAway(rel string) bool {
	if n.going[rel] {
		return true
	}
	list, err := os.ReadDir(filepath.Join(n.root, filepath.FromSlash(rel)))
	if err != nil || len(list) == 0 {
		return false
	}
	for _, e := range list {
		if !n.goesAway(path.Join(rel, e.Name())) {
			return false
		}
	}
	return true
}
