package lint

import (
	"bytes"
	"cmp"
	"context"
	"path"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/rigwiki/rig/wiki/index"
)

// Severity says how much a finding matters.
type Severity string

// The severities. An error is severe: a page or a reference is not what its writer meant. A hint is a matter of taste or of later.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Hint    Severity = "hint"
)

// Finding is one thing that is wrong.
type Finding struct {
	Path     string   `json:"path"`
	Line     int      `json:"line"` // from 1; 1 for what is wrong with a page as a whole
	Code     string   `json:"code"`
	Severity Severity `json:"severity"`
	Message  string   `json:"message"`

	Start int   `json:"-"` // bytes of the page's text
	End   int   `json:"-"`
	Fixes []Fix `json:"-"` // the best one first
}

// Fix is a change that takes a finding away. Paths are relative to the wiki.
type Fix struct {
	Title  string
	Edits  []Edit
	Create string // a page to make, "" for none
	Move   string // where the page goes, with every link to it; "" for nowhere
}

// Edit replaces bytes of a page.
type Edit struct {
	Path       string
	Start, End int
	Text       string
}

// Rules says what the wiki expects; the zero value is a folder of plain markdown.
type Rules struct {
	Human   []string          // paths that are not looked at: raw, purpose.md, the schema
	Shared  []string          // index.md, overview.md, log.md, reviews.md: no front matter, never orphans
	Folders []string          // folders of pages ("concepts", "wiki/concepts"), whose pages have front matter and stand in the index
	Pages   string            // folder that the page folders lie in, "" for the root
	Known   []string          // folders of pages that the schema knows, with Pages; none: it names none, and all are well
	Types   map[string]string // front matter's type -> its folder, with Pages
	// Drift tells whether the file of raw/ that a page names as its source is there as it was: RawDrift or MissingSource and why, "" for yes. nil does not look.
	Drift func(rel string, front index.FrontMatter) (code, why string)
	// BadName tells why a path cannot exist on every system, and a better one; nil judges no names.
	BadName func(rel string) (why, better string)
	// Prompt leaves out what needs the full text while that is not laid out ([index.Index.HasFullText]): an editor does not wait for hints.
	Prompt bool
}

// The codes of a page whose source is not as it was.
const (
	RawDrift      = "raw-drift"
	MissingSource = "missing-source"
)

// indexPage is the wiki's index.md, "" where it has none.
func (r Rules) indexPage() string {
	for _, p := range r.Shared {
		if path.Base(p) == "index.md" {
			return p
		}
	}
	return ""
}

func (r Rules) human(rel string) bool {
	return slices.ContainsFunc(r.Human, func(h string) bool { return rel == h || strings.HasPrefix(rel, h+"/") })
}

func (r Rules) shared(rel string) bool { return slices.Contains(r.Shared, rel) }

// expected tells a page of a page folder.
func (r Rules) expected(rel string) bool {
	return !r.shared(rel) && slices.ContainsFunc(r.Folders, func(f string) bool { return strings.HasPrefix(rel, f+"/") })
}

// page is the page at hand.
type page struct {
	index.Page
	x     *index.Index
	rules Rules
	text  []byte
	found []Finding

	lowered, prose []byte // made when first asked for
}

// checks gives the checks of one page, in the order of their findings where those begin at the same byte.
func checks() []func(*page) {
	return []func(*page){(*page).fenced, (*page).front, (*page).sources, (*page).links, (*page).pipes, (*page).empty, (*page).inbound, (*page).twins, (*page).name,
		(*page).collides, (*page).folder, (*page).entries, (*page).placeholder, (*page).contradictions, (*page).reviews, (*page).order, (*page).drifted}
}

// Page gives the findings of one page, in order of position. A page that is the human's, or is not there, has none; a sync tool's copy of a page has that one.
func Page(x *index.Index, rules Rules, rel string) []Finding {
	if rules.human(rel) {
		return nil
	}
	if of, conflict := x.ConflictOf(rel); conflict {
		return []Finding{copyOf(index.Conflict{Path: rel, Of: of})}
	}
	p := &page{x: x, rules: rules}
	var ok bool
	if p.Page, ok = x.Page(rel); !ok {
		return nil
	}
	if p.text, ok = x.Source(rel); !ok {
		return nil
	}
	if len(p.text) < p.Front.End { // written between the two
		return nil
	}
	for _, check := range checks() {
		check(p)
	}
	slices.SortStableFunc(p.found, func(a, b Finding) int { return a.Start - b.Start })
	return p.found
}

// All gives the findings of the whole wiki, in order of path and position. The index should have been refreshed.
func All(ctx context.Context, x *index.Index, rules Rules) ([]Finding, error) {
	paths := x.Paths()
	found := make([][]Finding, len(paths))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(2, runtime.GOMAXPROCS(0)))
	const chunk = 64
	for start := 0; start < len(paths); start += chunk {
		group.Go(func() error {
			for i := start; i < min(start+chunk, len(paths)); i++ {
				if err := ctx.Err(); err != nil {
					return err
				}
				found[i] = Page(x, rules, paths[i])
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	all := slices.Concat(append(found, conflicts(x))...)
	slices.SortStableFunc(all, func(a, b Finding) int { return cmp.Or(strings.Compare(a.Path, b.Path), a.Start-b.Start) })
	return all, nil
}

// add notes a finding from start to end.
func (p *page) add(code string, severity Severity, start, end int, message string, fixes ...Fix) {
	p.found = append(p.found, Finding{Path: p.Path, Line: 1 + bytes.Count(p.text[:start], []byte("\n")), Code: code, Severity: severity,
		Message: message, Start: start, End: end, Fixes: fixes})
}

// replace is the fix that writes text from start to end.
func (p *page) replace(title string, start, end int, text string) Fix {
	return Fix{Title: title, Edits: []Edit{{p.Path, start, end, text}}}
}

// conflicts finds the copies that sync tools left.
func conflicts(x *index.Index) []Finding {
	var out []Finding
	for _, c := range x.Conflicts() {
		out = append(out, copyOf(c))
	}
	return out
}

func copyOf(c index.Conflict) Finding {
	return Finding{Path: c.Path, Line: 1, Code: "sync-conflict", Severity: Warning, Message: "a sync tool's copy of " + c.Of + "; it is not taken for a page"}
}
