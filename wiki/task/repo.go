package task

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Repo is a repository of the user.
type Repo struct {
	Top    string // of the working tree, absolute, links resolved
	Common string // folder of its objects and refs, absolute
	Format string // "sha1" or "sha256"
	Remote string // "origin", the only remote, or "" where there is none
	Main   string // name of the main branch: "main"
	git    *Git
}

// ErrNoRepo says that a path is in no working tree of a git repository.
var ErrNoRepo = errors.New("not in a git repository")

// Open finds the repository whose working tree holds path.
func Open(ctx context.Context, g *Git, path string) (*Repo, error) {
	out, err := g.run(ctx, call{dir: path, user: true, args: []string{"rev-parse", "--path-format=absolute", "--show-toplevel", "--git-common-dir", "--show-object-format"}})
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%s: %w (%v)", path, ErrNoRepo, err)
	}
	part := strings.Split(strings.TrimRight(string(out), "\n"), "\n")
	if len(part) != 3 {
		return nil, fmt.Errorf("%s: %w: git names its folders %q", path, ErrNoRepo, part)
	}
	r := &Repo{Top: filepath.FromSlash(part[0]), Common: filepath.FromSlash(part[1]), Format: part[2], git: g}
	if r.Common, err = filepath.EvalSymlinks(r.Common); err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	if r.Remote, err = r.findRemote(ctx); err != nil {
		return nil, err
	}
	r.Main, err = r.findMain(ctx)
	return r, err
}

func (r *Repo) findRemote(ctx context.Context) (string, error) {
	out, err := r.git.line(ctx, r.Top, "remote")
	if err != nil {
		return "", err
	}
	names := strings.Fields(out)
	for _, n := range names {
		if n == "origin" {
			return n, nil
		}
	}
	if len(names) == 1 {
		return names[0], nil
	}
	return "", nil
}

// findMain is the branch that the remote calls its own, else main or master, else the one that is checked out.
func (r *Repo) findMain(ctx context.Context) (string, error) {
	if r.Remote != "" {
		if ref, err := r.git.line(ctx, r.Top, "symbolic-ref", "--quiet", "refs/remotes/"+r.Remote+"/HEAD"); err == nil {
			if name, ok := strings.CutPrefix(ref, "refs/remotes/"+r.Remote+"/"); ok {
				return name, nil
			}
		}
	}
	for _, name := range []string{"main", "master"} {
		for _, ref := range []string{"refs/remotes/" + r.Remote + "/" + name, "refs/heads/" + name} {
			if oid, err := r.Resolve(ctx, ref); err != nil {
				return "", err
			} else if oid != "" {
				return name, nil
			}
		}
	}
	name, err := r.git.line(ctx, r.Top, "symbolic-ref", "--quiet", "--short", "HEAD")
	if err != nil {
		return "", fmt.Errorf("%s has no main branch: %w", r.Top, err)
	}
	return name, nil
}

// Resolve is the commit that a full ref name leads to, "" where there is none.
func (r *Repo) Resolve(ctx context.Context, ref string) (string, error) {
	oid, err := r.git.line(ctx, r.Top, "rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{commit}")
	var said *gitError
	if errors.As(err, &said) && said.said == "" { // --quiet: a ref that is not there is no complaint
		return "", nil
	}
	return oid, err
}

// isAncestor tells whether commit a is b or lies behind it.
func (r *Repo) isAncestor(ctx context.Context, dir, a, b string) (bool, error) {
	_, err := r.git.run(ctx, call{dir: dir, args: []string{"merge-base", "--is-ancestor", a, b}})
	var said *gitError
	if errors.As(err, &said) && said.said == "" {
		return false, nil
	}
	return err == nil, err
}

// Fetch brings the remote's main branch, and branches that more names, up to date, within limit. What could not be had is told as a clause ("" for
// nothing): a task can be worked on without the network. A branch that the remote does not have is no failure.
func (r *Repo) Fetch(ctx context.Context, limit time.Duration, more ...string) (note string) {
	if r.Remote == "" {
		return "there is no remote to fetch from"
	}
	refspec := func(name string) string { return "+refs/heads/" + name + ":refs/remotes/" + r.Remote + "/" + name }
	args := []string{"fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance", "--end-of-options", r.Remote, refspec(r.Main)}
	for _, name := range more {
		// a pattern that matches nothing is no failure, a name that is not there is one
		args = append(args, "+refs/heads/"+name+"*:refs/remotes/"+r.Remote+"/"+name+"*")
	}
	bounded, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it did not answer within %s", limit))
	defer cancel()
	_, err := r.git.run(bounded, call{dir: r.Top, user: true, args: args})
	if err != nil && strings.Contains(err.Error(), "cannot lock ref") {
		return "" // another run of this moment is fetching the same
	}
	if err != nil {
		return fmt.Sprintf("%s was not fetched from %s: %v", r.Main, r.Remote, err)
	}
	return ""
}

// FetchPull brings the commits of a pull request from another repository, as the remote offers them (refs/pull/N/head, GitHub's), within limit, and gives
// the newest of them. They are kept as refs/rig/pull/N: no branch of the user's is made.
func (r *Repo) FetchPull(ctx context.Context, number int, limit time.Duration) (string, error) {
	if r.Remote == "" {
		return "", errors.New("there is no remote to fetch from")
	}
	bounded, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it did not answer within %s", limit))
	defer cancel()
	ref := fmt.Sprintf("refs/rig/pull/%d", number)
	if _, err := r.git.run(bounded, call{dir: r.Top, user: true, args: []string{"fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance",
		"--end-of-options", r.Remote, fmt.Sprintf("+refs/pull/%d/head:%s", number, ref)}}); err != nil {
		return "", fmt.Errorf("fetch pull request %d from %s: %w", number, r.Remote, err)
	}
	return r.Resolve(ctx, ref)
}

// Newest is the newest commit of the main branch: the remote's as it was last fetched, or the local branch where that is ahead of it.
func (r *Repo) Newest(ctx context.Context) (oid, note string, err error) {
	return r.newer(ctx, r.Main)
}

// newer is the newer commit of a branch here and at the remote, "" where neither has it. Where the two went different ways the remote's counts, and
// the note says so.
func (r *Repo) newer(ctx context.Context, name string) (oid, note string, err error) {
	here, err := r.Resolve(ctx, "refs/heads/"+name)
	if err != nil || r.Remote == "" {
		return here, "", err
	}
	there, err := r.Resolve(ctx, "refs/remotes/"+r.Remote+"/"+name)
	switch {
	case err != nil || there == "" || there == here:
		return here, "", err
	case here == "":
		return there, "", nil
	}
	ahead, err := r.isAncestor(ctx, r.Top, there, here)
	if err != nil || ahead {
		return here, "", err
	}
	behind, err := r.isAncestor(ctx, r.Top, here, there)
	if err == nil && !behind {
		note = fmt.Sprintf("%s here and at %s went different ways; the one at %s was taken", name, r.Remote, r.Remote)
	}
	return there, note, err
}

// Ident is who the user is to git.
type Ident struct{ Name, Email string }

// Ident asks git who the user is: by environment, the repository's configuration or their own.
func (r *Repo) Ident(ctx context.Context) (Ident, error) {
	out, err := r.git.run(ctx, call{dir: r.Top, user: true, args: []string{"var", "GIT_AUTHOR_IDENT"}})
	if err != nil {
		return Ident{}, fmt.Errorf("git does not know who you are (set user.name and user.email): %w", err)
	}
	name, rest, ok := strings.Cut(string(out), " <")
	mail, _, ok2 := strings.Cut(rest, "> ")
	if !ok || !ok2 || name == "" {
		return Ident{}, fmt.Errorf("git does not know who you are (set user.name and user.email): it says %q", strings.TrimSpace(string(out)))
	}
	return Ident{name, mail}, nil
}

// remoteURL is where the remote lies, without the secrets that a URL may hold.
func (r *Repo) remoteURL(ctx context.Context) string {
	if r.Remote == "" {
		return ""
	}
	raw, err := r.git.line(ctx, r.Top, "config", "--get", "remote."+r.Remote+".url")
	if err != nil {
		return "" // a remote without an address: nothing to tell the agent
	}
	if u, err := url.Parse(raw); err == nil && u.User != nil && u.Scheme != "ssh" {
		u.User = nil
		return u.String()
	}
	return raw
}

// ObjectFolders are the folders that hold the repository's objects: its own and those that it borrows from, in turn (gitrepository-layout(5)).
func (r *Repo) ObjectFolders() ([]string, error) {
	var out []string
	seen := map[string]bool{}
	next := []string{filepath.Join(r.Common, "objects")}
	for len(next) > 0 {
		dir := next[0]
		next = next[1:]
		real, err := filepath.EvalSymlinks(dir)
		if err != nil {
			if len(out) == 0 {
				return nil, fmt.Errorf("find the objects of %s: %w", r.Top, err)
			}
			continue // git, too, goes on without a lender that is gone
		}
		if seen[real] {
			continue
		}
		seen[real] = true
		out = append(out, real)
		text, err := os.ReadFile(filepath.Join(real, "info", "alternates"))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("find the objects of %s: %w", r.Top, err)
		}
		for line := range strings.Lines(string(text)) {
			line = strings.TrimRight(line, "\n")
			if line == "" || line[0] == '#' {
				continue
			}
			if !filepath.IsAbs(line) {
				line = filepath.Join(real, line)
			}
			next = append(next, line)
		}
	}
	return out, nil
}

// Ignored are those of rels that the user's checkout ignores: git's ignore files and the user's own rules count.
func (r *Repo) Ignored(ctx context.Context, rels []string) ([]string, error) {
	if len(rels) == 0 {
		return nil, nil
	}
	out, err := r.git.run(ctx, call{dir: r.Top, user: true, stdin: strings.NewReader(strings.Join(rels, "\x00") + "\x00"), args: []string{"check-ignore", "-z", "--stdin"}})
	var said *gitError
	if errors.As(err, &said) && said.said == "" { // exit status 1: none
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return strings.Split(strings.TrimRight(string(out), "\x00"), "\x00"), nil
}

// GitPath is the git program that serves this repository.
func (r *Repo) GitPath() string { return r.git.path }

// Has tells whether the branch is here or, as far as was fetched, at the remote.
func (r *Repo) Has(ctx context.Context, branch string) (bool, error) {
	oid, _, err := r.newer(ctx, branch)
	return oid != "", err
}

// FileAt is what a file holds in a commit, up to limit bytes.
func (r *Repo) FileAt(ctx context.Context, commit, rel string, limit int64) ([]byte, error) {
	return r.git.run(ctx, call{dir: r.Top, limit: limit, args: []string{"cat-file", "blob", commit + ":" + rel}})
}
