package fetch

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// tables readies tables: one that only lays out is taken apart, since its cells are blocks of text.
func (w *prep) tables(doc *html.Node) {
	list := all(doc, "table")
	for _, t := range slices.Backward(list) { // inner ones first
		if isLayout(t) {
			takeApart(t)
		}
	}
}

// isLayout tells a table that is no data: it says so, holds another one or blocks that no cell can, or has one cell in each row.
func isLayout(t *html.Node) bool {
	if role := attr(t, "role"); role == "presentation" || role == "none" {
		return true
	}
	if len(all(t, "table")) > 1 {
		return true
	}
	if first(t, "th") != nil || first(t, "caption") != nil {
		return false
	}
	if first(t, "pre", "h1", "h2", "h3", "article", "section", "form") != nil {
		return true
	}
	widest := 0
	for _, r := range all(t, "tr") {
		widest = max(widest, len(cells(r)))
	}
	return widest < 2
}

// takeApart makes blocks of a table's own parts; a table in one of its cells stays what it is.
func takeApart(t *html.Node) {
	var own []*html.Node
	for _, n := range all(t, "caption", "colgroup", "thead", "tbody", "tfoot", "tr", "td", "th") {
		if enclosing(n, "table") == t {
			own = append(own, n)
		}
	}
	for _, n := range own {
		switch n.Data {
		case "colgroup":
			remove(n)
		case "thead", "tbody", "tfoot":
			unwrap(n)
		default:
			n.Data, n.Attr = "div", nil
		}
	}
	t.Data, t.Attr = "div", nil
}

func cells(row *html.Node) (out []*html.Node) {
	for c := row.FirstChild; c != nil; c = c.NextSibling {
		if c.Data == "td" || c.Data == "th" {
			out = append(out, c)
		}
	}
	return out
}

// oneRow makes a cell's markdown fit on a line: its blocks are divided by <br>, a pipe is escaped, also within code (GFM, section 4.10).
func oneRow(cell string) string {
	var lines []string
	for l := range strings.Lines(cell) {
		if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "```") {
			lines = append(lines, strings.TrimSpace(strings.TrimSuffix(l, `\`)))
		}
	}
	return strings.Join(lines, "<br>")
}

// escapePipes escapes the pipes that are not yet.
func escapePipes(s string) string {
	var b strings.Builder
	slashes := 0
	for _, r := range s {
		if r == '|' && slashes%2 == 0 {
			b.WriteByte('\\')
		}
		if r == '\\' {
			slashes++
		} else {
			slashes = 0
		}
		b.WriteRune(r)
	}
	return b.String()
}
