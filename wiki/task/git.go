package task

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Git is the user's git program. It only ever runs in repositories of the user or of ours, never where an agent could write.
type Git struct {
	path string
	env  []string // the user's
}

// ErrNoGit says that there is no git program on PATH.
var ErrNoGit = errors.New("git is not installed")

// FindGit finds git on the PATH of an environment ("K=V" as os.Environ gives).
func FindGit(env []string) (*Git, error) {
	path, err := findProgram(env, "git")
	if err != nil {
		return nil, ErrNoGit
	}
	return &Git{path: path, env: env}, nil
}

// findProgram finds a program on the PATH of an environment, in absolute folders only: what has its name in the working folder is not the user's.
func findProgram(env []string, name string) (string, error) {
	for _, dir := range filepath.SplitList(lookup(env, "PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s: %w", name, exec.ErrNotFound)
}

// call is one start of git.
type call struct {
	dir   string // "" needs none
	args  []string
	stdin io.Reader
	limit int64 // of stdout, in bytes; 0: maxOutput
	// user lets the user's own configuration and credentials count: to fetch, and to learn who they are. Elsewhere git sees the repository's alone.
	user bool
	env  []string  // "K=V" added to the environment
	said io.Writer // gets standard error as well
}

// maxOutput bounds what git may print, in bytes.
const maxOutput = 256 << 20

// run starts git and gives its standard output. It asks nobody: no terminal, no askpass.
func (g *Git) run(ctx context.Context, c call) ([]byte, error) {
	cmd := exec.CommandContext(ctx, g.path, append(neutral(), c.args...)...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.WaitDelay = c.dir, append(g.environ(c.user), c.env...), c.stdin, 2*time.Second
	ownSession(cmd)
	limit := c.limit
	if limit == 0 {
		limit = maxOutput
	}
	out, said := &capped{left: limit}, &capped{left: 64 << 10}
	cmd.Stdout, cmd.Stderr = out, said
	if c.said != nil {
		cmd.Stderr = io.MultiWriter(said, c.said)
	}
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("git %s: %w", c.args[0], context.Cause(ctx))
	case err != nil:
		return nil, &gitError{c.args[0], lastLine(said.String()), err}
	case out.cut:
		return nil, fmt.Errorf("git %s: more than %d bytes of output", c.args[0], limit)
	}
	return out.Bytes(), nil
}

// gitError is what git had to say.
type gitError struct {
	verb, said string
	err        error
}

func (e *gitError) Error() string {
	if e.said == "" {
		return fmt.Sprintf("git %s: %v", e.verb, e.err)
	}
	return fmt.Sprintf("git %s: %s", e.verb, e.said)
}

func (e *gitError) Unwrap() error { return e.err }

// line runs git and gives its output without the last line break.
func (g *Git) line(ctx context.Context, dir string, args ...string) (string, error) {
	out, err := g.run(ctx, call{dir: dir, args: args})
	return strings.TrimRight(string(out), "\n"), err
}

// neutral switches off what a repository's configuration could start, and what would work behind our back.
func neutral() []string {
	return []string{
		"-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "core.attributesFile=/dev/null", "-c", "core.askPass=",
		"-c", "protocol.ext.allow=never", "-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "safe.directory=*", "-c", "advice.detachedHead=false",
		"-c", "core.quotePath=false", "-c", "core.commitGraph=false", "-c", "log.showSignature=false", "-c", "submodule.recurse=false", "--no-pager",
	}
}

// environ is git's whole environment. Without the user's configuration only what names places and languages is passed on.
func (g *Git) environ(user bool) []string {
	var env []string
	for _, kv := range g.env {
		name, _, _ := strings.Cut(kv, "=")
		if strings.HasPrefix(name, "GIT_") && !slices.Contains(userVars(), name) || name == "SSH_ASKPASS" {
			continue // GIT_DIR and its like would lead elsewhere
		}
		if user || slices.Contains([]string{"PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "SYSTEMROOT"}, name) {
			env = append(env, kv)
		}
	}
	env = append(env, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "SSH_ASKPASS=", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_REPLACE_OBJECTS=1", "GIT_PROTOCOL_FROM_USER=0",
		"GIT_ADVICE=0", "GIT_NO_LAZY_FETCH=1", "GIT_EDITOR=false", "GIT_SEQUENCE_EDITOR=false")
	if user {
		return append(env, "GIT_ALLOW_PROTOCOL=file:git:http:https:ssh")
	}
	return append(env, "GIT_ALLOW_PROTOCOL=file", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_ATTR_NOSYSTEM=1")
}

// userVars are git's variables that say how the user reaches a remote and who the user is; they count where the user's configuration does.
func userVars() []string {
	return []string{"GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "GIT_SSL_CERT", "GIT_SSL_KEY", "GIT_PROXY_COMMAND",
		"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"}
}

// capped keeps the first bytes of a stream and drops the rest.
type capped struct {
	bytes.Buffer
	left int64
	cut  bool
}

func (c *capped) Write(p []byte) (int, error) {
	n := len(p)
	if int64(n) > c.left {
		p, c.cut = p[:c.left], true
	}
	c.left -= int64(len(p))
	c.Buffer.Write(p)
	return n, nil
}

func lookup(env []string, name string) string {
	for _, kv := range slices.Backward(env) {
		if k, v, ok := strings.Cut(kv, "="); ok && k == name {
			return v
		}
	}
	return ""
}

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	if i := strings.LastIndexByte(s, '\n'); i >= 0 {
		s = s[i+1:]
	}
	return strings.TrimSpace(s)
}
