package lint

import (
	"bytes"
	"path"
	"strings"

	"github.com/rigwiki/rig/wiki/index"
)

// longestEntry is how many bytes of a line are looked at for a page's name.
const longestEntry = 120

// entries finds the lines of the index that name a page and do not link to it: to the index, and to who reads it, the page is not listed. A line that
// names a file which is not there is a dead entry all the same.
func (p *page) entries() {
	if p.Path != p.rules.indexPage() {
		return
	}
	next := 0 // of p.Links
	at := 0
	for l := range bytes.Lines(p.text) {
		start, end := at, at+len(bytes.TrimRight(l, "\r\n"))
		at += len(l)
		for next < len(p.Links) && p.Links[next].End <= start {
			next++
		}
		if start < p.Front.End || next < len(p.Links) && p.Links[next].Start < end {
			continue
		}
		if from, to, ok := entryName(p.text, start, end); ok && !p.inCode(start, end) {
			p.plainEntry(from, to)
		}
	}
}

// plainEntry judges a name that stands in the index as text.
func (p *page) plainEntry(from, to int) {
	name := string(p.text[from:to])
	found := p.x.ResolveLink(p.Path, index.Link{Target: name, Kind: index.Wiki})
	if len(found) == 0 || found[0].How > index.Alias {
		if strings.HasSuffix(strings.ToLower(name), ".md") && len(found) == 0 && !strings.ContainsAny(name, " *?<>{}") {
			line := index.Link{Start: from, End: to}
			p.add("index-dead-entry", Warning, from, to, "the index names "+name+", which is not there", p.removeLine(line))
		}
		return
	}
	rel := found[0].Path
	if p.rules.human(rel) || p.rules.shared(rel) || !strings.HasSuffix(strings.ToLower(rel), ".md") {
		return
	}
	target := strings.TrimSuffix(rel, ".md")
	if bare := path.Base(target); len(p.x.Resolve(p.Path, bare)) == 1 {
		target = bare
	}
	link := "[[" + target + "]]"
	if shown := strings.TrimSuffix(name, ".md"); shown != target {
		pipe := "|"
		if bytes.HasPrefix(bytes.TrimLeft(p.text[bytes.LastIndexByte(p.text[:from], '\n')+1:], " "), []byte("|")) {
			pipe = `\|`
		}
		link = "[[" + target + pipe + shown + "]]"
	}
	for from > 0 && to < len(p.text) && p.text[from-1] == '`' && p.text[to] == '`' { // a link in code is none
		from, to = from-1, to+1
	}
	p.add("index-plain-entry", Hint, from, to, "the index names "+rel+" and does not link to it", p.replace("Write "+link, from, to, link))
}

// entryName gives what a list's item or a table's row begins with, up to a dash, a colon or a bracket behind it, without emphasis around.
func entryName(text []byte, start, end int) (from, to int, ok bool) {
	line := text[start:end]
	rest := bytes.TrimLeft(line, " \t")
	switch {
	case bytes.HasPrefix(rest, []byte("- ")), bytes.HasPrefix(rest, []byte("* ")), bytes.HasPrefix(rest, []byte("+ ")):
		rest = bytes.TrimLeft(rest[2:], " \t")
	case bytes.HasPrefix(rest, []byte("|")):
		rest = bytes.TrimLeft(rest[1:], " \t")
		cell, _, found := bytes.Cut(rest, []byte("|"))
		if !found {
			return 0, 0, false
		}
		rest = rest[:len(cell)]
	default:
		return 0, 0, false
	}
	from = start + cap(line) - cap(rest) // where rest begins in line
	name := rest[:min(len(rest), longestEntry)]
	for _, stop := range []string{" — ", " – ", " - ", ": ", " (", ":**", ":__"} {
		if i := bytes.Index(name, []byte(stop)); i > 0 {
			name = name[:i]
		}
	}
	trimmed := bytes.TrimLeft(name, "*_` ")
	from += len(name) - len(trimmed)
	if code, _, ok := bytes.Cut(trimmed, []byte("`")); ok && text[from-1] == '`' {
		trimmed = code
	}
	trimmed = bytes.TrimRight(trimmed, "*_`: .")
	if len(trimmed) == 0 || trimmed[0] == '.' || len(name) == longestEntry {
		return 0, 0, false
	}
	return from, from + len(trimmed), true
}
