package fetch

import (
	"fmt"
	"strings"

	"golang.org/x/net/html"
)

// footnote is a note of the page, taken out of the tree until the text is made.
type footnote struct {
	label string
	mark  string // what stands in the text
	body  *html.Node
}

// footnotes turns notes into markdown's: a link within the page to a list item that links back. Extraction takes the list for a footer.
func (w *prep) footnotes(doc *html.Node) {
	ids := map[string]*html.Node{}
	walk(doc, func(n *html.Node) bool {
		names := []string{attr(n, "id")}
		if n.Data == "a" {
			names = append(names, attr(n, "name"))
		}
		for _, id := range names {
			if id != "" && ids[id] == nil {
				ids[id] = n
			}
		}
		return true
	})
	byTarget := map[*html.Node]string{}
	for _, a := range all(doc, "a") {
		id, ok := strings.CutPrefix(attr(a, "href"), "#")
		target := ids[id]
		if !ok || target == nil || id == "" || !callRE().MatchString(strings.TrimSpace(textOf(a))) {
			continue
		}
		if target = noteItem(target); target == nil || isBelow(a, target) || !linksBack(target, a) {
			continue
		}
		mark := byTarget[target]
		if mark == "" {
			label := fmt.Sprint(len(w.notes) + 1)
			mark = w.mark("[^" + label + "]")
			byTarget[target] = mark
			w.notes = append(w.notes, footnote{label: label, mark: mark, body: target})
		}
		at := a
		for at.Parent != nil && (at.Parent.Data == "sup" || at.Parent.Data == "span") && strings.TrimSpace(textOf(at.Parent)) == strings.TrimSpace(textOf(a)) {
			at = at.Parent
		}
		replace(at, text(mark))
	}
	for i := range w.notes {
		w.takeNote(&w.notes[i])
	}
}

// callRE knows how a note is called: by a number, a letter or a sign. What links by words is a table of contents.
var callRE = lazyRE(`^[\[(]?(?:(?:note |n )?\d{1,4}|[a-z]{1,2}|[*†‡§¶#]{1,3}|[ivxlc]{1,5})[\])]?$`)

// noteItem is the element that holds a note: the list item or the paragraph around what the link names.
func noteItem(n *html.Node) *html.Node {
	for p := n; p != nil; p = p.Parent {
		switch p.Data {
		case "li", "dd", "p", "aside":
			return p
		case "div":
			if p == n {
				return p
			}
			return nil
		case "body", "article", "main", "section":
			return nil
		}
	}
	return nil
}

func isBelow(n, top *html.Node) bool {
	for p := n; p != nil; p = p.Parent {
		if p == top {
			return true
		}
	}
	return false
}

// linksBack tells whether a note has a link to where it is called from.
func linksBack(note, from *html.Node) bool {
	names := map[string]bool{}
	for p, depth := from, 0; p != nil && depth < 3; p, depth = p.Parent, depth+1 {
		if id := attr(p, "id"); id != "" {
			names["#"+id] = true
		}
	}
	if id := attr(from, "name"); id != "" {
		names["#"+id] = true
	}
	for _, a := range all(note, "a") {
		if names[attr(a, "href")] {
			return true
		}
	}
	return false
}

// takeNote takes a note out of the page, without its links back.
func (w *prep) takeNote(f *footnote) {
	for _, a := range all(f.body, "a") {
		if strings.HasPrefix(attr(a, "href"), "#") && letters(textOf(a)) <= 2 {
			at := a
			for at.Parent != nil && at.Parent != f.body && letters(textOf(at.Parent)) == letters(textOf(a)) && at.Parent.Data != "p" {
				at = at.Parent
			}
			remove(at)
		}
	}
	list := f.body.Parent
	remove(f.body)
	if f.body.Data == "li" || f.body.Data == "dd" {
		f.body.Data = "div"
	}
	for list != nil && strings.TrimSpace(textOf(list)) == "" && list.Data != "body" && first(list, "img") == nil { // the list and the section around it
		up := list.Parent
		remove(list)
		list = up
	}
}
