package wiki

import (
	"fmt"
	"regexp"
	"strings"
)

// compileGlob reads a glob over slash-separated rel paths: "*" and "?" stay within a component, "**" crosses them, "[a-z]" is a class. A glob without a slash
// matches in every folder; one that ends in a slash, or names a folder, matches all below it.
func compileGlob(glob string) (*regexp.Regexp, error) {
	g := strings.TrimPrefix(strings.TrimPrefix(glob, "./"), "/")
	if g == "" {
		return nil, fmt.Errorf("it is empty")
	}
	var b strings.Builder
	b.WriteString(`\A`)
	if !strings.Contains(strings.TrimSuffix(g, "/"), "/") {
		b.WriteString(`(?:.*/)?`)
	}
	g = strings.TrimSuffix(g, "/")
	for i := 0; i < len(g); {
		rest := g[i:]
		switch {
		case strings.HasPrefix(rest, "**/"):
			b.WriteString(`(?:.*/)?`)
			i += 3
		case strings.HasPrefix(rest, "**"):
			b.WriteString(`.*`)
			i += 2
		case rest[0] == '*':
			b.WriteString(`[^/]*`)
			i++
		case rest[0] == '?':
			b.WriteString(`[^/]`)
			i++
		case rest[0] == '[' && strings.IndexByte(rest, ']') > 1:
			end := strings.IndexByte(rest, ']')
			class := strings.ReplaceAll(rest[1:end], `\`, `\\`)
			if class[0] == '!' {
				class = "^" + class[1:]
			}
			b.WriteString("[" + class + "]")
			i += end + 1
		default:
			n := len(rest)
			if j := strings.IndexAny(rest[1:], "*?["); j >= 0 {
				n = j + 1
			}
			b.WriteString(regexp.QuoteMeta(rest[:n]))
			i += n
		}
	}
	b.WriteString(`(?:/.*)?\z`)
	return regexp.Compile("(?s)" + b.String())
}

// globSet matches a path against any of several globs; globs that cannot be read match nothing (the configuration has refused them already).
type globSet []*regexp.Regexp

func newGlobSet(globs []string) globSet {
	var set globSet
	for _, g := range globs {
		if re, err := compileGlob(g); err == nil {
			set = append(set, re)
		}
	}
	return set
}

func (s globSet) match(rel string) bool {
	for _, re := range s {
		if re.MatchString(rel) {
			return true
		}
	}
	return false
}
