package lsp

import (
	"context"
	"os"
	"path/filepath"
	"sync"

	"github.com/rigwiki/rig/wiki"
	"go.lsp.dev/protocol"
)

// folders are the workspace folders, and the wikis that were found from files in them.
type folders struct {
	mu    sync.Mutex
	roots []string              // clean paths as the client spelled them, links kept
	wikis map[string]*wiki.Wiki // folder of a file -> its wiki; only found ones are kept, since a wiki may be made any time
}

func newFolders() *folders { return &folders{wikis: map[string]*wiki.Wiki{}} }

// rootsOf gives the folders that a client opened: workspaceFolders, else rootUri, else rootPath (Helix sends only that). The root of the file
// system is no workspace: an empty rootUri decodes to it.
func rootsOf(p *protocol.InitializeParams) []string {
	if list, ok := p.WorkspaceFolders.Get(); ok && len(list) > 0 {
		var out []string
		for _, f := range list {
			if path, ok := filePath(string(f.URI)); ok {
				out = append(out, path)
			}
		}
		return out
	}
	//lint:ignore SA1019 older clients know no workspace folders, and Helix without a root marker sends rootPath alone (T29)
	rootURI, rootPath := p.RootURI, p.RootPath
	if rootURI != nil {
		if path, ok := filePath(string(*rootURI)); ok && filepath.Dir(path) != path {
			return []string{path}
		}
	}
	if path, ok := rootPath.Get(); ok && filepath.IsAbs(path) {
		return []string{filepath.Clean(path)}
	}
	return nil
}

func (f *folders) replace(roots []string) { f.change(roots, nil) }

// change adds and removes workspace folders and forgets what was found.
func (f *folders) change(add, remove []string) {
	gone := map[string]bool{}
	for _, r := range remove {
		gone[r] = true
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	var kept []string
	for _, r := range append(f.roots, add...) {
		if r != string(filepath.Separator) && !gone[r] {
			gone[r] = true // once
			kept = append(kept, r)
		}
	}
	f.roots = kept
	clear(f.wikis)
}

// all gives the workspace folders.
func (f *folders) all() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string(nil), f.roots...)
}

// folderOf gives the innermost workspace folder that holds path; the border is at a separator.
func (f *folders) folderOf(path string) (string, bool) {
	best, found := "", false
	for _, r := range f.all() {
		if _, ok := below(r, path); ok && len(r) >= len(best) {
			best, found = r, true
		}
	}
	return best, found
}

// wikiOf finds the wiki of a file and the file's path in it. In a workspace folder without wiki, plain markdown gets link features. A file that
// is in no workspace folder, nor in the wiki of one, is of no wiki, unless the client opened no folder at all.
func (f *folders) wikiOf(path string) (w *wiki.Wiki, rel string, ok bool) {
	folder, inside := f.folderOf(path)
	w = f.find(path)
	if w == nil && inside {
		w = plainFolder(folder)
	}
	if w == nil || !inside && len(f.all()) > 0 && !f.serves(w) {
		return nil, "", false
	}
	rel, ok = relIn(w, path)
	return w, rel, ok
}

// find asks for the wiki of a file, once a folder.
func (f *folders) find(path string) *wiki.Wiki {
	dir := filepath.Dir(path)
	f.mu.Lock()
	w := f.wikis[dir]
	f.mu.Unlock()
	if w != nil {
		if _, err := os.Stat(w.Root); err == nil {
			return w
		}
	}
	w, err := wiki.Find(path)
	if err != nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.wikis[dir] = w
	return w
}

// serves tells whether a wiki is one of the workspace folders' own.
func (f *folders) serves(w *wiki.Wiki) bool {
	for _, r := range f.all() {
		if found := f.find(filepath.Join(r, "x")); found != nil && found.Real == w.Real {
			return true
		}
	}
	return false
}

// plainFolder is a folder of markdown without a wiki's marks, nil where it cannot be one (the home folder).
func plainFolder(dir string) *wiki.Wiki {
	w, err := wiki.Folder(dir)
	if err != nil {
		return nil
	}
	return w
}

// relIn gives a file's slash-separated path in a wiki, by either of the wiki's names.
func relIn(w *wiki.Wiki, path string) (string, bool) {
	for _, root := range []string{w.Root, w.Real} {
		if rel, ok := below(root, path); ok {
			return rel, true
		}
	}
	return "", false
}

// pathIn is the path of a page as the client knows it: below the wiki's root as it was opened, links kept.
func pathIn(w *wiki.Wiki, rel string) string { return filepath.Join(w.Root, filepath.FromSlash(rel)) }

// didChangeFolders takes workspace folders in and out.
func (s *server) didChangeFolders(_ context.Context, p *protocol.DidChangeWorkspaceFoldersParams) error {
	paths := func(list []protocol.WorkspaceFolder) (out []string) {
		for _, f := range list {
			if path, ok := filePath(string(f.URI)); ok {
				out = append(out, path)
			}
		}
		return out
	}
	s.folders.change(paths(p.Event.Added), paths(p.Event.Removed))
	s.askSettings() // a new folder may have settings of its own
	return nil
}

// didChangeWatchedFiles is for clients that watch files for us; nothing depends on it, since Neovim on Linux does not: see watch.
func (s *server) didChangeWatchedFiles(_ context.Context, p *protocol.DidChangeWatchedFilesParams) error {
	var paths []string
	for _, c := range p.Changes {
		if path, ok := filePath(string(c.URI)); ok {
			paths = append(paths, path)
		}
	}
	s.unsaved.poke()
	s.diskChanged(paths...)
	return nil
}
