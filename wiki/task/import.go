package task

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Imported says where the commits are now.
type Imported struct {
	Ref string // "refs/heads/task/x", or refs/rig/<run> where the branch could not be moved
	// Aside says why the branch was not moved, "" where it was.
	Aside string
	Was   string // commit that Ref was at before, "" where it was not there
}

// Import brings the verified commits into the user's repository and moves the branch forward to them. Where it cannot be moved, since it is checked out
// somewhere or the user moved it meanwhile, the commits are kept under refs/rig/<run>, and nothing else is touched.
func (v *Verified) Import(ctx context.Context, run string) (Imported, error) {
	c, branch := v.Checkout, "refs/heads/"+v.Checkout.Branch
	at, err := c.Repo.checkedOut(ctx, branch)
	if err != nil {
		return Imported{}, err
	}
	now, err := c.Repo.Resolve(ctx, branch)
	if err != nil {
		return Imported{}, err
	}
	aside := ""
	switch {
	case len(v.Commits) == 0 && now == v.Tip:
		return Imported{Ref: branch}, nil
	case at != "":
		aside = fmt.Sprintf("%s is checked out in %s", c.Branch, at)
	case now != "" && now != c.Start:
		ok, err := c.Repo.isAncestor(ctx, v.dir, now, v.Tip)
		if err != nil {
			return Imported{}, err
		}
		if !ok {
			aside = fmt.Sprintf("%s was moved meanwhile", c.Branch)
		}
	}
	to, was := branch, now
	if aside != "" {
		to, was = "refs/rig/"+run, ""
	}
	// Fetch refuses what is no step forward, and a branch that is checked out; objects are checked once more as they come in.
	_, err = c.Repo.git.run(ctx, call{dir: c.Repo.Top, args: []string{"-c", "fetch.fsckObjects=true", "-c", "fetch.prune=false", "fetch", "--quiet", "--no-tags", "--no-write-fetch-head",
		"--no-recurse-submodules", "--no-auto-maintenance", "--end-of-options", v.dir, branch + ":" + to}})
	if err != nil {
		return Imported{}, fmt.Errorf("bring the commits in: %w", err)
	}
	if got, err := c.Repo.Resolve(ctx, to); err != nil || got != v.Tip {
		return Imported{}, errors.Join(err, fmt.Errorf("%s is at %.12s after the fetch, not at %.12s", to, got, v.Tip))
	}
	return Imported{Ref: to, Aside: aside, Was: was}, nil
}

// checkedOut is the working tree that has ref checked out, "" for none.
func (r *Repo) checkedOut(ctx context.Context, ref string) (string, error) {
	out, err := r.git.line(ctx, r.Top, "worktree", "list", "--porcelain")
	if err != nil {
		return "", err
	}
	at := ""
	for line := range strings.SplitSeq(out, "\n") {
		if dir, ok := strings.CutPrefix(line, "worktree "); ok {
			at = dir
		}
		if line == "branch "+ref {
			return at, nil
		}
	}
	return "", nil
}

// ErrMoved says that a ref is not where a run left it, so that taking the run back would take other commits with it.
var ErrMoved = errors.New("it is not where the run left it")

// TakeBack puts a ref that is at tip back to where it was before a run, or removes it where it was not there. The commits stay until git collects them.
func (r *Repo) TakeBack(ctx context.Context, ref, tip, was string) error {
	at, err := r.checkedOut(ctx, ref)
	if err != nil {
		return err
	}
	if at != "" {
		return fmt.Errorf("%s is checked out in %s: %w", ref, at, ErrMoved)
	}
	now, err := r.Resolve(ctx, ref)
	if err != nil {
		return err
	}
	if now != tip {
		return fmt.Errorf("%s is at %.12s, the run left it at %.12s: %w", ref, now, tip, ErrMoved)
	}
	args := []string{"update-ref", "-d", ref, tip}
	if was != "" {
		args = []string{"update-ref", "-m", "rig: run taken back", ref, was, tip}
	}
	_, err = r.git.run(ctx, call{dir: r.Top, args: args})
	return err
}
