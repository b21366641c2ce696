package lsp

import (
	"context"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/index"
	"github.com/rigwiki/rig/wiki/lint"
	"github.com/rigwiki/rig/wiki/proposal"
	"go.lsp.dev/protocol"
)

// kindFix is the kind of what mends a finding.
const kindFix = string(protocol.CodeActionKindQuickFix)

// The bounds of one menu.
const (
	maxMended    = 8 // findings
	maxSuggested = 3 // pages that a broken link may mean
)

// offerFixes offers to mend what is wrong where the cursor is: ready edits, nothing is written by offering.
func offerFixes(p place) []item {
	if p.text == nil || !p.s.caps.literals || !wanted(p.only, kindFix) || !p.s.config(p.w).Feature(featureCodeAction) {
		return nil
	}
	ctx, cancel := context.WithTimeout(p.s.ctx, p.s.bounds.hover)
	defer cancel()
	doc, open := p.s.docs.get(pathIn(p.w, p.rel))
	x, err := p.s.index(ctx, p.w)
	if err != nil || !open {
		return nil // still being opened, or told where it was
	}
	found, ok := p.s.linted(ctx, x, p.w, p.rel, doc)
	if !ok {
		return nil
	}
	l := newLines(doc.text, p.s.caps.encoding)
	start, end := l.offset(p.rng.Start), l.offset(p.rng.End)
	lineStart := l.offset(protocol.Position{Line: p.rng.Start.Line})
	m := mender{spot: spot{s: p.s, w: p.w, x: x, rel: p.rel, text: doc.text, page: index.ParsePage(doc.text), lines: l}}
	mended := 0
	for _, f := range found {
		from := start
		if f.Start == f.End {
			from = lineStart // a place without width is meant by its line
		}
		if f.Start <= end && from <= f.End && mended < maxMended {
			mended++
			m.mend(f)
		}
	}
	return m.items
}

// mender collects what may mend the findings of a page.
type mender struct {
	spot
	items []item
}

// mend offers what lint knows, and what an editor is asked for besides.
func (m *mender) mend(f lint.Finding) {
	switch f.Code {
	case "broken-link":
		if link, ok := m.link(f); ok {
			m.missing(f, link)
		}
	case "missing-front-matter":
		m.offer(f, "Add front matter", m.edit(m.rel, f.Start, f.Start, m.frontFor(m.rel, m.page.Title, eolOf(m.text))))
	default:
		for _, fix := range f.Fixes {
			var files []proposal.Planned
			for _, e := range fix.Edits {
				files = append(files, m.edit(e.Path, e.Start, e.End, e.Text)...)
			}
			switch {
			case fix.Move != "":
				m.move(f, fix)
			case fix.Create == "":
				m.offer(f, fix.Title, files)
			}
		}
	}
}

// move offers to move the page, with every link to it.
func (m *mender) move(f lint.Finding, fix lint.Fix) {
	if !m.s.caps.documentChanges || !m.s.caps.operations[protocol.ResourceOperationKindRename] || m.mayBeNamed(m.rel, fix.Move) != nil {
		return
	}
	ctx, cancel := context.WithTimeout(m.s.ctx, m.s.bounds.hover)
	defer cancel()
	files, err := (&moving{spot: m.spot, moves: map[string]string{m.rel: fix.Move}}).plan(ctx)
	if err != nil {
		return // what cannot be done is not offered
	}
	edit, err := m.s.editOf(m.w, fix.Title, files, bare)
	if err != nil {
		return
	}
	m.items = append(m.items, item{title: fix.Title, edit: &edit.Edit, arg: []protocol.Diagnostic{diagnosticOf(f, m.lines)}})
}

func (m *mender) link(f lint.Finding) (index.Link, bool) {
	for _, l := range m.page.Links {
		if l.Start == f.Start && l.End == f.End {
			return l, true
		}
	}
	return index.Link{}, false
}

// edit plans one edit of a page, by its bytes in the text that the index has.
func (m *mender) edit(rel string, start, end int, text string) []proposal.Planned {
	before, ok := m.x.Source(rel)
	if !ok || end > len(before) {
		return nil
	}
	return []proposal.Planned{{Path: rel, Kind: proposal.Edited, Before: before, Edits: []proposal.Edit{{Start: start, End: end, New: []byte(text)}}}}
}

// offer adds an action that applies planned pages; edits of one page are put together.
func (m *mender) offer(f lint.Finding, title string, files []proposal.Planned) {
	var whole []proposal.Planned
	for _, p := range files {
		i := slices.IndexFunc(whole, func(o proposal.Planned) bool { return o.Path == p.Path })
		if i < 0 {
			whole = append(whole, p)
			continue
		}
		whole[i].Edits = append(whole[i].Edits, p.Edits...)
	}
	for _, p := range whole {
		if m.w.IsHuman(p.Path) {
			return
		}
		slices.SortFunc(p.Edits, func(a, b proposal.Edit) int { return a.Start - b.Start })
	}
	edit, err := m.s.editOf(m.w, title, whole, bare)
	if err != nil {
		return // what cannot be done is not offered
	}
	m.items = append(m.items, item{title: title, edit: &edit.Edit, arg: []protocol.Diagnostic{diagnosticOf(f, m.lines)}})
}

// missing offers what a broken link may mean: another page, a page under another name, or one that is still to be written.
func (m *mender) missing(f lint.Finding, l index.Link) {
	pages := m.suggest(l)
	how := writing(m.text, m.rel, "", l)
	how.parts = 1
	for _, rel := range pages {
		target := how.target(m.rel, rel, func(t string) bool { return means(m.w, m.x, m.rel, t, rel) })
		m.offer(f, "Link to "+target+" instead", m.edit(m.rel, l.TargetStart, l.TargetEnd, target))
	}
	m.create(f, l)
	if len(pages) > 0 && l.Kind != index.Markdown && !strings.Contains(l.Target, "/") {
		if page, ok := m.x.Page(pages[0]); ok {
			if edit, ok := m.alias(page, l.Target); ok {
				m.offer(f, fmt.Sprintf("Add alias %s to %s", l.Target, pages[0]), edit)
			}
		}
	}
}

// suggest gives the pages that a broken link may mean, best first.
func (m *mender) suggest(l index.Link) []string {
	var out []string
	add := func(rel string) {
		if isPage(rel) && rel != m.rel && !m.w.IsHuman(rel) && !slices.Contains(out, rel) {
			out = append(out, rel)
		}
	}
	for _, rel := range lint.Suggest(m.x, m.rel, l) {
		add(rel)
	}
	return out[:min(len(out), maxSuggested)]
}

// create offers the page that is missing: where the link's path says, else in the folder that the schema has for ideas, with front matter as the
// schema asks for it.
func (m *mender) create(f lint.Finding, l index.Link) {
	c := m.s.schemaOf(m.w)
	target := strings.TrimSuffix(strings.TrimPrefix(path.Clean(strings.ReplaceAll(l.Target, "\\", "/")), "/"), ".md")
	rel, link := target+".md", []proposal.Planned(nil)
	switch {
	case l.Kind == index.Markdown && !strings.HasPrefix(l.Target, "/"):
		rel = path.Join(path.Dir(m.rel), rel)
	case !strings.Contains(target, "/"):
		name := target
		if c.slugs && l.Kind == index.Wiki {
			name = wiki.Slug(strings.ReplaceAll(target, ".", " "), nil)
		}
		rel = path.Join(m.folderOf(c), name+".md")
		if name != target {
			link = m.edit(m.rel, l.TargetStart, l.TargetEnd, m.slugLink(l, name))
		}
	}
	if !m.s.caps.documentChanges || !m.s.caps.operations[protocol.ResourceOperationKindCreate] || m.w.IsHuman(rel) || wiki.BadName(m.w, rel, "") != "" {
		return
	}
	if _, err := os.Lstat(pathIn(m.w, rel)); err == nil {
		return
	}
	title := path.Base(target)
	if c.slugs && title == strings.ToLower(title) { // a slug, and no title
		first := []rune(strings.ReplaceAll(title, "-", " "))
		title = strings.ToUpper(string(first[:1])) + string(first[1:])
		if l.Kind == index.Wiki && l.Alias != "" {
			title = l.Alias
		}
	}
	eol := eolOf(m.text)
	made := proposal.Planned{Path: rel, Kind: proposal.Create, After: []byte(m.frontFor(rel, title, eol) + "# " + title + eol)}
	m.offer(f, "Create page "+rel, append([]proposal.Planned{made}, link...))
}

// slugLink writes a slug for what was written, which is shown on.
func (m *mender) slugLink(l index.Link, slug string) string {
	rest := m.text[l.TargetEnd:l.End]
	if l.Alias != "" || l.Embed || string(rest) != "]]" {
		return slug
	}
	line := m.lines.position(l.Start).Line
	start, end := m.lines.bounds(int(line))
	pipe := "|"
	if strings.HasPrefix(strings.TrimSpace(string(m.text[start:end])), "|") {
		pipe = `\|`
	}
	return slug + pipe + l.Target
}

// folderOf is the folder for a page that only a name is known of: the one for ideas where the schema or the wiki has it, else the page's own.
func (m *mender) folderOf(c schema) string {
	if m.w.Layout == wiki.Links {
		return path.Dir(m.rel)
	}
	ideas := path.Join(m.w.Pages, "concepts")
	if slices.Contains(c.folders, "concepts") || slices.Contains(c.folders, ideas) || exists(pathIn(m.w, ideas)) {
		return ideas
	}
	if slices.Contains(m.w.Shared, m.rel) || path.Dir(m.rel) == "." {
		if len(c.folders) > 0 && !m.w.IsHuman(c.folders[0]) {
			return path.Join(m.w.Pages, strings.TrimPrefix(c.folders[0], m.w.Pages+"/"))
		}
		return m.w.Pages
	}
	return path.Dir(m.rel)
}
