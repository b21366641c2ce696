package task

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
)

// unpointed lists the paths at which what a run committed puts content in the place of a pointer of Git LFS: in one of its commits, or by all of them
// together. A proposal flags these, and its user decides; what is pushed is out before anybody sees a flag.
func (v *Verified) unpointed(ctx context.Context) ([]string, error) {
	if len(v.Commits) == 0 {
		return nil, nil
	}
	c := v.Checkout
	newest, _, err := c.Repo.Newest(ctx)
	if err != nil {
		return nil, err
	}
	base, err := c.Repo.git.line(ctx, v.dir, "merge-base", newest, v.Tip)
	if err != nil && ctx.Err() == nil {
		base = c.Start // no common commit, as where the history is shallow: what the run itself did counts
	} else if err != nil {
		return nil, err
	}
	before, err := v.replaced(ctx, "", base, c.Start) // of the branch as it was: known already, and pushed or not by its user
	if err != nil {
		return nil, err
	}
	all, err := v.replaced(ctx, "", base, v.Tip)
	if err != nil {
		return nil, err
	}
	each, err := v.replaced(ctx, strings.Join(v.Commits, "\n")+"\n", "--stdin", "-c", "--no-commit-id")
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(p string) bool { return slices.Contains(before, p) })
	all = append(all, each...)
	slices.Sort(all)
	return slices.Compact(all), nil
}

// replaced asks git diff-tree, and gives the paths where a pointer was and something else is.
func (v *Verified) replaced(ctx context.Context, stdin string, what ...string) ([]string, error) {
	r := v.Checkout.Repo
	out, err := r.git.run(ctx, call{dir: v.dir, stdin: strings.NewReader(stdin), args: append([]string{"diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--no-ext-diff"}, what...)})
	if err != nil {
		return nil, fmt.Errorf("list what is to be pushed: %w", err)
	}
	list, err := parseRawFiles(out)
	if err != nil {
		return nil, err
	}
	var small []string
	ask := map[string]bool{}
	for _, e := range list {
		for _, oid := range append(e.old, e.now) {
			ask[oid] = true
		}
	}
	if len(ask) == 0 {
		return nil, nil
	}
	sizes, err := r.sizes(ctx, v.dir, sorted(ask))
	if err != nil {
		return nil, err
	}
	for _, oid := range sorted(ask) {
		if sizes[oid] <= maxPointer {
			small = append(small, oid)
		}
	}
	texts, err := r.texts(ctx, v.dir, small)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, e := range list {
		if slices.ContainsFunc(e.old, func(oid string) bool { return isPointer(texts[oid]) }) && !isPointer(texts[e.now]) {
			paths = append(paths, e.path)
		}
	}
	return paths, nil
}

// rawFile is a file that was there and is there still; old has a blob of each parent.
type rawFile struct {
	path, now string
	old       []string
}

// parseRawFiles reads what `git diff-tree -z --raw --no-renames` prints, with or without -c (git-diff(1), "Raw output format"): one colon a parent, their
// modes and the new one, their blobs and the new one, the status; the path.
func parseRawFiles(out []byte) ([]rawFile, error) {
	var list []rawFile
	for len(out) > 0 {
		head, rest, _ := bytes.Cut(out, []byte{0})
		path, rest, whole := bytes.Cut(rest, []byte{0})
		bare := bytes.TrimLeft(head, ":")
		parents, f := len(head)-len(bare), strings.Fields(string(bare))
		if !whole || parents == 0 || len(f) != 2*(parents+1)+1 {
			return nil, fmt.Errorf("read git's list of changes: %.200q", head)
		}
		modes, blobs := f[:parents+1], f[parents+1:2*(parents+1)]
		out = rest
		if nothing(blobs[parents]) || slices.Contains(modes, modeSubmodule) {
			continue
		}
		old := slices.DeleteFunc(slices.Clone(blobs[:parents]), nothing)
		if len(old) > 0 {
			list = append(list, rawFile{string(path), blobs[parents], old})
		}
	}
	return list, nil
}

// nothing tells whether an object's name stands for none.
func nothing(oid string) bool { return strings.Trim(oid, "0") == "" }
