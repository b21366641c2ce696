package lsp

import (
	"bytes"
	"context"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/index"
	"github.com/rigwiki/rig/wiki/proposal"
	"go.lsp.dev/protocol"
)

// spot is an open page of a wiki with the wiki's index: where the link features look from.
type spot struct {
	s     *server
	w     *wiki.Wiki
	x     *index.Index
	rel   string
	text  []byte
	page  index.Page
	lines *lines

	run  string                   // of a virtual document
	made func() map[string][]byte // of one: what [server.made] gives, read for the first link that leads nowhere else
}

// spotAt gives the spot of a document. ok is false for what is open in no wiki, or whose index is not there yet.
func (s *server) spotAt(ctx context.Context, uri string) (p spot, ok bool) {
	if d, virtual := parseVirtual(uri); virtual {
		return s.virtualSpot(ctx, d)
	}
	file, ok := filePath(uri)
	if !ok {
		return p, false
	}
	doc, open := s.docs.get(file)
	w, rel, ok := s.folders.wikiOf(file)
	if !open || !ok {
		return p, false
	}
	ctx, cancel := context.WithTimeout(ctx, s.bounds.index)
	defer cancel()
	x, err := s.fresh(ctx, w)
	if err != nil {
		return p, false // still being opened, or told where it was
	}
	page := index.ParsePage(doc.text)
	page.Path = rel
	return spot{s: s, w: w, x: x, rel: rel, text: doc.text, page: page, lines: newLines(doc.text, s.caps.encoding)}, true
}

// virtualSpot is the spot of one of our documents, whose links lead into the wiki of its run: an answer's citations, a proposed page's links.
func (s *server) virtualSpot(ctx context.Context, d virtualDoc) (p spot, ok bool) {
	w, text, err := s.virtualText(d)
	if err != nil {
		return p, false
	}
	ctx, cancel := context.WithTimeout(ctx, s.bounds.index)
	defer cancel()
	x, err := s.fresh(ctx, w)
	if err != nil {
		return p, false
	}
	rel, inside := relIn(w, filepath.FromSlash(d.path))
	if !inside {
		rel = path.Base(d.path) // an answer: its links are meant from the wiki's root
	}
	page := index.ParsePage(text)
	page.Path = rel
	return spot{s: s, w: w, x: x, rel: rel, text: text, page: page, lines: newLines(text, s.caps.encoding), run: d.run, made: sync.OnceValue(func() map[string][]byte { return s.made(x, d.run) })}, true
}

// made gives the texts of the pages that a run would create and that are not there.
func (s *server) made(x *index.Index, run string) map[string][]byte {
	_, store, rec, err := s.record(run)
	if err != nil {
		return nil
	}
	out := map[string][]byte{}
	for _, f := range rec.Files {
		if f.Kind != proposal.Create && f.Kind != proposal.Rename {
			continue
		}
		if _, there := x.Page(f.Path); there {
			continue
		}
		if text, err := store.Text(run, f.New); err == nil { // a text that was cleared away leads nowhere
			out[f.Path] = text
		}
	}
	return out
}

// fresh gives the wiki's index with the texts of open pages laid in as they are now: the worker that does it may be behind by a keystroke.
func (s *server) fresh(ctx context.Context, w *wiki.Wiki) (*index.Index, error) {
	x, err := s.index(ctx, w)
	if err != nil {
		return nil, err
	}
	for _, doc := range s.docs.all() {
		if _, inside := relIn(w, doc.path); inside && isPage(doc.path) {
			s.layIn(ctx, doc.path)
		}
	}
	return x, nil
}

// linkAt gives the link at a position: a link of any kind, a slug in front matter's sources, or its source-path.
func (p spot) linkAt(at protocol.Position) (index.Link, bool) {
	off := p.lines.offset(at)
	for _, l := range p.page.Links {
		if l.Start <= off && off < l.End {
			return l, true
		}
	}
	if off >= p.page.Front.End {
		return index.Link{}, false
	}
	for _, f := range p.page.Front.Fields {
		if off < f.ValueStart || off > f.End {
			continue
		}
		switch strings.ToLower(f.Key) {
		case "sources", "source-path", "source":
			return p.valueAt(off, f)
		}
	}
	return index.Link{}, false
}

// valueAt gives the value of front matter at an offset as a link.
func (p spot) valueAt(off int, f index.Field) (index.Link, bool) {
	for _, v := range f.Values {
		for from := f.ValueStart; v != ""; {
			i := bytes.Index(p.text[from:f.End], []byte(v))
			if i < 0 {
				break
			}
			start := from + i
			if from = start + len(v); start <= off && off <= from {
				return index.Link{Kind: index.Property, Target: v, Start: start, End: from, TargetStart: start, TargetEnd: from}, true
			}
		}
	}
	return index.Link{}, false
}

// resolve gives what a link leads to. The slug in sources: means the page in sources/ before any other.
func (p spot) resolve(l index.Link) (rel string, ok bool) {
	if l.Kind == index.Property && p.text[l.Start] != '[' {
		inner := index.Link{Kind: index.Wiki, Target: "/" + path.Join(p.w.Pages, "sources", l.Target)}
		if found := p.x.ResolveLink(p.rel, inner); len(found) > 0 && found[0].How <= index.Folded {
			return found[0].Path, true
		}
	}
	found := p.x.ResolveLink(p.rel, l)
	if len(found) == 0 {
		return "", false
	}
	return found[0].Path, true
}

// pageOf gives a page as it is now with its text as editors count it, without byte order mark; the spot's own is the buffer's.
func (p spot) pageOf(rel string) (page index.Page, text []byte, ok bool) {
	if rel == p.rel {
		return p.page, p.text, true
	}
	return pageNow(p.x, rel)
}

// pageNow gives a page of the index with its text as editors count it: they take a byte order mark off.
func pageNow(x *index.Index, rel string) (index.Page, []byte, bool) {
	page, ok := x.Page(rel)
	if !ok {
		return page, nil, false
	}
	text, ok := x.Source(rel)
	if bare, marked := bytes.CutPrefix(text, bom); marked || int64(len(text)) != page.Size {
		text, page = bare, index.ParsePage(bare) // the offsets are of this very text
		page.Path = rel
	}
	return page, text, ok
}

// headingAt gives the heading on whose lines an offset lies.
func headingAt(page index.Page, off int) (index.Heading, bool) {
	for _, h := range page.Headings {
		if h.Start <= off && off <= h.End {
			return h, true
		}
	}
	return index.Heading{}, false
}

// isTitle tells whether a heading is its page's title: the first one, of the lowest level, that says what the page is called.
func isTitle(page index.Page, h index.Heading) bool {
	return len(page.Headings) > 0 && page.Headings[0] == h && h.Level == 1
}
