package inside

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/rigwiki/rig/adapters/guard"
)

// git runs the real git here and gives its output without the last line break.
func (t *tool) git(env []string, args ...string) (string, error) {
	var said bytes.Buffer
	cmd := exec.CommandContext(t.ctx, t.door.Git, args...)
	cmd.Dir, cmd.Env, cmd.Stderr = t.door.Grant.Dir, env, &said
	out, err := cmd.Output()
	if err != nil && said.Len() > 0 {
		err = errors.New(strings.TrimSpace(said.String()))
	}
	return strings.TrimRight(string(out), "\n"), err
}

// plain is the environment for git's that we start ourselves.
func (t *tool) plain() []string {
	env := slices.DeleteFunc(t.rest(t.Env), func(kv string) bool { return strings.HasPrefix(kv, "GIT_") && !slices.Contains(t.door.Grant.Env, kv) })
	return append(env, "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
}

func (t *tool) fail(verb string, err error) int {
	fmt.Fprintf(t.Err, "rig: git %s: %v\n", verb, err)
	return 128
}

// push makes a bundle of the run's branch and asks the host to push it.
func (t *tool) push(v guard.Verdict) int {
	g, env := t.door.Grant, t.plain()
	ref := "refs/heads/" + g.Branch
	if v.Source == "HEAD" {
		if at, err := t.git(env, "symbolic-ref", "-q", "HEAD"); err != nil || at != ref {
			return t.fail("push", fmt.Errorf("HEAD is not on %s, the branch of this run", g.Branch))
		}
	}
	tip, err := t.git(env, "rev-parse", "--verify", "-q", ref+"^{commit}")
	if err != nil {
		return t.fail("push", fmt.Errorf("there is no branch %s here", g.Branch))
	}
	var bundle io.Reader
	if tip != t.door.Start {
		f, err := os.CreateTemp("", "push-*.bundle")
		if err != nil {
			return t.fail("push", err)
		}
		defer os.Remove(f.Name())
		defer f.Close()
		if _, err := t.git(env, "bundle", "create", "-q", f.Name(), ref, "--not", t.door.Start); err != nil {
			return t.fail("push", err)
		}
		if bundle, err = os.Open(f.Name()); err != nil {
			return t.fail("push", err)
		}
	}
	a, err := t.ask(Ask{Program: "git", Tip: tip}, bundle, nil)
	if err != nil {
		return t.fail("push", err)
	}
	if a.Code == 0 {
		if _, err := t.git(env, "update-ref", "refs/remotes/"+g.Remote+"/"+g.Branch, tip); err != nil {
			return t.fail("push", err)
		}
	}
	return t.show(a)
}

// fetch asks the host for the remote's branches, and takes in what is new; a pull merges then.
func (t *tool) fetch(v guard.Verdict) int {
	env := t.plain()
	a, err := t.ask(Ask{Program: "git"}, nil, func(bundle io.Reader) error { return t.takeIn(env, bundle) })
	if err != nil {
		return t.fail("fetch", err)
	}
	if a.Code != 0 {
		return t.show(a)
	}
	remote := t.door.Grant.Remote
	var update, heads strings.Builder
	for _, name := range v.Refs {
		fmt.Fprintf(&heads, "%s\t\tbranch '%s' of %s\n", a.Refs[name], name, remote)
	}
	for name, oid := range a.Refs {
		fmt.Fprintf(&update, "update refs/remotes/%s/%s\x00%s\x00\x00", remote, name, oid)
	}
	if err := t.updateRefs(env, update.String()); err != nil {
		return t.fail("fetch", err)
	}
	if at, err := t.git(env, "rev-parse", "--git-path", "FETCH_HEAD"); err == nil && heads.Len() > 0 {
		if !strings.HasPrefix(at, "/") {
			at = t.door.Grant.Dir + "/" + at
		}
		if err := os.WriteFile(at, []byte(heads.String()), 0o644); err != nil {
			return t.fail("fetch", err)
		}
	}
	code := t.show(a)
	if v.Route != guard.Pull {
		return code
	}
	name := t.door.Grant.Branch
	if len(v.Refs) > 0 {
		name = v.Refs[0]
	}
	if a.Refs[name] == "" {
		return t.fail("pull", fmt.Errorf("%s has no branch %s", remote, name))
	}
	t.Dir = t.door.Grant.Dir
	return t.exec(append(append([]string{"merge"}, v.Args...), "refs/remotes/"+remote+"/"+name), v.Env)
}

// takeIn reads a bundle of a fetch, which may be empty.
func (t *tool) takeIn(env []string, bundle io.Reader) error {
	f, err := os.CreateTemp("", "fetch-*.bundle")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	n, err := io.Copy(f, bundle)
	if err := errors.Join(err, f.Close()); err != nil || n == 0 {
		return err
	}
	_, err = t.git(env, "bundle", "unbundle", f.Name())
	return err
}

func (t *tool) updateRefs(env []string, lines string) error {
	cmd := exec.CommandContext(t.ctx, t.door.Git, "update-ref", "-z", "--stdin")
	cmd.Dir, cmd.Env, cmd.Stdin = t.door.Grant.Dir, env, strings.NewReader(lines)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("update the remote's branches: %s", bytes.TrimSpace(out))
	}
	return nil
}
