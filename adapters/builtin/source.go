package builtin

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
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
	md := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList))
	root := md.Parser().Parse(text.NewReader(body))
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
		case *ast.CodeBlock, *ast.FencedCodeBlock, *ast.HTMLBlock, *extast.Table:
			return ast.WalkSkipChildren, nil
		case *ast.Paragraph, *ast.TextBlock:
			if t := inline(n, body); !isMeta(t) {
				_, item := n.Parent().(*ast.ListItem)
				doc.pars = append(doc.pars, paragraph{section: section, text: t, item: item})
			}
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	return doc
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
			b.Write(unescape(c.Segment.Value(src)))
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
