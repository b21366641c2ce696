package proposal

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// makeRoom checks that each new page has a place to stand and a name of its own, lists the folders to be made and puts the files in order.
func (plan *Plan) makeRoom(root string) {
	freed, going := map[string]bool{}, map[string]bool{}
	for _, p := range plan.Files {
		if p.Kind == Delete {
			freed[p.Path], going[p.Path] = true, true
		}
		if p.Kind == Rename {
			going[p.From] = true
		}
	}
	near := NewNeighbours(root, going)
	kept := make([]Planned, 0, len(plan.Files))
	var folders []string
	for _, p := range plan.Files {
		if !p.isNew() {
			kept = append(kept, p)
			continue
		}
		missing, blocker := foldersFor(root, p.Path, freed)
		if blocker != "" {
			plan.conflict(p.Path, blocker+" is a page, where a folder has to be", nil, p.After, nil)
			continue
		}
		if twin := near.twin(p.Path); twin != "" {
			plan.conflict(p.Path, twin+" has come meanwhile, which many systems take for the same name", nil, p.After, nil)
			continue
		}
		folders = append(folders, missing...)
		kept = append(kept, p)
	}
	slices.Sort(folders) // "a" before "a/b"
	plan.Files, plan.Folders = kept, slices.Compact(folders)
	plan.order()
}

// isNew tells whether the page comes to a path where none was.
func (p Planned) isNew() bool { return p.Kind == Create || p.Kind == Rename }

// foldersFor are the folders that a new page at name needs and the disk does not have, and the page that stands where one has to be and is
// not freed by the same plan.
func foldersFor(root, name string, freed map[string]bool) (missing []string, blocker string) {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		info, err := os.Stat(filepath.Join(root, filepath.FromSlash(dir)))
		switch {
		case err != nil, freed[dir]:
			missing = append(missing, dir)
		case !info.IsDir():
			return nil, dir
		default:
			return missing, ""
		}
	}
	return missing, ""
}

// order sorts the files: deletes that make room, renames, creates, edits, deletes; by path within.
func (plan *Plan) order() {
	folders, pages := map[string]bool{}, map[string]bool{} // that new pages need, and are
	for _, p := range plan.Files {
		if !p.isNew() {
			continue
		}
		pages[p.Path] = true
		for dir := path.Dir(p.Path); dir != "."; dir = path.Dir(dir) {
			folders[dir] = true
		}
	}
	makesRoom := func(name string) bool {
		if folders[name] {
			return true
		}
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if pages[dir] {
				return true
			}
		}
		return false
	}
	rank := map[string]int{Rename: 1, Create: 2, Edited: 3, Delete: 4}
	of := func(p Planned) int {
		if p.Kind == Delete && makesRoom(p.Path) {
			return 0
		}
		return rank[p.Kind]
	}
	slices.SortStableFunc(plan.Files, func(a, b Planned) int {
		if c := of(a) - of(b); c != 0 {
			return c
		}
		return strings.Compare(a.Path, b.Path)
	})
}
