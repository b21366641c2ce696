package lsp

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/rigwiki/rig/wiki/index"
	"go.lsp.dev/protocol"
)

// maxItems bounds the items of one answer; the client asks again as the user types on.
const maxItems = 200

// completion offers pages after "[[" and in a markdown link, headings after "#", blocks after "#^", and front matter's keys and values.
func (s *server) completion(ctx context.Context, p *protocol.CompletionParams) (protocol.CompletionResult, error) {
	at, ok := s.spotAt(ctx, string(p.TextDocument.URI))
	if !ok {
		return &protocol.CompletionList{IsIncomplete: true, Items: []protocol.CompletionItem{}}, nil // the index may be there with the next letter
	}
	off := at.lines.offset(p.Position)
	start, end := at.lines.bounds(int(at.lines.position(off).Line))
	c := typing{spot: at, line: at.text[start:end], before: at.text[start:off], after: at.text[off:end], off: off, lineStart: start}
	for _, way := range completers() {
		if list := way(c); list != nil {
			return list, ctx.Err()
		}
	}
	return nil, nil
}

// typing is a spot with what stands around the cursor on its line.
type typing struct {
	spot
	line, before, after []byte
	off, lineStart      int // bytes
}

// completers are the ways to complete; the first that knows the place answers.
func completers() []func(typing) *protocol.CompletionList {
	return []func(typing) *protocol.CompletionList{completeWikilink, completeMarkdown, completeFront}
}

// items collects what is offered.
type items struct {
	list  []protocol.CompletionItem
	more  bool
	rng   protocol.Range
	close string // appended to what is inserted
}

func (i *items) add(label, insert, detail, filter string, kind protocol.CompletionItemKind) {
	if len(i.list) >= maxItems {
		i.more = true
		return
	}
	item := protocol.CompletionItem{Label: label, Kind: kind, TextEdit: &protocol.TextEdit{Range: i.rng, NewText: insert + i.close},
		SortText: protocol.NewOptional(fmt.Sprintf("%04d", len(i.list))), FilterText: protocol.NewOptional(filter)}
	if detail != "" {
		item.Detail = protocol.NewOptional(detail)
	}
	i.list = append(i.list, item)
}

// bound cuts what was found to what an answer holds.
func (i *items) bound(found []index.Name) []index.Name {
	i.more = len(found) > maxItems
	return found[:min(len(found), maxItems)]
}

func (i *items) done() *protocol.CompletionList {
	if i.list == nil {
		i.list = []protocol.CompletionItem{}
	}
	return &protocol.CompletionList{IsIncomplete: i.more, Items: i.list}
}

// completeWikilink completes behind an open "[[".
func completeWikilink(c typing) *protocol.CompletionList {
	open := bytes.LastIndex(c.before, []byte("[["))
	if open < 0 || bytes.Contains(c.before[open:], []byte("]]")) || !c.isLink(c.lineStart+open, "[[x]]") {
		return nil
	}
	inner := string(c.before[open+2:])
	rest, closed := restOf(c.after)
	if strings.Contains(inner, "|") {
		return (&items{}).done() // what a link shows is the writer's
	}
	out := &items{close: "]]"}
	if closed {
		out.close = ""
	}
	target, anchor, anchored := strings.Cut(inner, "#")
	if !anchored {
		embed := open > 0 && c.before[open-1] == '!'
		out.rng = c.lines.span(c.lineStart+open+2, c.off+rest)
		shown := !closed || rest >= len(c.after) || c.after[rest] != '|' && c.after[rest] != '#'
		c.pages(out, inner, embed, shown)
		return out.done()
	}
	page, ok := c.target(index.Link{Kind: index.Wiki, Target: strings.TrimSpace(target)})
	if !ok {
		return out.done()
	}
	last := strings.LastIndex(anchor, "#") + 1 // "page#part#part of the part"
	if block, ok := strings.CutPrefix(anchor[last:], "^"); ok {
		out.rng = c.lines.span(c.off-len(block), c.off+rest)
		for _, b := range page.Blocks {
			out.add("^"+b.ID, b.ID, "", b.ID, protocol.CompletionItemKindReference)
		}
		return out.done()
	}
	out.rng = c.lines.span(c.off-len(anchor)+last, c.off+rest)
	for _, h := range page.Headings {
		if h.Text != "" {
			out.add(h.Text, anchorText(h.Text), strings.Repeat("#", h.Level), h.Text, protocol.CompletionItemKindReference)
		}
	}
	return out.done()
}

// restOf tells how much of a link stands behind the cursor up to its next mark, and whether the link is closed on this line.
func restOf(after []byte) (n int, closed bool) {
	end := bytes.Index(after, []byte("]]"))
	if open := bytes.Index(after, []byte("[[")); end < 0 || open >= 0 && open < end {
		return 0, false
	}
	n = bytes.IndexAny(after[:end], "|#")
	if n < 0 {
		n = end
	}
	if n > 0 && after[n-1] == '\\' {
		n--
	}
	return n, true
}

// isLink tells whether a link that were closed at the cursor would be one: what stands in code, comments and math is none.
func (c typing) isLink(start int, probe string) bool {
	text := bytes.Join([][]byte{c.text[:start], []byte(probe), c.text[c.off:]}, nil)
	for _, l := range index.Links(text) {
		if l.Start <= start && start < l.End {
			return true
		}
	}
	return false
}

// target gives the page that a link means; no target is the page itself.
func (c typing) target(l index.Link) (index.Page, bool) {
	rel, ok := c.resolve(l)
	if !ok {
		return index.Page{}, false
	}
	page, _, ok := c.pageOf(rel)
	return page, ok
}

// pages offers pages, and files where one may be shown, by the shortest name that means each of them alone.
func (c typing) pages(out *items, typed string, files, shown bool) {
	pipe := "|"
	if bytes.HasPrefix(bytes.TrimSpace(c.line), []byte("|")) {
		pipe = `\|` // in a table the bare one ends the cell
	}
	for _, n := range out.bound(c.x.Names(typed, maxItems+1)) {
		page := isPage(n.Path)
		if !page && !files {
			continue
		}
		name := n.Path
		if page {
			name = name[:len(name)-len(".md")]
		}
		insert := shortest(name, 1, func(t string) bool { return means(c.w, c.x, c.rel, t, n.Path) })
		label, filter := cmp.Or(n.Title, stemOf(n.Path)), stemOf(n.Path)+" "+n.Title
		if strings.Contains(typed, "/") {
			filter = n.Path
		}
		if n.Alias != "" {
			label, filter = n.Alias, n.Alias
			if shown {
				insert += pipe + strings.NewReplacer("[", "", "]", "", "|", "").Replace(n.Alias)
			}
		}
		kind := protocol.CompletionItemKindFile
		if page {
			kind = protocol.CompletionItemKindReference
		}
		out.add(label, insert, n.Path, filter, kind)
	}
}

// anchorText spells a heading in a wikilink: the marks that end or part a link are ignored when headings are compared, brackets are encoded.
func anchorText(heading string) string {
	heading = strings.Map(func(r rune) rune {
		if strings.ContainsRune("|#^", r) {
			return ' '
		}
		return r
	}, heading)
	return strings.NewReplacer("[", "%5B", "]", "%5D").Replace(strings.Join(strings.Fields(strings.ReplaceAll(heading, "%", "%25")), " "))
}

// completeMarkdown completes the path in a markdown link, and headings behind its "#".
func completeMarkdown(c typing) *protocol.CompletionList {
	open := bytes.LastIndex(c.before, []byte("]("))
	if open < 0 || bytes.ContainsAny(c.before[open+2:], ")\t \"") && c.before[min(open+2, len(c.before)-1)] != '<' {
		return nil
	}
	inner := string(c.before[open+2:])
	angle := strings.HasPrefix(inner, "<")
	inner = strings.TrimPrefix(inner, "<")
	label := bytes.LastIndexByte(c.before[:open], '[')
	if label < 0 || (index.Link{Kind: index.Markdown, Target: inner}).External() || strings.Contains(inner, ">") || !c.isLink(c.lineStart+label, string(c.before[label:open])+"](x)") {
		return nil
	}
	ends, closing := ")", ")"
	if angle {
		ends, closing = ">", ">)"
	}
	rest := bytes.IndexAny(c.after, ends+" #")
	out := &items{close: closing}
	if at := bytes.IndexByte(c.after, ends[0]); at >= 0 {
		out.close = ""
	}
	if out.close != "" || rest < 0 {
		rest = 0
	}
	target, anchor, anchored := strings.Cut(inner, "#")
	if !anchored {
		out.rng = c.lines.span(c.off-len(inner), c.off+rest)
		c.paths(out, inner, written{kind: index.Markdown, relative: true, ending: true, dotted: strings.HasPrefix(inner, "./"), angle: angle})
		return out.done()
	}
	page, ok := c.target(index.Link{Kind: index.Markdown, Target: unpercent(target)})
	if !ok {
		return out.done()
	}
	out.rng = c.lines.span(c.off-len(anchor), c.off+rest)
	for _, h := range page.Headings {
		if h.Anchor != "" {
			out.add(h.Text, h.Anchor, strings.Repeat("#", h.Level), h.Anchor+" "+h.Text, protocol.CompletionItemKindReference)
		}
	}
	return out.done()
}

// paths offers pages and files by their path from the page's folder.
func (c typing) paths(out *items, typed string, w written) {
	query := unpercent(typed)
	name := strings.TrimLeft(query, "./")
	if i := strings.LastIndexByte(name, '/'); i >= 0 && strings.HasPrefix(query, ".") {
		name = name[i+1:] // the folder is relative: the name decides
	}
	for _, n := range out.bound(c.x.Names(name, maxItems+1)) {
		if n.Path != c.rel {
			insert := w.target(c.rel, n.Path, nil)
			out.add(cmp.Or(n.Title, stemOf(n.Path)), insert, n.Path, insert+" "+stemOf(n.Path)+" "+n.Title+" "+n.Alias, protocol.CompletionItemKindFile)
		}
	}
}
