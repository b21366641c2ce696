package task

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// PullRequest is what gh tells of one.
type PullRequest struct {
	Number  int    `json:"number"`
	URL     string `json:"url"`
	Title   string `json:"title"`
	State   string `json:"state"` // OPEN CLOSED MERGED
	Branch  string `json:"headRefName"`
	Base    string `json:"baseRefName"`
	Foreign bool   `json:"isCrossRepository"` // its branch is in somebody else's repository
}

// ErrNoPR says that gh knows no pull request, or that there is no gh.
var ErrNoPR = errors.New("no pull request is known")

// PullRequest asks the user's own gh, in the user's repository, for a pull request: by number, URL or branch. It is asked before the agent runs, within
// limit.
func (r *Repo) PullRequest(ctx context.Context, selector string, limit time.Duration) (PullRequest, error) {
	var pr PullRequest
	gh, err := findProgram(r.git.env, "gh")
	if err != nil {
		return pr, fmt.Errorf("%w: gh is not installed", ErrNoPR)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("gh did not answer within %s", limit))
	defer cancel()
	cmd := exec.CommandContext(ctx, gh, "pr", "view", "--json", "number,url,title,state,headRefName,baseRefName,isCrossRepository", "--", selector)
	cmd.Dir, cmd.WaitDelay = r.Top, 2*time.Second
	cmd.Env = ghEnv(r.git.env)
	ownSession(cmd)
	out, said := &capped{left: 1 << 20}, &capped{left: 64 << 10}
	cmd.Stdout, cmd.Stderr = out, said
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return pr, fmt.Errorf("%w: %w", ErrNoPR, context.Cause(ctx))
		}
		return pr, fmt.Errorf("%w: gh pr view: %s", ErrNoPR, lastLine(said.String()))
	}
	if err := json.NewDecoder(bytes.NewReader(out.Bytes())).Decode(&pr); err != nil {
		return pr, fmt.Errorf("%w: gh pr view: %w", ErrNoPR, err)
	}
	if pr.Branch == "" {
		return pr, fmt.Errorf("%w: gh names no branch for %s", ErrNoPR, selector)
	}
	return pr, nil
}

// PullNumber reads the number of a pull request of this repository from what a task names, a number or an address; 0 for anything else.
func (r *Repo) PullNumber(ctx context.Context, named string) int {
	number := named
	if repo, tail, ok := strings.Cut(named, "/pull/"); ok {
		if name := gitHubName(repo); name == "" || !strings.EqualFold(name, r.GitHubName(ctx)) {
			return 0
		}
		number, _, _ = strings.Cut(tail, "/")
	}
	n, err := strconv.ParseUint(number, 10, 31)
	if err != nil {
		return 0
	}
	return int(n)
}
