package wiki

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/rigwiki/rig/adapters/builtin"
	"github.com/rigwiki/rig/wiki/index"
	"github.com/rigwiki/rig/wiki/proposal"
)

// ErrNoCascade: no source is gone, or nothing rests on one that is.
var ErrNoCascade = errors.New("no page rests on a source that is gone")

// opCascade is the op of a record that Cascade makes.
const opCascade = "cascade"

// Cascade makes a proposal of what the deleted sources of the wiki leave behind: a page that rests on nothing else would go, of one that rests on more the
// entry in `sources` goes and its citations are marked; the index loses the lines of pages that go, and the log gains an entry. It is judged as a run's
// changes are, so that each deletion needs a yes. One that waits already for the same sources is given again. [ErrNoCascade] where there is nothing to propose.
func (h *Host) Cascade(ctx context.Context, w *Wiki, by string) (proposal.Record, error) {
	x, err := h.Index(ctx, w)
	if err == nil {
		err = x.Refresh(ctx)
	}
	if err != nil {
		return proposal.Record{}, err
	}
	sources, err := h.Scan(ctx, w)
	if err != nil {
		return proposal.Record{}, err
	}
	var gone []string
	for _, s := range sources {
		if s.Status == SourceDeleted {
			gone = append(gone, s.Path)
		}
	}
	if len(gone) == 0 {
		return proposal.Record{}, ErrNoCascade
	}
	s, err := h.Store(w)
	if err != nil {
		return proposal.Record{}, err
	}
	recs, _, err := s.List() // what cannot be read waits for nothing here
	if err != nil {
		return proposal.Record{}, err
	}
	for _, rec := range recs {
		if rec.Op == opCascade && rec.Waits() && slices.Equal(rec.Sources, gone) {
			return rec, nil
		}
	}
	drafts, err := newCascade(w, x, gone).drafts(ctx, time.Now())
	if err != nil {
		return proposal.Record{}, err
	}
	if len(drafts) == 0 {
		return proposal.Record{}, ErrNoCascade
	}
	return h.propose(ctx, w, proposal.Record{Op: opCascade, Agent: by, Sources: gone, Title: "clear up after " + some(gone)}, drafts)
}

// cascade is what follows from sources that are gone.
type cascade struct {
	w     *Wiki
	x     *index.Index
	gone  map[string]bool // files of raw/, in NFC
	names []string        // the same, for people
	dead  map[string]bool // pages of sources/ that rest on them alone
	going map[string]bool // all pages that would go
}

func newCascade(w *Wiki, x *index.Index, gone []string) *cascade {
	c := &cascade{w: w, x: x, gone: map[string]bool{}, names: gone, dead: map[string]bool{}, going: map[string]bool{}}
	for _, rel := range gone {
		c.gone[norm.NFC.String(rel)] = true
	}
	return c
}

func (c *cascade) drafts(ctx context.Context, now time.Time) (drafts []proposal.Draft, err error) {
	pages := slices.DeleteFunc(slices.Clone(c.x.Paths()), func(rel string) bool { return Protected(c.w, rel) || slices.Contains(c.w.Shared, rel) })
	for _, rest := range []func(rel string) bool{func(rel string) bool { return isSourcePage(c.w, rel) }, func(rel string) bool { return !isSourcePage(c.w, rel) }} {
		for _, rel := range pages {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if p, ok := c.x.Page(rel); ok && rest(rel) && c.restsAlone(rel, p.Front) {
				c.going[rel] = true
				c.dead[rel] = isSourcePage(c.w, rel)
			}
		}
	}
	edited := 0
	for _, rel := range append(pages, c.w.Shared...) {
		text, err := readPage(c.w, rel)
		if err != nil {
			return nil, err
		}
		if c.going[rel] {
			drafts = append(drafts, proposal.Draft{File: proposal.File{Path: rel, Kind: proposal.Delete}, BaseText: text})
			continue
		}
		after := c.edit(rel, text)
		if text != nil && !bytes.Equal(text, after) {
			drafts = append(drafts, draftOf(rel, text, after))
			edited++
		}
	}
	if len(drafts) == 0 {
		return nil, nil
	}
	return append(drafts, c.log(now, edited)...), nil
}

// restsAlone tells whether a page has sources and all of them are gone.
func (c *cascade) restsAlone(rel string, front index.FrontMatter) bool {
	kept, lost := c.sources(rel, front)
	return len(lost) > 0 && len(kept) == 0
}

// sources are the entries of a page's sources that stay and those that are gone. A page of sources/ names its file in a field of its own; its name for
// itself counts as that file.
func (c *cascade) sources(rel string, front index.FrontMatter) (kept, lost []string) {
	own := ""
	if isSourcePage(c.w, rel) {
		own, _ = namedSource(rel, front)
	}
	for _, entry := range front.List("sources") {
		self := own != "" && slices.Equal(c.x.Resolve(rel, entryName(entry)), []string{rel})
		switch {
		case c.isGone(rawPath(rel, entry)), self && c.isGone(own), c.means(rel, entryName(entry), c.dead):
			lost = append(lost, entry)
		default:
			kept = append(kept, entry)
		}
	}
	if len(kept)+len(lost) == 0 && c.isGone(own) {
		lost = append(lost, own)
	}
	return kept, lost
}

// isGone takes a path in raw/, in NFC; a wikilink leaves .md out.
func (c *cascade) isGone(raw string) bool { return raw != "" && (c.gone[raw] || c.gone[raw+".md"]) }

// means tells whether a link leads to pages of the set and to no other.
func (c *cascade) means(from, target string, set map[string]bool) bool {
	to := c.x.Resolve(from, target)
	return len(to) > 0 && !slices.ContainsFunc(to, func(rel string) bool { return !set[rel] })
}

// entryName is an entry of sources without the brackets and the text of a wikilink.
func entryName(entry string) string {
	entry = strings.TrimSpace(entry)
	if inner, ok := strings.CutPrefix(entry, "[["); ok {
		entry, _, _ = strings.Cut(strings.TrimSuffix(inner, "]]"), "|")
	}
	return strings.TrimSpace(entry)
}

// edit is a page that stays: without the entries that are gone, its citations marked, its links to pages that go turned into words. What only grows at its
// end is left as it is.
func (c *cascade) edit(rel string, text []byte) []byte {
	switch path.Base(rel) {
	case "log.md", "reviews.md":
		if slices.Contains(c.w.Shared, rel) {
			return text
		}
	}
	p := index.ParsePage(text)
	text = c.unlink(rel, text, p, slices.Contains(c.w.Shared, rel) && path.Base(rel) == "index.md")
	front := index.ParsePage(text).Front // it lies before what was changed
	if kept, lost := c.sources(rel, front); len(lost) > 0 && len(kept) > 0 {
		text = dropEntries(text, "sources", lost)
	}
	if isSourcePage(c.w, rel) {
		text = c.dropFields(rel, text, front)
	}
	return text
}

// dropFields takes out the fields that name a file which is gone, and its sha256.
func (c *cascade) dropFields(rel string, text []byte, front index.FrontMatter) []byte {
	named := false
	for _, key := range sourceKeys() {
		if c.isGone(rawPath(rel, front.Get(key))) {
			text, named = dropField(text, key), true
		}
	}
	for _, key := range shaKeys() {
		if named {
			text = dropField(text, key)
		}
	}
	return text
}

// unlink turns links to what is gone into their words. In the index a line that lists only such pages goes.
func (c *cascade) unlink(rel string, text []byte, p index.Page, isIndex bool) []byte {
	type cut struct {
		start, end int
		words      string
	}
	var cuts []cut
	lines := map[int][2]int{} // start of a line -> links of it that are gone, links in all
	for _, l := range p.Links {
		if l.Kind == index.Property || l.External() || l.Start < p.Front.End {
			continue
		}
		raw := c.isGone(rawPath(rel, l.Target))
		at := bytes.LastIndexByte(text[:l.Start], '\n') + 1
		n := lines[at]
		n[1]++
		if raw || c.means(rel, l.Target, c.going) {
			words := cmp.Or(l.Alias, strings.TrimSuffix(path.Base(l.Target), ".md"))
			if raw || c.means(rel, l.Target, c.dead) {
				words += " (source deleted)"
			}
			cuts, n[0] = append(cuts, cut{l.Start, l.End, words}), n[0]+1
		}
		lines[at] = n
	}
	if isIndex {
		for at, n := range lines {
			if n[0] == n[1] && n[0] > 0 && isListItem(text[at:]) {
				end := at + lineLength(text[at:])
				cuts = slices.DeleteFunc(cuts, func(k cut) bool { return k.start >= at && k.start < end })
				cuts = append(cuts, cut{at, end, ""})
			}
		}
	}
	slices.SortFunc(cuts, func(a, b cut) int { return cmp.Compare(a.start, b.start) })
	var out []byte
	done := 0
	for _, k := range cuts {
		if k.start < done {
			continue // a link in the words of another
		}
		out = append(append(out, text[done:k.start]...), k.words...)
		done = k.end
	}
	return append(out, text[done:]...)
}

func isListItem(line []byte) bool {
	line = bytes.TrimLeft(line, " \t")
	return len(line) > 1 && bytes.IndexByte([]byte("-*+"), line[0]) >= 0 && (line[1] == ' ' || line[1] == '\t')
}

// lineLength is the length of the first line with its end.
func lineLength(text []byte) int {
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		return i + 1
	}
	return len(text)
}

// log is the entry in log.md, in the style that the wiki has.
func (c *cascade) log(now time.Time, edited int) []proposal.Draft {
	for _, shared := range c.w.Shared {
		if path.Base(shared) != "log.md" {
			continue
		}
		text, err := readPage(c.w, shared)
		if err != nil || text == nil {
			return nil // a wiki without a log gets none for this
		}
		did := "removed " + plural(len(c.going), "page", "pages") + ", edited " + plural(edited, "page", "pages")
		about := some(c.names)
		return []proposal.Draft{draftOf(shared, text, builtin.AddLog(text, builtin.LogNote{Verb: "remove", About: about, Title: about, At: now, Did: fmt.Sprintf("%s: the source is gone", did)}))}
	}
	return nil
}
