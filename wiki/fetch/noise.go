package fetch

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// strip drops what is never read: scripts, styles, forms, frames, comments. A comment in a page is not for its readers.
func strip(doc *html.Node) {
	walk(doc, func(n *html.Node) bool {
		switch {
		case n.Type == html.CommentNode:
			remove(n)
			return false
		case n.Type == html.ElementNode && slices.Contains(unread(), n.Data):
			remove(n)
			return false
		}
		return true
	})
}

func unread() []string {
	return []string{"script", "style", "template", "iframe", "object", "embed", "applet", "canvas", "svg", "noscript", "button", "select", "textarea", "input", "link", "audio", "video", "map",
		"amp-ad", "amp-embed", "amp-analytics", "amp-sidebar", "amp-consent", "amp-social-share", "amp-iframe", "dialog", "frameset", "frame", "noframes", "ins-ad"}
}

// furniture drops what stands around the text of a page on every page of its site: by role, by element, by name. What holds much of the page is none,
// whatever it is called, but for a menu and what readers say below.
func furniture(doc *html.Node) {
	var gone []*html.Node
	most := letters(textOf(doc)) * 2 / 5
	walk(doc, func(n *html.Node) bool {
		if n.Type != html.ElementNode {
			return true
		}
		if isFurniture(n) && (n.Data == "nav" || isComments(n) || letters(textOf(n)) <= most) {
			gone = append(gone, n)
			return false
		}
		return true
	})
	for _, n := range gone {
		remove(n)
	}
}

func isFurniture(n *html.Node) bool {
	switch n.Data {
	case "html", "body", "main", "article", "pre", "code", "table", "tbody", "tr":
		return false
	case "nav", "menu":
		return true
	case "header", "footer":
		return !inside(n, "article", "main", "blockquote") && attr(n, "role") != "main"
	}
	switch strings.ToLower(attr(n, "role")) {
	case "navigation", "banner", "contentinfo", "search", "dialog", "alertdialog", "complementary", "menu", "menubar", "toolbar":
		return true
	}
	if attr(n, "aria-modal") == "true" {
		return true
	}
	name := strings.ToLower(attr(n, "class") + " " + attr(n, "id"))
	return name != " " && furnitureName().MatchString(splitCamel(name))
}

// unseen drops text that no reader sees: it is no part of what the page says, and a way to talk to programs. What holds much of the page is shown by a
// script later, and what is a formula stands for one that is drawn.
func unseen(doc *html.Node) {
	var gone []*html.Node
	most := letters(textOf(doc)) * 2 / 5
	walk(doc, func(n *html.Node) bool {
		if n.Type != html.ElementNode || !hasAttr(n, "hidden") && !unseenStyle().MatchString(attr(n, "style")) {
			return true
		}
		switch t := textOf(n); {
		case strings.ContainsRune(t, markOpen) && letters(markRE().ReplaceAllString(t, "")) == 0:
			dropAttr(n, "hidden") // the extraction would leave it out
			dropAttr(n, "style")
		case letters(t) > 0 && letters(t) <= most:
			gone = append(gone, n)
			return false
		}
		return true
	})
	for _, n := range gone {
		remove(n)
	}
}

// unseenStyle is narrow: an opacity of 0 is how many pages begin to fade a text in.
var unseenStyle = lazyRE(`(?i)(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?:px|pt|em|rem|%)?)\s*(?:!important\s*)?(?:;|$)`)

func isComments(n *html.Node) bool {
	return commentsName().MatchString(strings.ToLower(attr(n, "class") + " " + attr(n, "id")))
}

var commentsName = lazyRE(`(?:^|[\s_-])(?:comments|disqus|respond)(?:$|[\s_-])`)

func splitCamel(s string) string { return strings.NewReplacer("_", "-").Replace(s) }

// furnitureName knows the names that sites give to what is no text. It is deliberately narrow: a word must stand by itself, and a block that is named
// otherwise is left to the extraction, which weighs its text.
var furnitureName = lazyRE(`(?:^|[\s-])(?:` + strings.Join([]string{
	`cookies?(?:-\w+)*`, `consent(?:-\w+)*`, `gdpr(?:-\w+)*`, `cmp-\w+`, `newsletter(?:-\w+)*`, `subscribe(?:-\w+)*`, `paywall(?:-\w+)*`, `share(?:-\w+)*`, `sharing(?:-\w+)*`, `social(?:-\w+)*`, `addtoany(?:-\w+)*`,
	`related(?:-(?:posts?|articles?|links?|content|stories|topics))?`, `recommended(?:-\w+)*`, `recommendations`, `more-stories`, `read-next`, `you-may-like`, `most-read`, `trending`, `popular(?:-\w+)*`,
	`promo(?:-\w+)*`, `sponsor(?:ed)?(?:-\w+)*`, `advert(?:isement|ising)?s?(?:-\w+)*`, `ads?`, `ad-(?:slot|unit|banner|container|wrapper|box|placeholder)`, `adsbygoogle`, `taboola(?:-\w+)*`, `outbrain(?:-\w+)*`,
	`breadcrumbs?(?:-\w+)*`, `pagination`, `pager`, `prev-next`, `post-nav(?:igation)?`, `page-nav(?:igation)?`, `skip-(?:link|nav|to-\w+)s?`, `sidebar(?:-\w+)*`, `site-(?:header|footer|nav\w*)`, `navbar(?:-\w+)*`, `navbox(?:-\w+)*`,
	`toc`, `table-of-contents`, `on-this-page`, `mw-editsection(?:-\w+)*`, `mw-jump-link`, `catlinks`, `printfooter`, `edit-(?:this-)?page`, `edit-link`, `feedback(?:-\w+)*`, `was-this-helpful`, `back-to-top`, `disqus(?:-\w+)*`,
	`comments?-(?:area|section|form|list)`, `respond`, `login(?:-\w+)*`, `signup(?:-\w+)*`, `sign-up(?:-\w+)*`, `search-(?:form|box)`, `toast`, `modal(?:-\w+)*`, `popup(?:-\w+)*`, `no-?print`, `noprint`,
}, "|") + `)(?:$|\s)`)

// anchors drops the signs that headings carry for links to them.
func anchors(doc *html.Node) {
	for _, h := range all(doc, "h1", "h2", "h3", "h4", "h5", "h6", "dt") {
		for _, a := range all(h, "a") {
			switch s := strings.TrimSpace(textOf(a)); {
			case slices.Contains([]string{"#", "¶", "§", "🔗", "§", "link", "Link", "Permalink", "permalink", "[edit]", "edit", "Copy link"}, s), s == "" && first(a, "img") == nil, hasClass(a, "headerlink", "anchor-link", "heading-anchor", "header-anchor") && letters(s) == 0:
				remove(a)
			default:
				if inPage(a) { // the whole heading is a link to itself
					unwrap(a)
				}
			}
		}
	}
}

func inPage(a *html.Node) bool { return strings.HasPrefix(attr(a, "href"), "#") }
