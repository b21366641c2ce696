package fetch

import (
	"net/url"
	"strings"

	"golang.org/x/net/html"
)

// links makes addresses absolute, since the page will lie elsewhere. What leads to something to run or to read from this machine becomes text.
func (w *prep) links(doc *html.Node) {
	for _, a := range all(doc, "a", "area") {
		if !hasAttr(a, "href") {
			continue
		}
		to := w.link(attr(a, "href"))
		if to == "" {
			unwrap(a)
			continue
		}
		title := oneLine(attr(a, "title"), 300)
		dropAttr(a, "title")
		if title != "" && title != oneLine(textOf(a), 300) && !strings.Contains(title, "://") && !inside(a, "nav") && hasAttr(a, "data-title") {
			setAttr(a, "title", title)
		}
		setAttr(a, "href", to)
	}
}

// link is an address of the page, absolute; "" where it is none that a source may hold. Tabs and line ends within are dropped, as browsers do: they
// are a way to hide a scheme.
func (w *prep) link(ref string) string {
	ref = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(cleanText(strings.TrimSpace(ref)))
	if ref == "" {
		return ""
	}
	u, err := w.base.Parse(ref)
	if err != nil {
		return ""
	}
	switch u.Scheme {
	case "http", "https":
		if u.Host == "" {
			return ""
		}
		return tidyURL(u)
	case "mailto", "tel", "ftp", "doi":
		return tidyURL(u)
	}
	return ""
}

// tidyURL spells an address so that markdown cannot end it early.
func tidyURL(u *url.URL) string {
	return strings.NewReplacer(" ", "%20", "(", "%28", ")", "%29", "<", "%3C", ">", "%3E", `"`, "%22", `\`, "%5C", "`", "%60").Replace(u.String())
}
