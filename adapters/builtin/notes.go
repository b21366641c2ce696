package builtin

import (
	"path"
	"strings"
	"time"
)

// Entry is what an index says of a page.
type Entry struct {
	Section string // sources, concepts or queries: under which heading it goes, in the index's own language
	Slug    string
	Rel     string // path below the pages' folder, without .md
	Title   string
	Text    string // what the page is, on one line
}

// AddEntry adds a line about a page to index.md, in its section and in the form of the lines there. A page that has a line gets no other. Line ends and a
// missing last newline are kept; an empty index gets a title.
func AddEntry(text []byte, e Entry) []byte {
	lines, eol := splitLines(text)
	if len(lines) == 0 {
		lines = []string{"# Index" + eol}
	}
	return []byte(strings.Join(addEntry(lines, eol, e), ""))
}

// LogNote is an entry for log.md.
type LogNote struct {
	Verb  string // "ingest"
	About string // what it was about: a path
	Title string // of that
	At    time.Time
	Did   string // "created [[compost]]"
}

func (n LogNote) date() string  { return n.At.Format("2006-01-02") }
func (n LogNote) short() string { return path.Base(n.About) }

// AddLog appends an entry to log.md, in the style of the last one there. Nothing above it changes: the log is append-only.
func AddLog(text []byte, n LogNote) []byte {
	lines, eol := splitLines(text)
	style := logStyles[len(logStyles)-1]
	for _, l := range lines {
		for _, s := range logStyles[:len(logStyles)-1] {
			if s.re().MatchString(l) {
				style = s
				break
			}
		}
	}
	if len(lines) == 0 {
		lines = []string{"# Log" + eol}
	}
	entry := style.head(n)
	block := []string{entry, "- " + n.Did}
	if strings.HasPrefix(entry, "- ") {
		block = []string{entry + ": " + n.Did}
		// one-line entries stand close together
		text := strings.Join(lines, "")
		if strings.HasPrefix(strings.TrimRight(text[strings.LastIndex(strings.TrimRight(text, "\r\n"), "\n")+1:], "\r\n"), "- ") {
			return []byte(strings.Join(insertAfter(trimBlank(lines), len(trimBlank(lines))-1, block[0], eol), ""))
		}
	}
	return []byte(strings.Join(appendBlock(lines, block, eol), ""))
}

// splitLines gives the lines with their line ends; of an empty text none.
func splitLines(text []byte) (lines []string, eol string) {
	eol = lineEnd(text)
	if len(text) == 0 {
		return nil, eol
	}
	return strings.SplitAfter(string(text), "\n"), eol
}
