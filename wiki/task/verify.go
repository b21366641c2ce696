package task

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// A Rejection says why commits are not taken. Nothing of them is in the user's repository.
type Rejection struct {
	Rule   string // bundle too-large rewrite author hidden-path bad-name submodule link objects
	Path   string // in the tree, "" where it is about the whole
	Reason string // a clause
}

func (r *Rejection) Error() string {
	if r.Path != "" {
		return fmt.Sprintf("%s: %s: %s", r.Rule, r.Path, r.Reason)
	}
	return r.Rule + ": " + r.Reason
}

func reject(rule, path, format string, args ...any) error {
	return &Rejection{rule, path, fmt.Sprintf(format, args...)}
}

// Bounds limit what one run may bring in.
type Bounds struct {
	Bytes   int64 // of the bundle
	Commits int
	Paths   int // changed, over all commits
}

// DefaultBounds are generous for work that somebody is to review.
func DefaultBounds() Bounds { return Bounds{Bytes: 256 << 20, Commits: 2000, Paths: 50_000} }

// Verified are commits that were judged and taken, still outside of the user's repository. Close lets go of them.
type Verified struct {
	Checkout *Checkout
	Tip      string   // commit that the branch is to be at
	Commits  []string // that are new to the user's repository, newest first
	Made     int      // commits of the branch since the start, along its own line
	dir      string   // quarantine: a bare repository that borrows the user's objects
}

// Close removes the quarantine.
func (v *Verified) Close() error { return os.RemoveAll(v.dir) }

// Verify reads a bundle of the branch, as the agent's side made it, into a quarantine at dir (which must not exist) and judges what is in it. The error
// is a [*Rejection] where the commits are at fault. A bundle is needed even where nothing new was committed: then ask with an empty reader, and
// Commits is empty.
func (c *Checkout) Verify(ctx context.Context, bundle io.Reader, dir string, b Bounds) (_ *Verified, err error) {
	v := &Verified{Checkout: c, Tip: c.Start, dir: dir}
	in := &limited{r: bundle, left: b.Bytes}
	r := bufio.NewReader(in)
	if _, err := r.Peek(1); err == io.EOF {
		return v, nil
	}
	head, err := readHead(r)
	if err != nil {
		return nil, reject("bundle", "", "%v", err)
	}
	if v.Tip, err = c.tipOf(head); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, v.Close())
		}
	}()
	if err := v.quarantine(ctx, head, r, in, b); err != nil {
		return nil, err
	}
	for _, step := range []func(context.Context, Bounds) error{v.onlyForward, v.authors, v.paths} {
		if err := step(ctx, b); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// tipOf is the commit that a bundle has for our branch. It may hold nothing else.
func (c *Checkout) tipOf(h bundleHead) (string, error) {
	want := "refs/heads/" + c.Branch
	tip, ok := h.refs[want]
	switch {
	case h.format != c.Repo.Format:
		return "", reject("bundle", "", "its objects are named by %s, the repository's by %s", h.format, c.Repo.Format)
	case !ok || len(h.refs) != 1:
		return "", reject("bundle", "", "it holds %s, where %s alone was asked for", strings.Join(sorted(h.refs), ", "), want)
	}
	return tip, nil
}

// quarantine reads the pack into a repository of its own, checking each object (git-index-pack(1), --strict: fsck with warnings as errors).
func (v *Verified) quarantine(ctx context.Context, h bundleHead, pack io.Reader, in *limited, b Bounds) error {
	r := v.Checkout.Repo
	if _, err := r.git.run(ctx, call{args: []string{"init", "--quiet", "--bare", "--template=", "--object-format=" + r.Format, v.dir}}); err != nil {
		return fmt.Errorf("make a quarantine: %w", err)
	}
	if _, err := r.lend(v.dir); err != nil {
		return fmt.Errorf("make a quarantine: %w", err)
	}
	for _, oid := range h.needs {
		if _, err := r.git.line(ctx, v.dir, "cat-file", "-e", oid+"^{commit}"); err != nil {
			if ctx.Err() != nil {
				return err
			}
			return reject("bundle", "", "it builds on %.12s, which the repository does not have", oid)
		}
	}
	_, err := r.git.run(ctx, call{dir: v.dir, stdin: pack, args: []string{"index-pack", "--stdin", "--fix-thin", "--strict", fmt.Sprintf("--max-input-size=%d", b.Bytes)}})
	switch {
	case in.over:
		return reject("too-large", "", "the commits are larger than %d bytes", b.Bytes)
	case ctx.Err() != nil:
		return err
	case err != nil:
		return reject("objects", "", "%v", err)
	}
	// What the tip leads to must be all here; --not --all are the user's, which are.
	if _, err := r.git.run(ctx, call{dir: v.dir, args: []string{"rev-list", "--quiet", "--objects", "--end-of-options", v.Tip, "^" + v.Checkout.Start, "^" + v.Checkout.Main}}); err != nil {
		if ctx.Err() != nil {
			return err
		}
		return reject("objects", "", "%v", err)
	}
	if err := os.MkdirAll(filepath.Join(v.dir, "refs", "heads"), 0o700); err != nil {
		return err
	}
	_, err = r.git.line(ctx, v.dir, "update-ref", "refs/heads/"+v.Checkout.Branch, v.Tip)
	return err
}

// onlyForward: the branch goes on from where it was.
func (v *Verified) onlyForward(ctx context.Context, b Bounds) error {
	c := v.Checkout
	ok, err := c.Repo.isAncestor(ctx, v.dir, c.Start, v.Tip)
	if err != nil {
		return err
	}
	if !ok {
		return reject("rewrite", "", "%s was at %.12s, which its new history does not hold: commits were rewritten or dropped", c.Branch, c.Start)
	}
	count, err := c.Repo.git.line(ctx, v.dir, "rev-list", "--count", "--first-parent", v.Tip, "^"+c.Start)
	if err != nil {
		return err
	}
	if _, err := fmt.Sscan(count, &v.Made); err != nil {
		return fmt.Errorf("count the commits: %w", err)
	}
	known, err := c.Repo.known(ctx)
	if err != nil {
		return err
	}
	out, err := c.Repo.git.run(ctx, call{dir: v.dir, stdin: strings.NewReader(v.Tip + "\n" + known), args: []string{"rev-list", "--stdin"}})
	if err != nil {
		return err
	}
	v.Commits = strings.Fields(string(out))
	if len(v.Commits) > b.Commits {
		return reject("too-large", "", "%d commits are more than %d", len(v.Commits), b.Commits)
	}
	return nil
}

// known lists the commits that the user's repository leads to by its refs, as "^id" lines.
func (r *Repo) known(ctx context.Context) (string, error) {
	out, err := r.git.line(ctx, r.Top, "for-each-ref", "--format=^%(objectname)", "refs/heads", "refs/remotes")
	if err != nil {
		return "", err
	}
	return out + "\n", nil
}

// limited reads up to a bound and tells whether there was more.
type limited struct {
	r    io.Reader
	left int64
	over bool
}

func (l *limited) Read(p []byte) (int, error) {
	if l.left <= 0 {
		if n, err := l.r.Read(p[:min(1, len(p))]); n == 0 {
			return 0, err
		}
		l.over = true
		return 0, errors.New("too large")
	}
	n, err := l.r.Read(p[:min(int64(len(p)), l.left)])
	l.left -= int64(n)
	return n, err
}
