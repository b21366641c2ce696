package fetch

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// images gives every image the address of its picture: scripts that would do it are not run.
func (w *prep) images(doc *html.Node) {
	for _, n := range all(doc, "amp-img", "amp-anim") {
		n.Data = "img"
	}
	for _, n := range all(doc, "noscript") {
		w.noscript(n)
	}
	for _, n := range all(doc, "img") {
		w.image(n)
	}
	for _, n := range all(doc, "picture") {
		for _, s := range all(n, "source") {
			remove(s)
		}
		unwrap(n)
	}
}

// image settles on one address; what has none, or counts readers, goes.
func (w *prep) image(n *html.Node) {
	src := w.picture(n)
	if src == "" && n.Parent != nil && n.Parent.Data == "picture" {
		for _, s := range all(n.Parent, "source") {
			if src = w.fromSet(s); src != "" {
				break
			}
		}
	}
	if src == "" || isPixel(n) {
		remove(n)
		return
	}
	alt, title := attr(n, "alt"), attr(n, "title")
	n.Attr = []html.Attribute{{Key: "src", Val: src}, {Key: "alt", Val: oneLine(alt, 500)}}
	if title = oneLine(title, 500); title != "" && title != alt {
		setAttr(n, "title", title)
	}
}

// picture is the absolute address of an image: what is put there for later, else src where it is none of the stand-ins, else the largest of srcset.
func (w *prep) picture(n *html.Node) string {
	for _, key := range []string{"data-src", "data-original", "data-lazy-src", "data-lazy", "data-actualsrc", "data-full-src", "data-hi-res-src", "data-url",
		"data-lazyload", "data-original-src", "data-img-src", "data-image", "data-echo", "data-large-file", "nitro-lazy-src"} {
		if u := w.link(attr(n, key)); u != "" && !isStandIn(u) {
			return u
		}
	}
	if src := attr(n, "src"); src != "" && !isStandIn(src) {
		return w.link(src)
	}
	return w.fromSet(n)
}

// fromSet is the largest picture of an element's sets.
func (w *prep) fromSet(n *html.Node) string {
	for _, key := range []string{"data-srcset", "data-lazy-srcset", "srcset"} {
		if u := w.link(best(attr(n, key))); u != "" && !isStandIn(u) {
			return u
		}
	}
	return ""
}

// noscript holds the picture for readers without scripts, as we are one; whatever else it says is about scripts.
func (w *prep) noscript(n *html.Node) {
	inner, err := html.ParseFragment(strings.NewReader(textOf(n)), element("div"))
	if err != nil {
		remove(n)
		return
	}
	holder := element("div", inner...)
	images := all(holder, "img")
	before := n.PrevSibling
	for before != nil && before.Type == html.TextNode && strings.TrimSpace(before.Data) == "" {
		before = before.PrevSibling
	}
	var lazy *html.Node
	if before != nil && before.Type == html.ElementNode {
		lazy = first(before, "img")
	}
	for i, img := range images {
		switch {
		case i == 0 && lazy != nil && w.picture(lazy) == "":
			setAttr(lazy, "src", attr(img, "src"))
		case i == 0 && lazy != nil:
		case n.Parent != nil && n.Parent.Data != "head":
			remove(img)
			n.Parent.InsertBefore(img, n)
		}
	}
	remove(n)
}

// best is the largest candidate of a srcset (HTML, section 4.8.4.2.1).
func best(srcset string) string {
	most, url := -1.0, ""
	for _, c := range candidates(srcset) {
		size := 1.0
		if len(c) > 1 {
			if n, err := strconv.ParseFloat(strings.TrimRight(c[1], "wxh"), 64); err == nil {
				size = n
			}
		}
		if size > most {
			most, url = size, c[0]
		}
	}
	return url
}

// candidates splits a srcset into addresses with what stands behind them. A comma within an address is part of it; one at its end, or behind a
// descriptor, ends the candidate.
func candidates(srcset string) (out [][]string) {
	for {
		srcset = strings.TrimLeft(srcset, " \t\n\f\r,")
		end := strings.IndexAny(srcset, " \t\n\f\r")
		if srcset == "" {
			return out
		}
		if end < 0 {
			end = len(srcset)
		}
		url, rest := srcset[:end], srcset[end:]
		if bare := strings.TrimRight(url, ","); bare != url {
			out, srcset = append(out, []string{bare}), rest
			continue
		}
		words, after, _ := strings.Cut(rest, ",")
		out, srcset = append(out, append([]string{url}, strings.Fields(words)...)), after
	}
}

// isStandIn tells what is shown until a script has put the picture there.
func isStandIn(src string) bool {
	src = strings.TrimSpace(strings.ToLower(src))
	return src == "" || strings.HasPrefix(src, "data:") || strings.HasPrefix(src, "about:") || strings.HasPrefix(src, "blob:") || strings.Contains(src, "{{") || strings.Contains(src, "%7b%7b") || standIn().MatchString(src)
}

var standIn = lazyRE(`(?:^|[/_.-])(?:spacer|blank|placeholder|pixel|transparent|loading|lazyload|lazy|1x1|dummy|loader)(?:[-_.][\w-]*)?\.(?:gif|png|svg|jpe?g|webp)(?:\?.*)?$`)

// isPixel tells an image that counts readers.
func isPixel(n *html.Node) bool {
	for _, key := range []string{"width", "height"} {
		if v, err := strconv.Atoi(strings.TrimSuffix(attr(n, key), "px")); err == nil && v <= 2 {
			return true
		}
	}
	return false
}
