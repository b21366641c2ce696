package inside

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/rigwiki/rig/adapters/guard"
)

// Process is what a program has of its process.
type Process struct {
	Args     []string // without the program's name
	Env      []string
	Dir      string
	In       io.Reader
	Out, Err io.Writer
}

// tool is one command line at work.
type tool struct {
	Process
	ctx  context.Context
	door Door
	http *http.Client
}

// Git is the git of a run; it returns the exit status.
func Git(ctx context.Context, p Process) int {
	t, err := newTool(ctx, p)
	if err != nil {
		return t.withoutDoor(err)
	}
	v := guard.Git(t.door.Grant, guard.Call{Args: p.Args, Env: t.gitVars(), Dir: real(p.Dir), Real: real})
	switch v.Route {
	case guard.Told:
		fmt.Fprintln(t.Out, v.Why)
		return 0
	case guard.Local:
		return t.local(v)
	case guard.Elsewhere:
		return t.exec(p.Args, t.rest(p.Env))
	case guard.Push:
		return t.push(v)
	case guard.Fetch, guard.Pull:
		return t.fetch(v)
	}
	_, _ = t.ask(Ask{Program: "git"}, nil, nil) // so that the run's record has it; what it answers is known
	fmt.Fprintln(t.Err, "rig: "+v.Why)
	return 128
}

// real is a path without symbolic links, as the broker knows the checkout.
func real(path string) string {
	if at, err := filepath.EvalSymlinks(path); err == nil {
		return at
	}
	return path
}

// GH is the gh of a run; it returns the exit status. Files that arguments name are read here and sent along.
func GH(ctx context.Context, p Process) int {
	t, err := newTool(ctx, p)
	if err != nil {
		fmt.Fprintln(p.Err, "rig: gh:", err)
		return 1
	}
	texts := map[string][]byte{}
	v := guard.GitHub(t.door.Grant, p.Args, func(name string) ([]byte, error) {
		b, err := t.readText(name)
		if err == nil {
			texts[name] = b
		}
		return b, err
	})
	if v.Route == guard.Told {
		fmt.Fprintln(t.Out, v.Why)
		return 0
	}
	a, err := t.ask(Ask{Program: "gh", Texts: texts}, nil, nil)
	if v.Route == guard.Denied {
		fmt.Fprintln(t.Err, "rig: "+v.Why)
		return 1
	}
	if err != nil {
		fmt.Fprintln(t.Err, "rig: gh:", err)
		return 1
	}
	return t.show(a)
}

func newTool(ctx context.Context, p Process) (*tool, error) {
	t := &tool{Process: p, ctx: ctx, http: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}} // no proxy: the address is this machine's
	raw := lookup(p.Env, EnvName)
	if raw == "" {
		return t, errors.New("this is the one of a task run, and " + EnvName + " is not set")
	}
	if err := json.Unmarshal([]byte(raw), &t.door); err != nil {
		return t, fmt.Errorf("read %s: %w", EnvName, err)
	}
	return t, nil
}

// withoutDoor is for a shell that lost its environment: the real git is started as it is. It can do nothing that the sandbox does not let it.
func (t *tool) withoutDoor(err error) int {
	dirs := append(filepath.SplitList(lookup(t.Env, "PATH")), "/run/rig-tools")
	for _, dir := range dirs {
		at := filepath.Join(dir, ".real", "git")
		if _, e := os.Stat(at); e == nil {
			t.door.Git = at
			return t.exec(t.Args, t.Env)
		}
	}
	fmt.Fprintln(t.Err, "rig: git:", err)
	return 128
}

// gitVars are the variables of the environment that say something to git.
func (t *tool) gitVars() []string { return t.rest(t.Env) }

// rest is an environment without our own variable.
func (t *tool) rest(env []string) []string {
	var out []string
	for _, kv := range env {
		if !strings.HasPrefix(kv, EnvName+"=") {
			out = append(out, kv)
		}
	}
	return out
}

// local runs the real git.
func (t *tool) local(v guard.Verdict) int {
	if v.Unpushed {
		if why := t.pushed(v.Env); why != "" {
			fmt.Fprintln(t.Err, "rig: git commit --amend: "+why+"; make a new commit")
			return 128
		}
	}
	return t.exec(v.Args, v.Env)
}

// pushed tells why the newest commit may not be changed, or "".
func (t *tool) pushed(env []string) string {
	head, err := t.git(env, "rev-parse", "--verify", "-q", "HEAD")
	if err != nil {
		return "" // no commit yet: git says so itself
	}
	if head == t.door.Start {
		return "the newest commit was there before this run"
	}
	if there, err := t.git(env, "for-each-ref", "--contains", head, "--format=%(refname)", "refs/remotes"); err != nil || there != "" {
		return "the newest commit is at the remote already"
	}
	return ""
}

// show prints what the broker's program printed.
func (t *tool) show(a Answer) int {
	t.Out.Write(a.Out)
	t.Err.Write(a.Err)
	return a.Code
}

// maxText bounds a file that is sent along, in bytes.
const maxText = 1 << 20

func (t *tool) readText(name string) ([]byte, error) {
	var r io.Reader = t.In
	if name != "-" {
		if !filepath.IsAbs(name) {
			name = filepath.Join(t.Dir, name)
		}
		f, err := os.Open(name)
		if err != nil {
			return nil, errors.Unwrap(err)
		}
		defer f.Close()
		r = f
	}
	b, err := io.ReadAll(io.LimitReader(r, maxText+1))
	if err == nil && len(b) > maxText {
		err = fmt.Errorf("it has more than %d bytes", maxText)
	}
	return b, err
}

// ask sends a request, with a bundle where there is one, and hands what follows the answer to take.
func (t *tool) ask(a Ask, bundle io.Reader, take func(io.Reader) error) (Answer, error) {
	a.Args, a.Dir = t.Args, real(t.Dir)
	for _, kv := range t.Env {
		if strings.HasPrefix(kv, "GIT_") {
			a.Env = append(a.Env, kv)
		}
	}
	var head bytes.Buffer
	if err := WriteHead(&head, a); err != nil {
		return Answer{}, err
	}
	var body io.Reader = &head
	if bundle != nil {
		body = io.MultiReader(&head, bundle)
	}
	req, err := http.NewRequestWithContext(t.ctx, http.MethodPost, t.door.URL, body)
	if err != nil {
		return Answer{}, err
	}
	req.Header.Set("Content-Type", "application/octet-stream")
	res, err := t.http.Do(req)
	if err != nil {
		return Answer{}, fmt.Errorf("ask the host: %w", err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		said, _ := io.ReadAll(io.LimitReader(res.Body, 1000))
		return Answer{}, fmt.Errorf("the host does not answer: %s: %s", res.Status, strings.TrimSpace(string(said)))
	}
	var ans Answer
	if err := ReadHead(res.Body, &ans); err != nil {
		return ans, fmt.Errorf("read the host's answer: %w", err)
	}
	if take != nil && ans.Code == 0 {
		return ans, take(res.Body)
	}
	return ans, nil
}

func lookup(env []string, name string) string {
	v := ""
	for _, kv := range env {
		if rest, ok := strings.CutPrefix(kv, name+"="); ok {
			v = rest
		}
	}
	return v
}
