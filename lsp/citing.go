package lsp

import (
	"bytes"
	"context"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/index"
	"github.com/rigwiki/rig/wiki/proposal"
)

// headBytes is how much of a page is read to look for its front matter.
const headBytes = 8 << 10

// slugs gives the moves of pages in sources/ by their slugs: other pages name them so in "sources:", which is no link.
func (m *moving) slugs() map[string]string {
	out := map[string]string{}
	if m.w.Layout == wiki.Links {
		return out
	}
	folder := path.Join(m.w.Pages, "sources") + "/"
	for old, new := range m.moves {
		a, isSource := strings.CutPrefix(old, folder)
		b, stays := strings.CutPrefix(new, folder)
		if isSource && stays && stemOf(a) != stemOf(b) {
			out[stemOf(a)] = stemOf(b)
		}
	}
	return out
}

// citing gives the pages that name one of the slugs in "sources:". The index does not know them, so that the head of each page is read; it is asked
// for only when a page of sources/ is renamed.
func (m *moving) citing(ctx context.Context, slugs map[string]string) ([]string, error) {
	if len(slugs) == 0 {
		return nil, nil
	}
	var out []string
	buf := make([]byte, headBytes)
	for _, rel := range m.x.Paths() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		head := m.head(rel, buf)
		for slug := range slugs {
			if bytes.Contains(head, []byte(slug)) {
				out = append(out, rel)
				break
			}
		}
	}
	return out, nil
}

// head gives the beginning of a page: of its buffer, else of the file. One that cannot be read has none.
func (m *moving) head(rel string, buf []byte) []byte {
	if doc, open := m.s.docs.get(pathIn(m.w, rel)); open {
		return doc.text
	}
	f, err := os.Open(pathIn(m.w, rel))
	if err != nil {
		return nil
	}
	defer f.Close()
	n, err := io.ReadFull(f, buf)
	if err != nil && err != io.ErrUnexpectedEOF {
		return nil
	}
	return buf[:n]
}

// citations gives the edits of the slugs in a page's "sources:".
func citations(page index.Page, text []byte, slugs map[string]string) []proposal.Edit {
	f, ok := page.Front.Field("sources")
	if !ok || len(slugs) == 0 {
		return nil
	}
	var out []proposal.Edit
	at := f.ValueStart
	for _, v := range f.Values {
		i := bytes.Index(text[at:f.End], []byte(v))
		if i < 0 || v == "" {
			continue
		}
		start := at + i
		at = start + len(v)
		if to, moved := slugs[v]; moved {
			out = append(out, proposal.Edit{Start: start, End: at, New: []byte(yamlInside(text, start, to))})
		}
	}
	return slices.Clip(out)
}
