package task

import (
	"context"
	"fmt"
	"strings"
)

// The modes of entries in git's trees (gitformat-index(5)).
const (
	modeLink      = "120000"
	modeSubmodule = "160000"
)

// paths judges every path that a new commit brings, also one that a later commit takes away again: all of them can be checked out. Of a merge only
// what differs from each parent is the agent's.
func (v *Verified) paths(ctx context.Context, b Bounds) error {
	if len(v.Commits) == 0 {
		return nil
	}
	git := v.Checkout.Repo.git
	out, err := git.run(ctx, call{dir: v.dir, stdin: strings.NewReader(strings.Join(v.Commits, "\n") + "\n"),
		args: []string{"diff-tree", "--stdin", "--root", "-r", "-c", "-z", "--raw", "--no-renames", "--no-abbrev", "--no-commit-id", "--no-ext-diff"}})
	if err != nil {
		return err
	}
	entries, err := parseRaw(string(out))
	if err != nil {
		return err
	}
	if len(entries) > b.Paths {
		return reject("too-large", "", "%d changed paths are more than %d", len(entries), b.Paths)
	}
	for _, e := range entries {
		if e.mode == "000000" {
			continue // deleted
		}
		if rule, reason := badPath(e.path); rule != "" {
			return reject(rule, e.path, "%s", reason)
		}
		switch e.mode {
		case modeSubmodule:
			return reject("submodule", e.path, "submodules are not taken")
		case modeLink:
			target, err := git.run(ctx, call{dir: v.dir, limit: 1 << 16, args: []string{"cat-file", "blob", e.oid}})
			if err != nil {
				return reject("link", e.path, "its target cannot be read: %v", err)
			}
			if reason := badLink(e.path, string(target)); reason != "" {
				return reject("link", e.path, "%s", reason)
			}
		}
	}
	return nil
}

// rawEntry is one path of `git diff-tree --raw -z`, as the commit has it.
type rawEntry struct{ mode, oid, path string }

// parseRaw reads raw lines: one colon for each parent, as many modes and one more, as many ids and one more, the letters, then the path
// (git-diff(1), "diff format for merges").
func parseRaw(out string) ([]rawEntry, error) {
	var list []rawEntry
	for out != "" {
		head, rest, ok := strings.Cut(out, "\x00")
		if !ok {
			return nil, fmt.Errorf("read git's list of paths: it ends in %.80q", head)
		}
		parents := len(head) - len(strings.TrimLeft(head, ":"))
		f := strings.Fields(head[parents:])
		path, after, ok := strings.Cut(rest, "\x00")
		if parents == 0 || len(f) != 2*parents+3 || !ok {
			return nil, fmt.Errorf("read git's list of paths: %.80q", head)
		}
		list = append(list, rawEntry{f[parents], f[2*parents+1], path})
		out = after
	}
	return list, nil
}
