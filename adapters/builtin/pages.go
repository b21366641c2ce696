package builtin

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A page is what the agent knows of a page of the wiki.
type page struct {
	rel     string // below Cwd, slash-separated
	link    string // what stands between [[ and ]]: the slug, or the path below the pages' folder where the slug is not unique
	title   string
	aliases []string
	front   front
}

func (p page) slug() string { return strings.TrimSuffix(path.Base(p.rel), ".md") }

// shared pages and the human's are no targets of their own.
var noTargets = lazyWords("index overview log reviews purpose schema readme claude agents license")

// headBytes are enough for front matter and title.
const headBytes = 16 << 10

// readWiki finds where the pages lie and what they are called. Links are not followed, dot folders and raw/ not entered.
func (a *agent) readWiki() error {
	if a.job.Pages == "" && !a.exists("sources") && !a.exists("index.md") && (a.exists("wiki/index.md") || a.exists("wiki/sources") || a.exists("wiki")) {
		a.job.Pages = "wiki"
	}
	root := filepath.Join(a.job.Cwd, filepath.FromSlash(a.job.Pages))
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			if file == root {
				return err
			}
			return nil // a folder that cannot be read has no pages for us
		}
		name := d.Name()
		if d.IsDir() {
			if file != root && (strings.HasPrefix(name, ".") || name == "raw" || name == "node_modules") {
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() || !strings.HasSuffix(name, ".md") || strings.HasPrefix(name, ".") || noTargets()[strings.ToLower(strings.TrimSuffix(name, ".md"))] {
			return nil
		}
		rel, err := filepath.Rel(a.job.Cwd, file)
		if err != nil {
			return err
		}
		p, err := readPage(file)
		if err != nil {
			return nil // went away or not readable
		}
		p.rel = filepath.ToSlash(rel)
		a.pages = append(a.pages, p)
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the wiki's pages: %w", err)
	}
	slices.SortFunc(a.pages, func(x, y page) int { return strings.Compare(x.rel, y.rel) })
	count := map[string]int{}
	for _, p := range a.pages {
		count[p.slug()]++
	}
	for i, p := range a.pages {
		a.pages[i].link = p.slug()
		if count[p.slug()] > 1 {
			a.pages[i].link = a.below(strings.TrimSuffix(p.rel, ".md"))
		}
	}
	return nil
}

// readFound takes the pages that somebody who knows the wiki found.
func (a *agent) readFound() error {
	for _, f := range *a.job.Found {
		if !filepath.IsLocal(filepath.FromSlash(f.Rel)) {
			return fmt.Errorf("%q is no page of the wiki", f.Rel)
		}
		fi, err := os.Lstat(a.file(f.Rel))
		if err != nil || !fi.Mode().IsRegular() {
			continue // not a page any more
		}
		p, err := readPage(a.file(f.Rel))
		if err != nil {
			continue // went away or not readable
		}
		p.rel, p.link = f.Rel, f.Link
		a.pages = append(a.pages, p)
	}
	slices.SortFunc(a.pages, func(x, y page) int { return strings.Compare(x.rel, y.rel) })
	return nil
}

// learn adds a page that was just written, so that the next source of the job can link it.
func (a *agent) learn(rel, title string, f front) {
	if _, known := a.page(rel); known {
		return
	}
	p := page{rel: rel, title: title, front: f}
	p.link = p.slug()
	i, _ := slices.BinarySearchFunc(a.pages, rel, func(p page, rel string) int { return strings.Compare(p.rel, rel) })
	a.pages = slices.Insert(a.pages, i, p)
}

// below takes the pages' folder off a path.
func (a *agent) below(rel string) string {
	if a.job.Pages == "" {
		return rel
	}
	return strings.TrimPrefix(rel, a.job.Pages+"/")
}

func (a *agent) exists(rel string) bool {
	_, err := os.Lstat(a.file(rel))
	return err == nil
}

func (a *agent) file(rel string) string { return filepath.Join(a.job.Cwd, filepath.FromSlash(rel)) }

// page finds a page by path.
func (a *agent) page(rel string) (page, bool) {
	i, ok := slices.BinarySearchFunc(a.pages, rel, func(p page, rel string) int { return strings.Compare(p.rel, rel) })
	if !ok {
		return page{}, false
	}
	return a.pages[i], true
}

func readPage(file string) (page, error) {
	f, err := os.Open(file)
	if err != nil {
		return page{}, err
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(bufio.NewReader(f), headBytes))
	if err != nil {
		return page{}, err
	}
	front, body := splitFront(head)
	p := page{front: front, title: front.get("title")}
	p.aliases = append(front.list("aliases"), front.list("alias")...)
	if p.title == "" {
		p.title = firstHeading(body)
	}
	return p, nil
}

// firstHeading is the text of the first "# …" line.
func firstHeading(body []byte) string {
	fenced := false
	for line := range bytes.Lines(body) {
		l := strings.TrimSpace(string(line))
		if strings.HasPrefix(l, "```") || strings.HasPrefix(l, "~~~") {
			fenced = !fenced
		}
		if rest, ok := strings.CutPrefix(l, "# "); ok && !fenced {
			return strings.TrimSpace(strings.TrimRight(rest, "#"))
		}
	}
	return ""
}

// names are what a text may call a page: its title, its aliases, its slug read as words.
func (p page) names() []string {
	list := append([]string{p.title, strings.ReplaceAll(p.slug(), "-", " ")}, p.aliases...)
	if kind, rest, ok := strings.Cut(p.title, ": "); ok && !strings.Contains(kind, " ") { // "Proposal: Type aliases"
		list = append(list, rest)
	}
	return slices.DeleteFunc(list, func(s string) bool { return strings.TrimSpace(s) == "" })
}

// slugOf makes a slug of a file's name: extension dropped, lower case, anything but letters and digits becomes "-", at most 64
// characters. Letters of other scripts are kept.
func slugOf(name string) string {
	name = strings.TrimSuffix(path.Base(name), path.Ext(name))
	var b strings.Builder
	n := 0
	for _, r := range strings.ToLower(name) {
		if n == 64 {
			break
		}
		if isWord(r) {
			b.WriteRune(r)
			n++
		} else if s := b.String(); s != "" && !strings.HasSuffix(s, "-") {
			b.WriteByte('-')
			n++
		}
	}
	if s := strings.Trim(b.String(), "-"); s != "" {
		return s
	}
	return "source"
}
