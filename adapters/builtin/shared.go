package builtin

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
)

// sharedText reads index.md or log.md; a missing file is empty.
func (a *agent) sharedText(name string) ([]byte, error) {
	b, err := os.ReadFile(a.file(path.Join(a.job.Pages, name)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return b, err
}

// An entry is how index lines look: "- [[slug]] — what it is".
var entryRE = lazyRE(`^(\s*[-*+] )(\[\[([^\]|]+)(\|[^\]]*)?\]\]|\[[^\]]*\]\(([^)]+)\))(\s*[—–:-]?\s*)(.*?)\r?\n?$`)

// sectionNames are the headings under which an index lists its source pages and concepts, in the languages that wikis use.
var sectionNames = map[string]func() *regexp.Regexp{
	"sources":  lazyRE(`(?i)^#+\s+\W*(sources?\b|来源|源|資料|ソース|출처|quellen|fuentes|источники)`),
	"queries":  lazyRE(`(?i)^#+\s+\W*(quer(y|ies)\b|questions?\b|answers?\b|问题|問題|質問|クエリ|질문|fragen|preguntas|вопросы)`),
	"concepts": lazyRE(`(?i)^#+\s+\W*(concepts?\b|概念|コンセプト|개념|konzepte|conceptos|понятия)`),
}

// updateIndex adds a line for each new page, in its section and in the form of the lines there.
func (a *agent) updateIndex(w writing) error {
	before, err := a.sharedText("index.md")
	if err != nil {
		return err
	}
	after := AddEntry(before, Entry{Section: "sources", Slug: w.slug, Rel: strings.TrimSuffix(a.below(w.page), ".md"), Title: w.doc.title, Text: description(w)})
	if w.stub != nil {
		after = AddEntry(after, Entry{Section: "concepts", Slug: w.stub.slug, Rel: strings.TrimSuffix(a.below(w.stub.rel), ".md"), Title: w.stub.title, Text: "a term of [[" + w.slug + "]]"})
	}
	if bytes.Equal(before, after) {
		return nil
	}
	return a.write(path.Join(a.job.Pages, "index.md"), after)
}

// description is the title on one line, or where the title only repeats the slug the first sentence, cut at a word.
func description(w writing) string {
	text := w.doc.title
	if slugOf(text) == w.slug {
		if best := opening(w.ranked, 40); len(best) > 0 {
			text = strings.TrimRight(best[0].text, ".。")
		}
	}
	text = strings.ReplaceAll(text, "`", "")
	if len([]rune(text)) > 100 {
		cut := string([]rune(text)[:100])
		if i := strings.LastIndexByte(cut, ' '); i > 60 {
			cut = cut[:i]
		}
		text = strings.TrimRight(cut, " ,;:—-") + " …"
	}
	return escape(text)
}

func addEntry(lines []string, eol string, e Entry) []string {
	last := -1 // line after which the entry goes
	var form []string
	in, heading := false, ""
	for i, l := range lines {
		if strings.HasPrefix(l, "#") {
			in = sectionNames[e.Section]().MatchString(l)
			if strings.HasPrefix(l, "##") {
				heading = l[:len(l)-len(strings.TrimLeft(l, "#"))]
			}
			if in && last < 0 {
				last = i
			}
			continue
		}
		m := entryRE().FindStringSubmatch(l)
		if m == nil {
			continue
		}
		if to := firstOf(m[3], strings.TrimSuffix(m[5], ".md")); strings.EqualFold(path.Base(to), e.Slug) {
			return lines // it is there
		}
		if form == nil || in {
			form = m
		}
		if in {
			last = i
		}
	}
	entry := e.like(form)
	if last < 0 && form != nil && heading == "" { // a flat list without sections
		for i, l := range lines {
			if entryRE().MatchString(l) {
				last = i
			}
		}
	}
	if last >= 0 {
		return insertAfter(lines, last, entry, eol)
	}
	if heading == "" {
		heading = "##"
	}
	return appendBlock(lines, []string{heading + " " + upperFirst(e.Section), entry}, eol)
}

// like renders an entry in the form of another one.
func (e Entry) like(form []string) string {
	if form == nil {
		return "- [[" + e.Slug + "]] — " + e.Text
	}
	sep := form[6]
	if strings.TrimSpace(form[7]) == "" {
		sep = " — "
		if strings.TrimSpace(form[6]) == "" { // entries without a description
			return form[1] + e.linkLike(form)
		}
	}
	return form[1] + e.linkLike(form) + sep + e.Text
}

func (e Entry) linkLike(form []string) string {
	switch {
	case form[5] != "": // [Title](sources/slug.md)
		to := e.Rel
		if strings.HasSuffix(form[5], ".md") {
			to += ".md"
		}
		return "[" + escape(e.Title) + "](" + strings.ReplaceAll(to, " ", "%20") + ")"
	case strings.Contains(form[3], "/"):
		return "[[" + e.Rel + "]]"
	case form[4] != "":
		return "[[" + e.Slug + "|" + strings.NewReplacer("|", "-", "[", "(", "]", ")").Replace(e.Title) + "]]"
	}
	return "[[" + e.Slug + "]]"
}

// insertAfter puts a line after lines[i]; after a heading that is followed by a blank line, after that.
func insertAfter(lines []string, i int, line, eol string) []string {
	if strings.HasPrefix(lines[i], "#") && i+1 < len(lines) && strings.TrimSpace(lines[i+1]) == "" && lines[i+1] != "" {
		i++
		if i+1 < len(lines) && strings.HasPrefix(lines[i+1], "#") {
			return slices.Insert(slices.Clone(lines), i, line+eol) // keep the blank line before the next heading
		}
	}
	if !strings.HasSuffix(lines[i], "\n") { // the last line of a file without final newline: the new last line has none either
		out := slices.Clone(lines)
		out[i] += eol
		return slices.Insert(out, i+1, line)
	}
	return slices.Insert(slices.Clone(lines), i+1, line+eol)
}

// appendBlock adds lines at the end after a blank one, and keeps the habit of the file at its very end.
func appendBlock(lines, block []string, eol string) []string {
	text := strings.Join(lines, "")
	final := text == "" || strings.HasSuffix(text, "\n")
	out := slices.Clone(lines)
	if !final {
		out = append(out, eol)
	}
	if text != "" && !strings.HasSuffix(text, "\n"+eol) {
		out = append(out, eol)
	}
	for i, l := range block {
		if i < len(block)-1 || final {
			l += eol
		}
		out = append(out, l)
	}
	return out
}

// A logStyle is a way to write log entries, told by the last entry of the file.
type logStyle struct {
	re   func() *regexp.Regexp
	head func(n LogNote) string
}

var logStyles = []logStyle{
	{lazyRE(`^## \[\d{4}-\d\d-\d\d\] `), func(n LogNote) string { return "## [" + n.date() + "] " + n.Verb + " | " + n.Title }},
	{lazyRE(`^## \d{4}-\d\d-\d\dT\S+ `), func(n LogNote) string {
		return "## " + n.At.Format("2006-01-02T15:04:05Z07:00") + " — " + n.Verb + " " + n.About
	}},
	{lazyRE(`^## \d{4}-\d\d-\d\d — ingest raw/`), func(n LogNote) string { return "## " + n.date() + " — " + n.Verb + " " + n.About }},
	{lazyRE(`^## \d{4}-\d\d-\d\d - `), func(n LogNote) string { return "## " + n.date() + " - " + n.Verb + " " + n.short() }},
	{lazyRE(`^- \*\*\d{4}-\d\d-\d\d\*\*`), func(n LogNote) string { return "- **" + n.date() + "** " + n.Verb + " " + n.short() }},
	{lazyRE(`^[-*] \[?\d{4}-\d\d-\d\d\]?[:—– -]`), func(n LogNote) string { return "- " + n.date() + ": " + n.Verb + " " + n.short() }},
	{lazyRE(`^`), func(n LogNote) string { return "## " + n.date() + " — " + n.Verb + " " + n.short() }},
}

// updateLog appends an entry in the style of the last one. Nothing above it changes: the log is append-only.
func (a *agent) updateLog(w writing, again bool) error {
	before, err := a.sharedText("log.md")
	if err != nil {
		return err
	}
	did := "created [[" + w.slug + "]]"
	if again {
		did = "updated [[" + w.slug + "]]"
	}
	if w.stub != nil {
		did += ", [[" + w.stub.slug + "]]"
	}
	return a.write(path.Join(a.job.Pages, "log.md"), AddLog(before, LogNote{Verb: "ingest", About: w.rel, Title: w.doc.title, At: a.job.Now, Did: did}))
}

// trimBlank drops the empty string that SplitAfter leaves after a final newline.
func trimBlank(lines []string) []string {
	if n := len(lines); n > 0 && lines[n-1] == "" {
		return lines[:n-1]
	}
	return lines
}

func firstOf(list ...string) string {
	for _, s := range list {
		if s != "" {
			return s
		}
	}
	return ""
}
