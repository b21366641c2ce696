package lsp

import (
	"net/url"
	"path"
	"strings"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/index"
)

// written is how a link spells its target: what stays when the target gets another name.
type written struct {
	kind     index.Kind
	ending   bool // ".md" is written
	rooted   bool // begins with "/"
	relative bool // begins with "./" or "../", or is a markdown link from its page's folder
	dotted   bool // begins with "./"
	parts    int  // of the path; 1 is a bare name, wholePath the path from the wiki's root
	angle    bool // a markdown link's "<target>"
	ascii    bool // a markdown link that encodes all that is not ASCII
	quote    bool // in a YAML value in single quotes
}

// wholePath is more parts than a path has.
const wholePath = 1 << 20

// writing reads how a link of the page from spells its target, which leads to rel.
func writing(text []byte, from, rel string, l index.Link) written {
	raw := string(text[l.TargetStart:l.TargetEnd])
	w := written{kind: l.Kind, ending: isPage(l.Target), rooted: strings.HasPrefix(l.Target, "/"), dotted: strings.HasPrefix(l.Target, "./")}
	w.relative = w.dotted || strings.HasPrefix(l.Target, "../")
	w.parts = len(strings.Split(path.Clean(l.Target), "/"))
	if clean := path.Clean(l.Target); w.parts > 1 && (clean == rel || clean+".md" == rel) {
		w.parts = wholePath
	}
	before := byte(0)
	if l.TargetStart > 0 {
		before = text[l.TargetStart-1]
	}
	switch l.Kind {
	case index.Markdown:
		w.angle = before == '<'
		w.ascii = strings.Contains(raw, "%") && !strings.ContainsFunc(raw, func(r rune) bool { return r >= 0x80 })
		near := path.Join(path.Dir(from), l.Target)
		w.relative = w.relative || !w.rooted && (near == rel || near+".md" == rel || l.Target != rel && l.Target+".md" != rel)
	case index.Property:
		w.quote = index.QuoteAt(text, l.Start) == '\''
	}
	return w
}

// target spells a page's path as the target of a link in the page from. free tells whether a shorter name means that page alone.
func (w written) target(from, rel string, free func(target string) bool) string {
	name := rel
	if isPage(rel) && !w.ending {
		name = rel[:len(rel)-len(".md")]
	}
	switch {
	case w.relative:
		name = relativeTo(path.Dir(from), name)
		if (w.dotted || w.kind != index.Markdown) && !strings.HasPrefix(name, "../") {
			name = "./" + name
		}
	case w.rooted:
		name = "/" + name
	case w.kind != index.Markdown:
		name = shortest(name, w.parts, free)
	}
	return w.escape(name)
}

// shortest gives the last parts of a path, as many as are asked for or more, that mean one page alone.
func shortest(name string, parts int, free func(string) bool) string {
	all := strings.Split(name, "/")
	for n := max(1, parts); n < len(all); n++ {
		if tail := strings.Join(all[len(all)-n:], "/"); free(tail) {
			return tail
		}
	}
	if len(all) == 1 && !free(name) {
		return "/" + name // a page at the root has no other path
	}
	return name
}

// escape writes a target so that the link's reader takes it for what it is.
func (w written) escape(name string) string {
	switch {
	case w.quote:
		return strings.ReplaceAll(name, "'", "''")
	case w.kind != index.Markdown:
		return name
	case w.angle:
		return strings.NewReplacer("%", "%25", "#", "%23", "<", "%3C", ">", "%3E").Replace(name)
	case w.ascii:
		parts := strings.Split(name, "/")
		for i, p := range parts {
			parts[i] = strings.NewReplacer("(", "%28", ")", "%29", "&", "%26").Replace(url.PathEscape(p))
		}
		return strings.Join(parts, "/")
	}
	return strings.NewReplacer("%", "%25", " ", "%20", "#", "%23", "?", "%3F", "(", "%28", ")", "%29", "<", "%3C", ">", "%3E", `\`, "%5C", "&", "%26").Replace(name)
}

// relativeTo gives a wiki path as seen from a folder of the wiki ("." is the root).
func relativeTo(dir, name string) string {
	var up []string
	for dir != "." && dir != "" && !strings.HasPrefix(name, dir+"/") {
		up, dir = append(up, ".."), path.Dir(dir)
	}
	if dir != "." && dir != "" {
		name = strings.TrimPrefix(name, dir+"/")
	}
	return strings.Join(append(up, name), "/")
}

// means tells whether a wikilink's target, written in the page from, would mean rel alone. Sources have the names of their pages and give way.
func means(w *wiki.Wiki, x *index.Index, from, target, rel string) bool {
	found := x.ResolveLink(from, index.Link{Kind: index.Wiki, Target: target})
	return len(found) > 0 && found[0].Path == rel && others(w, found, rel) == 0
}

// others counts the matches besides rel that do not give way to it.
func others(w *wiki.Wiki, found []index.Match, rel string) int {
	n := 0
	for _, m := range found {
		if _, raw := below("raw", m.Path); m.Path != rel && !(raw && w.IsHuman("raw")) {
			n++
		}
	}
	return n
}
