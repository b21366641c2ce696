package wiki

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rigwiki/rig/wiki/index"
)

// readSchema is the beginning of the schema in lower case, "" where there is none.
func readSchema(w *Wiki) string {
	const enough = 64 << 10
	if w.Real == "" || w.Schema == "" || !isFile(w.Real, w.Schema) {
		return ""
	}
	f, err := os.Open(filepath.Join(w.Real, filepath.FromSlash(w.Schema)))
	if err != nil {
		return ""
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, enough))
	if err != nil {
		return ""
	}
	return strings.ToLower(string(text))
}

var frontMatterWords = lazyRE(`front[- ]?matter`)

// missingFrontMatter holds for new pages where the schema asks for it, and for pages that would lose it.
func missingFrontMatter(j *judge, p *page) string {
	if p.NewText == nil || !strings.HasSuffix(p.Path, ".md") {
		return ""
	}
	now := j.made.pages[p.Path].Front
	fault := brokenFront(now)
	if p.BaseText != nil {
		was := index.ParsePage(p.BaseText).Front
		switch {
		case was.Format == "" || brokenFront(was) != "" || len(bytes.TrimSpace(p.NewText)) == 0:
			return ""
		case now.Format == "":
			return "the front matter that the page has would go"
		case fault != "":
			return "its front matter could not be read any more: " + fault
		}
		return ""
	}
	if p.Kind != "create" || !j.isContentPage(p.Path) || !frontMatterWords().MatchString(j.schema) {
		return ""
	}
	switch {
	case now.Format == "" && bytes.HasPrefix(bytes.TrimSpace(p.NewText), []byte("```")):
		return "it has no front matter, which the schema asks for: the whole page seems to be inside a code fence"
	case now.Format == "":
		return "it has no front matter, which the schema asks for"
	case fault != "":
		return "its front matter cannot be read: " + fault
	}
	return ""
}

func brokenFront(f index.FrontMatter) string {
	for _, x := range f.Faults {
		if x.Code == "frontmatter-yaml" {
			return x.Message
		}
	}
	return ""
}

// isContentPage tells pages in page folders: those of the layouts and those that the schema names. Shared pages are none, at any level.
func (j *judge) isContentPage(rel string) bool {
	inner := rel
	if j.Wiki.Pages != "" {
		after, ok := strings.CutPrefix(rel, j.Wiki.Pages+"/")
		if !ok {
			return false
		}
		inner = after
	}
	folder, _, ok := strings.Cut(inner, "/")
	if !ok || slices.Contains(sharedPages(), path.Base(rel)) {
		return false
	}
	return slices.Contains(pageFolders(), folder) || strings.Contains(j.schema, strings.ToLower(folder)+"/")
}

var urlScheme = lazyRE(`^[A-Za-z][A-Za-z0-9+.-]*://\S`)

// sourcesNotRaw looks at entries of "sources:" that the base had not (case o-lw-05).
func sourcesNotRaw(j *judge, p *page) string {
	if p.NewText == nil || !strings.HasSuffix(p.Path, ".md") {
		return ""
	}
	had := []string{}
	if p.BaseText != nil {
		had = index.ParsePage(p.BaseText).Front.List("sources")
	}
	var bad []string
	for _, entry := range j.made.pages[p.Path].Front.List("sources") {
		if !slices.Contains(had, entry) && !j.isSource(p.Path, entry) {
			bad = append(bad, entry)
		}
	}
	if len(bad) == 0 {
		return ""
	}
	if len(bad) == 1 {
		return fmt.Sprintf("its source %s is no page of sources/, no file of raw/ and no URL", bad[0])
	}
	return fmt.Sprintf("%d of its sources are no page of sources/, no file of raw/ and no URL: %s", len(bad), some(bad))
}

// isSource takes a URL, a path in raw/ (from the root or from the page), and the slug of a page in sources/, also as a wikilink.
func (j *judge) isSource(from, entry string) bool {
	name := strings.TrimSpace(entry)
	if inner, ok := strings.CutPrefix(name, "[["); ok {
		name, _, _ = strings.Cut(strings.TrimSuffix(inner, "]]"), "|")
		name, _, _ = strings.Cut(name, "#")
		name = strings.TrimSpace(name)
	}
	if urlScheme().MatchString(name) {
		return true
	}
	if name == "" || strings.HasPrefix(name, "/") {
		return false
	}
	for _, rel := range []string{path.Clean(name), path.Join(dirOf(from), name)} {
		if strings.HasPrefix(rel, "raw/") && (j.fileAt(rel) || j.fileAt(rel+".md")) {
			return true
		}
	}
	slug := strings.TrimSuffix(path.Clean(name), ".md")
	folder := path.Join(j.Wiki.Pages, "sources")
	for _, rel := range []string{path.Join(folder, slug) + ".md", path.Join(j.Wiki.Pages, slug) + ".md", slug + ".md"} {
		if _, proposed := j.made.pages[rel]; below(rel, folder) && (proposed || j.fileAt(rel)) {
			return true
		}
	}
	inSources := func(rel string) bool { return below(rel, folder) && !j.made.gone[rel] }
	if slices.ContainsFunc(j.made.names[index.Fold(slug)], inSources) {
		return true
	}
	return j.View != nil && slices.ContainsFunc(j.View.Resolve(from, slug), inSources)
}

var contradiction = lazyRE(`(?im)^[ \t]*>[ \t]*(?:\[!contradiction\]|\**contradiction\**[ \t]*:).*$`)

// dropsContradiction compares the lines that record a disagreement. One that is worded anew and has the same links stays.
func dropsContradiction(_ *judge, p *page) string {
	if p.BaseText == nil {
		return ""
	}
	kept := map[string]int{}
	for _, line := range contradiction().FindAll(p.NewText, -1) {
		kept[contradictionKey(line)]++
	}
	var dropped []string
	for _, line := range contradiction().FindAll(p.BaseText, -1) {
		key := contradictionKey(line)
		if kept[key]--; kept[key] < 0 {
			dropped = append(dropped, strings.TrimSpace(strings.TrimLeft(string(bytes.TrimSpace(line)), "> ")))
		}
	}
	if len(dropped) == 0 {
		return ""
	}
	return "it records a disagreement that would go: " + cutBytes(dropped[0], 160)
}

// contradictionKey is what a line of disagreement is known by: its links, or its words where it has none.
func contradictionKey(line []byte) string {
	var to []string
	for _, l := range index.Links(line) {
		to = append(to, index.Fold(l.Target))
	}
	if len(to) == 0 {
		return strings.Join(strings.Fields(index.Fold(string(line))), " ")
	}
	slices.Sort(to)
	return strings.Join(slices.Compact(to), "\n")
}
