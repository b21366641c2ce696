package lsp

import (
	"context"
	"regexp"
	"strings"
	"sync"

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
	url := p.address()
	if url == "" {
		return nil
	}
	return []item{{"Fetch into raw/: " + firstRunes(url, 60), "rigwiki.fetch", map[string]string{"url": url, "uri": p.uri}, false, nil}}
}

// addressRE finds web addresses in text.
var addressRE = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("https?://[^\\s<>\"'`|\\\\^{}]+") })

// address is the web address that the cursor or the selection touches, "" where it touches none.
func (p place) address() string {
	if p.text == nil {
		return ""
	}
	l := newLines(p.text, p.s.caps.encoding)
	start, end := l.offset(p.rng.Start), l.offset(p.rng.End)
	first, last := l.bounds(int(l.position(start).Line))
	line := string(p.text[first:last])
	for _, m := range addressRE().FindAllStringIndex(line, -1) {
		url := trimAddress(line[m[0]:m[1]])
		if from, to := first+m[0], first+m[0]+len(url); start <= to && end >= from {
			return url
		}
	}
	return ""
}

// trimAddress drops what belongs to the sentence: stops at the end, and a bracket that the address does not open.
func trimAddress(s string) string {
	for {
		last := s[len(s)-1:]
		open, closes := map[string]string{")": "(", "]": "["}[last]
		if !strings.Contains(".,;:!?*_", last) && (!closes || strings.Count(s, last) <= strings.Count(s, open)) {
			return s
		}
		if s = s[:len(s)-1]; strings.HasSuffix(s, "://") {
			return ""
		}
	}
}
