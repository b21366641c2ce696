package index

import (
	"bytes"
	"strings"
)

// parseWikilink reads the wikilink whose "[[" stands at i and tells where it ends. It holds no bracket, escaped or not, and no line ending,
// which keeps nested arrays and shell tests out; "a[[0]]" is an array's element.
func parseWikilink(text []byte, i, end int) (Link, int, bool) {
	pipe, hash, stop := -1, -1, -1
scan:
	for j := i + 2; j < end; j++ {
		switch text[j] {
		case ']':
			if j+1 >= end || text[j+1] != ']' {
				return Link{}, 0, false
			}
			stop = j
			break scan
		case '[', '\n', '\r':
			return Link{}, 0, false
		case '\\':
			if j+1 < end && (text[j+1] == ']' || text[j+1] == '[') {
				return Link{}, 0, false
			}
		case '|':
			if pipe < 0 {
				pipe = j
			}
		case '#':
			if pipe < 0 && hash < 0 {
				hash = j
			}
		}
	}
	if stop < 0 {
		return Link{}, 0, false
	}
	l := Link{Kind: Wiki, Start: i, End: stop + 2}
	ref := stop
	if pipe >= 0 {
		ref = pipe
		l.Alias = strings.TrimSpace(strings.ReplaceAll(string(text[pipe+1:stop]), `\|`, "|"))
		if text[pipe-1] == '\\' { // the pipe as a table wants it
			ref--
		}
	}
	name := ref
	if hash >= 0 {
		name = hash
		l.Heading, l.Block = anchorOf(string(text[hash+1 : ref]))
	}
	l.TargetStart, l.TargetEnd = trimSpan(text, i+2, name)
	l.Target = string(text[l.TargetStart:l.TargetEnd])
	if l.Target == "" && l.Heading == "" && l.Block == "" {
		return Link{}, 0, false
	}
	if digits(l.Target) && indexes(text, i) {
		return Link{}, 0, false
	}
	return l, stop + 2, true
}

// indexes says whether the brackets at i stand right behind a word, or behind others of numbers that do: R's m[[1]][[2]] takes elements, and is no
// link to pages of these names.
func indexes(text []byte, i int) bool {
	for i >= 2 && text[i-1] == ']' && text[i-2] == ']' {
		start := i - 2
		for start > 0 && isDigit(text[start-1]) {
			start--
		}
		if start == i-2 || start < 2 || text[start-1] != '[' || text[start-2] != '[' {
			return false
		}
		i = start - 2
	}
	return i > 0 && isWordByte(text[i-1])
}

// anchorOf splits what stands behind the "#" into a heading (which may have further parts) and the id of a block.
func anchorOf(s string) (heading, block string) {
	s = strings.TrimSpace(s)
	if id, ok := strings.CutPrefix(s, "^"); ok {
		return "", id
	}
	if i := strings.LastIndex(s, "#^"); i >= 0 {
		return s[:i], s[i+2:]
	}
	return s, ""
}

func isWordByte(c byte) bool { return isLetter(c) || isDigit(c) || c == '_' || c >= 0x80 }

// trimSpan narrows text[start:end] to what is not blank.
func trimSpan(text []byte, start, end int) (int, int) {
	for start < end && isBlank(text[start]) {
		start++
	}
	for end > start && isBlank(text[end-1]) {
		end--
	}
	return start, end
}

// frontLinks reads wikilinks in the values of YAML front matter, as Obsidian's properties have them. TOML's "[[x]]" is a table.
func frontLinks(text []byte, front FrontMatter) []Link {
	if front.Format != YAML {
		return nil
	}
	var out []Link
	for ls := front.Start; ls < front.End; {
		le, next := lineEnd(text, ls)
		if line := bytes.TrimLeft(text[ls:le], " \t"); len(line) > 0 && line[0] != '#' {
			out = appendWikilinks(out, text, ls, le)
		}
		ls = next
	}
	return out
}

func appendWikilinks(out []Link, text []byte, i, end int) []Link {
	for i < end {
		j := bytes.Index(text[i:end], []byte("[["))
		if j < 0 {
			return out
		}
		i += j
		for i+2 < end && text[i+2] == '[' {
			i++
		}
		l, next, ok := parseWikilink(text, i, end)
		if !ok {
			i += 2
			continue
		}
		l.Kind = Property
		out = append(out, unquoted(l, text))
		i = next
	}
	return out
}

// unquoted takes YAML's escapes out of a link's texts: "it”s" in single quotes, "\"" in double ones. Positions stay.
func unquoted(l Link, text []byte) Link {
	var r *strings.Replacer
	switch QuoteAt(text, l.Start) {
	case '\'':
		r = strings.NewReplacer("''", "'")
	case '"':
		r = strings.NewReplacer(`\"`, `"`, `\\`, `\`)
	default:
		return l
	}
	l.Target, l.Heading, l.Alias = r.Replace(l.Target), r.Replace(l.Heading), r.Replace(l.Alias)
	return l
}

// QuoteAt gives the quote of a YAML scalar that is open at i and was opened on its line, 0 outside of one.
func QuoteAt(text []byte, i int) byte {
	open := byte(0)
	for j := bytes.LastIndexByte(text[:i], '\n') + 1; j < i; j++ {
		switch c := text[j]; {
		case open == '"' && c == '\\':
			j++
		case open != 0 && c == open:
			open = 0
		case open == 0 && (c == '"' || c == '\'') && (j == 0 || strings.IndexByte(" \t\n:,[{-", text[j-1]) >= 0):
			open = c
		}
	}
	return open
}
