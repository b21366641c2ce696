package lsp

import (
	"context"

	"github.com/rigwiki/rig/wiki"
)

type fetchArgs struct {
	URL string `json:"url"`
	URI string `json:"uri"`
}

// fetch brings a page of the web into raw/. From where the editor is, only public addresses are fetched, and hosts that the user's own configuration
// names (sandbox.network.fetch): a page may hold any link.
func (s *server) fetch(_ context.Context, a fetchArgs) (any, error) {
	if a.URL == "" {
		return nil, invalid("rigwiki.fetch needs url")
	}
	w, err := s.wikiFor(a.URI)
	if err != nil {
		return nil, err
	}
	run, err := s.start(wiki.Job{Wiki: w, Op: "fetch", Fetch: wiki.FetchJob{URL: a.URL}}, "fetch "+a.URL)
	return runAnswer{run}, err
}

// offerFetch offers to fetch the address under the cursor.
func offerFetch(p place) []item {
	at, ok := p.address()
	if !ok {
		return nil
	}
	return []item{{"Fetch into raw/: " + firstRunes(at.url, 60), "rigwiki.fetch", map[string]string{"url": at.url, "uri": p.uri}, false, nil}}
}
