package fetch

import (
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// Marks stand for texts that the conversion must not touch. They are letters of the private use area, which [cleanText] drops from what was fetched.
const (
	markOpen  = '\uE000'
	markClose = '\uE001'
)

// mark keeps a text and gives its stand-in.
func (w *prep) mark(s string) string {
	w.marks = append(w.marks, s)
	return fmt.Sprintf("%c%d%c", markOpen, len(w.marks)-1, markClose)
}

// restore puts the kept texts back.
func (w *prep) restore(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		b.WriteString(markRE().ReplaceAllStringFunc(line, func(m string) string {
			i, err := strconv.Atoi(strings.Trim(m, string([]rune{markOpen, markClose})))
			if err != nil || i >= len(w.marks) {
				return ""
			}
			kept := w.restore(w.marks[i]) // a mark holds earlier ones only
			if !strings.Contains(kept, "\n") {
				return kept
			}
			before, _, _ := strings.Cut(line, m)
			return strings.ReplaceAll(kept, "\n", "\n"+indent(before))
		}))
	}
	return b.String()
}

var markRE = lazyRE(string(markOpen) + `\d+` + string(markClose))

// indent is what the further lines of a block begin with, where before stands in front of its first: quotes stay, a list's sign becomes blanks.
func indent(before string) string {
	return strings.Map(func(r rune) rune {
		if r == '>' {
			return r
		}
		return ' '
	}, before)
}

// math keeps formulas as TeX: MathML with its TeX beside it (Wikipedia, KaTeX), what MathJax has rendered or would render, and delimiters in the text.
func (w *prep) math(doc *html.Node) {
	dollars := false // single dollars count only where a library that reads them is loaded
	for _, s := range all(doc, "script") {
		src := strings.ToLower(attr(s, "src") + textOf(s))
		dollars = dollars || strings.Contains(src, "mathjax") || strings.Contains(src, "katex")
		if kind := strings.ToLower(attr(s, "type")); strings.HasPrefix(kind, "math/tex") {
			w.formula(s, textOf(s), strings.Contains(kind, "mode=display"))
		}
	}
	for _, n := range all(doc, "math") {
		w.mathML(n)
	}
	for _, n := range elementsWith(doc, "katex-html", "MathJax_Preview", "MathJax", "MathJax_Display", "MathJax_SVG", "mwe-math-fallback-image-inline", "mwe-math-fallback-image-display") {
		if hasClass(n, "katex-html") && n.PrevSibling == nil && n.NextSibling == nil { // nothing else says it
			replace(n, text(strings.TrimSpace(textOf(n))))
			continue
		}
		remove(n)
	}
	walk(doc, func(n *html.Node) bool {
		if n.Type == html.TextNode {
			n.Data = w.delimited(n.Data, dollars)
		}
		return n.Data != "pre" && n.Data != "code" && n.Data != "script" && n.Data != "style" && n.Data != "textarea"
	})
}

// elementsWith are the elements that have one of the classes.
func elementsWith(doc *html.Node, class ...string) (out []*html.Node) {
	walk(doc, func(n *html.Node) bool {
		if n.Type == html.ElementNode && hasClass(n, class...) {
			out = append(out, n)
			return false
		}
		return true
	})
	return out
}

func (w *prep) mathML(n *html.Node) {
	display := attr(n, "display") == "block"
	for p := n.Parent; p != nil && !display; p = p.Parent {
		display = hasClass(p, "katex-display", "mwe-math-element-block")
	}
	top := n
	for top.Parent != nil && (top.Parent.Data == "semantics" || top.Parent.Data == "mjx-assistive-mml" || top.Parent.Data == "mjx-container") {
		top = top.Parent
	}
	for _, a := range all(n, "annotation") {
		if strings.Contains(attr(a, "encoding"), "tex") {
			tex := strings.TrimSpace(textOf(a))
			if inner, ok := strings.CutPrefix(tex, `{\displaystyle `); ok {
				tex = strings.TrimSuffix(inner, "}")
			}
			w.formula(top, tex, display)
			return
		}
	}
	if tex := attr(n, "alttext"); tex != "" { // LaTeXML, as arXiv has it
		w.formula(top, tex, display)
		return
	}
	replace(top, text(strings.Join(strings.Fields(textOf(n)), " ")))
}

// formula puts a mark for TeX in the place of n.
func (w *prep) formula(n *html.Node, tex string, display bool) {
	tex = strings.TrimSpace(cleanText(tex))
	if tex == "" {
		remove(n)
		return
	}
	if display {
		replace(n, element("p", text(w.mark("$$\n"+tex+"\n$$"))))
		return
	}
	replace(n, text(w.mark("$"+strings.Join(strings.Fields(tex), " ")+"$")))
}

var (
	texBlock  = lazyRE(`(?s)\$\$.+?\$\$|\\\[.+?\\\]`)
	texInline = lazyRE(`\\\(.+?\\\)`)
	texDollar = lazyRE(`\$(?:[^\s$][^$\n]{0,200}?[^\s$]|[A-Za-z])\$`)
)

// delimited keeps TeX between delimiters in a text.
func (w *prep) delimited(s string, dollars bool) string {
	if !strings.ContainsAny(s, `\$`) {
		return s
	}
	s = texBlock().ReplaceAllStringFunc(s, func(m string) string {
		tex := strings.TrimSpace(m[2 : len(m)-2])
		if strings.TrimSpace(s) != m { // within a paragraph a block of its own would be set behind what is before it
			return w.mark("$$" + strings.Join(strings.Fields(tex), " ") + "$$")
		}
		return w.mark("$$\n" + tex + "\n$$")
	})
	s = texInline().ReplaceAllStringFunc(s, func(m string) string { return w.mark("$" + strings.TrimSpace(m[2:len(m)-2]) + "$") })
	if dollars {
		s = texDollar().ReplaceAllStringFunc(s, w.mark)
	}
	return s
}
