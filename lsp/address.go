package lsp

import (
	"bytes"
	"regexp"
	"strings"
	"sync"

	"github.com/rigwiki/rig/wiki/index"
)

// address is an address of the web in a text, with the bytes that stand for it.
type address struct {
	url        string
	start, end int
}

// address is the web address that the cursor or the selection touches: that of the markdown link there, also on the link's text, else what reads as one, in a
// plain text and in code as well.
func (p place) address() (address, bool) {
	if p.text == nil {
		return address{}, false
	}
	l := newLines(p.text, p.s.caps.encoding)
	start, end := l.offset(p.rng.Start), l.offset(p.rng.End)
	first, last := l.bounds(int(l.position(start).Line))
	line := p.text[first:last]
	if isPage(p.rel) && bytes.Contains(line, []byte("](")) { // else it is not read for this
		for _, link := range index.Links(p.text) {
			if link.External() && start < link.End && end >= link.Start && isWeb(link.Target) {
				return address{link.Target, link.Start, link.End}, true
			}
		}
	}
	for _, m := range addressRE().FindAllIndex(line, -1) {
		url := trimAddress(string(line[m[0]:m[1]]))
		if from, to := first+m[0], first+m[0]+len(url); url != "" && start <= to && end >= from {
			return address{url, from, to}, true
		}
	}
	return address{}, false
}

func isWeb(target string) bool {
	scheme, _, _ := strings.Cut(strings.ToLower(target), "://")
	return scheme == "http" || scheme == "https"
}

// addressRE finds web addresses in text. A full-width stop or bracket ends one: no blank stands before or behind it.
var addressRE = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("(?i:https?)://[^\\s<>\"'`|\\\\^{}。，、；：！？「」『』【】《》（）“”]+")
})

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
