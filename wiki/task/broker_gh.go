package task

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/rigwiki/rig/adapters/guard"
	"github.com/rigwiki/rig/wiki/task/inside"
)

// gh runs the user's own gh with arguments that the guard rendered.
func (b *Broker) gh(ctx context.Context, v guard.Verdict) (inside.Answer, Crossing) {
	program, err := findProgram(b.o.Env, "gh")
	if err != nil {
		why := "gh is not installed on this machine"
		return inside.Answer{Code: 127, Err: []byte("rig: " + why + "\n")}, Crossing{Why: why}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, time.Minute, errors.New("gh took longer than a minute"))
	defer cancel()
	cmd := exec.CommandContext(ctx, program, v.Args...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.WaitDelay = b.o.Checkout.Repo.Top, b.ghEnv(), bytes.NewReader(v.Stdin), 2*time.Second
	ownSession(cmd)
	out, said := &capped{left: maxAnswer}, &capped{left: 64 << 10}
	cmd.Stdout, cmd.Stderr = out, said
	err = cmd.Run()
	hide := b.hideSecrets()
	ans := inside.Answer{Out: []byte(hide.Replace(out.String())), Err: []byte(hide.Replace(said.String()))}
	if out.cut {
		ans.Err = fmt.Appendf(ans.Err, "rig: the answer was cut after %d bytes: ask for less\n", maxAnswer)
	}
	did := "ran gh " + strings.Join(v.Args, " ")
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		why := context.Cause(ctx).Error()
		return inside.Answer{Code: 1, Err: []byte("rig: " + why + "\n")}, Crossing{Why: why}
	case errors.As(err, &exit):
		ans.Code = max(exit.ExitCode(), 1)
		return ans, Crossing{Did: did, Why: fmt.Sprintf("gh ended with %d", ans.Code)}
	case err != nil:
		return inside.Answer{Code: 127, Err: []byte("rig: gh: " + err.Error() + "\n")}, Crossing{Why: err.Error()}
	}
	return ans, Crossing{Did: did}
}

// ghEnv is the user's environment for gh: their credentials, but nothing that shows more, asks somebody or starts another program.
func ghEnv(user []string) []string {
	drop := []string{"GH_REPO", "GH_HOST", "GH_DEBUG", "DEBUG", "GH_FORCE_TTY", "CLICOLOR_FORCE", "GH_PAGER", "PAGER", "GH_EDITOR", "EDITOR", "VISUAL", "GH_BROWSER", "BROWSER", "GH_PATH", "GH_MDWIDTH"}
	var env []string
	for _, kv := range user {
		name, _, _ := strings.Cut(kv, "=")
		if !strings.HasPrefix(name, "GIT_") && !slices.Contains(drop, name) {
			env = append(env, kv)
		}
	}
	return append(env, "GH_PAGER=cat", "GH_EDITOR=false", "GH_BROWSER=false", "GH_PROMPT_DISABLED=1", "GH_NO_UPDATE_NOTIFIER=1", "GH_NO_EXTENSION_UPDATE_NOTIFIER=1",
		"GH_SPINNER_DISABLED=1", "NO_COLOR=1", "GIT_TERMINAL_PROMPT=0")
}

// ghEnv names the run's server besides: without it `gh api` asks the only one that the user is logged in at, which may be another.
func (b *Broker) ghEnv() []string {
	env := ghEnv(b.o.Env)
	if parts := strings.Split(b.o.Grant.Repo, "/"); len(parts) == 3 {
		env = append(env, "GH_HOST="+parts[0])
	}
	return env
}

// hideSecrets replaces the tokens that gh has by environment, should an answer ever hold one.
func (b *Broker) hideSecrets() *strings.Replacer {
	var pairs []string
	for _, name := range []string{"GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"} {
		if v := lookup(b.o.Env, name); len(v) > 7 {
			pairs = append(pairs, v, "***")
		}
	}
	return strings.NewReplacer(pairs...)
}

// GitHubName is the repository's name on GitHub, "HOST/OWNER/NAME", as its remote's address has it, an alias of the user's ssh
// configuration resolved; "" where the address is of another kind: gh finds the repository itself then.
func (r *Repo) GitHubName(ctx context.Context) string {
	raw := r.remoteURL(ctx)
	name := gitHubName(raw)
	if name == "" || strings.HasPrefix(raw, "http") {
		return name
	}
	host, rest, _ := strings.Cut(name, "/")
	if host = sshHost(lookup(r.git.env, "HOME"), host); !strings.Contains(host, ".") {
		return "" // an alias that is explained somewhere else
	}
	return gitHubName("ssh://git@" + host + "/" + rest)
}

// GitHubName is the name of the repository that a pull request is in, as its address has it; "" for none.
func (p PullRequest) GitHubName() string {
	repo, _, _ := strings.Cut(p.URL, "/pull/")
	return gitHubName(repo)
}

// gitHubName reads "https://HOST/OWNER/NAME(.git)", "ssh://git@HOST/OWNER/NAME" and "git@HOST:OWNER/NAME".
func gitHubName(raw string) string {
	host, path := "", ""
	if u, err := url.Parse(raw); err == nil && u.Host != "" {
		if u.Scheme != "https" && u.Scheme != "ssh" && u.Scheme != "http" {
			return ""
		}
		host, path = u.Hostname(), u.Path
	} else if user, rest, ok := strings.Cut(raw, "@"); ok && !strings.ContainsAny(user, "/:") {
		host, path, _ = strings.Cut(rest, ":")
	}
	path = strings.TrimSuffix(strings.Trim(path, "/"), ".git")
	owner, name, ok := strings.Cut(path, "/")
	if host == "" || !ok || owner == "" || name == "" || strings.Contains(name, "/") || strings.ContainsAny(host+path, " \t\n%?#") {
		return ""
	}
	if host == "ssh.github.com" {
		host = "github.com"
	}
	return host + "/" + owner + "/" + name
}
