package lsp

import (
	"context"
	"slices"
	"strings"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/index"
	"github.com/rigwiki/rig/wiki/proposal"
	"go.lsp.dev/protocol"
)

// renameHeading changes a heading's text and every link to it, in its own page too. A slug of another heading that changes with it (a repeated one
// is numbered) is followed as well.
func (p spot) renameHeading(ctx context.Context, r renamed, name string) (*protocol.WorkspaceEdit, error) {
	page, text, ok := p.pageOf(r.rel)
	which := slices.Index(page.Headings, *r.heading)
	if !ok || which < 0 {
		return nil, refused("the heading is gone")
	}
	start, end, ok := headingInner(text, *r.heading)
	if !ok {
		return nil, refused("the heading cannot be renamed")
	}
	own := []proposal.Edit{{Start: start, End: end, New: []byte(name)}}
	after := index.ParsePage(replaced(text, own))
	if len(after.Headings) != len(page.Headings) {
		return nil, refused("%q is no heading's text", name)
	}
	edits := map[string][]proposal.Edit{r.rel: own}
	texts := map[string][]byte{r.rel: text}
	err := p.eachLinkTo(ctx, r.rel, func(from string, text []byte, _ *lines, l index.Link) {
		if e, ok := anchorEdit(text, l, page, after, which); ok {
			edits[from] = append(edits[from], e)
			texts[from] = text
		}
	})
	if err != nil {
		return nil, err
	}
	var files []proposal.Planned
	var kept []string
	for rel, list := range edits {
		if p.w.IsHuman(rel) {
			kept = append(kept, rel)
			continue
		}
		slices.SortFunc(list, func(a, b proposal.Edit) int { return a.Start - b.Start })
		files = append(files, proposal.Planned{Path: rel, Kind: proposal.Edited, Before: texts[rel], Edits: list, Shared: slices.Contains(p.w.Shared, rel)})
	}
	slices.SortFunc(files, func(a, b proposal.Planned) int { return strings.Compare(a.Path, b.Path) })
	if len(kept) > 0 {
		p.s.tell(messageInfo, "links in "+someOf(kept, maxNamed)+" stay as they are, since those files are yours to change")
	}
	return p.s.pageEdit(p.w, "rename of a heading in "+r.rel, files)
}

// anchorEdit gives the edit of a link's anchor, if it has to change: by the slug that its heading gets, or the parts that name the renamed heading.
func anchorEdit(text []byte, l index.Link, before, after index.Page, which int) (proposal.Edit, bool) {
	h, found := before.Anchor(l)
	if l.Heading == "" || !found && !strings.Contains(l.Heading, "#") {
		return proposal.Edit{}, false
	}
	start, end := anchorInLink(text, l)
	old := string(text[start:end])
	i := slices.Index(before.Headings, h)
	if l.Kind == index.Markdown {
		if i < 0 || after.Headings[i].Anchor == before.Headings[i].Anchor || i != which && !strings.EqualFold(unpercent(old), h.Anchor) {
			return proposal.Edit{}, false
		}
		return proposal.Edit{Start: start, End: end, New: []byte(after.Headings[i].Anchor)}, true
	}
	named := anchorText(after.Headings[which].Text)
	parts := strings.Split(old, "#")
	whole := index.Link{Kind: index.Wiki, Heading: strings.ReplaceAll(old, "#", " ")}
	if w, ok := before.Anchor(whole); i == which && (len(parts) == 1 || ok && w == h) {
		return proposal.Edit{Start: start, End: end, New: []byte(named)}, named != old
	}
	for n := range parts {
		if at, ok := before.Anchor(index.Link{Kind: index.Wiki, Heading: strings.Join(parts[:n+1], "#")}); ok && at == before.Headings[which] {
			parts[n] = named
		}
	}
	made := strings.Join(parts, "#")
	return proposal.Edit{Start: start, End: end, New: []byte(made)}, made != old
}

// pageEdit builds the edit of planned pages for a client that asked for it: by its own rules for annotations, with the gate where more than one
// file changes, so that the preview opens with all of it ticked.
func (s *server) pageEdit(w *wiki.Wiki, title string, files []proposal.Planned) (*protocol.WorkspaceEdit, error) {
	if len(files) == 0 {
		return nil, nil
	}
	how := bare
	switch {
	case !s.caps.annotations || s.caps.neovim():
	case len(files) > 1:
		how = gated
	default:
		how = annotated
	}
	p, err := s.editOf(w, title, files, how)
	if err != nil {
		return nil, refused("%v", err)
	}
	return &p.Edit, nil
}
