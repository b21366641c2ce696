package guard

import (
	"slices"
	"strings"
)

const pushHint = "commit on the branch and end: the host takes the commits from there"

// judgePush allows one thing: the run's branch to the run's remote, fast-forward. What is not that is told what is.
func judgePush(g Grant, h gitHeadline) Verdict {
	allowed := "allowed is `git push " + g.Remote + " " + g.Branch + "`, which moves that branch forward only"
	p, err := parse(h.rest, flags("-u --set-upstream -q --quiet -v --verbose --progress --no-progress --porcelain --no-verify --verify --no-follow-tags --no-signed --no-thin --thin --recurse-submodules: --no-recurse-submodules -4 -6 --ipv4 --ipv6"), gitStyle)
	if err != nil {
		return denied("git push: %s; %s", err, allowed)
	}
	for _, o := range p.options {
		if o.name == "--recurse-submodules" && o.value != "no" {
			return denied("git push: submodules are not pushed; %s", allowed)
		}
	}
	if g.Remote == "" || g.Branch == "" {
		return denied("git push: this run has no branch that may be pushed")
	}
	if len(p.rest) > 0 && p.rest[0] != g.Remote {
		return denied("git push: %s is not the remote of this run; %s", shown(p.rest[0]), allowed)
	}
	v := Verdict{Route: Push, Source: "HEAD", Upstream: p.has("-u", "--set-upstream")}
	if len(p.rest) > 2 {
		return denied("git push: one branch at a time; %s", allowed)
	}
	if len(p.rest) == 2 {
		src, why := pushSource(g, p.rest[1])
		if why != "" {
			return denied("git push: %s; %s", why, allowed)
		}
		v.Source = src
	}
	return v
}

// pushSource reads a refspec: "HEAD", the branch, or either with the branch as destination.
func pushSource(g Grant, spec string) (src, why string) {
	if strings.HasPrefix(spec, "+") {
		return "", "a + rewrites history"
	}
	src, dst, hasDst := strings.Cut(spec, ":")
	full := "refs/heads/" + g.Branch
	switch {
	case hasDst && src == "":
		return "", "an empty source deletes a branch"
	case hasDst && dst != g.Branch && dst != full:
		return "", shown(dst) + " is not the branch of this run"
	case src == g.Branch || src == full:
		return g.Branch, ""
	case src == "HEAD" || src == "@":
		return "HEAD", ""
	}
	return "", shown(src) + " is not the branch of this run"
}

// goodBranch tells whether a word is a plain name of a branch: a subset of git-check-ref-format(1).
func goodBranch(name string) bool {
	if name == "" || len(name) > 250 || strings.ContainsAny(name[:1], "-./") || strings.Contains(name, "..") || strings.Contains(name, "//") || strings.ContainsAny(name[len(name)-1:], "/.") || strings.HasSuffix(name, ".lock") {
		return false
	}
	return strings.IndexFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("._/#=-", r)
	}) < 0
}

const fetchFlags = "-q --quiet -v --verbose --progress --no-progress -p --prune --no-prune --no-tags -n --tags -t --all --no-recurse-submodules --recurse-submodules: --no-write-fetch-head --no-auto-maintenance --no-auto-gc -4 -6 --ipv4 --ipv6"

// judgeFetch reads from the run's remote.
func judgeFetch(g Grant, h gitHeadline) Verdict { return remoteRefs(g, h, flags(fetchFlags), Fetch) }

// judgePull is a fetch and a merge.
func judgePull(g Grant, h gitHeadline) Verdict {
	spec := flags("--no-rebase --rebase: --ff --no-ff --ff-only --edit --no-edit --commit --no-commit --stat --no-stat -s: --strategy: -X: --strategy-option: --autostash --no-autostash --no-verify --allow-unrelated-histories").with(flags(fetchFlags))
	v := remoteRefs(g, h, spec, Pull)
	if v.Route == Denied {
		return v
	}
	p, err := parse(h.rest, spec, gitStyle)
	if err != nil {
		return denied("git pull: %s", err)
	}
	var merge []string
	for _, o := range p.options {
		switch {
		case o.name == "--rebase" && o.value != "false":
			return denied("git pull --rebase is not allowed: the branch is public, merge instead (`git pull --no-rebase`)")
		case flagsHas(mergeFlags(), o.name) && o.name != "-n" && o.name != "-v" && o.name != "-q":
			merge = append(merge, o.name)
			if o.hasValue {
				merge[len(merge)-1] += "=" + o.value
				if len(o.name) == 2 {
					merge[len(merge)-1] = o.name + o.value
				}
			}
		}
	}
	if m := judgeMerge(g, gitHeadline{rest: merge}); m.Route == Denied {
		return m
	}
	v.Args = merge
	return v
}

func flagsHas(s flagSpec, name string) bool { _, ok := s[name]; return ok }

// remoteRefs reads "[REMOTE [BRANCH...]]".
func remoteRefs(g Grant, h gitHeadline, spec flagSpec, route Route) Verdict {
	allowed := "allowed is `git " + h.sub + " " + g.Remote + " [BRANCH]`"
	p, err := parse(h.rest, spec, gitStyle)
	if err != nil {
		return denied("git %s: %s; %s", h.sub, err, allowed)
	}
	for _, o := range p.options {
		if o.name == "--recurse-submodules" && o.value != "no" {
			return denied("git %s: submodules are not fetched; %s", h.sub, allowed)
		}
	}
	v := Verdict{Route: route}
	if g.Remote == "" {
		return denied("git %s: this run has no remote", h.sub)
	}
	if len(p.rest) == 0 {
		return v
	}
	if p.rest[0] != g.Remote {
		return denied("git %s: %s is not the remote of this run; %s", h.sub, shown(p.rest[0]), allowed)
	}
	for _, ref := range p.rest[1:] {
		ref = strings.TrimPrefix(ref, "refs/heads/")
		if src, dst, has := strings.Cut(ref, ":"); has {
			if dst != "refs/remotes/"+g.Remote+"/"+src {
				return denied("git %s: branches keep their names (no SRC:DST); %s", h.sub, allowed)
			}
			ref = src
		}
		if !goodBranch(ref) {
			return denied("git %s: %s is no plain name of a branch; %s", h.sub, shown(ref), allowed)
		}
		if !slices.Contains(v.Refs, ref) {
			v.Refs = append(v.Refs, ref)
		}
	}
	return v
}

// shown is an argument as a sentence may repeat it.
func shown(arg string) string {
	if len(arg) > 60 {
		arg = arg[:60] + "…"
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(arg, "?"))
}
