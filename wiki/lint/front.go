package lint

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/rigwiki/rig/wiki/index"
)

// front judges the page's front matter.
func (p *page) front() {
	for _, f := range p.Front.Faults {
		severity := Hint
		switch f.Code {
		case "frontmatter-yaml":
			severity = Error
		case "title-not-text":
			severity = Warning
		}
		var fixes []Fix
		if f.Fix != "" {
			fixes = append(fixes, p.replace("Write "+f.Fix, f.Start, f.End, f.Fix))
		}
		p.add(f.Code, severity, f.Start, f.End, f.Message, fixes...)
	}
	if p.Front.Format == "" {
		if p.rules.expected(p.Path) && len(bytes.TrimSpace(p.text)) > 0 && !isFenced(p.text) {
			start := p.Front.Start
			eol := "\n"
			if i := bytes.IndexByte(p.text, '\n'); i > 0 && p.text[i-1] == '\r' {
				eol = "\r\n"
			}
			block := strings.Join([]string{"---", "title: " + quoted(p.Title), "---", ""}, eol)
			p.add("missing-front-matter", Hint, start, start, "the page has no front matter", p.replace("Add front matter", start, start, block))
		}
		return
	}
	rest := p.text[p.Front.End:]
	body := bytes.TrimLeft(rest, "\r\n")
	if !bytes.HasPrefix(body, []byte("---")) && !bytes.HasPrefix(body, []byte("+++")) {
		return
	}
	if inner := index.ParsePage(body).Front; inner.Format != "" {
		skipped := len(rest) - len(body)
		start, end := p.Front.End+skipped+inner.Start, p.Front.End+skipped+inner.End
		p.add("duplicate-frontmatter", Error, start, end, "a second block of front matter; only the first one counts")
	}
}

// quoted is a title as a YAML value, in quotes where it needs them.
func quoted(s string) string {
	if strings.ContainsAny(s, ":#[]{}&*!|>'\"%@`,?-\\") {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
	}
	return s
}

// fenced finds a page that was saved inside of a code fence, as models answer (case o-lw-01).
func (p *page) fenced() {
	open, end, ok := fencedPage(p.text)
	if !ok {
		return
	}
	p.add("page-in-code-fence", Error, 0, open, "the whole page is inside of a code block",
		Fix{Title: "Remove the code fence", Edits: []Edit{{p.Path, 0, open, ""}, {p.Path, end, len(p.text), ""}}})
}

// fenceOpen is compiled when first asked for: most starts of the program look at no page.
var fenceOpen = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("^(```+|~~~+)[ \t]*(?:markdown|md|yaml|mdx)?[ \t]*\r?\n")
})

func isFenced(text []byte) bool {
	_, _, ok := fencedPage(text)
	return ok
}

// fencedPage tells the end of the opening line and the start of the closing one of a page that is a single code block. What is in it has to
// look like a page: front matter, or a heading first.
func fencedPage(text []byte) (open, end int, ok bool) {
	m := fenceOpen().FindSubmatchIndex(text)
	if m == nil {
		return 0, 0, false
	}
	fence, body := text[m[2]:m[3]], bytes.TrimRight(text, " \t\r\n")
	end = bytes.LastIndexByte(body, '\n') + 1
	if end < m[1] || !bytes.Equal(bytes.TrimSpace(body[end:]), fence) {
		return 0, 0, false
	}
	inner := text[m[1]:end]
	first := bytes.TrimLeft(inner, " \t\r\n")
	if index.ParsePage(inner).Front.Format == "" && !bytes.HasPrefix(first, []byte("# ")) {
		return 0, 0, false
	}
	// Samples of the page come in pairs, and the first line of each names a language; a bare fence would end the block: several samples, no page.
	inside := false
	for line := range bytes.Lines(inner) {
		rest, ok := bytes.CutPrefix(line, fence)
		if !ok {
			continue
		}
		bare := len(bytes.TrimSpace(rest)) == 0
		if bare != inside {
			return 0, 0, false
		}
		inside = !inside
	}
	return m[1], end, !inside
}

// sources judges the entries of "sources:" that are paths: they have to be in raw/ (case o-lw-05). Slugs of pages in sources/ and URLs pass.
func (p *page) sources() {
	f, ok := p.Front.Field("sources")
	if !ok {
		return
	}
	for _, s := range p.Front.List("sources") {
		if why := p.badSource(s); why != "" {
			start, end := f.Start, f.End
			if i := bytes.Index(p.text[f.Start:f.End], []byte(s)); i >= 0 {
				start, end = f.Start+i, f.Start+i+len(s)
			}
			p.add("bad-source", Error, start, end, "source "+s+" "+why)
		}
	}
}

func (p *page) badSource(s string) string {
	s = strings.TrimSuffix(strings.TrimPrefix(s, "[["), "]]")
	s, _, _ = strings.Cut(s, "|")
	switch {
	case s == "" || strings.Contains(s, "://") || strings.HasPrefix(s, "mailto:"):
		return ""
	case strings.HasPrefix(s, "/") || len(s) > 1 && s[1] == ':':
		return "is an absolute path"
	}
	if clean := path.Clean(s); clean == ".." || strings.HasPrefix(clean, "../") {
		return "leaves the wiki"
	} else if slices.Contains(strings.Split(s, "/"), "..") {
		return "goes through \"..\": write " + clean
	}
	to := p.x.Resolve("", s)
	if len(to) == 0 {
		return "is not there"
	}
	for _, rel := range to {
		if strings.HasPrefix(rel, "raw/") || strings.Contains("/"+rel, "/sources/") {
			return ""
		}
	}
	return "is neither in raw/ nor a page in sources/"
}
