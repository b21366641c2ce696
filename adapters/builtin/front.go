package builtin

import (
	"bytes"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// A front is the front matter of a page: its lines as they stand and the values that count.
type front struct {
	lines  []string // without the fences, without line ends
	values map[string]any
}

// splitFront cuts YAML front matter off (a BOM before it and CRLF are fine). What is none stays in the body.
func splitFront(b []byte) (front, []byte) {
	body := bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	first, rest, ok := bytes.Cut(body, []byte("\n"))
	if !ok || string(bytes.TrimRight(first, "\r ")) != "---" {
		return front{}, body
	}
	var f front
	for len(rest) > 0 {
		line, after, _ := bytes.Cut(rest, []byte("\n"))
		rest = after
		l := string(bytes.TrimRight(line, "\r"))
		if t := strings.TrimRight(l, " "); t == "---" || t == "..." {
			f.values = map[string]any{}
			if yaml.Unmarshal([]byte(strings.Join(f.lines, "\n")), &f.values) != nil {
				f.values = map[string]any{} // broken YAML: the lines are kept, no value counts
			}
			return f, rest
		}
		f.lines = append(f.lines, l)
	}
	return front{}, body
}

func (f front) get(key string) string {
	s, _ := f.values[key].(string)
	return s
}

// list is a value that may be one string or several.
func (f front) list(key string) []string {
	switch v := f.values[key].(type) {
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, e := range v {
			if s, ok := e.(string); ok {
				out = append(out, s)
			}
		}
		return out
	}
	return nil
}

// set changes the line of a plain key, or adds one; all other lines stay as they are.
func (f *front) set(key, value string) {
	i := slices.IndexFunc(f.lines, func(l string) bool { return strings.HasPrefix(l, key+":") })
	if i < 0 {
		f.lines = append(f.lines, key+": "+value)
		return
	}
	old := strings.TrimSpace(strings.TrimPrefix(f.lines[i], key+":"))
	if len(old) > 1 && (old[0] == '"' || old[0] == '\'') && old[len(old)-1] == old[0] {
		value = string(old[0]) + value + string(old[0])
	}
	f.lines[i] = key + ": " + value
}

func (f front) String() string {
	return "---\n" + strings.Join(f.lines, "\n") + "\n---\n"
}
