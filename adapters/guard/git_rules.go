package guard

import (
	"slices"
	"strings"
)

// gitRule is what one subcommand may do.
type gitRule struct {
	who   intents
	hint  string // what to do instead where the intent may not; a clause
	judge func(g Grant, h gitHeadline) Verdict
}

func (r gitRule) instead(g Grant) string {
	if r.hint == "" {
		return ""
	}
	return " (" + r.hint + ")"
}

// gitRules is the table of subcommands; what it does not name is denied.
func gitRules() map[string]gitRule {
	rules := map[string]gitRule{
		"add":      {editing(), "a review changes nothing", notWith("")},
		"commit":   {editing(), "a review changes nothing", judgeCommit},
		"mv":       {editing(), "a review changes nothing", notWith("")},
		"rm":       {editing(), "a review changes nothing", notWith("")},
		"restore":  {editing(), "a review changes nothing", notWith("")},
		"reset":    {editing(), "a review changes nothing", judgeReset},
		"checkout": {editing(), "a review changes nothing", judgeCheckout},
		"merge":    {intents{ActPR}, "only an act-pr run merges", judgeMerge},
		"push":     {intents{ActPR}, pushHint, judgePush},
		"fetch":    {intents{ActPR}, "the checkout is as new as it can be", judgeFetch},
		"pull":     {intents{ActPR}, "the checkout is as new as it can be", judgePull},

		"branch": {anyIntent(), "", only("--show-current --list -l -a --all -r --remotes -v -vv --verbose --contains: --no-contains: --merged? --no-merged? --points-at: --sort: --format: --color? --no-color --column? --no-column -i --ignore-case --abbrev? --no-abbrev",
			"git branch only lists here: the run stays on its own branch", restNeeds("--list", "-l", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"))},
		"tag":          {anyIntent(), "", only("-l --list -n? --contains: --no-contains: --merged? --no-merged? --points-at: --sort: --format: --color? --column? --no-column -i --ignore-case", "git tag only lists here", restNeeds("-l", "--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"))},
		"remote":       {anyIntent(), "", firstOf("git remote only lists here", "", "-v", "--verbose", "show -n", "get-url")},
		"config":       {anyIntent(), "", judgeConfig},
		"symbolic-ref": {anyIntent(), "", only("--short -q --quiet --no-recurse", "git symbolic-ref only reads here", atMost(1))},
		"worktree":     {anyIntent(), "", firstOf("git worktree only lists here", "list")},
		"stash":        {anyIntent(), "", firstOf("git stash only lists here: commit what is to stay", "list", "show")},
		"reflog":       {anyIntent(), "", firstOf("git reflog only shows here", "", "show", "-n", "HEAD")},
		"notes":        {anyIntent(), "", firstOf("git notes only shows here", "list", "show")},
		"submodule":    {anyIntent(), "", firstOf("git submodule only tells its status here", "status", "summary")},
		"bisect":       {anyIntent(), "", firstOf("git bisect only shows its log here", "log")},
		"version":      {anyIntent(), "", notWith("")},
	}
	for name, never := range readers() {
		rules[name] = gitRule{anyIntent(), "", notWith(never)}
	}
	return rules
}

// diffNever are the options of everything that shows a diff which write a file or start a program.
const diffNever = "--output --ext-diff --textconv -O"

// readers are subcommands that only read, with the options of each that do more. A long option is denied in every abbreviation.
func readers() map[string]string {
	return map[string]string{
		"status": "", "diff": diffNever, "log": diffNever + " --show-signature", "show": diffNever + " --show-signature", "whatchanged": diffNever, "range-diff": diffNever,
		"diff-tree": diffNever, "diff-index": diffNever, "diff-files": diffNever, "rev-list": "", "rev-parse": "", "ls-files": "", "ls-tree": "",
		"cat-file": "--textconv --filters", "blame": "--contents", "annotate": "--contents", "grep": "-O --open-files-in-pager --textconv --ext-grep", "shortlog": diffNever, "describe": "",
		"merge-base": "", "name-rev": "", "for-each-ref": "", "show-ref": "", "show-branch": "", "check-ignore": "", "check-attr": "", "check-ref-format": "", "cherry": "",
		"count-objects": "", "var": "", "merge-tree": "", "get-tar-commit-id": "", "stripspace": "", "interpret-trailers": "--in-place", "patch-id": "", "verify-commit": "", "fmt-merge-msg": "",
	}
}

// notWith lets a subcommand run unless one of the options is there. Short ones are looked for at the start of a bundle only: git's own bundles of these
// subcommands take values that look like anything.
func notWith(never string) func(Grant, gitHeadline) Verdict {
	return func(_ Grant, h gitHeadline) Verdict {
		for _, a := range h.rest {
			if a == "--" {
				break
			}
			name, _, _ := strings.Cut(a, "=")
			for _, n := range strings.Fields(never) {
				long := strings.HasPrefix(n, "--")
				if long && len(name) > 2 && strings.HasPrefix(n, name) || !long && strings.HasPrefix(a, n) && !strings.HasPrefix(a, "--") {
					return denied("git %s %s is not allowed (%s): it writes a file or starts a program; print to standard output instead", h.sub, name, n)
				}
			}
		}
		return Verdict{Route: Local}
	}
}

// only lets a subcommand run with the named options alone.
func only(words, why string, check func(parsed) bool) func(Grant, gitHeadline) Verdict {
	return func(_ Grant, h gitHeadline) Verdict {
		p, err := parse(h.rest, flags(words), gitStyle)
		if err != nil {
			return denied("%s: %s", why, err)
		}
		if !check(p) {
			return denied("%s", why)
		}
		return Verdict{Route: Local}
	}
}

// restNeeds: arguments may be there only beside one of the options, which make patterns or commits of them.
func restNeeds(options ...string) func(parsed) bool {
	return func(p parsed) bool { return len(p.rest) == 0 || p.has(options...) }
}

func atMost(n int) func(parsed) bool { return func(p parsed) bool { return len(p.rest) <= n } }

// firstOf lets a subcommand run where its first words are one of the given; "" is none at all.
func firstOf(why string, words ...string) func(Grant, gitHeadline) Verdict {
	return func(_ Grant, h gitHeadline) Verdict {
		for _, w := range words {
			list := strings.Fields(w)
			if len(list) == 0 && len(h.rest) == 0 || len(list) > 0 && len(h.rest) >= len(list) && slices.Equal(h.rest[:len(list)], list) {
				if slices.ContainsFunc(h.rest, func(a string) bool { return strings.HasPrefix(a, "--out") || strings.HasPrefix(a, "--ext") }) {
					return denied("git %s: options that write files or start programs are not allowed", h.sub)
				}
				return Verdict{Route: Local}
			}
		}
		return denied("%s", why)
	}
}

// judgeConfig lets settings be read.
func judgeConfig(_ Grant, h gitHeadline) Verdict {
	const why = "git config only reads here: `git config --get NAME`, `git config --list`"
	rest := h.rest
	if len(rest) > 0 && (rest[0] == "get" || rest[0] == "list") { // the spelling since 2.46
		rest = append([]string{"--" + rest[0]}, rest[1:]...)
	}
	p, err := parse(rest, flags("--get --get-all --get-regexp --get-urlmatch --list -l --all --regexp --local --global --system --worktree --show-origin --show-scope --name-only -z --null --type: --bool --int --path --bool-or-int --includes --no-includes --default: --value:"), gitStyle)
	if err != nil {
		return denied("%s: %s", why, err)
	}
	if len(p.rest) > 1 && !p.has("--get", "--get-all", "--get-regexp", "--get-urlmatch") {
		return denied("%s", why)
	}
	return Verdict{Route: Local}
}

// judgeCommit lets commits be made. Changing the newest one is possible as long as nobody else has it.
func judgeCommit(g Grant, h gitHeadline) Verdict {
	v := notWith("--author --reset-author")(g, h)
	if v.Route == Denied {
		return denied("git commit with another author is not allowed: commits carry the user's name")
	}
	for _, a := range h.rest {
		if a == "--" {
			break
		}
		if len(a) > 3 && strings.HasPrefix("--amend", a) {
			v.Unpushed = true
		}
	}
	return v
}

// judgeReset takes paths out of the index; a branch never moves back.
func judgeReset(_ Grant, h gitHeadline) Verdict {
	const why = "git reset only takes files out of the index here (`git reset -- PATH`): the branch does not move back; `git restore PATH` undoes an edit"
	p, err := parse(h.rest, flags("-q --quiet --no-quiet -N --intent-to-add --refresh --no-refresh --pathspec-from-file: --pathspec-file-nul --mixed"), gitStyle)
	if err != nil {
		return denied("%s: %s", why, err)
	}
	before := len(p.rest)
	if p.cut >= 0 {
		before = p.cut
	}
	if before > 1 && p.rest[0] != "HEAD" || before == 1 && p.rest[0] != "HEAD" {
		return denied("%s", why)
	}
	return Verdict{Route: Local}
}

// judgeCheckout undoes edits of files; the run stays on its branch.
func judgeCheckout(_ Grant, h gitHeadline) Verdict {
	const why = "git checkout only restores files here (`git checkout -- PATH`): the run stays on its branch"
	p, err := parse(h.rest, flags("-q --quiet --ours --theirs --progress --no-progress --pathspec-from-file: --pathspec-file-nul --merge -m --conflict: -f"), gitStyle)
	if err != nil {
		return denied("%s: %s", why, err)
	}
	if p.cut < 0 || p.cut == len(p.rest) || p.has("-f") && p.cut > 0 {
		return denied("%s", why)
	}
	return Verdict{Route: Local}
}

// judgeMerge lets main be merged into the run's branch.
func judgeMerge(_ Grant, h gitHeadline) Verdict {
	p, err := parse(h.rest, mergeFlags(), gitStyle)
	if err != nil {
		return denied("git merge: %s", err)
	}
	for _, o := range p.options {
		if (o.name == "-s" || o.name == "--strategy") && !slices.Contains([]string{"ort", "recursive", "resolve", "octopus", "ours", "subtree"}, o.value) {
			return denied("git merge: %s is not one of git's own strategies", o.value)
		}
	}
	return Verdict{Route: Local}
}

func mergeFlags() flagSpec {
	return flags("--ff --no-ff --ff-only --edit -e --no-edit --commit --no-commit --squash --no-squash --stat --no-stat -n --log? --no-log --signoff --no-signoff -m: --message: -F: --file: -s: --strategy: -X: --strategy-option: --abort --continue --quit -q --quiet -v --verbose --progress --no-progress --autostash --no-autostash --no-gpg-sign --allow-unrelated-histories --no-rerere-autoupdate --no-verify --verify --cleanup:")
}
