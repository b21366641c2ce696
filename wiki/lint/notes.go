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

// A wording finds lines by a pattern. The words are looked for first: most pages have none of them, and a search for words costs a hundredth of a pattern's.
type wording struct {
	words   []string // lower case; one is in every line that the pattern finds
	pattern func() *regexp.Regexp
}

func lazily(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// lines gives the lines of the page's text that have the wording, code left out.
func (w wording) lines(p *page) (out []line) {
	for _, start := range w.candidates(p.lower()) {
		end := len(p.text)
		if i := bytes.IndexByte(p.text[start:], '\n'); i >= 0 {
			end = start + i
		}
		l := bytes.TrimRight(p.text[start:end], "\r\n")
		if start >= p.Front.End && w.pattern().Match(l) && !p.inCode(start, start+len(l)) {
			out = append(out, line{start, start + len(l), string(bytes.TrimSpace(l))})
		}
	}
	return out
}

// candidates gives where the lines begin that have one of the words, in order.
func (w wording) candidates(text []byte) (starts []int) {
	for _, word := range w.words {
		for at := 0; ; {
			i := bytes.Index(text[at:], []byte(word))
			if i < 0 {
				break
			}
			starts = append(starts, bytes.LastIndexByte(text[:at+i], '\n')+1)
			next := bytes.IndexByte(text[at+i:], '\n')
			if next < 0 {
				break
			}
			at += i + next + 1
		}
	}
	slices.Sort(starts)
	return slices.Compact(starts)
}

// line is a line of the page.
type line struct {
	start, end int
	text       string
}

// lower is the page's text with ASCII letters in lower case.
func (p *page) lower() []byte {
	if p.lowered == nil {
		p.lowered = make([]byte, len(p.text))
		for i, c := range p.text {
			if 'A' <= c && c <= 'Z' {
				c |= 0x20
			}
			p.lowered[i] = c
		}
	}
	return p.lowered
}

// inCode tells whether a line is code: blank once that is hidden. A comment is hidden too, and counts as text.
func (p *page) inCode(start, end int) bool {
	if p.prose == nil {
		p.prose = index.Prose(p.text, p.Front.End)
	}
	return len(bytes.TrimSpace(p.prose[start:end])) == 0 && !bytes.Contains(p.text[start:end], []byte("<!--"))
}

// The wordings. A placeholder stands for text that a writer left out: "... (28 more entries unchanged)" (case o-lw-03).
var (
	placeholders = wording{
		words: []string{"unchanged", "omitted", "as before", "not shown", "brevity", "lorem ipsum", "existing", "remain", "previous ", "original ", "the rest", "todo", "tbd", "insert ", "your text", "placeholder"},
		pattern: lazily(`(?i)^[\s>*+\-]*(?:` +
			`(?:\.\.\.|…|<!--|[(\[{])[\s.…(\[{]*(?:(?:the )?rest\b.*|(?:and )?(?:\d+ )?(?:more|other|remaining|further|existing|previous|original|unchanged)\b.{0,60}(?:unchanged|omitted|as before|not shown|here|entries|content|text|sections?|lines|items)\b.*|(?:unchanged|omitted|truncated|same as before)\b.*|content (?:omitted|unchanged).*|placeholder\b.*)` +
			`|(?:the )?rest (?:of (?:the|this) [\w ]{1,30})?\s*(?:(?:is|are|remains?|stays?) )?(?:unchanged|the same|as before|omitted)[.)\]]*` +
			`|.{0,60}(?:omitted|truncated|shortened|abbreviated) for brevity.{0,10}` +
			`|[\[<{]\s*(?:insert|todo|tbd|add|your text)\b[^\]>}()]{0,60}[\]>}]+` +
			`|(?-i:TODO|TBD)\b.{0,60}` +
			`|.*\blorem ipsum\b.*` +
			`)\s*(?:-->)?\s*$`),
	}
	callouts = wording{words: []string{"contradiction"}, pattern: lazily(`(?i)^[ \t]*>[ \t]*(?:\[!contradiction\]|\**contradiction\**[ \t]*:)`)}
	opens    = wording{words: []string{"[ ]"}, pattern: lazily(`^[ \t]*(?:[-*+]|\d+[.)])[ \t]+\[ \][ \t]+\S`)}
)

func (p *page) placeholder() {
	for _, l := range placeholders.lines(p) {
		p.add("placeholder-text", Warning, l.start, l.end, "stands for text that is not there: "+short(l.text))
	}
}

func short(s string) string {
	const limit = 80
	if r := []rune(s); len(r) > limit {
		return string(r[:limit]) + "…"
	}
	return s
}

// contradictions tells of each recorded disagreement, and where a page that it names does not record it (schema: it stays in both pages).
func (p *page) contradictions() {
	for _, l := range callouts.lines(p) {
		end := p.quoteEnd(l.end)
		var silent []string
		for _, link := range p.Links {
			if link.Start < l.start || link.End > end || link.External() {
				continue
			}
			if to := p.x.ResolveLink(p.Path, link); len(to) > 0 && to[0].Path != p.Path && !p.records(to[0].Path) && !slices.Contains(silent, to[0].Path) {
				silent = append(silent, to[0].Path)
			}
		}
		if len(silent) > 0 {
			p.add("one-sided-contradiction", Warning, l.start, l.end, "a disagreement that "+strings.Join(silent, ", ")+" does not record")
		}
		p.add("contradiction", Hint, l.start, l.end, "an open disagreement: "+short(strings.TrimLeft(l.text, "> ")))
	}
}

// quoteEnd is the end of a block quote whose line ends at end.
func (p *page) quoteEnd(end int) int {
	for end < len(p.text) {
		rest := p.text[end:]
		rest = rest[len(rest)-len(bytes.TrimLeft(rest, "\r")):]
		next, ok := bytes.CutPrefix(rest, []byte("\n"))
		if !ok || !bytes.HasPrefix(bytes.TrimLeft(next, " \t"), []byte(">")) {
			break
		}
		n := bytes.IndexByte(next, '\n')
		if n < 0 {
			return len(p.text)
		}
		end = len(p.text) - len(next) + n
	}
	return end
}

// records tells whether another page has a contradiction that links here.
func (p *page) records(rel string) bool {
	other, ok := p.x.Page(rel)
	text, _ := p.x.Source(rel)
	if !ok || p.rules.human(rel) {
		return ok // what is the human's is not asked to
	}
	o := &page{Page: other, x: p.x, rules: p.rules, text: text}
	for _, l := range callouts.lines(o) {
		end := o.quoteEnd(l.end)
		for _, link := range other.Links {
			if link.Start >= l.start && link.End <= end {
				if to := p.x.ResolveLink(rel, link); len(to) > 0 && to[0].Path == p.Path {
					return true
				}
			}
		}
	}
	return false
}

// reviews tells of what is open in reviews.md.
func (p *page) reviews() {
	if !p.rules.shared(p.Path) || path.Base(p.Path) != "reviews.md" {
		return
	}
	for _, l := range opens.lines(p) {
		_, what, _ := strings.Cut(l.text, "[ ]")
		p.add("open-review", Hint, l.start, l.end, "still open: "+short(strings.TrimSpace(what)))
	}
}

var logDate = lazily(`^\[?(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?))?`)

// order finds entries of the log that stand below later ones. A log that has its newest entry first throughout keeps its style.
func (p *page) order() {
	if !p.rules.shared(p.Path) || path.Base(p.Path) != "log.md" {
		return
	}
	type entry struct {
		h    index.Heading
		date string
	}
	var entries []entry
	falling := 0
	for _, h := range p.Headings {
		m := logDate().FindStringSubmatch(h.Text)
		if m == nil {
			continue
		}
		e := entry{h, m[1]}
		if m[2] != "" {
			e.date += " " + m[2]
		}
		if n := len(entries); n > 0 && before(e.date, entries[n-1].date) {
			falling++
		}
		entries = append(entries, e)
	}
	if len(entries) > 2 && falling == len(entries)-1 {
		return
	}
	latest := ""
	for _, e := range entries {
		if before(e.date, latest) {
			p.add("log-order", Warning, e.h.Start, e.h.End, "the entry of "+e.date+" stands below one of "+latest)
		} else {
			latest = e.date
		}
	}
}

// before compares dates, some of which have a time: what one does not say is no difference.
func before(a, b string) bool {
	n := min(len(a), len(b))
	return a[:n] < b[:n]
}

// drifted tells whether the source that the page was made from is there as it was.
func (p *page) drifted() {
	if p.rules.Drift == nil {
		return
	}
	code, why := p.rules.Drift(p.Path, p.Front)
	if code == "" {
		return
	}
	start, end := 0, p.firstLine()
	for _, key := range []string{"source-path", "source_path", "source-sha", "source_sha", "sources"} {
		if f, ok := p.Front.Field(key); ok {
			start, end = f.Start, f.End
			break
		}
	}
	p.add(code, Warning, start, end, why)
}
