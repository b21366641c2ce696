package fetch

import (
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// baseOf is what relative addresses of the page are relative to: its first base element, else its own address.
func baseOf(doc *html.Node, own *url.URL) *url.URL {
	for _, b := range all(doc, "base") {
		if hasAttr(b, "href") {
			if u, err := own.Parse(strings.TrimSpace(attr(b, "href"))); err == nil && checkScheme(u) == nil {
				return u
			}
			break // only the first counts (HTML, section 4.2.3)
		}
	}
	return own
}

// patience is how many seconds a refresh may wait to count as a redirect; a longer one reloads a page that is read meanwhile.
const patience = 10

// refreshOf is where a meta refresh leads to, nil where the page stays.
func refreshOf(doc *html.Node, base, own *url.URL) *url.URL {
	for _, m := range all(doc, "meta") {
		if !strings.EqualFold(strings.TrimSpace(attr(m, "http-equiv")), "refresh") {
			continue
		}
		if u := refreshTo(attr(m, "content"), base, own); u != nil {
			return u
		}
	}
	return nil
}

// refreshTo is where a refresh leads to, said by a meta element or by a header of that name; nil where the page stays.
func refreshTo(content string, base, own *url.URL) *url.URL {
	seconds, target := parseRefresh(content)
	if target == "" || seconds > patience {
		return nil
	}
	u, err := base.Parse(target)
	if err != nil || show(u) == show(own) {
		return nil
	}
	return u
}

// parseRefresh reads "0; URL='x'" as browsers do (HTML, section 4.2.5.3): any case, quotes, blanks, comma or semicolon.
func parseRefresh(content string) (seconds int, target string) {
	content = strings.TrimSpace(content)
	digits := strings.IndexFunc(content, func(r rune) bool { return r < '0' || r > '9' })
	if digits < 0 {
		return 0, ""
	}
	seconds, err := strconv.Atoi(content[:digits])
	if err != nil && digits > 0 {
		return 0, ""
	}
	rest := strings.TrimLeft(content[digits:], ".0123456789")
	rest = strings.TrimLeft(rest, " \t\n;,")
	if len(rest) >= 3 && strings.EqualFold(rest[:3], "url") {
		if after, ok := strings.CutPrefix(strings.TrimLeft(rest[3:], " \t\n"), "="); ok {
			rest = strings.TrimLeft(after, " \t\n")
		}
	}
	if rest != "" && (rest[0] == '"' || rest[0] == '\'') {
		rest, _, _ = strings.Cut(rest[1:], rest[:1])
	}
	return seconds, strings.TrimSpace(rest)
}
