package builtin

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// note stands in each page that the agent writes: what it is, and how the agent knows its own text again.
const note = "*Extracted without a model: the sentences are the source's own.*"

// ingest writes the page of one source and what goes with it. It returns the slug and a sentence about what was done.
func (a *agent) ingest(s Source) (slug, summary string, err error) {
	src, err := a.readSource(s)
	if err != nil {
		return "", "", err
	}
	a.tell(Event{Kind: "read", Summary: "read " + s.Rel, File: s.Rel})
	sum := sha256.Sum256(src)
	w := writing{
		rel: s.Rel, sha: hex.EncodeToString(sum[:]), date: a.job.Now.Format("2006-01-02"),
		doc: parseSource(src),
	}
	old, again := a.ingested(s.Rel)
	switch {
	case again:
		w.slug, w.page = old.slug(), old.rel
	default:
		w.slug = a.freeSlug(s)
		w.page = path.Join(a.job.Pages, "sources", w.slug+".md")
	}
	if w.doc.title == "" {
		w.doc.title = strings.ReplaceAll(w.slug, "-", " ")
	}
	w.match = newMatcher(a.pages, w.page)
	w.related = w.match.count(w.doc)
	w.ranked = rank(w.doc)
	w.terms = terms(w.doc)
	if stub, ok := a.stub(&w); ok {
		if err := a.write(stub.rel, []byte(stub.text)); err != nil {
			return "", "", err
		}
		w.stub = &stub
		a.learn(stub.rel, stub.title, front{})
	}
	if err := a.writePage(w, again); err != nil {
		return "", "", err
	}
	if err := a.updateIndex(w); err != nil {
		return "", "", err
	}
	if err := a.updateLog(w, again); err != nil {
		return "", "", err
	}
	if again {
		return w.slug, fmt.Sprintf("Updated [[%s]] from %s.", w.slug, s.Rel), nil
	}
	if w.stub != nil {
		return w.slug, fmt.Sprintf("Wrote [[%s]] and [[%s]] from %s.", w.slug, w.stub.slug, s.Rel), nil
	}
	return w.slug, fmt.Sprintf("Wrote [[%s]] from %s.", w.slug, s.Rel), nil
}

// A writing is what is known while one source is ingested.
type writing struct {
	rel, sha, date string
	slug, page     string // page is the path below Cwd
	doc            document
	match          matcher
	related        []counted
	ranked         []sentence
	terms          []term
	stub           *stub
}

func (a *agent) readSource(s Source) ([]byte, error) {
	at := s.At
	if at == "" {
		at = s.Rel
	}
	if !filepath.IsAbs(at) {
		at = a.file(at)
	}
	f, err := os.Open(at)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	src, err := io.ReadAll(io.LimitReader(f, maxSource+1))
	if err != nil {
		return nil, err
	}
	if len(src) > maxSource {
		return nil, fmt.Errorf("it is larger than %d MiB", maxSource>>20)
	}
	if !isText(src) {
		return nil, errors.New("it is not UTF-8 text")
	}
	return src, nil
}

// ingested finds the page of a source that was ingested before, by its source-path.
func (a *agent) ingested(rel string) (page, bool) {
	for _, p := range a.pages {
		if at := p.front.get("source-path"); at != "" && path.Clean(filepath.ToSlash(at)) == path.Clean(rel) {
			return p, true
		}
	}
	return page{}, false
}

var numberedRE = lazyRE(`^\d+-+`)

// freeSlug makes a slug that no page has. A number in front is dropped where the wiki's own pages do so.
func (a *agent) freeSlug(s Source) string {
	slug := s.Slug
	if slug == "" {
		slug = slugOf(s.Rel)
		if short := numberedRE().ReplaceAllString(slug, ""); short != "" && a.dropsNumbers() {
			slug = short
		}
	}
	for n := 1; ; n++ {
		try := slug
		if n > 1 {
			try += "-" + strconv.Itoa(n)
		}
		if !a.taken(try) {
			return try
		}
	}
}

func (a *agent) taken(slug string) bool {
	for _, p := range a.pages {
		if strings.EqualFold(p.slug(), slug) {
			return true
		}
	}
	return false
}

// dropsNumbers tells whether a page of this wiki is named after its source without the number in front.
func (a *agent) dropsNumbers() bool {
	for _, p := range a.pages {
		from := slugOf(p.front.get("source-path"))
		if numberedRE().MatchString(from) {
			return numberedRE().ReplaceAllString(from, "") == p.slug()
		}
	}
	return false
}

// write stores a page and tells of it.
func (a *agent) write(rel string, text []byte) error {
	file := a.file(rel)
	kind, mode := "wrote ", os.FileMode(0o644)
	if fi, err := os.Stat(file); err == nil {
		kind, mode = "changed ", fi.Mode().Perm()
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(file, text, mode); err != nil {
		return err
	}
	a.made = append(a.made, rel)
	a.tell(Event{Kind: "edit", Summary: kind + rel, File: rel})
	return nil
}

// writePage writes sources/<slug>.md anew, or brings an existing one up to date: what others wrote in it stays.
func (a *agent) writePage(w writing, again bool) error {
	f := front{}
	if !again {
		if a.titled() {
			f.set("title", strconv.Quote(w.doc.title))
		}
		f.set("type", "source")
		f.set("sources", "["+w.slug+"]")
		f.set("ingested-at", w.date)
		f.set("last-updated", w.date)
		f.set("source-path", w.rel)
		f.set("source-sha", w.sha)
		f.values = map[string]any{"type": "source", "source-path": w.rel}
		a.learn(w.page, w.doc.title, f)
		return a.write(w.page, []byte(f.String()+a.body(w)))
	}
	old, err := os.ReadFile(a.file(w.page))
	if err != nil {
		return err
	}
	eol := lineEnd(old)
	f, body := splitFront(old)
	f.set("last-updated", w.date)
	f.set("source-path", w.rel)
	f.set("source-sha", w.sha)
	text := strings.ReplaceAll(string(body), "\r\n", "\n")
	if strings.Contains(text, note) && !strings.Contains(text, "\n"+extractHeading+"\n") {
		text = a.body(w)
	} else {
		text = replaceExtract(text, a.extract(w))
	}
	return a.write(w.page, []byte(strings.ReplaceAll(f.String()+text, "\n", eol)))
}

// extractHeading begins the agent's part in a page that somebody else wrote.
const extractHeading = "## Extract"

func replaceExtract(text, extract string) string {
	before, after, found := strings.Cut(text, "\n"+extractHeading+"\n")
	rest := ""
	if found {
		if i := strings.Index(after, "\n## "); i >= 0 {
			rest = after[i:]
		}
	}
	return strings.TrimRight(before, "\n") + "\n\n" + extractHeading + "\n\n" + strings.TrimRight(extract, "\n") + "\n" + rest
}

// titled tells whether the wiki's source pages carry a title in their front matter.
func (a *agent) titled() bool {
	for _, p := range a.pages {
		if p.front.get("type") == "source" || path.Base(path.Dir(p.rel)) == "sources" {
			return p.front.get("title") != ""
		}
	}
	return false
}

// lineEnd is the line end that most lines of a file have.
func lineEnd(b []byte) string {
	if crlf := bytes.Count(b, []byte("\r\n")); crlf > 0 && 2*crlf > bytes.Count(b, []byte("\n")) {
		return "\r\n"
	}
	return "\n"
}
