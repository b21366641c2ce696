package adaptertest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rigwiki/rig/adapters"
)

// A Report is what one run gave.
type Report struct {
	adapters.Outcome
	Events   []adapters.Event
	Code     int  // exit status, -1 where a signal ended it
	TimedOut bool // the request's Timeout ended it
	Stdout   []byte
	Stderr   []byte
}

// Do plans and runs one request without any sandbox, in the environment that the host would give: the agent's own rules are all that
// holds it. Cwd is r.Cwd, HOME is r.Env.Home.
func Do(t testing.TB, a adapters.Adapter, r adapters.Request) Report {
	t.Helper()
	inv, err := a.Plan(r)
	if err != nil {
		t.Errorf("plan: %v", err)
		return Report{}
	}
	limit := r.Timeout
	if limit == 0 {
		limit = time.Minute
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := command(t, ctx, inv, r)
	stream := pipes{Writer: io.Discard}
	talk := a.Converse
	if inv.TwoWay {
		talk, cmd.Stdin = inv.Talk, nil
		if stream.Writer, err = cmd.StdinPipe(); err != nil {
			t.Fatal(err)
		}
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var rep Report
	var stdout, stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Errorf("start %s: %v", inv.Argv[0], err)
		return Report{}
	}
	tee := io.TeeReader(out, &stdout)
	stream.Reader = tee
	rep.Outcome = talk(ctx, stream, func(e adapters.Event) { rep.Events = append(rep.Events, e) })
	rep.TimedOut = ctx.Err() != nil
	if inv.TwoWay {
		cancel() // a bridge waits for the next turn: the run is over
	}
	_, _ = io.Copy(io.Discard, tee) // what comes after the terminal event; the end of the process ends it
	err = cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		t.Logf("wait: %v", err)
	}
	rep.Denials = append(rep.Denials, adapters.StderrDenials(stderr.Bytes())...)
	if !rep.TimedOut {
		rep.NeverBegan(a.Name(), stderr.Bytes())
	}
	rep.Code, rep.Stdout, rep.Stderr = cmd.ProcessState.ExitCode(), stdout.Bytes(), stderr.Bytes()
	return rep
}

// pipes are a program's stdout and stdin.
type pipes struct {
	io.Reader
	io.Writer
}

func command(t testing.TB, ctx context.Context, inv adapters.Invocation, r adapters.Request) *exec.Cmd {
	t.Helper()
	files := t.TempDir()
	for name, b := range inv.Files {
		file := filepath.Join(files, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	in := func(s string) string { return strings.ReplaceAll(s, "{files}", files) }
	argv := make([]string, len(inv.Argv))
	for i, s := range inv.Argv {
		argv[i] = in(s)
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = r.Cwd
	cmd.Env = environment(inv, r.Env)
	for i, kv := range cmd.Env {
		cmd.Env[i] = in(kv)
	}
	cmd.Stdin = bytes.NewReader(inv.Stdin)
	cmd.WaitDelay = 2 * time.Second
	endTree(cmd)
	return cmd
}

// environment is what the host gives: an allow-list, what the vendor needs of the user's own, then the plan's.
func environment(inv adapters.Invocation, env adapters.Env) []string {
	vars := map[string]string{"HOME": env.Home, "LANG": "C.UTF-8", "TERM": "dumb"}
	for _, kv := range env.Vars {
		name, value, _ := strings.Cut(kv, "=")
		for _, pass := range append([]string{"PATH", "TMPDIR"}, inv.Pass...) {
			if ok, err := path.Match(pass, name); ok && err == nil {
				vars[name] = value
			}
		}
	}
	for _, kv := range inv.Env {
		name, value, _ := strings.Cut(kv, "=")
		vars[name] = value
	}
	list := make([]string, 0, len(vars))
	for name, value := range vars {
		list = append(list, name+"="+value)
	}
	return list
}

// Fake writes an executable shell script that stands in for an agent's program and returns its path.
func Fake(t testing.TB, dir, name, script string) string {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}

// FakeDirectory writes a directory adapter below rigHome whose run is the script, and returns its name's folder.
func FakeDirectory(t testing.TB, rigHome, name, run string) string {
	t.Helper()
	dir := filepath.Join(rigHome, "adapters", name)
	Fake(t, dir, "run", run)
	Fake(t, dir, "wire", "exit 0\n")
	return dir
}
