package fetch

import (
	"slices"
	"strings"
	"unicode"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/strikethrough"
	"golang.org/x/net/html"
)

// markdown converts a tree. Tables are made here, each cell by itself: the library's give up where a cell has more than one line.
func (w *prep) markdown(n *html.Node) string {
	n = clone(n)
	for _, name := range []string{"sup", "sub"} {
		for _, s := range all(n, name) {
			if t := strings.TrimSpace(textOf(s)); t != "" && !strings.ContainsRune(t, markOpen) {
				s.InsertBefore(text(w.mark("<"+name+">")), s.FirstChild)
				s.AppendChild(text(w.mark("</" + name + ">")))
			}
		}
	}
	for _, pre := range all(n, "pre") { // the library leaves out the signs of the quote before all lines but the first
		if inside(pre, "blockquote") && !inside(pre, "table", "pre") {
			replace(pre, element("p", text(w.mark(strings.TrimRight(w.restore(w.convert(element("div", clone(pre)))), "\n")))))
		}
	}
	list := all(n, "table")
	for _, t := range slices.Backward(list) {
		if t.Parent == nil {
			continue
		}
		if md := w.table(t); md != "" {
			replace(t, element("p", text(w.mark(md))))
		} else {
			remove(t)
		}
	}
	return w.convert(n)
}

// convert is the library's conversion; what it cannot convert is given as its text.
func (w *prep) convert(n *html.Node) string {
	c := converter.NewConverter(converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(commonmark.WithHorizontalRule("---"), commonmark.WithListEndComment(false), commonmark.WithLinkEmptyContentBehavior(commonmark.LinkBehaviorSkip)), strikethrough.NewStrikethroughPlugin()))
	md, err := c.ConvertNode(n)
	if err != nil {
		return strings.TrimSpace(textOf(n))
	}
	return strings.TrimSpace(string(md))
}

// maxColumns bounds a table whose cells claim to span more.
const maxColumns = 100

// table is a table in GFM. Cells that span columns or rows are followed by empty ones.
func (w *prep) table(t *html.Node) string {
	var rows [][]string
	head := -1
	held := map[int]int{} // column -> rows that a cell above still covers
	for _, tr := range all(t, "tr") {
		var row []string
		cover := func() {
			for held[len(row)] > 0 && len(row) < maxColumns {
				held[len(row)]--
				row = append(row, "")
			}
		}
		list := cells(tr)
		for _, c := range list {
			cover()
			text := w.cell(c)
			for i := range min(span(c, "colspan"), maxColumns-len(row)) {
				held[len(row)] = rowsOf(c) - 1
				if i > 0 {
					text = ""
				}
				row = append(row, text)
			}
		}
		cover()
		if len(list) == 0 || strings.Join(row, "") == "" {
			continue
		}
		if len(rows) == 0 && !slices.ContainsFunc(list, func(c *html.Node) bool { return c.Data != "th" && !inside(c, "thead") }) {
			head = 0
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return ""
	}
	caption := ""
	if c := first(t, "caption"); c != nil {
		caption = strings.TrimSpace(w.restore(w.convert(c))) + "\n\n"
	}
	return caption + layOut(rows, head)
}

// layOut writes the rows of a table, all as wide as the widest. One without a head gets an empty one, since GFM knows no other.
func layOut(rows [][]string, head int) string {
	width := 0
	for _, r := range rows {
		width = max(width, len(r))
	}
	if head < 0 {
		rows = append([][]string{make([]string, width)}, rows...)
	}
	var b strings.Builder
	for i, r := range rows {
		for len(r) < width {
			r = append(r, "")
		}
		b.WriteString("| " + strings.Join(r, " | ") + " |\n")
		if i == 0 {
			b.WriteString("|" + strings.Repeat(" --- |", width) + "\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (w *prep) cell(c *html.Node) string {
	for _, pre := range all(c, "pre") { // a block of code cannot stand in a cell; its lines can
		box := element("div")
		for l := range strings.Lines(textOf(pre)) {
			if l = strings.TrimRight(l, "\n"); l != "" {
				box.AppendChild(element("p", element("code", text(l))))
			}
		}
		replace(pre, box)
	}
	box := element("div")
	for k := c.FirstChild; k != nil; k = c.FirstChild {
		c.RemoveChild(k)
		box.AppendChild(k)
	}
	return escapePipes(oneRow(w.restore(w.convert(box))))
}

// rowsOf is how many rows a cell covers; 0 is all that follow (HTML, section 4.9.11).
func rowsOf(c *html.Node) int {
	if strings.TrimSpace(attr(c, "rowspan")) == "0" {
		return 65534 // the most that HTML knows
	}
	return span(c, "rowspan")
}

func span(c *html.Node, key string) int {
	n := 0
	for _, r := range strings.TrimSpace(attr(c, key)) {
		if r < '0' || r > '9' || n > maxColumns {
			break
		}
		n = n*10 + int(r-'0')
	}
	return max(1, n)
}

// finish is the text below the front matter: the title where the text does not begin with it, the notes at the end, marks restored.
func (w *prep) finish(md, title string) string {
	var b strings.Builder
	md = w.headed(md, title)
	if i := strings.LastIndex(md, "\n\n#"); i >= 0 && len(w.notes) > 0 && !strings.Contains(md[i+2:], "\n") { // the heading of the list that the notes were in
		md = md[:i]
	}
	b.WriteString(md)
	for _, n := range w.notes {
		if strings.Contains(md, n.mark) {
			b.WriteString("\n\n" + w.mark("[^"+n.label+"]: ") + strings.ReplaceAll(w.markdown(n.body), "\n", "\n    "))
		}
	}
	out := w.restore(b.String())
	lines := strings.Split(out, "\n")
	for i, l := range lines {
		if trimmed := strings.TrimRight(l, " \t"); !strings.HasSuffix(l, "  ") || strings.Trim(trimmed, "> ") == "" || i+1 < len(lines) && lines[i+1] == "" {
			lines[i] = trimmed
		}
	}
	out = blankLines().ReplaceAllString(strings.Join(lines, "\n"), "\n\n")
	return strings.TrimSpace(out) + "\n"
}

// headed is the text with its title on top: its own first heading where that says the same, whatever its level; else ours, unless it comes later.
func (w *prep) headed(md, title string) string {
	own, _, _ := strings.Cut(md, "\n")
	bare := strings.TrimLeft(own, "#")
	switch {
	case strings.HasPrefix(own, "# "), title == "", bare != own && sameWords(bare, title):
		return md
	}
	for line := range strings.Lines(md) {
		if h, ok := strings.CutPrefix(line, "# "); ok && sameWords(h, title) {
			return md
		}
	}
	return "# " + escapeLine(title) + "\n\n" + md
}

func sameWords(a, b string) bool { return onlyLetters(a) == onlyLetters(b) }

func onlyLetters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

var blankLines = lazyRE(`\n{3,}`)

// escapeLine makes a heading of any one line.
func escapeLine(s string) string {
	return strings.NewReplacer(`\`, `\\`, "<", `\<`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`).Replace(s)
}
