package fetch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"
	"time"
	"unicode"
)

// Page is what was fetched.
type Page struct {
	URL         string // the final address, without fragment
	Canonical   string // what the page calls its address, where that is another one
	Status      int    // of HTTP
	ContentType string // as the server said it, else as it was found
	Title       string // one line, "" where there is none
	Author      string
	Published   time.Time
	Text        []byte  // markdown, UTF-8, LF; what stands below the front matter. Nil where Binary
	Binary      bool    // the bytes are kept as a file of Ext, the source is a note about it
	Raw         []byte  // as they came, unpacked
	Ext         string  // for Raw: ".html"
	Assets      []Asset // images, where they were asked for
	Notes       []string
	base        *url.URL
	images      []string // addresses of the images in Text, in order
}

// Asset is an image of a page.
type Asset struct {
	URL, Ext string
	Bytes    []byte
}

// SHA is the sha256 of what the page says: of its text, of the bytes where they are kept as they are. Hex.
func (p *Page) SHA() string {
	what := p.Text
	if p.Binary {
		what = p.Raw
	}
	sum := sha256.Sum256(what)
	return hex.EncodeToString(sum[:])
}

// minLetters is what a page must say to count as one.
const minLetters = 50

// read makes a page of an answer. next is set where the page only leads on.
func (f *Fetcher) read(ctx context.Context, a *answer) (p *Page, next *url.URL, err error) {
	k, media := a.kindOf()
	p = &Page{URL: show(a.url), Status: a.status, ContentType: oneLine(a.header.Get("Content-Type"), 200), Raw: a.body, Ext: k.ext, base: a.url}
	if a.mediaType() != media {
		p.ContentType = media
	}
	if a.cut != "" {
		p.Notes = append(p.Notes, a.cut)
	}
	if len(a.body) == 0 {
		return nil, nil, &Error{Kind: ErrEmpty, Why: "the answer is empty"}
	}
	switch k.name {
	case "html":
		if next := refreshTo(a.header.Get("Refresh"), a.url, a.url); next != nil {
			return nil, next, nil
		}
		next, err = p.readHTML(decode(a.body, a.header.Get("Content-Type")))
	case "text":
		p.Text = []byte(cleanText(decode(a.body, a.header.Get("Content-Type"))))
		p.Title = textTitle(string(p.Text), a.url)
		if n := strings.Count(string(p.Text), "<!--"); n > 0 {
			p.Notes = append(p.Notes, fmt.Sprintf("%d comments that a reader does not see are in the text", n))
		}
	case "fenced":
		p.Text = []byte(fenced(cleanText(decode(a.body, a.header.Get("Content-Type"))), k.fence))
		p.Title = lastPart(a.url)
	case "binary":
		p.Binary, p.Title = true, lastPart(a.url)
		if k.ext == ".pdf" {
			p.readPDF(ctx, f.opts.PDF)
		}
	default:
		return nil, nil, &Error{Kind: ErrType, Why: fmt.Sprintf("%s is not taken", quoteShort(media)), Hint: "pages, text, JSON, PDF and images are"}
	}
	if err != nil || next != nil {
		return nil, next, err
	}
	return p, nil, nil
}

// textTitle is the first heading of a markdown text, else its first line where that is short, else the last part of the address.
func textTitle(text string, u *url.URL) string {
	first := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if h, ok := strings.CutPrefix(line, "# "); ok {
			return oneLine(h, 300)
		}
		if first == "" {
			first = line
		}
	}
	if first != "" && len(first) <= 80 && strings.ContainsFunc(first, unicode.IsLetter) && !strings.HasPrefix(first, "---") {
		return oneLine(first, 300)
	}
	return lastPart(u)
}

// lastPart is the last part of an address's path, decoded, "" where the path is empty.
func lastPart(u *url.URL) string {
	parts := strings.FieldsFunc(u.Path, func(r rune) bool { return r == '/' })
	if len(parts) == 0 {
		return ""
	}
	return oneLine(parts[len(parts)-1], 300)
}

// fenced puts a text into a code block that it cannot leave.
func fenced(text, lang string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + lang + "\n" + strings.TrimRight(text, "\n") + "\n" + fence + "\n"
}

// Host is the name of the page's server without its port.
func (p *Page) Host() string {
	u, err := url.Parse(p.URL)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// PointTo makes the images of an address point elsewhere: to where they are kept.
func (p *Page) PointTo(address, rel string) {
	to := "](" + strings.ReplaceAll(rel, " ", "%20")
	for _, end := range []string{")", ` "`} {
		p.Text = []byte(strings.ReplaceAll(string(p.Text), "]("+address+end, to+end))
	}
}

// FromAgent is a page that an agent fetched and wrote as markdown; nil where it says nothing.
func FromAgent(address, title string, text []byte) *Page {
	u, err := parseAddress(address)
	clean := strings.TrimSpace(cleanText(string(text)))
	if err != nil || letters(clean) < minLetters {
		return nil
	}
	p := &Page{URL: show(u), ContentType: "text/markdown", Title: oneLine(title, 1000), Text: []byte(clean + "\n")}
	if h := textTitle(clean, u); strings.HasPrefix(clean, "# ") && h != "" {
		p.Title = h
	}
	return p
}
