package fetch

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// code makes plain blocks of highlighted ones: the text as a reader copies it, and its language. Left as they are, the spans of a highlighter look like
// clutter to the extraction, and their classes ("com", "comment") like a forum's.
func (w *prep) code(doc *html.Node) {
	for _, t := range all(doc, "table") {
		if pre := numberedCode(t); pre != nil {
			setAttr(pre, "class", attr(pre, "class")+" "+attr(t, "class"))
			remove(pre)
			replace(t, pre)
		}
	}
	for _, pre := range all(doc, "pre", "listing", "xmp") {
		if inside(pre, "pre") {
			continue
		}
		block := element("code", text(codeText(pre)))
		if lang := language(pre); lang != "" {
			setAttr(block, "class", "language-"+lang)
		}
		if strings.TrimSpace(textOf(block)) == "" {
			remove(pre)
			continue
		}
		replace(pre, element("pre", block))
	}
}

// numberedCode finds the code in a table that has line numbers in its first column.
func numberedCode(t *html.Node) *html.Node {
	pres := all(t, "pre")
	if len(pres) == 0 || len(all(t, "tr")) > 1 && len(pres) < 2 {
		return nil
	}
	var code []*html.Node
	for _, p := range pres {
		if !onlyNumbers(textOf(p)) {
			code = append(code, p)
		}
	}
	if len(code) != 1 || len(pres) != 2 && !hasClass(t, "highlighttable", "lntable", "rouge-table") {
		return nil
	}
	return code[0]
}

func onlyNumbers(s string) bool {
	return strings.TrimSpace(s) != "" && strings.Trim(s, "0123456789 \t\n") == ""
}

// codeText is a block's text: line breaks where the page shows them, without line numbers and buttons.
func codeText(pre *html.Node) string {
	var b strings.Builder
	line := func() {
		if b.Len() > 0 && !strings.HasSuffix(b.String(), "\n") {
			b.WriteByte('\n')
		}
	}
	var visit func(*html.Node)
	visit = func(n *html.Node) {
		switch {
		case n.Type == html.TextNode:
			b.WriteString(n.Data)
			return
		case n.Type == html.ElementNode && (slices.Contains([]string{"button", "style", "script", "svg"}, n.Data) || hasClass(n, "lineno", "linenos", "line-number", "line-numbers-rows", "linenumber", "ln", "lnt", "gutter", "copy")):
			return
		case n.Data == "br":
			b.WriteByte('\n')
			return
		}
		block := slices.Contains([]string{"div", "p", "li", "tr"}, n.Data) && n != pre
		if block || n.Data == "span" && hasClass(n, "line", "code-line", "token-line") {
			line()
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			visit(c)
		}
		if block {
			line()
		}
	}
	visit(pre)
	return strings.TrimRight(strings.TrimPrefix(cleanText(b.String()), "\n"), " \t\n") + "\n"
}

// language looks for the name of the language on the block, in it and on what wraps it.
func language(pre *html.Node) string {
	nodes := append([]*html.Node{pre}, all(pre, "code")...)
	for p := pre.Parent; p != nil && len(nodes) < 8; p = p.Parent {
		if p.Data == "body" || p.Data == "article" || p.Data == "main" {
			break
		}
		nodes = append(nodes, p)
		if len(all(p, "pre")) > 1 {
			nodes = nodes[:len(nodes)-1]
			break
		}
	}
	for _, n := range nodes {
		for _, key := range []string{"data-lang", "data-language", "lang"} {
			if l := cleanLanguage(attr(n, key)); l != "" && (key != "lang" || n.Data == "pre" && n.Parent.Data != "body") && isCodeLanguage(l) {
				return l
			}
		}
		if l := classLanguage(attr(n, "class")); l != "" {
			return l
		}
	}
	return ""
}

var (
	namedClass = lazyRE(`(?:^|\s)(?:language|lang|highlight-source|highlight-text|highlight|src)[-:]\s*([A-Za-z0-9+#_.-]+)|(?:^|\s)(?:highlight|sourceCode)\s+([A-Za-z0-9+#_.]+)(?:\s|$)`)
	brushClass = lazyRE(`brush:\s*([A-Za-z0-9+#_.-]+)`)
)

func classLanguage(class string) string {
	if m := namedClass().FindStringSubmatch(class); m != nil && isCodeLanguage(m[1]+m[2]) {
		return cleanLanguage(m[1] + m[2])
	}
	if m := brushClass().FindStringSubmatch(class); m != nil {
		return cleanLanguage(m[1])
	}
	if fields := strings.Fields(class); slices.Contains(fields, "hljs") {
		for _, f := range fields {
			if f != "hljs" && isCodeLanguage(f) && !strings.Contains(f, "-") {
				return cleanLanguage(f)
			}
		}
	}
	return ""
}

func cleanLanguage(s string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	if len(s) > 20 || strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789+#_.-") != "" {
		return ""
	}
	return s
}

// isCodeLanguage leaves out what highlighters say for none, and words that stand at the same place.
func isCodeLanguage(s string) bool {
	return !slices.Contains([]string{"", "none", "nohighlight", "plain", "plaintext", "text", "txt", "default", "auto", "en", "de", "fr", "es", "ja", "zh", "ko", "ru", "notranslate", "wrap", "table", "line-numbers", "copy", "undefined"}, strings.ToLower(s))
}
