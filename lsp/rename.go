package lsp

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"strings"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/index"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// renamed is what a position names: a page by one of its links or by its title, or a heading.
type renamed struct {
	rel        string
	heading    *index.Heading // nil: the page
	title      bool           // the page by its title: the title changes with the file's name
	start, end int            // of the name in the document asked from
	name       string
}

// prepareRename tells what would be renamed, null where nothing can be.
func (s *server) prepareRename(ctx context.Context, p *protocol.PrepareRenameParams) (protocol.PrepareRenameResult, error) {
	at, ok := s.spotAt(ctx, string(p.TextDocument.URI))
	if !ok {
		return nil, nil
	}
	r, ok := at.renamedAt(p.Position)
	if !ok {
		return nil, nil
	}
	if err := at.mayRename(r); err != nil {
		return nil, err
	}
	return &protocol.PrepareRenamePlaceholder{Range: at.lines.span(r.start, r.end), Placeholder: r.name}, nil
}

// rename renames a page with its file, or a heading, and every link to it: each link keeps its form, its alias and its heading.
func (s *server) rename(ctx context.Context, p *protocol.RenameParams) (*protocol.WorkspaceEdit, error) {
	at, ok := s.spotAt(ctx, string(p.TextDocument.URI))
	if !ok {
		return nil, refused("the wiki is not read yet, or the page is in none")
	}
	r, ok := at.renamedAt(p.Position)
	if !ok {
		return nil, refused("there is no link, title or heading here")
	}
	if err := at.mayRename(r); err != nil {
		return nil, err
	}
	name := strings.TrimSpace(p.NewName)
	if name == "" || strings.ContainsAny(name, "\r\n") {
		return nil, refused("a name is one line of text")
	}
	if r.heading != nil {
		return at.renameHeading(ctx, r, name)
	}
	return at.renamePage(ctx, r, name)
}

// refused is the error of a request that we understand and do not carry out.
func refused(format string, a ...any) error {
	return jsonrpc2.NewError(codeRequestFailed, fmt.Sprintf(format, a...))
}

// renamedAt finds what a position names.
func (p spot) renamedAt(pos protocol.Position) (renamed, bool) {
	off := p.lines.offset(pos)
	if link, ok := p.linkAt(pos); ok {
		return p.renamedByLink(link, off)
	}
	if h, ok := headingAt(p.page, off); ok {
		start, end, ok := headingInner(p.text, h)
		r := renamed{rel: p.rel, start: start, end: end, name: string(p.text[start:end])}
		if r.title = isTitle(p.page, h); !r.title {
			r.heading = &h
		}
		return r, ok
	}
	if f, ok := p.page.Front.Field("title"); ok && f.Start <= off && off <= f.End && len(f.Values) == 1 && !f.List {
		if start, end, ok := valueSpan(p.text, f); ok {
			return renamed{rel: p.rel, title: true, start: start, end: end, name: f.Values[0]}, true
		}
	}
	return renamed{}, false
}

// renamedByLink is the heading where the cursor is on one that exists, else the page.
func (p spot) renamedByLink(link index.Link, off int) (renamed, bool) {
	rel, ok := p.resolve(link)
	if !ok || link.External() {
		return renamed{}, false
	}
	if link.Heading != "" && off > link.TargetEnd {
		page, text, ok := p.pageOf(rel)
		h, found := page.Anchor(link)
		start, end := anchorInLink(p.text, link)
		if ok && found && off <= end {
			if from, to, ok := headingInner(text, h); ok {
				return renamed{rel: rel, heading: &h, start: start, end: end, name: string(text[from:to])}, true
			}
		}
	}
	if link.TargetStart == link.TargetEnd || !isPage(rel) {
		return renamed{}, false
	}
	return renamed{rel: rel, start: link.TargetStart, end: link.TargetEnd, name: stemOf(rel)}, true
}

// mayRename refuses what is the human's, or serves every page under the name that it has.
func (p spot) mayRename(r renamed) error {
	if p.w.IsHuman(r.rel) {
		return refused("%s is protected: it is the human's, and the wiki relies on it being where it is", r.rel)
	}
	if r.heading == nil {
		for _, shared := range p.w.Shared {
			if shared == r.rel && p.w.Layout != wiki.Links {
				return refused("%s has its name from the wiki's layout", r.rel)
			}
		}
		if !p.s.caps.operations[protocol.ResourceOperationKindRename] {
			return refused("this editor does not rename files for a server")
		}
	}
	return nil
}

// renamePage plans the move of a page's file. From a link the new name is the file's (a path where it holds a "/"), from a title it is the title,
// and the file follows by the way in which it has its name now.
func (p spot) renamePage(ctx context.Context, r renamed, name string) (*protocol.WorkspaceEdit, error) {
	page, _, ok := p.pageOf(r.rel)
	if !ok {
		return nil, refused("%s is gone", r.rel)
	}
	to := strings.TrimSuffix(name, ".md")
	switch {
	case r.title && stemOf(r.rel) != r.name:
		to = path.Join(path.Dir(r.rel), wiki.Slug(strings.ReplaceAll(name, "/", " "), nil)+".md")
	case r.title:
		to = path.Join(path.Dir(r.rel), strings.ReplaceAll(name, "/", "-")+".md")
	case !strings.Contains(to, "/"):
		to = path.Join(path.Dir(r.rel), to+".md")
	default:
		to = strings.TrimPrefix(to, "/") + ".md"
	}
	m := moving{spot: p, moves: map[string]string{}}
	if to != r.rel {
		if err := p.mayBeNamed(r.rel, to); err != nil {
			return nil, err
		}
		m.moves[r.rel] = to
	}
	if r.title {
		m.retitle(r.rel, page, r.name, name)
	}
	return m.workspaceEdit(ctx, "rename of "+r.rel)
}

// mayBeNamed refuses a path that is not a page's, that policy would refuse to an agent, or where something is.
func (p spot) mayBeNamed(from, to string) error {
	if p.w.IsHuman(to) {
		return refused("%s is protected: it is the human's", to)
	}
	if _, err := insideWiki(p.w, to); err != nil {
		return refused("%v", err)
	}
	if why := wiki.BadName(p.w, to, from); why != "" {
		return refused("%s cannot be a page's name: %s", to, why)
	}
	if strings.ContainsAny(path.Base(to), "[]#^") {
		return refused("%s cannot be linked to: a name has none of [ ] # ^", to)
	}
	if _, err := os.Lstat(pathIn(p.w, to)); err == nil && !strings.EqualFold(from, to) {
		return refused("%s exists already", to)
	}
	if _, open := p.s.docs.get(pathIn(p.w, to)); open {
		return refused("%s is open already", to)
	}
	return nil
}

// headingInner gives the bytes of a heading's text, between its marks. ok is false for one whose marks are not seen.
func headingInner(text []byte, h index.Heading) (start, end int, ok bool) {
	raw := text[h.Start:h.End]
	if hashes := bytes.IndexByte(raw, '#'); hashes >= 0 && len(bytes.Trim(raw[:hashes], " >\t-*+0123456789.)")) == 0 {
		start = hashes + h.Level
		inner := bytes.TrimRight(raw[min(start, len(raw)):], " \t\r")
		if cut := bytes.TrimRight(inner, "#"); len(cut) < len(inner) && (len(cut) == 0 || cut[len(cut)-1] == ' ' || cut[len(cut)-1] == '\t') {
			inner = bytes.TrimRight(cut, " \t")
		}
		lead := len(inner) - len(bytes.TrimLeft(inner, " \t"))
		return h.Start + start + lead, h.Start + start + len(inner), len(inner) > lead
	}
	underline := bytes.LastIndexByte(raw, '\n')
	if underline < 0 || bytes.IndexByte(raw[:underline], '\n') >= 0 { // a text of several lines is no name
		return 0, 0, false
	}
	inner := bytes.TrimSpace(raw[:underline])
	start = h.Start + bytes.Index(raw, inner)
	return start, start + len(inner), len(inner) > 0
}

// valueSpan gives the bytes of a field's only value, inside of its quotes.
func valueSpan(text []byte, f index.Field) (start, end int, ok bool) {
	i := bytes.Index(text[f.ValueStart:f.End], []byte(f.Values[0]))
	if i < 0 || f.Values[0] == "" {
		return 0, 0, false
	}
	return f.ValueStart + i, f.ValueStart + i + len(f.Values[0]), true
}

// anchorInLink gives the bytes of what stands behind a link's first "#".
func anchorInLink(text []byte, l index.Link) (start, end int) {
	start = l.TargetEnd
	for start < l.End && text[start] != '#' {
		start++
	}
	start++
	if l.Kind == index.Markdown {
		return start, markdownEnd(text, start, l.End)
	}
	end = start
	for end < l.End && text[end] != '|' && text[end] != ']' {
		end++
	}
	if end > start && text[end] == '|' && text[end-1] == '\\' {
		end--
	}
	for end > start && (text[end-1] == ' ' || text[end-1] == '\t') {
		end--
	}
	return start, end
}

// markdownEnd gives where a markdown link's destination ends that goes on at i.
func markdownEnd(text []byte, i, limit int) int {
	depth := 0
	for ; i < limit; i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth < 0 {
				return i
			}
		case c <= ' ' || c == '>':
			return i
		}
	}
	return min(i, limit)
}
