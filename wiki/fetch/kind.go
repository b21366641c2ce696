package fetch

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
)

// kind is what is made of an answer.
type kind struct {
	name  string // html text fenced binary refused
	fence string // language of a fenced block
	ext   string // of the bytes as they came
}

// kinds tells what is made of a media type. A prefix that ends in "/" or "+" stands for a family; the first that fits counts.
func kinds() []struct {
	media string
	kind
} {
	type row = struct {
		media string
		kind
	}
	return []row{
		{"text/html", kind{"html", "", ".html"}}, {"application/xhtml+xml", kind{"html", "", ".html"}},
		{"text/markdown", kind{"text", "", ".md"}}, {"text/x-markdown", kind{"text", "", ".md"}}, {"text/plain", kind{"text", "", ".txt"}},
		{"application/json", kind{"fenced", "json", ".json"}}, {"text/json", kind{"fenced", "json", ".json"}}, {"application/x-ndjson", kind{"fenced", "json", ".json"}},
		{"application/xml", kind{"fenced", "xml", ".xml"}}, {"text/xml", kind{"fenced", "xml", ".xml"}},
		{"text/csv", kind{"fenced", "csv", ".csv"}}, {"text/css", kind{"fenced", "css", ".css"}}, {"text/javascript", kind{"fenced", "javascript", ".js"}}, {"application/javascript", kind{"fenced", "javascript", ".js"}},
		{"application/yaml", kind{"fenced", "yaml", ".yaml"}}, {"text/yaml", kind{"fenced", "yaml", ".yaml"}}, {"application/toml", kind{"fenced", "toml", ".toml"}},
		{"application/pdf", kind{"binary", "", ".pdf"}},
		{"image/png", kind{"binary", "", ".png"}}, {"image/jpeg", kind{"binary", "", ".jpg"}}, {"image/gif", kind{"binary", "", ".gif"}}, {"image/webp", kind{"binary", "", ".webp"}}, {"image/avif", kind{"binary", "", ".avif"}},
		{"text/", kind{"text", "", ".txt"}},
	}
}

// kindOf judges an answer by its type, and by its first bytes where the type says nothing or something that the bytes are not.
func (a *answer) kindOf() (kind, string) {
	media := a.mediaType()
	if said := strings.ToLower(a.header.Get("Content-Type")); strings.Contains(said, "charset=utf-16") && !isBinary(media) {
		// its bytes look like no text: what it is is judged by the letters
		media = a.textKind(media)
	} else if seen := sniff(a.body); media == "" || media == "application/octet-stream" || media == "binary/octet-stream" || isBinary(seen) != isBinary(media) ||
		seen == "text/html" && (strings.HasSuffix(media, "/xml") || strings.HasSuffix(media, "/json")) {
		media = seen
	} else if media == "text/html" && isJSON(a.body) {
		media = "application/json"
	}
	for _, k := range kinds() {
		if media == k.media || strings.HasSuffix(k.media, "/") && strings.HasPrefix(media, k.media) {
			return k.kind, media
		}
	}
	switch {
	case strings.HasSuffix(media, "+json"):
		return kind{"fenced", "json", ".json"}, media
	case strings.HasSuffix(media, "+xml") && !strings.HasPrefix(media, "image/"):
		return kind{"fenced", "xml", ".xml"}, media
	}
	return kind{name: "refused"}, media
}

// isJSON tells an object or a list, which no page is.
func isJSON(body []byte) bool {
	body = bytes.TrimSpace(body)
	return len(body) > 1 && (body[0] == '{' || body[0] == '[') && json.Valid(body)
}

// textKind judges a text in an encoding of which half the bytes may be zero.
func (a *answer) textKind(media string) string {
	seen := sniff([]byte(decode(a.body, a.header.Get("Content-Type"))))
	if isBinary(seen) || seen == "text/html" && strings.HasSuffix(media, "/xml") {
		return seen
	}
	return media
}

func isBinary(media string) bool {
	switch {
	case strings.HasPrefix(media, "text/"), strings.HasSuffix(media, "+xml"), strings.HasSuffix(media, "+json"):
		return false
	}
	switch media {
	case "application/json", "application/xml", "application/x-ndjson", "application/javascript", "application/yaml", "application/toml":
		return false
	}
	return true
}

// sniff tells the type by the bytes: the standard library's table (WHATWG MIME Sniffing), where text that is markup by its first tag is a page.
func sniff(body []byte) string {
	if _, name, certain := charset.DetermineEncoding(body, ""); certain && strings.HasPrefix(name, "utf-16") {
		return "text/plain"
	}
	media, _, _ := strings.Cut(http.DetectContentType(body), ";")
	if media == "text/xml" && bytes.Contains(bytes.ToLower(body[:min(len(body), 1024)]), []byte("<html")) {
		return "text/html"
	}
	if media == "application/octet-stream" && utf8.Valid(body) && bytes.IndexByte(body, 0) < 0 {
		return "text/plain"
	}
	if strings.HasPrefix(media, "text/") && bytes.IndexByte(body, 0) >= 0 { // what it looks at is only the beginning
		return "application/octet-stream"
	}
	return media
}
