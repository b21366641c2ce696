package fetch

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Field is one line of front matter.
type Field struct{ Key, Value string }

// Document is the file for raw/: front matter with our fields only, then the text. kept is the path of the bytes as the document links to it, "" where
// they are not kept.
func (p *Page) Document(fetcher string, at time.Time, kept string) []byte {
	fields := []Field{{"title", p.Title}, {"source-url", p.URL}, {"canonical-url", p.Canonical}, {"author", p.Author}, {"published", ""},
		{"fetched-at", at.UTC().Format(time.RFC3339)}, {"fetcher", fetcher}, {"content-type", p.ContentType}, {"content-sha", p.SHA()}, {"original", kept}}
	if !p.Published.IsZero() {
		fields[4].Value = p.Published.Format("2006-01-02")
	}
	var b strings.Builder
	b.WriteString("---\n")
	for _, f := range fields {
		if f.Value != "" {
			b.WriteString(f.Key + ": " + quoteYAML(f.Value) + "\n")
		}
	}
	b.WriteString("---\n\n")
	if p.Binary {
		b.WriteString("# " + escapeLine(orElse(p.Title, p.URL)) + "\n\n")
		link := fmt.Sprintf("[%s](%s)", escapeLine(kept), strings.ReplaceAll(kept, " ", "%20"))
		if p.Ext != ".pdf" {
			link = "!" + link
		}
		b.WriteString(link + "\n\n" + fmt.Sprintf("%d bytes of %s from %s, kept as they came.\n", len(p.Raw), orElse(p.ContentType, "an unknown type"), p.URL))
		if len(p.Text) > 0 {
			b.WriteString("\n")
		}
	}
	b.Write(p.Text)
	if out := b.String(); !strings.HasSuffix(out, "\n") {
		b.WriteString("\n")
	}
	return []byte(b.String())
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// quoteYAML is a double-quoted scalar (YAML 1.2, section 7.3.1): nothing within ends it, nothing of it reads as another type. What needs no quotes, as
// an address or a date of ours, has them all the same where it could be read as something else.
func quoteYAML(s string) string {
	if plainYAML().MatchString(s) {
		return s
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x20 || r >= 0x7f && r < 0xa0 || r == 0x2028 || r == 0x2029 || r == 0xFEFF || r == utf8.RuneError:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// plainYAML tells what reads as itself without quotes: an address, a hash with a letter, a word of ours.
var plainYAML = lazyRE(`^(?:https?://[A-Za-z0-9._~:/?&=%+,;@!$'()*-]+[A-Za-z0-9/=_-]|[a-z]+/[a-z][a-z0-9.+-]*|rig)$`)
