package guard

import (
	"path"
	"slices"
	"strings"
)

// Git judges a command line of git.
func Git(g Grant, c Call) Verdict {
	head, why := gitHead(c)
	if head.outside(g, c) || head.makesElsewhere(g, c) {
		return Verdict{Route: Elsewhere}
	}
	if why != "" {
		return denied("git: %s", why)
	}
	env, why := gitEnv(g, c.Env)
	if why != "" {
		return denied("git: %s", why)
	}
	if head.told != "" || head.sub == "" {
		return Verdict{Route: Told, Why: "git, as this run may use it: " + g.allowed()}
	}
	if head.version {
		return Verdict{Route: Local, Args: []string{"version"}, Env: env}
	}
	if slices.ContainsFunc(head.rest, isHelp) {
		return Verdict{Route: Told, Why: "git " + head.sub + ", as this run may use it: " + g.allowed()}
	}
	rule, known := gitRules()[head.sub]
	if !known {
		return denied("git %s is not part of %s: allowed are %s", head.sub, g.noun(), g.allowed())
	}
	if !rule.who.has(g.Intent) {
		return denied("git %s is not part of %s%s: allowed are %s", head.sub, g.noun(), rule.instead(g), g.allowed())
	}
	v := rule.judge(g, head)
	if v.Route == Local || v.Route == Pull {
		v.Env = env
		if v.Route == Local {
			v.Args = slices.Concat(head.global, []string{head.sub}, head.rest)
		}
	}
	return v
}

func isHelp(arg string) bool { return arg == "--help" || arg == "-h" }

// gitHeadline is a command line up to and with its subcommand.
type gitHeadline struct {
	global  []string // the options before the subcommand that may stay
	dir     string   // where git works after -C
	gitDir  string   // --git-dir, "" without
	sub     string
	rest    []string
	told    string
	version bool
}

// harmlessGlobals are options before the subcommand that change nothing outside of the answer.
func harmlessGlobals() []string {
	return []string{"--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs", "--glob-pathspecs", "--noglob-pathspecs", "--icase-pathspecs", "--no-replace-objects", "--no-lazy-fetch", "--no-advice"}
}

// gitHead reads the options before the subcommand; git compares them whole, without abbreviation. The first that may not be is told, but reading goes
// on: where the call works is known only at the end.
func gitHead(c Call) (gitHeadline, string) {
	h := gitHeadline{dir: c.Dir}
	first := ""
	deny := func(why string) {
		if first == "" {
			first = why
		}
	}
	args := c.Args
	for len(args) > 0 {
		a := args[0]
		args = args[1:]
		name, v, glued := strings.Cut(a, "=")
		if !strings.HasPrefix(a, "-") {
			h.sub, h.rest = a, args
			return h, first
		}
		takesNext := name == "-C" || name == "-c" || name == "--git-dir" || name == "--work-tree" || name == "--namespace" || name == "--super-prefix" || name == "--config-env" || name == "--attr-source"
		if takesNext && (!glued || name == "-C" || name == "-c") {
			if a != name { // "-Cx" and "-c=x" are no options of git's
				deny(a + " is not an option of git")
				continue
			}
			if len(args) == 0 {
				return h, a + " needs a value"
			}
			v, args = args[0], args[1:]
		}
		switch {
		case a == "--help" || a == "-h":
			h.told = a
		case a == "--version" || a == "-v":
			h.version, h.sub = true, "version"
		case name == "-C":
			if v != "" {
				h.dir = joined(h.dir, v)
				h.global = append(h.global, "-C", v)
			}
		case name == "-c":
			if why := configWhy(v); why != "" {
				deny(why)
			}
			h.global = append(h.global, "-c", v)
		case name == "--git-dir":
			h.gitDir = joined(h.dir, v)
			deny("--git-dir is not allowed: this run has one repository, the folder that it works in")
		case slices.Contains(harmlessGlobals(), a):
			h.global = append(h.global, a)
		default:
			deny(name + " is not allowed before the subcommand: write git and the subcommand first, as in `git status`")
		}
	}
	return h, first
}

func joined(dir, p string) string {
	if path.IsAbs(p) {
		return path.Clean(p)
	}
	return path.Join(dir, p)
}

// outside tells whether git would work on another repository than the run's: one that a test made in a temporary folder, for example. What is done there
// is no business of ours, and nothing can leave from there either.
func (h gitHeadline) outside(g Grant, c Call) bool {
	if g.Dir == "" || c.Dir == "" {
		return false
	}
	at := h.dir
	for _, kv := range c.Env {
		k, v, _ := strings.Cut(kv, "=")
		if k == "GIT_DIR" && v != "" {
			at = joined(h.dir, v)
		}
	}
	if h.gitDir != "" {
		at = h.gitDir
	}
	if c.Real != nil {
		at = c.Real(at)
	}
	return !within(g.Dir, at) && !within(at, g.Dir)
}

// makesElsewhere tells whether a repository is made outside of the checkout, as tests of programs that use git do.
func (h gitHeadline) makesElsewhere(g Grant, c Call) bool {
	if h.sub != "init" || len(h.rest) == 0 || g.Dir == "" {
		return false
	}
	at := h.rest[len(h.rest)-1]
	if strings.HasPrefix(at, "-") {
		return false
	}
	at = joined(h.dir, at)
	if c.Real != nil {
		at = c.Real(at)
	}
	return !within(g.Dir, at) && !within(at, g.Dir)
}

// within tells whether p is root or below it.
func within(root, p string) bool {
	return p == root || strings.HasPrefix(p, strings.TrimSuffix(root, "/")+"/")
}

// harmlessConfig are the settings that -c may give: of the answer's form, or off switches. A value list is exhaustive; nil allows any.
func harmlessConfig() map[string][]string {
	off := []string{"false", "0", "off", "no", ""}
	return map[string][]string{
		"core.quotepath": nil, "core.abbrev": nil, "core.autocrlf": nil, "core.untrackedcache": nil, "core.longpaths": nil, "core.precomposeunicode": nil,
		"core.pager": {"cat", ""}, "core.editor": {"true", ":", "cat"}, "core.fsmonitor": off, "core.hookspath": {"/dev/null", ""},
		"commit.gpgsign": off, "tag.gpgsign": off, "log.showsignature": off, "gc.auto": {"0"}, "maintenance.auto": off, "merge.ff": nil, "merge.conflictstyle": {"merge", "diff3", "zdiff3"},
		"diff.renames": nil, "diff.noprefix": nil, "diff.mnemonicprefix": nil, "diff.algorithm": nil, "diff.context": nil, "rerere.enabled": off, "safe.directory": nil,
		"protocol.ext.allow": {"never"}, "submodule.recurse": off, "fetch.prune": off,
	}
}

// configWhy tells why a -c setting may not be given, or "".
func configWhy(setting string) string {
	key, v, has := strings.Cut(setting, "=")
	key = strings.ToLower(key)
	section, _, _ := strings.Cut(key, ".")
	switch section {
	case "color", "column", "advice", "i18n", "status":
		return ""
	case "pager":
		if v == "false" || v == "cat" {
			return ""
		}
	}
	values, known := harmlessConfig()[key]
	if known && (values == nil || has && slices.Contains(values, strings.ToLower(v))) {
		return ""
	}
	return "-c " + key + " is not allowed: only settings of the output's form may be given so"
}
