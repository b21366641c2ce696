package wiki

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/rigwiki/rig/wiki/index"
)

// The variables by which a run tells its agent's qmd where the wiki's index is kept, where the wiki is seen, and how its files compare.
const (
	viewIndexVar = "RIG_QMD_INDEX"
	viewRootVar  = "RIG_QMD_ROOT"
	viewKindVar  = "RIG_QMD_VIEW"
)

// A Reader reads a wiki as a process sees it: inside a run, with what its agent wrote.
type Reader struct {
	Root  string // absolute
	Index *index.Index
}

// OpenReader opens the wiki that env names, else the one around dir: read-only, with the kept index where it can be read.
func OpenReader(ctx context.Context, env []string, dir string) (Reader, error) {
	o := index.Options{Root: LookupVar(env, viewRootVar), Dir: LookupVar(env, viewIndexVar), View: index.View(LookupVar(env, viewKindVar)), Hide: hidePage}
	if o.Root == "" || o.View == index.NoView {
		w, err := Find(dir)
		if err != nil {
			return Reader{}, err
		}
		o.Root, o.Dir, o.View = w.Real, "", index.Mounted
	}
	x, err := index.Open(ctx, o)
	return Reader{o.Root, x}, err
}

// Page finds the page that a name means: a path from the wiki's root, from dir or absolute, with or without .md; what a wikilink names. Nothing that is no page
// of the wiki is found.
func (r Reader) Page(dir, name string) (rel string, ok bool) {
	name = strings.TrimSuffix(strings.TrimPrefix(name, "[["), "]]")
	if rest, has := strings.CutPrefix(name, "qmd://"); has { // a collection, then the path
		_, name, _ = strings.Cut(rest, "/")
	}
	abs := name
	if !filepath.IsAbs(name) {
		abs = filepath.Join(dir, name)
	}
	for _, root := range []string{r.Root, resolve(r.Root)} {
		if inside, err := filepath.Rel(root, abs); err == nil && filepath.IsLocal(inside) {
			if rel, ok := r.exact(filepath.ToSlash(inside)); ok {
				return rel, true
			}
		}
	}
	if filepath.IsAbs(name) || !filepath.IsLocal(filepath.FromSlash(name)) {
		return "", false
	}
	if rel, ok := r.exact(name); ok {
		return rel, true
	}
	if strings.Contains(name, "/") {
		return "", false
	}
	rel = pageNamed(r.Index, name)
	return rel, rel != ""
}

func (r Reader) exact(rel string) (string, bool) {
	for _, p := range []string{rel, rel + ".md"} {
		if _, ok := r.Index.Page(p); ok {
			return p, true
		}
	}
	return "", false
}

// viewEnv is what the run's qmd is told, where the agent sees the wiki at root.
func (r *run) viewEnv(root string) []string {
	kind := index.Mounted
	if root != r.wiki.Real {
		kind = index.Copied
	}
	return []string{viewIndexVar + "=" + r.host.indexDir(r.wiki), viewRootVar + "=" + root, viewKindVar + "=" + string(kind)}
}

// indexDir is where the wiki's index is kept.
func (h *Host) indexDir(w *Wiki) string { return filepath.Join(h.rigHome, "cache", "index", w.ID) }

// showIndex makes the folder of the index, so that it can be bound in, and gives it; nil where it cannot be made: qmd then reads the pages themselves.
func (r *run) showIndex() []string {
	dir := r.host.indexDir(r.wiki)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil
	}
	return []string{real}
}
