package guard

import (
	"fmt"
	"strings"
)

// takes says whether an option takes a value.
type takes int

const (
	nothing  takes = iota
	value          // "--x v", "--x=v", "-x v", "-xv"
	optional       // "--x", "--x=v"; for a short one "-x", "-xv"
)

// flagSpec are the options that a command line may have, long and short.
type flagSpec map[string]takes

// flags makes a spec of words: "-q --quiet -m: --message: --color?" (":" takes a value, "?" may take one glued to it).
func flags(words string) flagSpec {
	spec := flagSpec{}
	for _, w := range strings.Fields(words) {
		switch {
		case strings.HasSuffix(w, ":"):
			spec[strings.TrimSuffix(w, ":")] = value
		case strings.HasSuffix(w, "?"):
			spec[strings.TrimSuffix(w, "?")] = optional
		default:
			spec[w] = nothing
		}
	}
	return spec
}

func (s flagSpec) with(more flagSpec) flagSpec {
	all := flagSpec{}
	for _, m := range []flagSpec{s, more} {
		for k, v := range m {
			all[k] = v
		}
	}
	return all
}

// given is one option as it was understood.
type given struct {
	name     string // with its dashes
	value    string
	hasValue bool
}

// parsed is a command line as it was understood.
type parsed struct {
	options []given
	rest    []string // what is no option, in order
	cut     int      // index in rest of what came after "--", -1 without
}

// has tells whether an option was given.
func (p parsed) has(names ...string) bool {
	for _, o := range p.options {
		for _, n := range names {
			if o.name == n {
				return true
			}
		}
	}
	return false
}

// style is whose rules of options count.
type style int

const (
	gitStyle style = iota // parse-options.c; an abbreviation of a long option is not understood here, so it is denied
	ghStyle               // spf13/pflag: "-x=v" is v, "--x v" as well
)

// parse reads args by a spec. An option that is not in it is an error that names it: an abbreviation too, since what git would make of it may be another option.
func parse(args []string, spec flagSpec, st style) (parsed, error) {
	p := parsed{cut: -1}
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--":
			p.cut = len(p.rest)
			p.rest = append(p.rest, args[i+1:]...)
			return p, nil
		case strings.HasPrefix(a, "--"):
			name, v, glued := strings.Cut(a, "=")
			kind, ok := spec[name]
			if !ok {
				return p, fmt.Errorf("%s is not among the options that it may have here (options are written out, not abbreviated)", name)
			}
			o := given{name, v, glued}
			switch {
			case kind == nothing && glued && st == gitStyle:
				return p, fmt.Errorf("%s takes no value", name)
			case kind == value && !glued:
				if i++; i >= len(args) {
					return p, fmt.Errorf("%s needs a value", name)
				}
				o.value, o.hasValue = args[i], true
			}
			p.options = append(p.options, o)
		case len(a) > 1 && a[0] == '-':
			used, err := p.bundle(a[1:], args[i+1:], spec, st)
			if err != nil {
				return p, err
			}
			i += used
		default:
			p.rest = append(p.rest, a)
		}
	}
	return p, nil
}

// bundle reads "-abVALUE" and tells how many of the following arguments it took.
func (p *parsed) bundle(letters string, next []string, spec flagSpec, st style) (int, error) {
	for len(letters) > 0 {
		name := "-" + letters[:1]
		kind, ok := spec[name]
		if !ok {
			return 0, fmt.Errorf("%s is not among the options that it may have here", name)
		}
		letters = letters[1:]
		if kind == nothing {
			if st == ghStyle && strings.HasPrefix(letters, "=") {
				return 0, fmt.Errorf("%s takes no value", name)
			}
			p.options = append(p.options, given{name: name})
			continue
		}
		if letters == "" && kind == optional {
			p.options = append(p.options, given{name: name})
			return 0, nil
		}
		if letters != "" {
			if st == ghStyle {
				letters = strings.TrimPrefix(letters, "=")
			}
			p.options = append(p.options, given{name, letters, true})
			return 0, nil
		}
		if len(next) == 0 {
			return 0, fmt.Errorf("%s needs a value", name)
		}
		p.options = append(p.options, given{name, next[0], true})
		return 1, nil
	}
	return 0, nil
}
