package wiki

import (
	"slices"

	"github.com/rigwiki/rig/adapters"
)

// Op is what one operation may do.
type Op struct {
	Name   string
	Writes bool // changes become a proposal; elsewhere any change is refused (rule read-only)
	Mode   adapters.Mode
	Grant  adapters.Grant
	// Fallback names what answers where the configured agent cannot run: any usable agent, then builtin. Without it the run ends with exit 20.
	Fallback bool
	Marker   string // line that the agent is asked to end with, "" for none
	Title    string // of the run, before its subject
	Task     bool   // about a task file of a git repository: the agent works in a checkout, and what it made is commits
}

// Ops are the operations that run an agent, in the order in which menus show them.
func Ops() []Op {
	read := adapters.Grant{Commands: []string{"qmd"}}
	write := adapters.Grant{Write: true, Commands: []string{"qmd"}}
	local := []string{"git add", "git commit", "git status", "git diff"}
	rewriting := []string{"git rebase", "git push --force", "git push -f", "git push --force-with-lease", "git push --mirror", "git push --delete", "git push --prune"}
	work := adapters.Grant{Write: true, Commands: local, Denied: append([]string{"git push"}, rewriting...)}
	actPR := adapters.Grant{Write: true, Commands: slices.Concat(local, []string{"git fetch", "git merge", "gh pr view", "gh pr diff", "gh api"}), Exact: pushLines("origin", ""), Denied: rewriting}
	review := adapters.Grant{Commands: []string{"git status", "git diff", "git log", "git show", "gh pr view", "gh pr diff", "gh pr review", "gh pr comment"}}
	return []Op{
		{Name: "ingest", Writes: true, Mode: adapters.Work, Grant: write, Marker: "INGEST DONE:", Title: "ingest"},
		{Name: "query", Mode: adapters.Review, Grant: read, Fallback: true, Title: "query"},
		{Name: "lint", Mode: adapters.Review, Grant: read, Fallback: true, Title: "lint"},
		{Name: "fetch", Writes: true, Mode: adapters.Work, Grant: adapters.Grant{Write: true, Web: true}, Title: "fetch"}, // in an empty folder of its own
		{Name: "work", Writes: true, Mode: adapters.Work, Grant: work, Task: true, Title: "work on"},
		{Name: "act-pr", Writes: true, Mode: adapters.ActPR, Grant: actPR, Task: true, Title: "act on the PR of"},
		{Name: "review", Mode: adapters.Review, Grant: review, Task: true, Title: "review"},
	}
}

// pushLines are the spellings of a push that vendors' rules let through, whole: behind a prefix `git push` each of them also lets through what rewrites or
// deletes (-uf, :main, --mirror, quotes). branch is "" where it is not known; then HEAD stands for it.
func pushLines(remote, branch string) []string {
	lines := []string{"git push", "git push -q", "git push " + remote}
	for _, ref := range []string{"HEAD", branch} {
		if ref == "" {
			continue
		}
		for _, how := range []string{"", "-q ", "-u ", "--set-upstream "} {
			lines = append(lines, "git push "+how+remote+" "+ref)
		}
	}
	for _, l := range slices.Clone(lines) {
		lines = append(lines, l+" 2>&1") // agents end commands so
	}
	return lines
}

// FindOp returns the operation called name.
func FindOp(name string) (Op, bool) {
	for _, o := range Ops() {
		if o.Name == name {
			return o, true
		}
	}
	return Op{}, false
}
