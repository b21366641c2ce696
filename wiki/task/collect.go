package task

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Wanted is what the collector is asked for. It travels as one argument in JSON.
type Wanted struct {
	Git    string `json:"git"` // absolute path of the program as it is seen inside
	Branch string `json:"branch"`
	Start  string `json:"start"` // commits that need not come: where the agent began
	Main   string `json:"main"`
	// Refs are those that the clone began with, by full name.
	Refs map[string]string `json:"refs"`
}

// Left is what an agent left in its checkout, as the collector tells it from inside the sandbox: a report, to be believed no more than the agent.
type Left struct {
	Head       string   `json:"head"`       // what is checked out: "refs/heads/task/x", or a commit
	Elsewhere  int      `json:"elsewhere"`  // commits that Head has and the branch has not
	Moved      []string `json:"moved"`      // refs that were moved back or are gone, a clause each
	Dirty      []string `json:"dirty"`      // paths with work that is not committed, at most maxDirty
	Unfinished string   `json:"unfinished"` // an operation that was begun: "merge", "rebase" …
	DiffBytes  int64    `json:"diffBytes"`
	Bundle     int64    `json:"bundle"` // bytes; 0: nothing new on the branch

	Diff []byte `json:"-"` // of what is not committed, as git prints it; cut at maxDiff
}

// Bounds of a report, in paths and bytes.
const (
	maxDirty = 200
	maxDiff  = 4 << 20
	maxLeft  = 1 << 20
)

// Collect is the collector: our own program, started inside a sandbox in the checkout once the agent has gone. It writes a line with [Left], then the diff,
// then the bundle. That the agent's configuration speaks to this git does no harm: it stays inside.
func Collect(ctx context.Context, want Wanted, out io.Writer) error {
	tmp, err := os.MkdirTemp("", "rig-collect-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	in := collector{ctx: ctx, want: want, tmp: tmp}
	left, err := in.left()
	if err != nil {
		return err
	}
	bundle := filepath.Join(tmp, "bundle")
	if err := in.bundle(bundle); err != nil {
		return err
	}
	if fi, err := os.Stat(bundle); err == nil {
		left.Bundle = fi.Size()
	}
	left.DiffBytes = int64(len(left.Diff))
	line, err := json.Marshal(left)
	if err != nil {
		return err
	}
	if _, err := out.Write(append(append(line, '\n'), left.Diff...)); err != nil {
		return err
	}
	if left.Bundle == 0 {
		return nil
	}
	f, err := os.Open(bundle)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(out, f)
	return err
}

// ReadLeft reads what a collector wrote, up to its bundle, which is what remains in r.
func ReadLeft(r *bufio.Reader) (Left, error) {
	var l Left
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxLeft {
			return l, errors.New("read what the agent left: the report is too long")
		}
		if err == nil {
			break
		}
		if err != bufio.ErrBufferFull {
			return l, fmt.Errorf("read what the agent left: %w", err)
		}
	}
	if err := json.Unmarshal(line, &l); err != nil {
		return l, fmt.Errorf("read what the agent left: %w", err)
	}
	if l.DiffBytes < 0 || l.DiffBytes > maxDiff || l.Bundle < 0 {
		return l, errors.New("read what the agent left: impossible sizes")
	}
	l.Diff = make([]byte, l.DiffBytes)
	if _, err := io.ReadFull(r, l.Diff); err != nil {
		return l, fmt.Errorf("read what the agent left: %w", err)
	}
	return l, nil
}

// collector is a collector at work.
type collector struct {
	ctx  context.Context
	want Wanted
	tmp  string
}

// git runs git in the checkout. Hooks and file system monitors are off so that nothing holds the collector up.
func (in collector) git(env []string, args ...string) (string, error) {
	cmd := exec.CommandContext(in.ctx, in.want.Git, append([]string{"-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false", "-c", "gc.auto=0",
		"-c", "core.pager=cat", "-c", "diff.external=", "-c", "commit.gpgSign=false", "--no-pager"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C")
	cmd.Env = append(cmd.Env, env...)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		return "", &gitError{args[0], lastLine(said.String()), err}
	}
	return out.String(), nil
}

// word runs git for one word; an error is no word.
func (in collector) word(args ...string) string {
	out, err := in.git(nil, args...)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(out)
}

// left looks at refs and tree.
func (in collector) left() (Left, error) {
	l := Left{Head: in.word("symbolic-ref", "--quiet", "HEAD")}
	if l.Head == "" {
		l.Head = in.word("rev-parse", "--verify", "--quiet", "HEAD")
	}
	branch := "refs/heads/" + in.want.Branch
	if n := in.word("rev-list", "--count", "HEAD", "--not", branch); n != "" && l.Head != branch {
		fmt.Sscan(n, &l.Elsewhere)
	}
	for _, ref := range sorted(in.want.Refs) {
		if why := in.moved(ref, in.want.Refs[ref]); why != "" {
			l.Moved = append(l.Moved, why)
		}
	}
	for file, what := range map[string]string{"MERGE_HEAD": "merge", "rebase-merge": "rebase", "rebase-apply": "rebase", "CHERRY_PICK_HEAD": "cherry-pick", "REVERT_HEAD": "revert"} {
		if _, err := os.Lstat(filepath.Join(".git", file)); err == nil {
			l.Unfinished = what
		}
	}
	return l, in.dirty(&l)
}

// moved is how a ref moved back, "" where it did not.
func (in collector) moved(ref, was string) string {
	now := in.word("rev-parse", "--verify", "--quiet", "--end-of-options", ref)
	switch {
	case now == was:
		return ""
	case now == "":
		return ref + " was deleted"
	case !strings.HasPrefix(ref, "refs/heads/") && !strings.HasPrefix(ref, "refs/remotes/"):
		return ref + " was changed"
	}
	if _, err := in.git(nil, "merge-base", "--is-ancestor", was, now); err != nil {
		return ref + " was moved back or rewritten"
	}
	return ""
}

// dirty gathers work that is not committed, new files too, by an index of its own.
func (in collector) dirty(l *Left) error {
	index := []string{"GIT_INDEX_FILE=" + filepath.Join(in.tmp, "index")}
	tree := in.word("rev-parse", "--verify", "--quiet", "HEAD^{tree}")
	if tree == "" {
		return nil // no commit is checked out: the branch's own judge says what is wrong
	}
	if _, err := in.git(index, "read-tree", tree); err != nil {
		return nil // a tree that git refuses is its commit's fault, which is judged outside
	}
	if _, err := in.git(index, "add", "--all", "--ignore-errors"); err != nil {
		l.Dirty = append(l.Dirty, "a file that cannot be read") // what else there is follows
	}
	names, err := in.git(index, "diff-index", "--cached", "--name-only", "-z", "--no-renames", tree)
	if err != nil {
		return fmt.Errorf("look for work that is not committed: %w", err)
	}
	l.Dirty = append(l.Dirty, slices.DeleteFunc(strings.Split(names, "\x00"), func(s string) bool { return s == "" })...)
	if len(l.Dirty) == 0 {
		return nil
	}
	l.Dirty = l.Dirty[:min(len(l.Dirty), maxDirty)]
	text, err := in.git(index, "diff-index", "--cached", "-p", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--src-prefix=a/", "--dst-prefix=b/", tree)
	if err != nil {
		return fmt.Errorf("print the work that is not committed: %w", err)
	}
	l.Diff = []byte(text)[:min(len(text), maxDiff)]
	return nil
}

// bundle writes what the branch has that was not there at the start; nothing where that is nothing.
func (in collector) bundle(file string) error {
	branch := "refs/heads/" + in.want.Branch
	tip := in.word("rev-parse", "--verify", "--quiet", "--end-of-options", branch)
	if tip == "" || tip == in.want.Start {
		return nil
	}
	known := []string{in.want.Start, in.want.Main}
	count := in.word(append([]string{"rev-list", "--count", branch, "--not"}, known...)...)
	if count == "0" { // moved back, or to what others have: nothing to pack, but to be judged
		known = nil
	}
	args := []string{"bundle", "create", "--quiet", file, branch}
	if known != nil {
		args = append(append(args, "--not"), known...)
	}
	if _, err := in.git(nil, args...); err != nil {
		return fmt.Errorf("pack the commits: %w", err)
	}
	return nil
}
