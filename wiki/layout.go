package wiki

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// pageFolders are the folders of pages that the layouts know.
func pageFolders() []string {
	return []string{"sources", "entities", "concepts", "synthesis", "queries"}
}

// isPageFolder tells whether rel is a folder that the layout is known by: it stays where it is empty.
func (w *Wiki) isPageFolder(rel string) bool {
	return rel == w.Pages || path.Dir(rel) == path.Clean(w.Pages) && slices.Contains(pageFolders(), path.Base(rel))
}

// sharedPages are the pages that every ingest touches.
func sharedPages() []string { return []string{"index.md", "overview.md", "log.md", "reviews.md"} }

// agentSchemas are the agents' instruction files at the root that serve as the schema where there is no schema.md. Where both exist,
// each is the schema of some agent, so that both are the human's.
func agentSchemas(root string) []string {
	var found []string
	for _, name := range []string{"CLAUDE.md", "AGENTS.md"} {
		if isFile(root, name) {
			found = append(found, name)
		}
	}
	return found
}

// setLayout reads layout, schema, human's paths and shared pages off the folder.
func (w *Wiki) setLayout() {
	w.Layout, w.Schema = Flat, "schema.md"
	w.Human = []string{"raw", "purpose.md", "schema.md"}
	if !isFile(w.Real, "schema.md") {
		if names := agentSchemas(w.Real); len(names) > 0 {
			w.Schema = names[0]
			w.Human = append(w.Human, names...)
			if isPlain(w.Real) {
				w.Layout = Plain
			}
		}
	}
	if w.Layout == Flat && isV0(w.Real) {
		w.Layout = V0
	}
	if w.Layout != Flat {
		w.Pages = "wiki"
	}
	for _, name := range sharedPages() {
		inner := path.Join(w.Pages, name)
		atRoot := w.Pages != "" && isFile(w.Real, name)
		if atRoot {
			w.Shared = append(w.Shared, name)
		}
		if !atRoot || isFile(w.Real, inner) {
			w.Shared = append(w.Shared, inner)
		}
	}
}

// isV0 tells whether the page folders are under wiki/ and not at the root.
func isV0(root string) bool {
	if !isDir(root, "wiki") || hasPageFolder(root) {
		return false
	}
	return hasPageFolder(filepath.Join(root, "wiki")) || !isFile(root, "index.md")
}

func hasPageFolder(dir string) bool {
	for _, f := range pageFolders() {
		if isDir(dir, f) {
			return true
		}
	}
	return false
}

// setName sets Name and ID. Both come from the real path, so that one wiki opened in two spellings has one lock.
func (w *Wiki) setName(name string) {
	if name = strings.TrimSpace(name); name == "" {
		name = defaultName(w.Real)
	}
	sum := sha256.Sum256([]byte(w.Real))
	w.Name = name
	w.ID = fileName(name) + "-" + hex.EncodeToString(sum[:])[:8]
}

// defaultName is the folder's name, or the project's where the folder's is the same in every project.
func defaultName(real string) string {
	base, dir := filepath.Base(real), filepath.Dir(real)
	switch {
	case base == "llm-wiki" && filepath.Base(dir) == "harness":
		return filepath.Base(filepath.Dir(dir))
	case base == "rig-wiki":
		return filepath.Base(dir)
	}
	return base
}

// fileName makes a name safe as one component of a path, and leaves an ordinary one alone.
func fileName(name string) string {
	s := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_.", r) {
			return r
		}
		return '-'
	}, name)
	s = strings.Trim(cutBytes(s, 64), "-.")
	if s == "" {
		return "wiki"
	}
	return s
}

// Rel is the slash-separated path of an absolute path relative to the wiki, links resolved: what policy and locks compare. ok is false where it
// leads out of the wiki; the wiki's own folder is "".
func (w *Wiki) Rel(abs string) (rel string, ok bool) {
	real := resolve(filepath.Clean(abs))
	if !within(real, w.Real) {
		return "", false
	}
	rel, err := filepath.Rel(w.Real, real)
	if err != nil {
		return "", false
	}
	if rel = filepath.ToSlash(rel); rel == "." {
		rel = ""
	}
	return rel, true
}

// Path is the absolute path of a rel path in the spelling that the user opened.
func (w *Wiki) Path(rel string) string { return filepath.Join(w.Root, filepath.FromSlash(rel)) }

// IsHuman tells whether rel is one of the human's files or below one, whatever its spelling.
func (w *Wiki) IsHuman(rel string) bool {
	f := foldPath(rel)
	for _, h := range w.Human {
		if below(f, foldPath(h)) {
			return true
		}
	}
	return false
}

// rigReadonly is the folder in which a run finds what it may read and not write.
const rigReadonly = ".rig-readonly"

// Protected tells whether rel is the human's or in .rig-readonly, in any spelling: what no agent may change.
func Protected(w *Wiki, rel string) bool {
	for _, c := range strings.Split(foldPath(rel), "/") {
		if c == rigReadonly {
			return true
		}
	}
	return w.IsHuman(rel)
}

// HideEntry tells the entries that a run is not shown and that are no pages: whatever begins with a dot, folders of tools, and copies that
// synchronizers leave of a conflict (cases o-fs-01, o-fs-02).
func HideEntry(rel string, d fs.DirEntry) bool {
	return hidePage(rel, d) || !d.IsDir() && isConflictCopy(path.Base(rel))
}

// hidePage is HideEntry for the index, which knows copies of a conflict itself: they are no pages, but a finding.
func hidePage(rel string, d fs.DirEntry) bool {
	name := path.Base(rel)
	return strings.HasPrefix(name, ".") || d.IsDir() && isToolFolder(name)
}

func isToolFolder(name string) bool {
	switch name {
	case "node_modules", "__pycache__":
		return true
	}
	return strings.HasPrefix(name, ".")
}

// isConflictCopy knows the names that Syncthing, Dropbox and Nextcloud give.
func isConflictCopy(name string) bool {
	return strings.Contains(name, ".sync-conflict-") || conflicted().MatchString(name)
}

var conflicted = lazyRE(`(?i)\((?:[^()]*'s )?conflicted copy(?: [^()]*)?\)`)

func (w *Wiki) inRaw(real string) bool { return within(real, filepath.Join(w.Real, "raw")) }

// below tells whether the slash-separated path is dir or under it.
func below(path, dir string) bool { return path == dir || strings.HasPrefix(path, dir+"/") }
