package builtin

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
)

// readShared reads index.md or log.md as lines with their line end; a missing file is empty.
func (a *agent) readShared(name string) (lines []string, eol string, err error) {
	b, err := os.ReadFile(a.file(path.Join(a.job.Pages, name)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, "", err
	}
	eol = lineEnd(b)
	if len(b) == 0 {
		return nil, eol, nil
	}
	return strings.SplitAfter(string(b), "\n"), eol, nil
}

// An entry is how index lines look: "- [[slug]] — what it is".
var entryRE = regexp.MustCompile(`^(\s*[-*+] )(\[\[([^\]|]+)(\|[^\]]*)?\]\]|\[[^\]]*\]\(([^)]+)\))(\s*[—–:-]?\s*)(.*?)\r?\n?$`)

// sectionNames are the headings under which an index lists its source pages and concepts, in the languages that wikis use.
var sectionNames = map[string]*regexp.Regexp{
	"sources":  regexp.MustCompile(`(?i)^#+\s+\W*(sources?\b|来源|源|資料|ソース|출처|quellen|fuentes|источники)`),
	"concepts": regexp.MustCompile(`(?i)^#+\s+\W*(concepts?\b|概念|コンセプト|개념|konzepte|conceptos|понятия)`),
}

// updateIndex adds a line for each new page, in its section and in the form of the lines there.
func (a *agent) updateIndex(w writing) error {
	lines, eol, err := a.readShared("index.md")
	if err != nil {
		return err
	}
	if len(lines) == 0 {
		lines = []string{"# Index\n"}
	}
	before := strings.Join(lines, "")
	lines = addEntry(lines, eol, indexEntry{section: "sources", slug: w.slug, rel: strings.TrimSuffix(a.below(w.page), ".md"), title: w.doc.title, text: description(w)})
	if w.stub != nil {
		lines = addEntry(lines, eol, indexEntry{section: "concepts", slug: w.stub.slug, rel: strings.TrimSuffix(a.below(w.stub.rel), ".md"), title: w.stub.title, text: "a term of [[" + w.slug + "]]"})
	}
	after := strings.Join(lines, "")
	if after == before {
		return nil
	}
	return a.write(path.Join(a.job.Pages, "index.md"), []byte(after))
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

type indexEntry struct{ section, slug, rel, title, text string }

func addEntry(lines []string, eol string, e indexEntry) []string {
	last := -1 // line after which the entry goes
	var form []string
	in, heading := false, ""
	for i, l := range lines {
		if strings.HasPrefix(l, "#") {
			in = sectionNames[e.section].MatchString(l)
			if strings.HasPrefix(l, "##") {
				heading = l[:len(l)-len(strings.TrimLeft(l, "#"))]
			}
			if in && last < 0 {
				last = i
			}
			continue
		}
		m := entryRE.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		if to := firstOf(m[3], strings.TrimSuffix(m[5], ".md")); strings.EqualFold(path.Base(to), e.slug) {
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
			if entryRE.MatchString(l) {
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
	return appendBlock(lines, []string{heading + " " + upperFirst(e.section), entry}, eol)
}

// like renders an entry in the form of another one.
func (e indexEntry) like(form []string) string {
	if form == nil {
		return "- [[" + e.slug + "]] — " + e.text
	}
	sep := form[6]
	if strings.TrimSpace(form[7]) == "" {
		sep = " — "
		if strings.TrimSpace(form[6]) == "" { // entries without a description
			return form[1] + e.linkLike(form)
		}
	}
	return form[1] + e.linkLike(form) + sep + e.text
}

func (e indexEntry) linkLike(form []string) string {
	switch {
	case form[5] != "": // [Title](sources/slug.md)
		to := e.rel
		if strings.HasSuffix(form[5], ".md") {
			to += ".md"
		}
		return "[" + escape(e.title) + "](" + strings.ReplaceAll(to, " ", "%20") + ")"
	case strings.Contains(form[3], "/"):
		return "[[" + e.rel + "]]"
	case form[4] != "":
		return "[[" + e.slug + "|" + strings.NewReplacer("|", "-", "[", "(", "]", ")").Replace(e.title) + "]]"
	}
	return "[[" + e.slug + "]]"
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
	re    *regexp.Regexp
	entry func(w writing, now string) string
}

var logStyles = []logStyle{
	{regexp.MustCompile(`^## \[\d{4}-\d\d-\d\d\] `), func(w writing, _ string) string { return "## [" + w.date + "] ingest | " + w.doc.title }},
	{regexp.MustCompile(`^## \d{4}-\d\d-\d\dT\S+ `), func(w writing, now string) string { return "## " + now + " — ingest " + w.rel }},
	{regexp.MustCompile(`^## \d{4}-\d\d-\d\d — ingest raw/`), func(w writing, _ string) string { return "## " + w.date + " — ingest " + w.rel }},
	{regexp.MustCompile(`^## \d{4}-\d\d-\d\d - `), func(w writing, _ string) string { return "## " + w.date + " - ingest " + path.Base(w.rel) }},
	{regexp.MustCompile(`^- \*\*\d{4}-\d\d-\d\d\*\*`), func(w writing, _ string) string { return "- **" + w.date + "** ingest " + path.Base(w.rel) }},
	{regexp.MustCompile(`^[-*] \[?\d{4}-\d\d-\d\d\]?[:—– -]`), func(w writing, _ string) string { return "- " + w.date + ": ingest " + path.Base(w.rel) }},
	{regexp.MustCompile(`^`), func(w writing, _ string) string { return "## " + w.date + " — ingest " + path.Base(w.rel) }},
}

// updateLog appends an entry in the style of the last one. Nothing above it changes: the log is append-only.
func (a *agent) updateLog(w writing, again bool) error {
	lines, eol, err := a.readShared("log.md")
	if err != nil {
		return err
	}
	style := logStyles[len(logStyles)-1]
	for _, l := range lines {
		for _, s := range logStyles[:len(logStyles)-1] {
			if s.re.MatchString(l) {
				style = s
				break
			}
		}
	}
	if len(lines) == 0 {
		lines = []string{"# Log\n"}
	}
	entry := style.entry(w, a.job.Now.Format("2006-01-02T15:04:05Z07:00"))
	did := "created [[" + w.slug + "]]"
	if again {
		did = "updated [[" + w.slug + "]]"
	}
	if w.stub != nil {
		did += ", [[" + w.stub.slug + "]]"
	}
	block := []string{entry, "- " + did}
	if strings.HasPrefix(entry, "- ") {
		block = []string{entry + ": " + did}
		// one-line entries stand close together
		text := strings.Join(lines, "")
		if strings.HasPrefix(strings.TrimRight(text[strings.LastIndex(strings.TrimRight(text, "\r\n"), "\n")+1:], "\r\n"), "- ") {
			return a.write(path.Join(a.job.Pages, "log.md"), []byte(strings.Join(insertAfter(trimBlank(lines), len(trimBlank(lines))-1, block[0], eol), "")))
		}
	}
	return a.write(path.Join(a.job.Pages, "log.md"), []byte(strings.Join(appendBlock(lines, block, eol), "")))
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
