package lsp

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rigwiki/rig/wiki/index"
	"github.com/rigwiki/rig/wiki/proposal"
	"go.lsp.dev/protocol"
)

// moving works out what becomes of a wiki's texts when pages get other paths: links to them, and links in them that count from their folder.
type moving struct {
	spot
	moves map[string]string          // path -> new path
	extra map[string][]proposal.Edit // more edits of a page's text, by its old path
	bound bool                       // the editor moves the files itself, after our edits
	kept  []string                   // pages that are the human's, whose links stay as they are
}

// to gives the path of a page after the move.
func (m *moving) to(rel string) string {
	if t, ok := m.moves[rel]; ok {
		return t
	}
	return rel
}

// retitle changes the texts that say a page's title: its first heading and front matter's title where they say the old one.
func (m *moving) retitle(rel string, page index.Page, old, title string) {
	_, text, ok := m.pageOf(rel)
	if !ok {
		return
	}
	var edits []proposal.Edit
	if f, ok := page.Front.Field("title"); ok && len(f.Values) == 1 && f.Values[0] == old {
		if start, end, ok := valueSpan(text, f); ok {
			edits = append(edits, proposal.Edit{Start: start, End: end, New: []byte(yamlInside(text, start, title))})
		}
	}
	if len(page.Headings) > 0 && isTitle(page, page.Headings[0]) {
		if start, end, ok := headingInner(text, page.Headings[0]); ok && string(text[start:end]) == old {
			edits = append(edits, proposal.Edit{Start: start, End: end, New: []byte(title)})
		}
	}
	m.extra = map[string][]proposal.Edit{rel: edits}
}

// yamlInside writes a text where a value stood: inside of its quotes, or plain where it needs none.
func yamlInside(text []byte, start int, value string) string {
	switch {
	case text[start-1] == '"':
		return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value)
	case text[start-1] == '\'':
		return strings.ReplaceAll(value, "'", "''")
	}
	return yamlText(value)
}

// yamlText writes a text as a YAML value, in quotes where it could be read as something else (YAML 1.2, section 7.3.3).
func yamlText(value string) string {
	if value == "" || strings.ContainsAny(value[:1], "!&*?|>@`%\"'#,[]{}-:~=0123456789") || strings.Contains(value, ": ") || strings.Contains(value, " #") ||
		strings.ContainsAny(value, ",[]{}") || strings.HasSuffix(value, ":") || value != strings.TrimSpace(value) || slices.Contains([]string{"true", "false", "null", "yes", "no", "on", "off"}, strings.ToLower(value)) {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
	}
	return value
}

// plan gives what changes, page by page in order; pages that are moved come with their move.
func (m *moving) plan(ctx context.Context) ([]proposal.Planned, error) {
	affected := map[string]bool{}
	for rel := range m.extra {
		affected[rel] = true
	}
	for rel, to := range m.moves {
		affected[rel] = true
		for _, from := range m.linking(rel) {
			affected[from] = true
		}
		for _, from := range m.captured(rel, to) {
			affected[from] = true
		}
	}
	slugs := m.slugs()
	citing, err := m.citing(ctx, slugs)
	if err != nil {
		return nil, err
	}
	for _, rel := range citing {
		affected[rel] = true
	}
	var out []proposal.Planned
	for rel := range affected {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		_, moved := m.moves[rel]
		page, text, ok := m.pageOf(rel)
		if !ok && !moved {
			continue
		}
		edits := slices.Concat(m.extra[rel], citations(page, text, slugs), m.edits(page, text, rel))
		slices.SortFunc(edits, func(a, b proposal.Edit) int { return a.Start - b.Start })
		switch {
		case len(edits) > 0 && m.w.IsHuman(rel):
			m.kept = append(m.kept, rel)
			continue
		case len(edits) == 0 && (!moved || m.bound):
			continue
		}
		f := proposal.Planned{Path: rel, Kind: proposal.Edited, Before: text, Edits: edits, Shared: slices.Contains(m.w.Shared, rel)}
		if moved && !m.bound {
			f.Kind, f.Path, f.From = proposal.Rename, m.moves[rel], rel
		}
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b proposal.Planned) int {
		if r := truth(a.Kind != proposal.Rename) - truth(b.Kind != proposal.Rename); r != 0 {
			return r // renames first: what follows knows the new names
		}
		return strings.Compare(a.Path, b.Path)
	})
	return out, nil
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// edits gives the edits of the links in one page.
func (m *moving) edits(page index.Page, text []byte, rel string) []proposal.Edit {
	var out []proposal.Edit
	for _, l := range page.Links {
		if l.External() || l.Target == "" {
			continue
		}
		found := m.x.ResolveLink(rel, l)
		if len(found) == 0 || found[0].How == index.Alias {
			continue // an alias goes with its page
		}
		to := m.to(found[0].Path)
		if to == found[0].Path && m.stays(rel, l, found[0]) {
			continue
		}
		w := writing(text, rel, found[0].Path, l)
		from := m.to(rel)
		if near := path.Join(path.Dir(from), to); w.kind == index.Markdown && !w.relative && near != to && m.there(near) {
			w.rooted = true // from the root it would be read as from its folder
		}
		target := w.target(from, to, func(t string) bool { return m.free(from, t, to) })
		old := string(text[l.TargetStart:l.TargetEnd])
		same := found[0].How == index.Folded && index.Fold(target) == index.Fold(old) // in the writer's own spelling
		if target != old && !same {
			out = append(out, proposal.Edit{Start: l.TargetStart, End: l.TargetEnd, New: []byte(target)})
		}
	}
	return out
}

// there tells whether a page has a path after the move.
func (m *moving) there(rel string) bool {
	for _, new := range m.moves {
		if new == rel {
			return true
		}
	}
	_, goes := m.moves[rel]
	_, is := m.x.Page(rel)
	return is && !goes
}

// stays tells whether a link to a page that is not moved leads there after the move as well, written as it is.
func (m *moving) stays(rel string, l index.Link, was index.Match) bool {
	from, to := m.to(rel), was.Path
	if from != rel {
		found := m.x.ResolveLink(from, l)
		if len(found) == 0 || found[0].Path != to || found[0].How > was.How {
			return false
		}
	}
	if near := path.Join(path.Dir(from), l.Target); l.Kind == index.Markdown && !strings.HasPrefix(l.Target, "/") && near != to && near+".md" != to {
		if was := path.Join(path.Dir(rel), l.Target); was == to || was+".md" == to {
			return false // counted from its page's folder, as every renderer reads it: only we would still find it from the root
		}
		return !m.there(near) && !m.there(near+".md")
	}
	if l.Kind == index.Markdown || strings.HasPrefix(l.Target, "/") {
		return true
	}
	for _, new := range m.moves {
		if hasTail(new, l.Target) && preferred(from, new, to) {
			return false // the moved page would be taken for it
		}
		if was.How > index.Alias && index.Loose(stemOf(new)) == index.Loose(stemOf(l.Target)) {
			return false // what only comes near needs to be alone
		}
	}
	return true
}

// hasTail tells whether a path ends with a target, upper and lower case alike.
func hasTail(rel, target string) bool {
	rel, target = index.Fold(strings.TrimSuffix(rel, ".md")), index.Fold(strings.TrimSuffix(target, ".md"))
	return rel == target || strings.HasSuffix(rel, "/"+target)
}

// preferred tells whether a name in the page from means a and not b where both have it: its own folder first, then the shallowest, then the
// alphabet (index's order).
func preferred(from, a, b string) bool {
	dir := path.Dir(from)
	if near, other := path.Dir(a) == dir, path.Dir(b) == dir; near != other {
		return near
	}
	if da, db := strings.Count(a, "/"), strings.Count(b, "/"); da != db {
		return da < db
	}
	return a < b
}

// free tells whether a target in the page from would mean the path to alone once the pages have moved.
func (m *moving) free(from, target, to string) bool {
	if !hasTail(to, target) {
		return false
	}
	for old, new := range m.moves {
		if new != to && old != to && hasTail(new, target) {
			return false
		}
	}
	found := slices.DeleteFunc(m.x.ResolveLink(from, index.Link{Kind: index.Wiki, Target: target}), func(f index.Match) bool {
		_, goes := m.moves[f.Path]
		return goes || f.How > index.Folded // what only comes near gives way to what has the name
	})
	return others(m.w, found, to) == 0
}

// captured gives the pages with links that mean another page and would mean the moved one by its new name.
func (m *moving) captured(rel, to string) []string {
	if index.Fold(stemOf(rel)) == index.Fold(stemOf(to)) && path.Dir(rel) == path.Dir(to) {
		return nil
	}
	var out []string
	for _, other := range m.x.ResolveLink(to, index.Link{Kind: index.Wiki, Target: stemOf(to)}) {
		if other.Path != rel {
			out = append(out, m.linking(other.Path)...)
		}
	}
	return out
}

// workspaceEdit plans and builds the edit, and tells what stays as it is.
func (m *moving) workspaceEdit(ctx context.Context, title string) (*protocol.WorkspaceEdit, error) {
	files, err := m.plan(ctx)
	if err != nil {
		return nil, err
	}
	if len(m.kept) > 0 {
		m.s.tell(messageInfo, fmt.Sprintf("%s: links in %s stay as they are, since those files are yours to change", title, someOf(m.kept, maxNamed)))
	}
	return m.s.pageEdit(m.w, title, files)
}

// replaced gives a text with edits applied.
func replaced(text []byte, edits []proposal.Edit) []byte {
	var out bytes.Buffer
	at := 0
	for _, e := range edits {
		out.Write(text[at:e.Start])
		out.Write(e.New)
		at = e.End
	}
	out.Write(text[at:])
	return out.Bytes()
}
