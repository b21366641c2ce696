package index

import (
	"cmp"
	"slices"
	"strings"
)

// Ref is a link and the page that holds it.
type Ref struct {
	From string
	Link Link
}

// Backlinks gives the links of other pages that mean rel, in order of page and position. Pages that were written in place since they were
// read last are seen after a refresh, or once they are asked for.
func (x *Index) Backlinks(rel string) []Ref {
	var out []Ref
	x.EachBacklink(rel, func(r Ref) bool {
		out = append(out, r)
		return true
	})
	slices.SortFunc(out, func(a, b Ref) int { return cmp.Or(strings.Compare(a.From, b.From), a.Link.Start-b.Link.Start) })
	return slices.CompactFunc(out, func(a, b Ref) bool { return a.From == b.From && a.Link.Start == b.Link.Start })
}

// EachBacklink calls visit with the links that Backlinks gives, in no order, some of them twice, until visit says false. visit must not ask
// the index.
func (x *Index) EachBacklink(rel string, visit func(Ref) bool) {
	x.ensureSound()
	x.mu.RLock()
	defer x.mu.RUnlock()
	r, ok := x.lookup(rel)
	if !ok {
		return
	}
	keys := r.entry().targetKeys()
	more := true
	links := func(from string, links []Link) {
		for _, l := range links {
			if !more || from == rel || l.Target == "" || l.External() || !mayMean(keys, l.Target) {
				continue
			}
			if m := x.resolve(from, l); len(m) > 0 && m[0].Path == rel {
				more = visit(Ref{from, l})
			}
		}
	}
	for key := range keys {
		if more {
			x.linking(key, links)
		}
	}
	for _, e := range x.inMemory() {
		links(e.path, e.content.page.Links)
	}
}

// linking calls visit with the pages in segments that have a link with the key.
func (x *Index) linking(key uint64, visit func(from string, links []Link)) {
	for i, s := range x.segments {
		s.linkKeys.find(key, func(doc uint32) {
			if from, ok := x.alive(docRef{uint32(i), doc}); ok {
				visit(from, s.docLinks(doc))
			}
		})
	}
}

// alive tells the page whose text a document is; false for one that was replaced.
func (x *Index) alive(at docRef) (string, bool) {
	row, ok := x.base.docRow(at)
	if !ok || x.masked[row] {
		return "", false
	}
	return x.base.path(row), true
}

// inMemory gives the pages that count and are in no segment.
func (x *Index) inMemory() []*entry {
	var out []*entry
	for rel, e := range x.over {
		if _, ok := x.buffers[rel]; !ok && e != nil && e.content != nil {
			out = append(out, e)
		}
	}
	for _, e := range x.buffers {
		if e.class == pageClass {
			out = append(out, e)
		}
	}
	return out
}

// EachLink calls visit with every link inside the wiki and what it resolves to, page by page in no order, until visit says false. It reads
// no page.
func (x *Index) EachLink(visit func(from string, l Link, to []Match) bool) {
	x.ensureSound()
	x.mu.RLock()
	defer x.mu.RUnlock()
	more := true
	links := func(from string, links []Link) {
		for _, l := range links {
			if more && !l.External() {
				more = visit(from, l, x.resolve(from, l))
			}
		}
	}
	for i, s := range x.segments {
		for doc := range uint32(s.count()) {
			if from, ok := x.alive(docRef{uint32(i), doc}); ok && more {
				links(from, s.docLinks(doc))
			}
		}
	}
	for _, e := range x.inMemory() {
		links(e.path, e.content.page.Links)
	}
}
