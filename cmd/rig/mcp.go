package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/index"
)

// The bounds of what an agent may send and get.
const (
	maxFrame   = 1 << 20   // bytes of one message to us
	maxName    = 1 << 10   // bytes of a page's name
	maxTerms   = 10_000    // bytes of a query
	maxHits    = 50        // hits, backlinks and findings have a cap of their own
	maxListed  = 500       // backlinks or findings in one answer
	maxPageOut = 256 << 10 // bytes of a page in one answer
)

// mcpCmd is `rig wiki mcp`: tools that only read, for agents that speak the Model Context Protocol, over standard input and output.
func (a *app) mcpCmd() *cobra.Command {
	return &cobra.Command{Use: "mcp", Short: "Serve the wiki to agents: search, read, backlinks, lint, over standard input and output", Args: args(cobra.NoArgs), RunE: func(c *cobra.Command, _ []string) error {
		return a.withHost(func(h *wiki.Host, w *wiki.Wiki) error {
			streams := newStdio(a.in, a.out)
			err := mcpServer(h, w).Run(c.Context(), &mcp.IOTransport{Reader: streams, Writer: nopClose{streams}, MaxLineLength: maxFrame})
			if errors.Is(err, io.EOF) || errors.Is(err, mcp.ErrConnectionClosed) {
				return nil // the client went
			}
			return err
		})
	}}
}

// nopClose is a stream that others close.
type nopClose struct{ io.Writer }

func (nopClose) Close() error { return nil }

// mcpServer makes the server of one wiki.
func mcpServer(h *wiki.Host, w *wiki.Wiki) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "rig-wiki", Title: "rig wiki", Version: version},
		&mcp.ServerOptions{Instructions: "The markdown wiki " + w.Name + ", to read. Paths are relative to the wiki; page names as in [[wikilinks]] are understood.", Capabilities: &mcp.ServerCapabilities{}})
	t := wikiTools{h, w}
	closed := false
	tool := func(name, title, does string) *mcp.Tool {
		return &mcp.Tool{Name: name, Title: title, Description: does, Annotations: &mcp.ToolAnnotations{Title: title, ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &closed}}
	}
	mcp.AddTool(s, tool("search", "Search the wiki", "Full-text search over all pages. Any text is a query; the best pages come first, each with its best passage."), t.search)
	mcp.AddTool(s, tool("read", "Read a page", "The text of one page, whole or some of its lines."), t.read)
	mcp.AddTool(s, tool("backlinks", "Who links to a page", "The pages that link to a page, with the line of each link."), t.backlinks)
	mcp.AddTool(s, tool("lint", "What is wrong in the wiki", "Broken links, orphans, drift of the index and of sources, and other findings, of the whole wiki or of one page."), t.lint)
	return s
}

// wikiTools are the tools. Each answers from the pages as they are on disk.
type wikiTools struct {
	h *wiki.Host
	w *wiki.Wiki
}

// index is the wiki's index, brought to what is on disk.
func (t wikiTools) index(ctx context.Context) (*index.Index, error) {
	x, err := t.h.Index(ctx, t.w)
	if err != nil {
		return nil, err
	}
	return x, x.Refresh(ctx)
}

type searchIn struct {
	Terms string `json:"terms" jsonschema:"what to look for: words or a question"`
	Limit int    `json:"limit,omitempty" jsonschema:"hits at most, 1 to 50; 10 where it is left out"`
}

type searchOut struct {
	Hits []hitData `json:"hits"`
}

func (t wikiTools) search(ctx context.Context, _ *mcp.CallToolRequest, in searchIn) (*mcp.CallToolResult, searchOut, error) {
	out := searchOut{Hits: []hitData{}}
	switch {
	case len(in.Terms) > maxTerms:
		return nil, out, fmt.Errorf("terms: %d bytes, more than %d", len(in.Terms), maxTerms)
	case in.Limit < 0 || in.Limit > maxHits:
		return nil, out, fmt.Errorf("limit: %d is not from 1 to %d", in.Limit, maxHits)
	case in.Limit == 0:
		in.Limit = 10
	}
	x, err := t.index(ctx)
	if err != nil {
		return nil, out, err
	}
	for _, h := range x.Search(in.Terms, in.Limit) {
		out.Hits = append(out.Hits, hitData{h.Path, h.Title, h.Heading, h.Snippet, h.Score})
	}
	return nil, out, nil
}

type readIn struct {
	Page  string `json:"page" jsonschema:"path relative to the wiki (concepts/shade.md) or name as in a wikilink (shade)"`
	From  int    `json:"from,omitempty" jsonschema:"first line, from 1"`
	Lines int    `json:"lines,omitempty" jsonschema:"lines at most; all where it is left out"`
}

type readOut struct {
	Path  string `json:"path"`
	Title string `json:"title"`
	Lines int    `json:"lines" jsonschema:"lines of the whole page"`
	Text  string `json:"text"`
	Cut   bool   `json:"cut" jsonschema:"true where the text is longer than what one answer holds: ask for the lines that follow"`
}

func (t wikiTools) read(ctx context.Context, _ *mcp.CallToolRequest, in readIn) (*mcp.CallToolResult, readOut, error) {
	if in.From < 0 || in.Lines < 0 {
		return nil, readOut{}, errors.New("from and lines: give numbers from 1")
	}
	x, rel, err := t.page(ctx, in.Page)
	if err != nil {
		return nil, readOut{}, err
	}
	p, _ := x.Page(rel)
	text, _ := x.Source(rel)
	out := readOut{Path: rel, Title: p.Title, Lines: countLines(string(text)), Text: cut(string(text), in.From, in.Lines)}
	if len(out.Text) > maxPageOut {
		out.Text, out.Cut = whole(out.Text[:maxPageOut]), true
	}
	out.Text = strings.ToValidUTF8(out.Text, "\uFFFD")
	return nil, out, nil
}

func countLines(s string) (n int) {
	for range strings.Lines(s) {
		n++
	}
	return n
}

// whole drops a line that was cut, or where there is one only, the rune.
func whole(s string) string {
	if i := strings.LastIndexByte(s, '\n'); i >= 0 {
		return s[:i+1]
	}
	for len(s) > 0 && !utf8.RuneStart(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s[:max(0, len(s)-1)]
}

// page finds the page that an agent names. Nothing but a page of the wiki is found, whatever the name.
func (t wikiTools) page(ctx context.Context, name string) (*index.Index, string, error) {
	if name == "" || len(name) > maxName || strings.ContainsRune(name, 0) {
		return nil, "", fmt.Errorf("page: give a path relative to the wiki, of at most %d bytes", maxName)
	}
	x, err := t.index(ctx)
	if err != nil {
		return nil, "", err
	}
	rel, ok := wiki.Reader{Root: t.w.Root, Index: x}.Page(t.w.Root, name)
	if !ok {
		return nil, "", fmt.Errorf("page: the wiki has no page %q", name)
	}
	return x, rel, nil
}

type pageIn struct {
	Page string `json:"page" jsonschema:"path relative to the wiki (concepts/shade.md) or name as in a wikilink (shade)"`
}

type backlink struct {
	Path string `json:"path"`
	Line int    `json:"line"`
	Text string `json:"text" jsonschema:"the line that holds the link"`
}

type backlinksOut struct {
	Path      string     `json:"path"`
	Backlinks []backlink `json:"backlinks"`
	More      int        `json:"more" jsonschema:"links that are left out"`
}

func (t wikiTools) backlinks(ctx context.Context, _ *mcp.CallToolRequest, in pageIn) (*mcp.CallToolResult, backlinksOut, error) {
	out := backlinksOut{Backlinks: []backlink{}}
	x, rel, err := t.page(ctx, in.Page)
	if err != nil {
		return nil, out, err
	}
	out.Path = rel
	for _, ref := range x.Backlinks(rel) {
		if len(out.Backlinks) == maxListed {
			out.More++
			continue
		}
		text, ok := x.Source(ref.From)
		if !ok || ref.Link.End > len(text) {
			continue // gone since
		}
		before := string(text[:ref.Link.Start])
		line, _, _ := strings.Cut(string(text[strings.LastIndexByte(before, '\n')+1:]), "\n")
		out.Backlinks = append(out.Backlinks, backlink{ref.From, 1 + strings.Count(before, "\n"), strings.ToValidUTF8(strings.TrimSpace(clip(line, 300)), "\uFFFD")})
	}
	return nil, out, nil
}

// clip cuts a text at a rune.
func clip(s string, limit int) string {
	for limit < len(s) && limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:min(limit, len(s))]
}

type lintIn struct {
	Page string `json:"page,omitempty" jsonschema:"one page; the whole wiki where it is left out"`
}

type mcpFinding struct {
	Path     string `json:"path"`
	Line     int    `json:"line"`
	Code     string `json:"code"`
	Severity string `json:"severity"`
	Message  string `json:"message"`
}

type lintOut struct {
	Findings []mcpFinding `json:"findings"`
	More     int          `json:"more" jsonschema:"findings that are left out"`
}

func (t wikiTools) lint(ctx context.Context, _ *mcp.CallToolRequest, in lintIn) (*mcp.CallToolResult, lintOut, error) {
	out, pages := lintOut{Findings: []mcpFinding{}}, []string(nil)
	if in.Page != "" {
		_, rel, err := t.page(ctx, in.Page)
		if err != nil {
			return nil, out, err
		}
		pages = []string{rel}
	}
	found, err := t.h.Lint(ctx, t.w, pages)
	if err != nil {
		return nil, out, err
	}
	for _, f := range found {
		if len(out.Findings) == maxListed {
			out.More++
			continue
		}
		out.Findings = append(out.Findings, mcpFinding{f.Path, f.Line, f.Code, string(f.Severity), f.Message})
	}
	return nil, out, nil
}
