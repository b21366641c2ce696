package wiki

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/rigwiki/rig/wiki/fetch"
	"github.com/rigwiki/rig/wiki/index"
)

// Origins tells which sources of raw/ came from an address of the web, from the wiki's index.
type Origins struct {
	w     *Wiki
	x     *index.Index
	known *index.Lookup
}

// Origin is a source that came from an address.
type Origin struct {
	Path    string    // of the source
	Fetched time.Time // zero where it does not say
	Pages   []string  // of sources/ that name it as what they were made from
}

// NewOrigins makes the lookup. Nothing is read before it is asked.
func NewOrigins(w *Wiki, x *index.Index) *Origins {
	return &Origins{w: w, x: x, known: index.NewLookup(func(rel string, front func() index.FrontMatter) []string {
		switch {
		case below(rel, "raw") && !below(rel, rawAssets):
			return addressKeys(front())
		case isSourcePage(w, rel):
			if src, _ := namedSource(rel, front()); src != "" {
				return []string{src}
			}
		}
		return nil
	})}
}

// addressKeys are the addresses that a source says it is from: as rig writes it, and as clippers of the web do.
func addressKeys(front index.FrontMatter) (keys []string) {
	for _, key := range []string{"source-url", "canonical-url", "source", "url"} {
		if one := fetch.Same(front.Get(key)); one != "" && !slices.Contains(keys, one) {
			keys = append(keys, one)
		}
	}
	return keys
}

// Of gives the sources that came from an address, newest first; ok is false where it cannot be told: the address is none, raw/ is not indexed. It costs a stat a
// folder of raw/, and one a source that it gives.
func (o *Origins) Of(ctx context.Context, address string) (found []Origin, ok bool) {
	one := fetch.Same(address)
	if one == "" {
		return nil, false
	}
	if fi, err := os.Lstat(filepath.Join(o.w.Real, "raw")); err == nil && !fi.IsDir() {
		return nil, false // a link, which the index does not follow
	}
	if err := o.x.RefreshNames(ctx, "raw"); err != nil {
		return nil, false
	}
	for _, rel := range o.known.Find(o.x, one) {
		page, there := o.x.Page(rel)
		if !there || !slices.Contains(addressKeys(page.Front), one) {
			continue // written since
		}
		found = append(found, Origin{Path: rel, Fetched: fetchedAt(page.Front), Pages: o.resting(rel)})
	}
	slices.SortFunc(found, func(a, b Origin) int {
		if c := b.Fetched.Compare(a.Fetched); c != 0 {
			return c
		}
		return strings.Compare(b.Path, a.Path) // names begin with the day
	})
	return found, true
}

// Warm lays out the table that the first question would wait for.
func (o *Origins) Warm() { o.known.Find(o.x, "") }

// resting gives the pages of sources/ that name a source, as they are now.
func (o *Origins) resting(source string) (pages []string) {
	key := norm.NFC.String(source)
	for _, k := range []string{key, strings.TrimSuffix(key, ".md")} { // a wikilink leaves .md out
		for _, rel := range o.known.Find(o.x, k) {
			page, there := o.x.Page(rel)
			if !there || slices.Contains(pages, rel) {
				continue
			}
			if src, _ := namedSource(rel, page.Front); src == k {
				pages = append(pages, rel)
			}
		}
	}
	return pages
}

func fetchedAt(front index.FrontMatter) time.Time {
	for _, form := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(form, front.Get("fetched-at")); err == nil {
			return at
		}
	}
	return time.Time{}
}
