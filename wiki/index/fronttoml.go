package index

import "strings"

// tomlFields reads the keys before the first table of a TOML block whose values are texts, numbers or lists on one line: what Hugo and Zola
// write for title, tags and aliases. Other values are passed over.
func tomlFields(text []byte, inner span) []Field {
	var out []Field
	for ls := inner.start; ls < inner.end; {
		le, next := lineEnd(text, ls)
		start, end := trimSpan(text, ls, le)
		ls = next
		line := string(text[start:end])
		if strings.HasPrefix(line, "[") {
			return out
		}
		key, value, ok := strings.Cut(line, "=")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		f := Field{Key: strings.Trim(strings.TrimSpace(key), `"'`), Start: start, End: end}
		f.ValueStart, _ = trimSpan(text, start+len(key)+1, end)
		value = strings.TrimSpace(value)
		if items, ok := flowList(value); ok {
			f.Values, f.List = items, true
		} else if v, ok := scalar(value); ok && value != "" {
			f.Values = []string{v}
		} else {
			continue
		}
		out = append(out, f)
	}
	return out
}
