package guard

import (
	"fmt"
	"slices"
	"strings"
)

// Intent is what a task run was started for.
type Intent string

// The intents (AGENT_MODE).
const (
	Work   Intent = "work"
	ActPR  Intent = "act-pr"
	Review Intent = "review"
)

// Grant is what one run may do with git and GitHub.
type Grant struct {
	Intent Intent   `json:"intent"`
	Dir    string   `json:"dir"`              // the checkout as the agent sees it, absolute, symlinks resolved
	Remote string   `json:"remote,omitempty"` // name of the one remote, "origin"
	Branch string   `json:"branch,omitempty"` // the one branch that may be pushed, without refs/heads/
	Repo   string   `json:"repo,omitempty"`   // "OWNER/NAME" or "HOST/OWNER/NAME" on GitHub; "" where the remote's address does not tell: gh finds it then
	PR     int      `json:"pr,omitempty"`     // number of the run's pull request; 0: not known, a review may write to any: the first one is the run's (Verdict.PR)
	Env    []string `json:"env,omitempty"`    // "K=V" that the host itself gave the agent: these pass whatever they are
}

// Call is one command line, as the program would get it.
type Call struct {
	Args []string // without the program's name
	Env  []string // "K=V"
	Dir  string   // working folder, symlinks resolved
	// Real resolves the symlinks of an absolute path; nil takes paths as they are written.
	Real func(path string) string
}

// Route is who executes a command line.
type Route string

// The routes.
const (
	Denied    Route = "denied"
	Local     Route = "local"     // the real git, here, with Verdict.Args and Verdict.Env
	Elsewhere Route = "elsewhere" // not about the run's checkout (a test's own repository): the real git as it was called
	Told      Route = "told"      // answered with Verdict.Why, nothing is executed
	Push      Route = "push"      // the host pushes Grant.Branch
	Fetch     Route = "fetch"     // the host fetches; Verdict.Refs
	Pull      Route = "pull"      // the same, then the real git merges with Verdict.Args
	OnGitHub  Route = "gh"        // the host's gh, with Verdict.Args and Verdict.Stdin
)

// Verdict says what becomes of a command line.
type Verdict struct {
	Route    Route
	Why      string   // Denied: one sentence with what is allowed instead; Told: the answer
	Args     []string // rendered from what was understood
	Env      []string // Local: the environment to use
	Stdin    []byte   // OnGitHub
	PR       int      // OnGitHub: the number of the pull request that is written to; 0: none is, or it is named by its branch
	Refs     []string // Fetch and Pull: branches asked for; none: all
	Source   string   // Push: what is pushed, "HEAD" or the branch
	Unpushed bool     // Local: only where the newest commit was made by this run and not pushed yet (commit --amend)
	Upstream bool     // Push: -u was given
}

// denied is a refusal with its reason.
func denied(format string, args ...any) Verdict {
	return Verdict{Route: Denied, Why: fmt.Sprintf(format, args...)}
}

// intents is a set of intents.
type intents []Intent

func anyIntent() intents { return intents{Work, ActPR, Review} }
func editing() intents   { return intents{Work, ActPR} }

func (in intents) has(i Intent) bool { return slices.Contains(in, i) }

// noun is how a run is called in sentences.
func (g Grant) noun() string {
	switch g.Intent {
	case ActPR:
		return "an act-pr run"
	case Review:
		return "a review"
	}
	return "a work run"
}

// allowed names what git may do for the grant.
func (g Grant) allowed() string {
	names := []string{"status", "diff", "log", "show"}
	if editing().has(g.Intent) {
		names = append(names, "add", "commit", "mv", "rm", "restore")
	}
	if g.Intent == ActPR {
		names = append(names, "fetch", "merge", "pull", "push")
	}
	return "git " + strings.Join(names, ", ") + " and what only reads"
}
