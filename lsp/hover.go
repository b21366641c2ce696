package lsp

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/index"
	"go.lsp.dev/protocol"
)

// hover shows what a wikilink leads to: its summary, whether its source is still what was ingested, and who links there; for a question the
// answer that was given to it before and the best passages; for an address of the web what raw/ has of it; at a line that a proposal would
// change, how. Front matter is never shown, no agent starts.
func (s *server) hover(ctx context.Context, p *protocol.HoverParams) (*protocol.Hover, error) {
	path, ok := filePath(string(p.TextDocument.URI))
	if !ok {
		return nil, nil
	}
	doc, open := s.docs.get(path)
	w, rel, ok := s.folders.wikiOf(path)
	if !open || !ok || !s.config(w).Feature("hover") {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.bounds.hover)
	defer cancel()
	x, err := s.index(ctx, w)
	if err != nil {
		return nil, nil // still being opened, or told where it was
	}
	l := newLines(doc.text, s.caps.encoding)
	at := l.offset(p.Position)
	for _, link := range index.Links(doc.text) {
		if link.Start <= at && at < link.End && !link.External() {
			rng := l.span(link.Start, link.End)
			return s.hoverText(s.hoverLink(w, x, rel, link), &rng), nil
		}
	}
	here := place{s: s, w: w, rel: rel, text: doc.text, rng: protocol.Range{Start: p.Position, End: p.Position}}
	if a, ok := here.address(); ok && at < a.end && w.Layout != wiki.Links {
		rng := l.span(a.start, a.end)
		return s.hoverText(s.hoverAddress(ctx, w, a.url), &rng), nil
	}
	if text := s.hoverWaiting(w, rel, int(p.Position.Line), doc.text); text != "" {
		return s.hoverText(text, nil), nil
	}
	q := here.asked(s.config(w).HoverQuestions)
	if q == "" || here.isSource() {
		return nil, nil
	}
	return s.hoverText(s.hoverAnswer(ctx, w, q)+s.hoverQuestion(w, x, q), nil), nil
}

// hoverText wraps a text in the kind of markup that the client shows.
func (s *server) hoverText(text string, rng *protocol.Range) *protocol.Hover {
	if text == "" {
		return nil
	}
	kind := protocol.MarkupKindMarkdown
	if s.caps.plainHover {
		kind, text = protocol.MarkupKindPlainText, strings.NewReplacer("**", "", "`", "").Replace(text)
	}
	return &protocol.Hover{Contents: &protocol.MarkupContent{Kind: kind, Value: text}, Range: rng}
}

// maxNamed bounds the pages that a hover lists.
const maxNamed = 5

func (s *server) hoverLink(w *wiki.Wiki, x *index.Index, from string, link index.Link) string {
	found := x.ResolveLink(from, link)
	if len(found) == 0 {
		out := "There is no page `" + link.Target + "`."
		if alike := x.Similar("", link.Target, nil); len(alike) > 0 {
			out += " Alike: " + someOf(alike, maxNamed) + "."
		}
		return out
	}
	rel := found[0].Path
	page, ok := x.Page(rel)
	if !ok {
		return "`" + rel + "`" // an asset
	}
	parts := []string{fmt.Sprintf("**%s** `%s`", page.Title, rel)}
	if sum := x.Summary(rel); sum != "" {
		parts = append(parts, sum)
	}
	if fresh := s.freshness(w, page); fresh != "" {
		parts = append(parts, fresh)
	}
	if from := linkedFrom(x, rel); from != "" {
		parts = append(parts, from)
	}
	if len(found) > 1 {
		parts = append(parts, fmt.Sprintf("The name is ambiguous: %d pages have it.", len(found)))
	}
	return strings.Join(parts, "\n\n")
}

// maxCounted bounds the pages that link to a page which a hover looks at: a hub has tens of thousands, and nobody waits for their number.
const maxCounted = 500

// linkedFrom says who links to a page.
func linkedFrom(x *index.Index, rel string) string {
	seen := map[string]bool{}
	x.EachBacklink(rel, func(r index.Ref) bool {
		seen[r.From] = true
		return len(seen) < maxCounted
	})
	from := slices.Sorted(maps.Keys(seen))
	switch {
	case len(from) == 0:
		return ""
	case len(from) == maxCounted:
		return fmt.Sprintf("Linked from %s and %d more at least.", strings.Join(from[:maxNamed], ", "), maxCounted-maxNamed)
	}
	return "Linked from " + someOf(from, maxNamed) + "."
}

// freshness compares the source that a page was made from with what it is now.
func (s *server) freshness(w *wiki.Wiki, page index.Page) string {
	src, sum := page.Front.Get("source-path"), page.Front.Get("source-sha")
	if src == "" || sum == "" {
		return ""
	}
	if _, in := below("raw", src); !in || strings.Contains(src, "..") {
		return ""
	}
	switch now, there := s.host.SourceSum(w, src); {
	case !there:
		return "Its source `" + src + "` is gone."
	case now == "":
		return "Its source `" + src + "` cannot be read."
	case now != strings.ToLower(sum):
		return "Its source `" + src + "` has changed since it was ingested."
	}
	return "Its source `" + src + "` is unchanged."
}

// maxAnswer bounds what a hover shows of an answer, in characters.
const maxAnswer = 2000

// hoverAnswer is the answer that was given to a question before, with who gave it and when, and why it does not hold any more. Nobody is asked.
func (s *server) hoverAnswer(ctx context.Context, w *wiki.Wiki, question string) string {
	a, ok := s.host.Answered(ctx, w, question)
	if !ok {
		return ""
	}
	said := "answered by " + a.Agent + " on " + a.At.Local().Format("2006-01-02 15:04")
	if a.Moved != "" {
		said += ", out of date: " + a.Moved
	}
	return firstRunes(strings.TrimSpace(a.Text), maxAnswer) + "\n\n*" + said + "*\n\n---\n\n"
}

func (s *server) hoverQuestion(w *wiki.Wiki, x *index.Index, question string) string {
	if !x.HasFullText() {
		s.goOn(w)
		return "The pages' text is still being indexed; links are answered already."
	}
	var parts []string
	for _, h := range x.Search(question, 3) {
		name := h.Path
		if h.Heading != "" {
			name += "#" + h.Heading
		}
		parts = append(parts, fmt.Sprintf("**%s** `%s`\n\n%s", h.Title, name, h.Snippet))
	}
	return strings.Join(parts, "\n\n")
}
