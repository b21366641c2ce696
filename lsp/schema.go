package lsp

import (
	"net/url"
	"regexp"
	"strings"
	"sync"

	"github.com/rigwiki/rig/wiki"
)

// schema is what a wiki's schema says of front matter and folders, as far as it can be read without understanding it.
type schema struct {
	keys    []schemaKey
	folders []string // named as "concepts/", in order
	slugs   bool     // names of files are slugs
}

// schemaKey is a key of front matter: one row of the schema's table, or one line of its YAML example.
type schemaKey struct {
	name, on, value string // the key, the pages that have it, what stands there
}

var (
	schemaYAML   = lazyRE(`^([A-Za-z][\w-]*):(?:[ \t]+(.*))?$`)
	schemaFolder = lazyRE("(?:^|[\\s`(,])((?:[\\w-]+/)+)(?:[\\s`:),]|$)")
	schemaSlugs  = lazyRE(`(?i)\bslugs?\b|kebab`)
	schemaName   = lazyRE(`^[A-Za-z][\w.-]*$`)
)

// lazyRE compiles a pattern when it is first asked for: every start of this program, also as a run's helper, would pay for it.
func lazyRE(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// readSchema reads a schema's text: the first table whose first column is headed "key", "field" or "property", else fenced YAML.
func readSchema(text []byte) schema {
	out := schema{slugs: schemaSlugs().Match(text)}
	inTable, inFence := false, false
	var fenced []schemaKey
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		for _, m := range schemaFolder().FindAllStringSubmatch(line, -1) {
			out.folder(strings.TrimSuffix(m[1], "/"))
		}
		switch {
		case strings.HasPrefix(line, "```"):
			inFence = !inFence
		case inFence:
			if m := schemaYAML().FindStringSubmatch(line); m != nil {
				fenced = append(fenced, schemaKey{name: m[1], on: "all", value: m[2]})
			}
		case !strings.HasPrefix(line, "|"):
			inTable = false
		case inTable:
			out.row(line)
		default:
			switch strings.ToLower(cells(line)[0]) {
			case "key", "field", "property":
				inTable = len(out.keys) == 0
			}
		}
	}
	if len(out.keys) == 0 {
		out.keys = fenced
	}
	return out
}

func (c *schema) folder(name string) {
	for _, f := range c.folders {
		if f == name {
			return
		}
	}
	c.folders = append(c.folders, name)
}

// row takes a row of the table of keys: the key, who has it where there are three columns, and what stands there.
func (c *schema) row(line string) {
	row := cells(line)
	name := strings.Trim(row[0], "`* ")
	if !schemaName().MatchString(name) {
		return
	}
	k := schemaKey{name: name, on: "all"}
	switch len(row) {
	case 1:
	case 2:
		k.value = row[1]
	default:
		k.on, k.value = strings.ToLower(row[1]), row[2]
	}
	c.keys = append(c.keys, k)
}

func cells(line string) []string {
	out := strings.Split(strings.Trim(line, "| "), "|")
	for i, c := range out {
		out[i] = strings.TrimSpace(c)
	}
	return out
}

// everywhere tells whether a key stands on every page.
func (k schemaKey) everywhere() bool {
	return strings.Contains(k.on, "all") || strings.Contains(k.on, "every") || strings.Contains(k.on, "each")
}

// choices gives the values that the schema names for a key: "source, entity, concept or query".
func (k schemaKey) choices() []string {
	var out []string
	for _, c := range strings.FieldsFunc(strings.ReplaceAll(k.value, " or ", ","), func(r rune) bool { return r == ',' || r == '|' || r == '/' }) {
		if c = strings.Trim(c, " `\"'"); !schemaName().MatchString(c) {
			return nil
		}
		out = append(out, c)
	}
	if len(out) < 2 {
		return nil
	}
	return out
}

// schemaOf reads a wiki's schema as the editor shows it; the zero value where it has none.
func (s *server) schemaOf(w *wiki.Wiki) schema {
	if w.Schema == "" {
		return schema{}
	}
	text, ok, err := s.docs.textOf(pathIn(w, w.Schema))
	if err != nil || !ok {
		return schema{}
	}
	return readSchema(text[:min(len(text), 64<<10)])
}

// unpercent decodes a path of a markdown link; what is no valid encoding stays as it is.
func unpercent(s string) string {
	if d, err := url.PathUnescape(s); err == nil {
		return d
	}
	return s
}
