package fetch

import (
	"fmt"
	"net/url"
	"strings"

	readability "codeberg.org/readeck/go-readability/v2"
	"golang.org/x/net/html"
)

// maxTags bounds what the parsers get: a tree costs many times its text.
const maxTags = 400_000

// prep readies a page for extraction and conversion.
type prep struct {
	base  *url.URL
	marks []string // texts that stand-ins stand for
	notes []footnote
}

// readHTML finds what a page says. next is set where it only leads on.
func (p *Page) readHTML(source string) (next *url.URL, err error) {
	if n := strings.Count(source, "<"); n > maxTags {
		return nil, &Error{Kind: ErrTooLarge, Why: fmt.Sprintf("a page of %d tags; %d are read", n, maxTags)}
	}
	doc, err := html.Parse(strings.NewReader(source))
	if err != nil {
		return nil, &Error{Kind: ErrType, Why: "the page cannot be parsed: " + err.Error()}
	}
	base := baseOf(doc, p.base)
	if next := refreshOf(doc, base, p.base); next != nil {
		return next, nil
	}
	p.readMeta(doc, base)
	why := emptiness(doc, base)
	w := &prep{base: base}
	w.ready(doc)
	body := w.mainText(doc, p.base)
	if p.Author == "" {
		p.Author = body.byline
	}
	p.Text = []byte(w.finish(body.text, p.Title))
	for _, m := range imageRE().FindAllStringSubmatch(string(p.Text), -1) {
		p.images = append(p.images, m[1])
	}
	if letters(body.text) < minLetters {
		return nil, why
	}
	return nil, nil
}

// imageRE finds the images that the conversion writes: their addresses hold no parenthesis and no blank.
var imageRE = lazyRE(`!\[(?:[^\]\\]|\\.)*\]\((https?://[^\s()]+)(?: "[^\n]*?")?\)`)

// ready makes the tree plain. The order matters: what is told by scripts and ids is read before these go.
func (w *prep) ready(doc *html.Node) {
	clean(doc)
	w.code(doc)
	w.math(doc)
	w.footnotes(doc)
	w.images(doc)
	anchors(doc)
	w.boxes(doc)
	unseen(doc)
	w.links(doc)
	for _, f := range w.notes { // they are out of the tree
		w.images(f.body)
		w.links(f.body)
		strip(f.body)
	}
	strip(doc)
	w.tables(doc)
}

// boxes keeps the boxes of task lists as GFM writes them.
func (w *prep) boxes(doc *html.Node) {
	for _, n := range all(doc, "input") {
		if !strings.EqualFold(attr(n, "type"), "checkbox") || !inside(n, "li") {
			continue
		}
		box := "[ ]"
		if hasAttr(n, "checked") {
			box = "[x]"
		}
		replace(n, text(w.mark(box)+" "))
	}
}

// clean drops from every text and attribute what a reader does not see.
func clean(doc *html.Node) {
	walk(doc, func(n *html.Node) bool {
		if n.Type == html.TextNode {
			n.Data = cleanText(n.Data)
		}
		return true
	})
}

// found is the text of a page.
type found struct{ text, byline string }

// mainText is what the extraction finds, where that is most of what the page marks as its text; else that; else, where both find next to nothing, the
// whole page (case o-ft-11).
func (w *prep) mainText(doc *html.Node, own *url.URL) found {
	whole := first(doc, "body")
	if whole == nil {
		return found{}
	}
	visible := letters(textOf(whole))
	bare := clone(doc)
	furniture(bare)
	f, best := extract(bare, own)
	if other, more := extract(doc, own); sizeOf(best)*10 < sizeOf(more)*6 { // what was dropped was not furniture after all
		f, best = other, more
	}
	region := regionOf(bare)
	if n := sizeOf(region); n*100 >= visible*30 && sizeOf(best)*100 < n*regionShare && linkShare(region) < 30 {
		best = region
	}
	if sizeOf(best) < max(minLetters, visible/20) {
		best = whole
	}
	f.text = w.markdown(best)
	return f
}

// extract is the library's finding, nil where it has none.
func extract(doc *html.Node, own *url.URL) (found, *html.Node) {
	parser := readability.NewParser()
	parser.KeepClasses = true
	article, err := parser.ParseDocument(doc, own) // it works on a copy
	if err != nil || article.Node == nil {
		return found{}, nil
	}
	return found{byline: oneLine(article.Byline(), 200)}, article.Node
}

// sizeOf is how much there is to read in a tree.
func sizeOf(n *html.Node) int {
	if n == nil {
		return 0
	}
	return letters(textOf(n))
}

// regionOf is the one element that the page itself marks as its text.
func regionOf(doc *html.Node) *html.Node {
	for _, name := range []string{"main", "article"} {
		if list := all(doc, name); len(list) == 1 {
			return list[0]
		}
	}
	var roles []*html.Node
	walk(doc, func(n *html.Node) bool {
		if attr(n, "role") == "main" || attr(n, "itemprop") == "articleBody" || attr(n, "id") == "mw-content-text" {
			roles = append(roles, n)
			return false
		}
		return true
	})
	if len(roles) == 1 {
		return roles[0]
	}
	return nil
}

// emptiness is what to say of the page should it have no text: of frames, of scripts, or of nothing.
func emptiness(doc *html.Node, base *url.URL) *Error {
	var frames []string
	for _, f := range all(doc, "frame") {
		if u, err := base.Parse(attr(f, "src")); err == nil && checkScheme(u) == nil {
			frames = append(frames, show(u))
		}
	}
	if len(frames) > 0 {
		return &Error{Kind: ErrEmpty, Why: "no readable text: the page is made of frames", Hint: "fetch the one that holds the text: " + strings.Join(frames[:min(len(frames), 5)], " ")}
	}
	if len(all(doc, "script")) > 0 {
		return &Error{Kind: ErrEmpty, Why: "no readable text: the page is made by scripts, which are not run", Hint: "save the page from a browser into raw/, or look for its printed or plain form"}
	}
	return &Error{Kind: ErrEmpty, Why: "no readable text"}
}

// regionShare is how little of the region, in per cent, the extraction may find before the region itself is taken.
const regionShare = 75

// linkShare is how much of a tree's text is links, in per cent.
func linkShare(n *html.Node) int {
	linked := 0
	for _, a := range all(n, "a") {
		linked += letters(textOf(a))
	}
	return linked * 100 / max(1, letters(textOf(n)))
}
