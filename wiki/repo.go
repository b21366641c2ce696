package wiki

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/rigwiki/rig/wiki/task"
)

// Repository is the git repository that a file or folder lies in, as the folder that task runs are about. Where its top is a wiki as well, it is that
// wiki; else its layout is [Links]. It is found by its .git alone. The error is [task.ErrNoRepo] where there is none.
func Repository(path string) (*Wiki, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("find the repository of %s: %w", path, err)
	}
	for dir := folderOf(abs); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return repositoryAt(dir)
		}
		if dir == filepath.Dir(dir) {
			return nil, fmt.Errorf("%s: %w", path, task.ErrNoRepo)
		}
	}
}

func repositoryAt(top string) (*Wiki, error) {
	if w, err := wikiAt(top); err == nil && w != nil && w.Real == resolve(top) {
		return w, nil
	}
	w, err := Folder(top)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", top, task.ErrNoRepo)
	}
	return w, nil
}

// IsTask tells whether rel is a task file: a markdown file below tasks/, or one that the configuration's `tasks` names.
func IsTask(cfg Config, rel string) bool {
	if !strings.HasSuffix(rel, ".md") || !filepath.IsLocal(filepath.FromSlash(rel)) {
		return false
	}
	if len(cfg.Tasks) > 0 {
		return newGlobSet(cfg.Tasks).match(rel)
	}
	return strings.HasPrefix(rel, "tasks/")
}

// taskStem is the name of a task file without its ending, as it can be part of a branch's name (git-check-ref-format(1)).
func taskStem(rel string) string {
	stem := strings.TrimSuffix(path.Base(rel), ".md")
	stem = strings.Map(func(r rune) rune {
		if r <= ' ' || r == 0x7f || strings.ContainsRune(`~^:?*[\`, r) {
			return '-'
		}
		return r
	}, stem)
	for _, bad := range []string{"..", "@{", "//"} {
		for strings.Contains(stem, bad) {
			stem = strings.ReplaceAll(stem, bad, "-")
		}
	}
	stem = strings.Trim(stem, "./-")
	return cmp.Or(strings.TrimSuffix(stem, ".lock"), "task")
}

// TaskBranch is the branch that a task is worked on.
func TaskBranch(rel string) string { return "task/" + taskStem(rel) }

// borrowed are the ignored dependency folders of a checkout that a task run is shown: those of the configuration that are there and are folders.
func borrowed(cfg Config, top string) map[string]string {
	out := map[string]string{}
	for _, rel := range cfg.Dependencies {
		if !fs.ValidPath(rel) || rel == "." {
			continue
		}
		real, err := filepath.EvalSymlinks(filepath.Join(top, filepath.FromSlash(rel)))
		if err == nil && isDir(real) && !holdsHome(real) {
			out[rel] = real
		}
	}
	return out
}
