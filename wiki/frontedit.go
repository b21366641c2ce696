package wiki

import (
	"bytes"
	"slices"
	"strings"

	"github.com/rigwiki/rig/wiki/index"
)

// dropEntries takes items out of a list in a page's front matter and leaves the others as they are written, in whatever form the list has. Where the form is
// one that we do not take apart, the list is written anew.
func dropEntries(text []byte, key string, lost []string) []byte {
	front := index.ParsePage(text).Front
	f, ok := front.Field(key)
	if !ok {
		return text
	}
	kept := slices.DeleteFunc(slices.Clone(front.List(key)), func(e string) bool { return slices.Contains(lost, e) })
	field := string(text[f.Start:f.End])
	for _, form := range []string{dropLines(field, lost), dropItems(field, lost)} {
		out := slices.Concat(text[:f.Start], []byte(form), text[f.End:])
		if slices.Equal(index.ParsePage(out).Front.List(key), kept) {
			return out
		}
	}
	quoted := make([]string, len(kept))
	for i, e := range kept {
		quoted[i] = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(e) + `"`
	}
	return slices.Concat(text[:f.Start], []byte(f.Key+": ["+strings.Join(quoted, ", ")+"]"), text[f.End:])
}

// dropLines is a block list without the lines of some items.
func dropLines(field string, lost []string) string {
	var out []string
	for _, line := range strings.SplitAfter(field, "\n") {
		item, isItem := strings.CutPrefix(strings.TrimSpace(line), "- ")
		if !isItem || !slices.Contains(lost, unquoteItem(item)) {
			out = append(out, line)
		}
	}
	return strings.TrimRight(strings.Join(out, ""), "\r\n")
}

// dropItems is a list on one line, with or without brackets, without some items.
func dropItems(field string, lost []string) string {
	head, rest, ok := strings.Cut(field, ":")
	if !ok {
		return field
	}
	rest, tail := strings.TrimSpace(rest), ""
	if strings.HasPrefix(rest, "[") && strings.HasSuffix(rest, "]") {
		head, rest, tail = head+": [", rest[1:len(rest)-1], "]"
	} else {
		head += ": "
	}
	var kept []string
	for _, item := range splitItems(rest) {
		if !slices.Contains(lost, unquoteItem(item)) {
			kept = append(kept, strings.TrimSpace(item))
		}
	}
	return head + strings.Join(kept, ", ") + tail
}

// splitItems cuts at commas outside of quotes.
func splitItems(s string) (items []string) {
	quote, start := rune(0), 0
	for i, r := range s {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
		case r == '"', r == '\'':
			quote = r
		case r == ',':
			items, start = append(items, s[start:i]), i+1
		}
	}
	return append(items, s[start:])
}

func unquoteItem(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > 1 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}

// dropField takes a field's lines out of a page's front matter.
func dropField(text []byte, key string) []byte {
	f, ok := index.ParsePage(text).Front.Field(key)
	if !ok {
		return text
	}
	end := f.End
	if i := bytes.IndexByte(text[end:], '\n'); i >= 0 {
		end += i + 1
	}
	return slices.Concat(text[:f.Start], text[end:])
}
