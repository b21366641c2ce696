package guard

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxText is the most that a text sent to GitHub may have, in bytes: its own limit for a comment.
const maxText = 64 << 10

// ghRule is what one command of gh may do.
type ghRule struct {
	who   intents
	judge func(g Grant, args []string, read func(string) ([]byte, error)) Verdict
}

func ghRules() map[string]ghRule {
	return map[string]ghRule{
		"pr view":    {intents{ActPR, Review}, judgeView},
		"pr diff":    {intents{ActPR, Review}, judgeDiff},
		"pr comment": {intents{Review}, judgeComment},
		"pr review":  {intents{Review}, judgeReview},
		"api":        {intents{ActPR}, judgeAPI},
	}
}

// allowedGH names what gh may do for the grant.
func (g Grant) allowedGH() string {
	switch g.Intent {
	case ActPR:
		return "allowed are gh pr view, gh pr diff and gh api that reads this repository"
	case Review:
		return "allowed are gh pr view, gh pr diff, gh pr review and gh pr comment"
	}
	return "a work run has nothing to do on GitHub: commit on the branch and end"
}

// GitHub judges a command line of gh. read gives the files that arguments name ("-" is standard input); it is called for those only that
// become a text to send. The environment counts for nothing: the host's gh is given its own.
func GitHub(g Grant, args []string, read func(name string) ([]byte, error)) Verdict {
	if len(args) == 0 || slices.ContainsFunc(beforeDash(args), isHelp) || args[0] == "help" {
		return Verdict{Route: Told, Why: "gh, as this run may use it: " + g.allowedGH()}
	}
	if args[0] == "--version" || args[0] == "version" {
		return Verdict{Route: OnGitHub, Args: []string{"--version"}}
	}
	name, rest := args[0], args[1:]
	if name != "api" && len(rest) > 0 && !strings.HasPrefix(name, "-") {
		name, rest = name+" "+rest[0], rest[1:]
	}
	if strings.HasPrefix(name, "-") || strings.Contains(name, " -") {
		return denied("gh: the command comes first, its options after it: %s", g.allowedGH())
	}
	rule, known := ghRules()[name]
	if !known || !rule.who.has(g.Intent) {
		return denied("gh %s is not part of %s: %s", shown(name), g.noun(), g.allowedGH())
	}
	return rule.judge(g, rest, read)
}

// beforeDash are the arguments before "--".
func beforeDash(args []string) []string {
	if i := slices.Index(args, "--"); i >= 0 {
		return args[:i]
	}
	return args
}

// pullRequest reads the one argument of the pr commands, and -R: the pull request to name, "" where gh shall find it by the checkout.
func pullRequest(g Grant, p parsed) (which, why string) {
	for _, o := range p.options {
		if (o.name == "-R" || o.name == "--repo") && !g.isRepo(o.value) {
			return "", shown(o.value) + " is not the repository of this run"
		}
	}
	if len(p.rest) > 1 {
		return "", "one pull request at a time"
	}
	if len(p.rest) == 0 {
		switch {
		case g.PR > 0:
			return strconv.Itoa(g.PR), ""
		case g.Branch != "":
			return g.Branch, ""
		}
		return "", "name the pull request by its number"
	}
	sel := p.rest[0]
	if _, tail, ok := strings.Cut(sel, "://"); ok {
		host, path, _ := strings.Cut(tail, "/")
		repo, number, ok := strings.Cut(path, "/pull/")
		if number, _, _ = strings.Cut(number, "/"); !ok || !strings.HasPrefix(sel, "https://") || !g.isRepo(host+"/"+repo) || !isNumber(number) {
			return "", shown(sel) + " is no pull request of this run's repository"
		}
		return number, ""
	}
	if n := strings.TrimPrefix(sel, "#"); isNumber(n) {
		return n, ""
	}
	if !goodBranch(sel) {
		return "", shown(sel) + " is neither a number nor the name of a branch"
	}
	return sel, ""
}

// onRepo names the repository outright, where it is known: else gh finds it by the user's checkout.
func (g Grant) onRepo(args []string) []string {
	if g.Repo == "" {
		return args
	}
	return append(args, "--repo", g.Repo)
}

func isNumber(s string) bool {
	n, err := strconv.ParseUint(s, 10, 31)
	return err == nil && n > 0 && s[0] != '+'
}

// isRepo tells whether a word names the grant's repository: with its host, or without one.
func (g Grant) isRepo(s string) bool {
	if g.Repo == "" {
		return false
	}
	s = strings.TrimSuffix(s, ".git")
	full := g.Repo
	if strings.Count(full, "/") == 1 {
		full = "github.com/" + full
	}
	if strings.Count(s, "/") == 1 {
		_, short, _ := strings.Cut(full, "/")
		return strings.EqualFold(s, short)
	}
	return strings.EqualFold(s, full)
}

// owner and name of the repository.
func (g Grant) ownerName() (owner, name string) {
	parts := strings.Split(g.Repo, "/")
	if len(parts) < 2 {
		return "", ""
	}
	return parts[len(parts)-2], parts[len(parts)-1]
}

func judgeView(g Grant, args []string, _ func(string) ([]byte, error)) Verdict {
	return prRead(g, "view", args, flags("-R: --repo: --json: -q: --jq: -t: --template: -c --comments"))
}

func judgeDiff(g Grant, args []string, _ func(string) ([]byte, error)) Verdict {
	return prRead(g, "diff", args, flags("-R: --repo: --color: --name-only --patch -e: --exclude:"))
}

// prRead renders a command that reads a pull request.
func prRead(g Grant, verb string, args []string, spec flagSpec) Verdict {
	p, err := parse(args, spec, ghStyle)
	if err != nil {
		return denied("gh pr %s: %s; %s", verb, err, g.allowedGH())
	}
	which, why := pullRequest(g, p)
	if why != "" {
		return denied("gh pr %s: %s", verb, why)
	}
	out := []string{"pr", verb, which}
	for _, o := range p.options {
		switch o.name {
		case "-R", "--repo":
			continue
		case "-q", "--jq":
			if why := jqWhy(o.value); why != "" {
				return denied("gh pr %s: %s", verb, why)
			}
		}
		out = append(out, rendered(o)...)
	}
	return Verdict{Route: OnGitHub, Args: g.onRepo(out)}
}

// rendered is an option as gh reads it without doubt: a value stands by itself, whatever it begins with.
func rendered(o given) []string {
	if !o.hasValue {
		return []string{o.name}
	}
	return []string{o.name, o.value}
}

// jqWhy keeps filters from the environment of the host's gh, which they could print (env, $ENV), and from modules.
func jqWhy(filter string) string {
	for _, word := range strings.FieldsFunc(filter, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_'
	}) {
		switch strings.ToLower(word) {
		case "env", "import", "include", "input_filename", "get_search_list", "modulemeta":
			return "a jq filter may not use " + word + ", which reads what the host has"
		}
	}
	return ""
}

func judgeComment(g Grant, args []string, read func(string) ([]byte, error)) Verdict {
	return prWrite(g, "comment", args, flags("-R: --repo: -b: --body: -F: --body-file:"), read)
}

func judgeReview(g Grant, args []string, read func(string) ([]byte, error)) Verdict {
	return prWrite(g, "review", args, flags("-R: --repo: -b: --body: -F: --body-file: -a --approve -r --request-changes -c --comment"), read)
}

// prWrite renders a command that adds a text to a pull request; the text of a file goes by standard input, since the file is inside.
func prWrite(g Grant, verb string, args []string, spec flagSpec, read func(string) ([]byte, error)) Verdict {
	p, err := parse(args, spec, ghStyle)
	if err != nil {
		return denied("gh pr %s: %s; %s", verb, err, g.allowedGH())
	}
	which, why := pullRequest(g, p)
	if why != "" {
		return denied("gh pr %s: %s", verb, why)
	}
	if g.PR > 0 && which == g.Branch {
		which = strconv.Itoa(g.PR)
	}
	switch {
	case g.PR > 0 && which != strconv.Itoa(g.PR):
		return denied("gh pr %s: this run reviews pull request %d, no other", verb, g.PR)
	case g.PR == 0 && !isNumber(which) && which != g.Branch:
		return denied("gh pr %s: %s is not the branch of this run; name its pull request by the number", verb, shown(which))
	}
	v := Verdict{Route: OnGitHub, Args: []string{"pr", verb, which}}
	v.PR, _ = strconv.Atoi(which) // 0 for a branch
	text := 0
	for _, o := range p.options {
		switch o.name {
		case "-R", "--repo":
		case "-b", "--body":
			text += len(o.value)
			v.Args = append(v.Args, rendered(o)...)
		case "-F", "--body-file":
			if v.Stdin, err = read(o.value); err != nil {
				return denied("gh pr %s: read %s: %s", verb, shown(o.value), err)
			}
		default:
			v.Args = append(v.Args, rendered(o)...)
		}
	}
	if text+len(v.Stdin) > maxText || v.Stdin != nil && p.has("-b", "--body") {
		return denied("gh pr %s: one text of at most %d bytes is needed", verb, maxText)
	}
	if v.Stdin != nil {
		v.Args = append(v.Args, "--body-file", "-")
	} else if verb == "comment" && text == 0 {
		return denied("gh pr comment: give the text with --body or --body-file")
	}
	v.Args = g.onRepo(v.Args)
	return v
}

// errNoFile answers where a command line names a file that nobody gave.
func errNoFile(name string) error { return fmt.Errorf("no file %s was given along", name) }

// Given reads from texts that were sent along.
func Given(texts map[string][]byte) func(string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		if b, ok := texts[name]; ok {
			return b, nil
		}
		return nil, errNoFile(name)
	}
}
