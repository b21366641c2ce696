package wiki

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rigwiki/rig/wiki/proposal"
)

// judgeReview compares the checkout with what it was: files by their identity and, where that is another, by their bytes; refs by what they say. New
// files that the project ignores are what tools leave behind.
func (r *run) judgeReview(ctx context.Context) error {
	changed, err := r.changedInReview(ctx)
	if err != nil || len(changed) == 0 {
		return err
	}
	what := "changed files, which a review may not: "
	if isGitPath(changed[0]) {
		what = "moved refs, which a review may not: "
	}
	r.task.broken = what + some(changed)
	for _, rel := range changed {
		r.verdict.Refused = append(r.verdict.Refused, proposal.Refusal{Path: rel, Rule: "read-only", Reason: "a review leaves tree and refs as they were"})
	}
	return nil
}

// changedInReview are the paths of the checkout that are not as they were, sorted.
func (r *run) changedInReview(ctx context.Context) ([]string, error) {
	t := r.task
	after, err := treeOf(t.checkout.Dir)
	if err != nil {
		return nil, err
	}
	var changed, created []string
	for rel, id := range t.tree {
		if after[rel] != id && !r.asItWas(ctx, rel) {
			changed = append(changed, rel)
		}
	}
	for rel := range after {
		if _, had := t.tree[rel]; !had && t.lend[rel] == "" {
			created = append(created, rel)
		}
	}
	ignored, err := t.repo.Ignored(context.WithoutCancel(ctx), slices.DeleteFunc(slices.Clone(created), isGitPath))
	if err != nil {
		return nil, err
	}
	for _, rel := range created {
		if !slices.Contains(ignored, rel) {
			changed = append(changed, rel)
		}
	}
	slices.Sort(changed)
	return changed, nil
}

func isGitPath(rel string) bool { return strings.HasPrefix(rel, ".git/") }

// asItWas tells whether a file of the checkout holds what the commit has, although it was written.
func (r *run) asItWas(ctx context.Context, rel string) bool {
	if isGitPath(rel) {
		return false
	}
	want, err := r.task.repo.FileAt(context.WithoutCancel(ctx), r.task.checkout.Start, rel, r.cfg.Limits.FileBytes)
	if err != nil {
		return false
	}
	path := filepath.Join(r.task.checkout.Dir, filepath.FromSlash(rel))
	if fi, err := os.Lstat(path); err != nil || !fi.Mode().IsRegular() || fi.Size() != int64(len(want)) {
		return false
	}
	got, err := os.ReadFile(path) // nobody is at work there any more
	return err == nil && bytes.Equal(got, want)
}

// treeOf is the identity of every entry of a checkout, and of what in .git says where its refs are.
func treeOf(root string) (map[string]string, error) {
	tree := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if rel = filepath.ToSlash(rel); d.IsDir() {
			if rel == ".git" {
				return fs.SkipDir
			}
			return nil
		}
		id, err := entryID(path, d)
		tree[rel] = id
		return err
	})
	if err == nil {
		err = refsOf(root, tree)
	}
	if err != nil {
		return nil, fmt.Errorf("look at the checkout: %w", err)
	}
	return tree, nil
}

func entryID(path string, d fs.DirEntry) (string, error) {
	fi, err := d.Info()
	if err != nil {
		return "", err
	}
	switch {
	case fi.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(path)
		return "-> " + target, err
	case fi.Mode().IsRegular():
		id, _, err := statID(path)
		return fmt.Sprint(fi.Mode(), " ", id), err
	}
	return fi.Mode().String(), nil
}

// maxRef bounds a file of .git that says where refs are; packed-refs holds every tag.
const maxRef = 64 << 20

// refsOf adds HEAD, packed-refs and every loose ref, by what they hold.
func refsOf(root string, tree map[string]string) error {
	add := func(path string) error {
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		fi, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if !fi.Mode().IsRegular() {
			tree[filepath.ToSlash(rel)] = fi.Mode().String()
			return nil
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		text, err := io.ReadAll(io.LimitReader(f, maxRef))
		tree[filepath.ToSlash(rel)] = string(text)
		return err
	}
	git := filepath.Join(root, ".git")
	if fi, err := os.Lstat(git); err != nil || !fi.IsDir() {
		tree[".git"] = "not a folder"
		return nil
	}
	if err := errors.Join(add(filepath.Join(git, "HEAD")), add(filepath.Join(git, "packed-refs"))); err != nil {
		return err
	}
	return filepath.WalkDir(filepath.Join(git, "refs"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		return add(path)
	})
}
