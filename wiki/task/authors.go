package task

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
)

// authors: the user answers for the commits, so they carry the user's name. What somebody else wrote keeps its author, as a cherry-pick leaves it, where
// the repository has that commit already; an agent cannot make one up in another's name.
func (v *Verified) authors(ctx context.Context, b Bounds) error {
	if len(v.Commits) == 0 {
		return nil
	}
	out, err := v.Checkout.Repo.git.run(ctx, call{dir: v.dir, stdin: strings.NewReader(strings.Join(v.Commits, "\n") + "\n"),
		args: []string{"log", "--no-walk=unsorted", "--stdin", "--no-mailmap", "-z", "--format=%H%x1f%an%x1f%ae%x1f%cn%x1f%ce"}})
	if err != nil {
		return err
	}
	u := v.Checkout.User
	for rec := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		f := strings.Split(rec, "\x1f")
		if len(f) != 5 {
			return reject("author", "", "%.80q names nobody", rec)
		}
		if who := (Ident{f[3], f[4]}); who != u {
			return reject("author", "", "the committer of %.12s is %s <%s>, not you", f[0], who.Name, who.Email)
		}
		if who := (Ident{f[1], f[2]}); who != u {
			picked, err := v.isPicked(ctx, f[0], who)
			if err != nil {
				return err
			}
			if !picked {
				return reject("author", "", "the author of %.12s is %s <%s>, not you, and no commit of theirs in the repository has its text and its changes", f[0], who.Name, who.Email)
			}
		}
	}
	return nil
}

// isPicked tells whether the repository has a commit by the same author, of the same time, with the same message and the same changes.
func (v *Verified) isPicked(ctx context.Context, oid string, who Ident) (bool, error) {
	r := v.Checkout.Repo
	made, err := r.wrote(ctx, v.dir, "--no-walk", oid)
	if err != nil || len(made) != 1 {
		return false, err
	}
	known, err := r.wrote(ctx, r.Top, "--all", "--fixed-strings", "--author=<"+who.Email+">")
	if err != nil {
		return false, err
	}
	id := ""
	for _, k := range known {
		if k.who != made[0].who || k.message != made[0].message {
			continue
		}
		if id == "" {
			if id, err = r.patchID(ctx, v.dir, oid); err != nil || id == "" {
				return false, err
			}
		}
		if same, err := r.patchID(ctx, v.dir, k.oid); err != nil || same == id {
			return err == nil, err
		}
	}
	return false, nil
}

// written is what one wrote in a commit.
type written struct{ oid, who, message string }

// pickRE is the line that `git cherry-pick -x` adds.
func pickRE() *regexp.Regexp {
	return regexp.MustCompile(`\n+\(cherry picked from commit [0-9a-f]{40,64}\)\s*$`)
}

// wrote lists commits that are no merges, by what `git log` is asked for.
func (r *Repo) wrote(ctx context.Context, dir string, args ...string) ([]written, error) {
	out, err := r.git.run(ctx, call{dir: dir, args: append([]string{"log", "--no-merges", "--no-mailmap", "-z", "--format=%H%x1f%an%x1f%ae%x1f%at%x1f%B"}, args...)})
	if err != nil {
		return nil, err
	}
	var list []written
	tail := pickRE()
	for rec := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		if f := strings.SplitN(rec, "\x1f", 5); len(f) == 5 {
			list = append(list, written{f[0], f[1] + "\x1f" + f[2] + "\x1f" + f[3], strings.TrimSpace(tail.ReplaceAllString(strings.TrimSpace(f[4]), ""))})
		}
	}
	return list, nil
}

// patchID names the changes of a commit, wherever in their files they are; "" for a commit that changes nothing. It is what
// `git patch-id --verbatim` gives since 2.39: white space counts.
func (r *Repo) patchID(ctx context.Context, dir, oid string) (string, error) {
	patch, err := r.git.run(ctx, call{dir: dir, args: []string{"diff-tree", "-p", "--no-commit-id", "--root", "--binary", "--full-index", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", oid}})
	if err != nil || len(patch) == 0 {
		return "", err
	}
	sum := sha256.New()
	for line := range bytes.Lines(patch) {
		switch {
		case bytes.HasPrefix(line, []byte("index ")): // of the whole files, which differ elsewhere
		case bytes.HasPrefix(line, []byte("@@ ")):
			sum.Write([]byte("@@\n"))
		default:
			sum.Write(line)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
