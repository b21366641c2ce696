package fetch

import (
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/html"
)

// meta is what the head of a page says of it.
type meta struct {
	values map[string]string // name or property, lower case -> first content
	ld     map[string]any    // the first JSON-LD object that is about a text
}

// readMeta fills title, author, date and canonical address. Everything in it is the page's word, good for display.
func (p *Page) readMeta(doc *html.Node, base *url.URL) {
	m := meta{values: map[string]string{}}
	for _, n := range all(doc, "meta") {
		for _, key := range []string{"property", "name", "itemprop"} {
			name := strings.ToLower(strings.TrimSpace(attr(n, key)))
			if content := strings.TrimSpace(attr(n, "content")); name != "" && content != "" && m.values[name] == "" {
				m.values[name] = content
			}
		}
	}
	m.readLD(doc)
	p.Title = m.title(doc)
	p.Author = m.author()
	p.Published = m.date(doc)
	for _, l := range all(doc, "link") {
		if hasRel(l, "canonical") {
			if u, err := base.Parse(strings.TrimSpace(attr(l, "href"))); err == nil && checkScheme(u) == nil && show(u) != p.URL {
				p.Canonical = show(u)
			}
			break
		}
	}
}

func hasRel(n *html.Node, rel string) bool {
	for r := range strings.FieldsSeq(strings.ToLower(attr(n, "rel"))) {
		if r == rel {
			return true
		}
	}
	return false
}

// title is the page's own title without the name of its site; else that for sharing, else its first heading.
func (m meta) title(doc *html.Node) string {
	var own string
	for _, t := range all(doc, "title") {
		if !inside(t, "svg") {
			own = oneLine(textOf(t), 1000)
			break
		}
	}
	site := oneLine(m.values["og:site_name"], 200)
	for _, sep := range []string{" | ", " - ", " – ", " — ", " · ", " :: ", " « "} {
		if rest, ok := strings.CutSuffix(own, sep+site); ok && site != "" {
			own = rest
		}
	}
	for _, t := range []string{own, oneLine(m.values["og:title"], 1000), oneLine(m.values["twitter:title"], 1000)} {
		if t != "" {
			return t
		}
	}
	if h := first(doc, "h1"); h != nil {
		return oneLine(textOf(h), 300)
	}
	return ""
}

func (m meta) author() string {
	for _, a := range []string{m.values["author"], m.values["citation_author"], m.values["article:author"], m.values["dc.creator"], m.values["dcterms.creator"], m.values["parsely-author"], m.values["byl"], ldName(m.ld["author"])} {
		if a = oneLine(a, 200); a != "" && !strings.Contains(a, "://") {
			return a
		}
	}
	return ""
}

// date is when the page says that it was published; the zero time where it does not.
func (m meta) date(doc *html.Node) time.Time {
	ld, _ := m.ld["datePublished"].(string)
	for _, v := range []string{m.values["article:published_time"], m.values["datepublished"], m.values["og:published_time"], ld, m.values["date"], m.values["dc.date"], m.values["dcterms.date"],
		m.values["dc.date.issued"], m.values["parsely-pub-date"], m.values["sailthru.date"], m.values["citation_publication_date"], m.values["citation_date"]} {
		if t := parseDate(v); !t.IsZero() {
			return t
		}
	}
	for _, n := range all(doc, "time") {
		if hasAttr(n, "pubdate") || attr(n, "itemprop") == "datePublished" || inside(n, "article", "header") {
			if t := parseDate(attr(n, "datetime")); !t.IsZero() {
				return t
			}
		}
	}
	return time.Time{}
}

func parseDate(s string) time.Time {
	s = strings.TrimSpace(s)
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02T15:04:05-0700", "2006-01-02 15:04:05", "2006-01-02", "2006/01/02", "20060102", "2006/1/2", "January 2, 2006", "2 January 2006", time.RFC1123, time.RFC1123Z} {
		if t, err := time.Parse(layout, s); err == nil && t.Year() > 1000 {
			return t
		}
	}
	return time.Time{}
}

// readLD takes the first JSON-LD object with an author or a date (schema.org).
func (m *meta) readLD(doc *html.Node) {
	for _, s := range all(doc, "script") {
		var v any
		if !strings.EqualFold(strings.TrimSpace(attr(s, "type")), "application/ld+json") || json.Unmarshal([]byte(textOf(s)), &v) != nil {
			continue
		}
		if found := ldObject(v, 4); found != nil {
			m.ld = found
			return
		}
	}
}

func ldObject(v any, depth int) map[string]any {
	var inner []any
	switch v := v.(type) {
	case []any:
		inner = v
	case map[string]any:
		if v["author"] != nil || v["datePublished"] != nil {
			return v
		}
		inner, _ = v["@graph"].([]any)
	}
	for _, i := range inner {
		if depth > 0 {
			if found := ldObject(i, depth-1); found != nil {
				return found
			}
		}
	}
	return nil
}

// ldName is the name of a person, or of several.
func ldName(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case map[string]any:
		return ldName(v["name"])
	case []any:
		var names []string
		for _, one := range v {
			if n := ldName(one); n != "" {
				names = append(names, n)
			}
		}
		return strings.Join(names, ", ")
	}
	return ""
}
