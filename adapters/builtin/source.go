package builtin

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// A document is the prose of a markdown source: no front matter, no code, no tables, no HTML.
type document struct {
	title    string
	headings []string
	pars     []paragraph
}

// A paragraph is a run of prose. Inline code keeps its backquotes; emphasis, links and images leave their text.
type paragraph struct {
	section string // nearest heading above, plain
	text    string
	item    bool // of a list
}

// parseSource reads markdown. Text that is no markdown reads as paragraphs.
func parseSource(src []byte) document {
	front, body := splitFront(src)
	doc := document{title: front.get("title")}
	body = withoutTables(body)
	root := goldmark.DefaultParser().Parse(text.NewReader(body))
	section := ""
	// The walk never returns an error: the visitor does not.
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			h := strings.ReplaceAll(inline(n, body), "`", "")
			if doc.title == "" {
				doc.title = h
			} else if h != "" {
				doc.headings = append(doc.headings, h)
			}
			section = h
			return ast.WalkSkipChildren, nil
		case *ast.CodeBlock, *ast.FencedCodeBlock, *ast.HTMLBlock:
			return ast.WalkSkipChildren, nil
		case *ast.Paragraph, *ast.TextBlock:
			_, item := n.Parent().(*ast.ListItem)
			t := inline(n, body)
			if item {
				t = withoutBox(t)
			}
			if !isMeta(t) {
				doc.pars = append(doc.pars, paragraph{section: section, text: t, item: item})
			}
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	return doc
}

// withoutTables blanks GitHub's tables, which are no prose (GFM 0.29, section 4.10). They, crossed out text and check boxes are read here by hand:
// goldmark's extensions for them compile patterns when the program starts, 2 ms of each start of rig and of each agent's run.
func withoutTables(body []byte) []byte {
	out := make([]byte, 0, len(body))
	before, table := 0, false // before: where the previous line begins in out
	for line := range bytes.Lines(body) {
		switch {
		case len(bytes.TrimSpace(line)) == 0, isFence(line):
			table = false
		case !table && isDelimiterRow(line) && bytes.IndexByte(out[before:], '|') >= 0:
			out, table = append(out[:before], '\n'), true
		}
		before = len(out)
		if table {
			out = append(out, '\n')
		} else {
			out = append(out, line...)
		}
	}
	return out
}

// isFence tells the line that opens or closes a block of code, which ends a table.
func isFence(line []byte) bool {
	line = bytes.TrimSpace(line)
	return bytes.HasPrefix(line, []byte("```")) || bytes.HasPrefix(line, []byte("~~~"))
}

// isDelimiterRow tells the row below a table's head: | --- | :-: |.
func isDelimiterRow(line []byte) bool {
	return bytes.IndexByte(line, '|') >= 0 && bytes.IndexByte(line, '-') >= 0 && len(bytes.Trim(line, "|-: \t\r\n>")) == 0
}

// withoutBox drops the check box of a task in a list.
func withoutBox(t string) string {
	for _, box := range []string{"[ ] ", "[x] ", "[X] "} {
		if rest, ok := strings.CutPrefix(t, box); ok {
			return rest
		}
	}
	return t
}

var metaRE = lazyRE(`(?i)^(authors?(\(s\))?|last[ -]?updated|last modified|created|published|date|status|discussion( at)?|reviewers?|version|license|copyright|tags?|keywords|contact|with (input|major input|contributions)|©)\b ?[:(]?`)

// isMeta tells lines about the document itself: authors, dates, links alone.
func isMeta(t string) bool {
	return t == "" || metaRE().MatchString(t) && length(t) < 60 || strings.HasPrefix(t, "http") && !strings.Contains(t, " ")
}

// hole stands where a sentence has something that is no text: an image, often a formula.
const hole = '\uFFFC'

// inline is the text of a block's children on one line.
func inline(n ast.Node, src []byte) string {
	var b strings.Builder
	writeInline(&b, n, src)
	return strings.Join(strings.Fields(b.String()), " ")
}

func writeInline(b *strings.Builder, n ast.Node, src []byte) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			b.Write(unescape(bytes.ReplaceAll(c.Segment.Value(src), []byte("~~"), nil)))
			if c.SoftLineBreak() || c.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(c.Value)
		case *ast.CodeSpan:
			var code strings.Builder
			writeInline(&code, c, src)
			if t := code.String(); t != "" && !strings.Contains(t, "`") {
				b.WriteString("`" + t + "`")
			} else {
				b.WriteString(t)
			}
		case *ast.AutoLink:
			b.Write(c.URL(src))
		case *ast.Image:
			b.WriteRune(hole)
		case *ast.RawHTML:
			// no prose
		default:
			writeInline(b, c, src)
		}
	}
}

// unescape resolves backslash escapes and the few entities that prose has; goldmark leaves both to its renderer.
func unescape(b []byte) []byte {
	if bytes.IndexByte(b, '&') >= 0 {
		for from, to := range map[string]string{"&nbsp;": " ", "&lt;": "<", "&gt;": ">", "&quot;": `"`, "&mdash;": "—", "&ndash;": "–"} {
			b = bytes.ReplaceAll(b, []byte(from), []byte(to))
		}
		b = bytes.ReplaceAll(b, []byte("&amp;"), []byte("&"))
	}
	if bytes.IndexByte(b, '\\') < 0 {
		return b
	}
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		if b[i] == '\\' && i+1 < len(b) && strings.IndexByte("\\`*_{}[]()#+-.!<>|~\"'&", b[i+1]) >= 0 {
			i++
		}
		out = append(out, b[i])
	}
	return out
}

// isText tells whether a source can be read as text at all.
func isText(b []byte) bool {
	return utf8.Valid(b) && bytes.IndexByte(b, 0) < 0
}
