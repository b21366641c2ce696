package lint

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rigwiki/rig/wiki/index"
)

// links judges every link of the page.
func (p *page) links() {
	for _, l := range p.Links {
		if l.External() {
			continue
		}
		matches := p.x.ResolveLink(p.Path, l)
		switch {
		case len(matches) == 0 && p.folderLink(l):
		case len(matches) == 0:
			p.broken(l)
		case matches[0].How == index.Folded || matches[0].How == index.NearMiss || matches[0].How == index.Elsewhere:
			p.spelling(l, matches[0])
		case len(matches) > 1 && matches[0].How == matches[1].How:
			p.ambiguous(l, matches)
		}
		if len(matches) > 0 {
			p.anchor(l, matches[0].Path)
		}
	}
}

func (p *page) broken(l index.Link) {
	if p.Path == p.rules.indexPage() && !l.Embed {
		p.add("index-dead-entry", Warning, l.Start, l.End, "the index names "+l.Target+", which is not there", p.removeLine(l))
		return
	}
	if l.Embed {
		p.add("broken-embed", Warning, l.Start, l.End, "nothing is there to show: "+l.Target)
		return
	}
	if index.IsAttachment(l.Target) { // a file is not written by a fix
		p.add("broken-link", Warning, l.Start, l.End, "no file "+l.Target)
		return
	}
	fix := Fix{Title: "Create page " + l.Target, Create: p.newPage(l)}
	p.add("broken-link", Warning, l.Start, l.End, "no page "+l.Target, fix)
}

// folderLink tells a markdown link to a folder of the wiki, which shows its list of files in a browser.
func (p *page) folderLink(l index.Link) bool {
	if l.Kind != index.Markdown || l.Embed {
		return false
	}
	dir := path.Join(path.Dir(p.Path), l.Target)
	if rooted, ok := strings.CutPrefix(l.Target, "/"); ok {
		dir = path.Clean(rooted)
	}
	return dir == "." || p.x.HasFolder(dir)
}

// newPage is where a missing page would be made: as the link's path says, else beside the page that links to it.
func (p *page) newPage(l index.Link) string {
	rel := path.Clean("/" + strings.ReplaceAll(l.Target, "\\", "/"))[1:]
	if l.Kind == index.Markdown || !strings.Contains(l.Target, "/") {
		rel = path.Join(path.Dir(p.Path), l.Target)
		if strings.HasPrefix(rel, "../") {
			return ""
		}
	}
	if !strings.HasSuffix(strings.ToLower(rel), ".md") {
		rel += ".md"
	}
	return rel
}

func (p *page) removeLine(l index.Link) Fix {
	start, end := l.Start, l.End
	for start > 0 && p.text[start-1] != '\n' {
		start--
	}
	for end < len(p.text) && p.text[end-1] != '\n' {
		end++
	}
	return p.replace("Remove the line", start, end, "")
}

// spelling is a link that works and has a better spelling (case o-wk-14).
func (p *page) spelling(l index.Link, m index.Match) {
	severity, why := Hint, "is written "
	if m.How == index.Elsewhere {
		severity, why = Warning, "is in another folder: "
	}
	p.add("non-canonical-link", severity, l.Start, l.End, l.Target+" "+why+m.Path, p.retarget(l, m.Path))
}

// retarget writes a page's full path into the link, in the link's own style.
func (p *page) retarget(l index.Link, to string) Fix {
	text := to
	if l.Kind != index.Markdown {
		if !strings.HasSuffix(strings.ToLower(l.Target), ".md") && strings.HasSuffix(strings.ToLower(to), ".md") {
			text = to[:len(to)-len(".md")]
		}
		return p.replace("Write "+text, l.TargetStart, l.TargetEnd, text)
	}
	text = relative(path.Dir(p.Path), to)
	if l.TargetStart == 0 || p.text[l.TargetStart-1] != '<' {
		text = strings.NewReplacer("%", "%25", " ", "%20", "(", "%28", ")", "%29", "#", "%23", "?", "%3F").Replace(text)
	}
	return p.replace("Write "+text, l.TargetStart, l.TargetEnd, text)
}

// relative is the path to a file of the wiki from a folder of it.
func relative(dir, to string) string {
	if dir == "." {
		return to
	}
	from, parts := strings.Split(dir, "/"), strings.Split(to, "/")
	for len(from) > 0 && len(parts) > 1 && from[0] == parts[0] {
		from, parts = from[1:], parts[1:]
	}
	return strings.Repeat("../", len(from)) + strings.Join(parts, "/")
}

func (p *page) ambiguous(l index.Link, matches []index.Match) {
	var fixes []Fix
	for _, m := range matches {
		if !p.rules.human(m.Path) {
			fixes = append(fixes, p.retarget(l, m.Path))
		}
	}
	if len(fixes) < 2 {
		return // a source in raw/ has its page's name: no one means the source
	}
	p.add("ambiguous-link", Hint, l.Start, l.End, fmt.Sprintf("%s could mean %d pages; it means %s", l.Target, len(fixes), matches[0].Path), fixes...)
}

// anchor judges the heading or block that a link names.
func (p *page) anchor(l index.Link, to string) {
	if l.Heading == "" && l.Block == "" || !strings.HasSuffix(strings.ToLower(to), ".md") {
		return
	}
	target := p.Page
	if to != p.Path {
		var ok bool
		if target, ok = p.x.Page(to); !ok {
			return
		}
	}
	if l.Block != "" {
		if !target.HasBlock(l.Block) {
			p.add("broken-block", Warning, l.Start, l.End, to+" has no block ^"+l.Block)
		}
		return
	}
	if _, ok := target.Anchor(l); ok {
		return
	}
	code := "broken-heading"
	if l.Embed {
		code = "broken-embed"
	}
	p.add(code, Warning, l.Start, l.End, to+" has no heading "+l.Heading, p.meantHeading(l, target)...)
}

// meantHeading writes the heading whose name is a typing mistake away from what the link says.
func (p *page) meantHeading(l index.Link, target index.Page) []Fix {
	written := p.text[l.TargetEnd:l.End]
	start := bytes.IndexByte(written, '#') + 1
	length := bytes.IndexAny(written[start:], "|])> \t\"\\#")
	if l.Kind != index.Markdown {
		length = bytes.IndexAny(written[start:], "|]\\#")
	}
	if start == 0 || length <= 0 {
		return nil
	}
	start += l.TargetEnd
	for _, h := range target.Headings {
		text, said := h.Text, l.Heading
		if l.Kind == index.Markdown {
			text = h.Anchor
		}
		if Nearly(index.Loose(text), index.Loose(said)) && !strings.ContainsAny(text, "[]|#^\\") && string(p.text[start:start+length]) == said {
			return []Fix{p.replace("Write "+text, start, start+length, text)}
		}
	}
	return nil
}

// The numbers of names and pages that are looked at for a broken link.
const (
	maxSuggested = 5
	maxNamed     = 12
)

// Suggest gives pages that a broken link may have meant, best first: what an editor offers once it is asked. Names are looked through before pages are
// searched, and pages only where no name will do: a menu opens while somebody waits.
func Suggest(x *index.Index, from string, l index.Link) []string {
	name := strings.TrimSuffix(path.Base(l.Target), ".md")
	out := x.Similar("", name, nil)
	add := func(rel string) {
		if rel != from && strings.HasSuffix(strings.ToLower(rel), ".md") && !slices.Contains(out, rel) {
			out = append(out, rel)
		}
	}
	for _, n := range x.Near(name, maxSuggested) {
		add(n.Path)
	}
	if len(out) == 0 {
		for _, n := range x.Holding(name, maxNamed) {
			if near(name, path.Base(n.Path), n.Title, n.Alias) {
				add(n.Path)
			}
		}
	}
	if len(out) == 0 && x.HasFullText() { // an editor's menu does not wait for a first build
		for _, h := range x.Search(name, maxSuggested) {
			if near(name, path.Base(h.Path), h.Title) {
				add(h.Path)
			}
		}
	}
	return out[:min(len(out), maxSuggested)]
}

// near tells whether one of a page's names has to do with the name that was written.
func near(name string, names ...string) bool {
	a := index.Idea(name)
	for _, s := range names {
		b := index.Idea(strings.TrimSuffix(s, ".md"))
		if a != "" && b != "" && (strings.Contains(b, a) || strings.Contains(a, b) || similar(a, b)) {
			return true
		}
	}
	return false
}

// similar tells whether two words share at least two thirds of their pairs of letters (Dice's coefficient).
func similar(a, b string) bool {
	pairs := map[string]int{}
	ra, rb := []rune(a), []rune(b)
	for i := 0; i+1 < len(ra); i++ {
		pairs[string(ra[i:i+2])]++
	}
	common := 0
	for i := 0; i+1 < len(rb); i++ {
		if k := string(rb[i : i+2]); pairs[k] > 0 {
			pairs[k]--
			common++
		}
	}
	return 6*common >= 2*(len(ra)+len(rb)-2) && common > 0
}
