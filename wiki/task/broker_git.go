package task

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/rigwiki/rig/adapters/guard"
	"github.com/rigwiki/rig/wiki/task/inside"
)

// push verifies the commits of a bundle in a quarantine and pushes them from there, with the user's credentials: the run's branch, forward.
func (b *Broker) push(ctx context.Context, v guard.Verdict, ask inside.Ask, bundle io.Reader) (inside.Answer, Crossing) {
	c := b.o.Checkout
	fail := func(err error) (inside.Answer, Crossing) {
		why := scrub(err.Error())
		return inside.Answer{Code: 1, Err: []byte("rig: git push: " + why + "\n")}, Crossing{Why: why}
	}
	if b.o.Grant.Branch != c.Branch || c.Repo.Remote == "" || b.o.Grant.Remote != c.Repo.Remote {
		return fail(errors.New("the run has no branch that may be pushed"))
	}
	b.pushes++
	dir := filepath.Join(b.o.Dir, fmt.Sprintf("push-%d", b.pushes))
	ver, err := c.Verify(ctx, bundle, dir, DefaultBounds())
	if err != nil {
		return fail(err)
	}
	defer ver.Close()
	if ver.Tip != ask.Tip {
		return fail(fmt.Errorf("the bundle holds %.12s, not %.12s", ver.Tip, ask.Tip))
	}
	raw, err := ver.unpointed(ctx)
	if err != nil {
		return fail(err)
	}
	if len(raw) > 0 {
		return fail(fmt.Errorf("%s: Git LFS keeps what belongs there elsewhere, and the commits hold content in the place of its pointer: nothing is pushed. Commit without it, and end: the user decides", strings.Join(raw[:min(len(raw), 5)], ", ")))
	}
	url, err := c.Repo.git.run(ctx, call{dir: c.Repo.Top, user: true, args: []string{"remote", "get-url", "--push", c.Repo.Remote}})
	if err != nil {
		return fail(err)
	}
	// The objects are the quarantine's, configuration and credentials the user's. The address is given instead of the remote's name, so that no ref of the
	// user's moves to a commit that is not in their repository yet.
	var env []string
	if _, err := os.Stat(dir); err == nil {
		env = []string{"GIT_OBJECT_DIRECTORY=" + filepath.Join(dir, "objects")}
	}
	var said bytes.Buffer
	_, err = c.Repo.git.run(ctx, call{dir: c.Repo.Top, user: true, env: env, said: &said, args: []string{"push", "--no-verify", "--no-follow-tags", "--no-signed",
		"--recurse-submodules=no", "--end-of-options", strings.TrimSpace(string(url)), ver.Tip + ":refs/heads/" + c.Branch}})
	text := []byte(scrub(said.String()))
	if err != nil {
		return inside.Answer{Code: 1, Err: text}, Crossing{Why: scrub(err.Error())}
	}
	if v.Upstream {
		text = fmt.Appendf(text, "branch '%s' tracks '%s/%s'\n", c.Branch, c.Repo.Remote, c.Branch)
	}
	return inside.Answer{Err: text}, Crossing{Did: fmt.Sprintf("pushed %s to %s: %d new %s, now at %.12s", c.Branch, c.Repo.Remote, len(ver.Commits), plural(len(ver.Commits), "commit"), ver.Tip)}
}

func plural(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

// userinfoRE finds what stands before the host of a URL: it may be a credential.
func userinfoRE() *regexp.Regexp { return regexp.MustCompile(`://[^/@\s]*@`) }

// scrub takes credentials out of what git said.
func scrub(s string) string { return userinfoRE().ReplaceAllString(s, "://") }

// fetch brings branches of the remote into the user's repository, as a fetch of the user's would, and gives the agent what it lacks as a bundle.
func (b *Broker) fetch(ctx context.Context, v guard.Verdict) (inside.Answer, io.Reader, Crossing) {
	c := b.o.Checkout
	r := c.Repo
	fail := func(err error) (inside.Answer, io.Reader, Crossing) {
		why := scrub(err.Error())
		return inside.Answer{Code: 1, Err: []byte("rig: git fetch: " + why + "\n")}, nil, Crossing{Why: why}
	}
	if r.Remote == "" || b.o.Grant.Remote != r.Remote {
		return fail(errors.New("the run has no remote"))
	}
	names := v.Refs
	specs := []string{"+refs/heads/*:refs/remotes/" + r.Remote + "/*"}
	if len(names) > 0 {
		specs = nil
		for _, n := range names {
			specs = append(specs, "+refs/heads/"+n+":refs/remotes/"+r.Remote+"/"+n)
		}
	}
	args := append([]string{"fetch", "--quiet", "--no-tags", "--no-prune", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance", "--end-of-options", r.Remote}, specs...)
	if _, err := r.git.run(ctx, call{dir: r.Top, user: true, args: args}); err != nil {
		return fail(err)
	}
	refs, err := r.remoteBranches(ctx, names)
	if err != nil {
		return fail(err)
	}
	bundle, err := b.bundle(ctx, refs)
	if err != nil {
		return fail(err)
	}
	branches := "branches"
	if len(refs) == 1 {
		branches = "branch"
	}
	return inside.Answer{Refs: refs}, bundle, Crossing{Did: fmt.Sprintf("fetched %d %s of %s", len(refs), branches, r.Remote)}
}

// remoteBranches are the remote's branches as they were last fetched: those named, or all.
func (r *Repo) remoteBranches(ctx context.Context, names []string) (map[string]string, error) {
	prefix := "refs/remotes/" + r.Remote + "/"
	out, err := r.git.line(ctx, r.Top, "for-each-ref", "--format=%(objectname) %(objecttype) %(symref) %(refname)", prefix)
	if err != nil {
		return nil, err
	}
	refs := map[string]string{}
	for line := range strings.Lines(out) {
		f := strings.Fields(line)
		if len(f) != 3 || f[1] != "commit" {
			continue // the remote's HEAD, which is a symbolic ref
		}
		name := strings.TrimPrefix(f[2], prefix)
		if len(names) == 0 {
			refs[name] = f[0]
		}
		for _, n := range names {
			if n == name {
				refs[name] = f[0]
			}
		}
	}
	return refs, nil
}

// bundle packs the branches for an agent that has what its run began with; nil where it has all of them.
func (b *Broker) bundle(ctx context.Context, refs map[string]string) (io.Reader, error) {
	c := b.o.Checkout
	var want strings.Builder
	for _, name := range sorted(refs) {
		fmt.Fprintf(&want, "%s\n", refs[name])
	}
	base := []string{"^" + c.Start, "^" + c.Main}
	out, err := c.Repo.git.run(ctx, call{dir: c.Repo.Top, stdin: strings.NewReader(want.String() + strings.Join(base, "\n") + "\n"), args: []string{"rev-list", "--stdin", "--count"}})
	if err != nil || strings.TrimSpace(string(out)) == "0" {
		return nil, err
	}
	args := []string{"bundle", "create", "-q", "-"}
	for _, name := range sorted(refs) {
		args = append(args, "refs/remotes/"+c.Repo.Remote+"/"+name)
	}
	pack, err := c.Repo.git.run(ctx, call{dir: c.Repo.Top, args: append(args, base...)})
	if err != nil {
		return nil, err
	}
	return bytes.NewReader(pack), nil
}
