package lsp

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/rigwiki/rig/wiki"
)

// maxOrigins bounds the sources that a hover shows of one address.
const maxOrigins = 3

// hoverAddress tells whether sources in raw/ came from an address of the web, when, and which pages rest on them. "" is that it cannot be told.
func (s *server) hoverAddress(ctx context.Context, w *wiki.Wiki, url string) string {
	known := s.origins(w)
	if known == nil {
		return ""
	}
	found, ok := known.Of(ctx, url)
	if !ok {
		return ""
	}
	if len(found) == 0 {
		return "Not in raw/. The code action **Fetch into raw/** fetches it."
	}
	var parts []string
	for _, o := range found[:min(len(found), maxOrigins)] {
		text := "In raw/: " + s.hoverFile(w, o.Path)
		if !o.Fetched.IsZero() {
			text += ", fetched " + o.Fetched.Local().Format("2006-01-02 15:04")
		}
		var pages []string
		for _, rel := range o.Pages[:min(len(o.Pages), maxNamed)] {
			pages = append(pages, s.hoverFile(w, rel))
		}
		if len(pages) == 0 {
			parts = append(parts, text+". No page rests on it yet.")
			continue
		}
		parts = append(parts, text+". Ingested: "+strings.Join(pages, ", ")+".")
	}
	return strings.Join(parts, "\n\n")
}

// hoverFile names a file of the wiki, as a link where the client shows markdown.
func (s *server) hoverFile(w *wiki.Wiki, rel string) string {
	if s.caps.plainHover {
		return rel
	}
	text := strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, "`", "\\`", "*", `\*`, "_", `\_`, "<", `\<`, "&", `\&`).Replace(rel)
	target := strings.NewReplacer("(", "%28", ")", "%29").Replace(string(pathURI(pathIn(w, rel))))
	return "[" + text + "](" + target + ")"
}

// origins is where a wiki's sources came from, nil where its index is not open.
func (s *server) origins(w *wiki.Wiki) *wiki.Origins {
	s.pages.mu.Lock()
	o := s.pages.indexes[w.ID]
	s.pages.mu.Unlock()
	if o == nil {
		return nil
	}
	select {
	case <-o.ready:
		return o.origins
	default:
		return nil
	}
}

// warmOrigins lays out, where an index was laid out anew, what the next hover would wait for.
func (s *server) warmOrigins() {
	s.pages.mu.Lock()
	all := slices.Collect(maps.Values(s.pages.indexes))
	s.pages.mu.Unlock()
	for _, o := range all {
		select {
		case <-o.ready:
			if o.origins != nil {
				o.origins.Warm()
			}
		default: // its opening does
		}
	}
}
