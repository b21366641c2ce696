package lint

import (
	"bytes"
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rigwiki/rig/wiki/index"
)

// empty finds a page without text.
func (p *page) empty() {
	if len(bytes.TrimSpace(p.text[p.Front.End:])) == 0 && !p.rules.shared(p.Path) {
		p.add("empty-page", Warning, p.Front.End, len(p.text), "the page has no text")
	}
}

// inbound judges who links to the page: nobody, only the index, or everybody but the index.
func (p *page) inbound() {
	if p.rules.shared(p.Path) || len(p.rules.Folders) == 0 { // loose notes need not be linked
		return
	}
	listing := p.rules.indexPage()
	listed, linked := false, false
	p.x.EachBacklink(p.Path, func(r index.Ref) bool {
		if r.From == listing {
			listed = true
		} else if !p.rules.human(r.From) {
			linked = true
		}
		return !listed && listing != "" || !linked
	})
	end := p.firstLine()
	switch {
	case !linked && !listed:
		p.add("orphan", Hint, 0, end, "no page links here")
	case !linked:
		p.add("only-in-index", Hint, 0, end, "only the index links here")
	}
	if listing == "" || listed || !p.rules.expected(p.Path) {
		return
	}
	if _, ok := p.x.Page(listing); ok {
		p.add("index-missing-page", Warning, 0, end, "the page is not in "+listing, p.enlist(listing))
	}
}

func (p *page) firstLine() int {
	if i := bytes.IndexAny(p.text, "\r\n"); i >= 0 {
		return i
	}
	return len(p.text)
}

// enlist adds the page to the index: below the heading that is named as its folder, behind the last entry there, else at the end.
func (p *page) enlist(listing string) Fix {
	list, _ := p.x.Page(listing)
	text, _ := p.x.Source(listing)
	at := len(text)
	for i, h := range list.Headings {
		if index.Idea(h.Text) != index.Idea(path.Base(path.Dir(p.Path))) {
			continue
		}
		if i+1 < len(list.Headings) {
			at = list.Headings[i+1].Start
		}
		at = len(bytes.TrimRight(text[:min(at, len(text))], " \t\r\n"))
		break
	}
	eol := "\n"
	if bytes.Contains(text, []byte("\r\n")) {
		eol = "\r\n"
	}
	target := strings.TrimSuffix(p.Path, ".md")
	name := path.Base(target)
	if found := p.x.Resolve(listing, name); len(found) == 1 && found[0] == p.Path {
		target = name
	}
	entry := "- [[" + target + "]]"
	if title := printable(p.Title); title != "" && title != name {
		entry += " — " + title
	}
	if at == len(text) && at > 0 && text[at-1] == '\n' {
		entry += eol
	} else {
		entry = eol + entry
	}
	return Fix{Title: "Add to " + listing, Edits: []Edit{{listing, at, at, entry}}}
}

// printable is a title as one line of text: what is binary in a page would make the whole index so.
func printable(title string) string {
	title = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == utf8.RuneError || unicode.IsControl(r):
			return -1
		}
		return r
	}, title)
	return strings.Join(strings.Fields(title), " ")
}

// twins finds pages that seem to be about the same (case o-lw-07).
func (p *page) twins() {
	if p.rules.shared(p.Path) {
		return
	}
	var same []string
	for _, rel := range p.x.Similar(p.Path, p.Title, p.Aliases) {
		if !p.rules.human(rel) && !p.rules.shared(rel) {
			same = append(same, rel)
		}
	}
	p.copies()
	if len(same) > 0 {
		p.add("duplicate-page", Hint, 0, p.firstLine(), "may be about the same as "+strings.Join(same, ", "))
	}
}

// copies finds pages whose text is nearly the page's.
func (p *page) copies() {
	if p.rules.Prompt && !p.x.HasFullText() {
		return
	}
	for _, a := range p.x.NearCopies(p.Path) {
		if !p.rules.human(a.Path) && !p.rules.shared(a.Path) {
			p.add("near-duplicate-page", Hint, 0, p.firstLine(), fmt.Sprintf("says nearly the same as %s (%.0f %% of its text)", a.Path, 100*a.Share))
		}
	}
}

// name judges whether the page's path can exist everywhere (case o-fs-10).
func (p *page) name() {
	if p.rules.BadName == nil {
		return
	}
	if why, better := p.rules.BadName(p.Path); why != "" {
		message := why
		if better != "" {
			message += "; better: " + better
		}
		p.add("non-portable-name", Warning, 0, p.firstLine(), message)
	}
}

// collides finds a page whose path is that of another on systems that do not tell case or normal form apart.
func (p *page) collides() {
	for _, other := range p.x.SamePath(p.Path) {
		if other < p.Path { // told once, of the later one
			p.add("case-collision", Warning, 0, p.firstLine(), "differs from "+other+" only by case or normal form: one file on many systems")
			return
		}
	}
}
