package fetch

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// walk visits the elements and texts of a tree, parents first. A node may be removed by its visit; false leaves its children out.
func walk(n *html.Node, visit func(*html.Node) bool) {
	if !visit(n) {
		return
	}
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		walk(c, visit)
		c = next
	}
}

// all lists the elements of a tree with one of the names.
func all(n *html.Node, names ...string) (out []*html.Node) {
	walk(n, func(n *html.Node) bool {
		if n.Type == html.ElementNode && slices.Contains(names, n.Data) {
			out = append(out, n)
		}
		return true
	})
	return out
}

func first(n *html.Node, names ...string) *html.Node {
	if found := all(n, names...); len(found) > 0 {
		return found[0]
	}
	return nil
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name && a.Namespace == "" {
			return a.Val
		}
	}
	return ""
}

func hasAttr(n *html.Node, name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}

func setAttr(n *html.Node, name, value string) {
	dropAttr(n, name)
	n.Attr = append(n.Attr, html.Attribute{Key: name, Val: value})
}

func dropAttr(n *html.Node, name string) {
	n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}

func classes(n *html.Node) []string { return strings.Fields(attr(n, "class")) }

func hasClass(n *html.Node, names ...string) bool {
	return slices.ContainsFunc(classes(n), func(c string) bool { return slices.Contains(names, c) })
}

func remove(n *html.Node) {
	if n.Parent != nil {
		n.Parent.RemoveChild(n)
	}
}

// unwrap puts a node's children into its place.
func unwrap(n *html.Node) {
	for c := n.FirstChild; c != nil; c = n.FirstChild {
		n.RemoveChild(c)
		n.Parent.InsertBefore(c, n)
	}
	remove(n)
}

func replace(n, by *html.Node) {
	if n.Parent != nil {
		n.Parent.InsertBefore(by, n)
		remove(n)
	}
}

func text(s string) *html.Node { return &html.Node{Type: html.TextNode, Data: s} }

func element(name string, children ...*html.Node) *html.Node {
	n := &html.Node{Type: html.ElementNode, Data: name, DataAtom: atom.Lookup([]byte(name))}
	for _, c := range children {
		n.AppendChild(c)
	}
	return n
}

// textOf is the text of a tree as it stands.
func textOf(n *html.Node) string {
	var b strings.Builder
	walk(n, func(n *html.Node) bool {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
		return true
	})
	return b.String()
}

// inside tells whether n lies below an element of one of the names.
func inside(n *html.Node, names ...string) bool { return enclosing(n, names...) != nil }

// enclosing is the nearest element of one of the names that n is in, nil where there is none.
func enclosing(n *html.Node, names ...string) *html.Node {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.Type == html.ElementNode && slices.Contains(names, p.Data) {
			return p
		}
	}
	return nil
}

// clone copies a tree.
func clone(n *html.Node) *html.Node {
	c := &html.Node{Type: n.Type, Data: n.Data, DataAtom: n.DataAtom, Namespace: n.Namespace, Attr: slices.Clone(n.Attr)}
	for k := n.FirstChild; k != nil; k = k.NextSibling {
		c.AppendChild(clone(k))
	}
	return c
}
