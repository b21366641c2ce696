package wiki

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/rigwiki/rig/wiki/index"
	"github.com/rigwiki/rig/wiki/lint"
	"github.com/rigwiki/rig/wiki/proposal"
)

// LintRules is what lint expects of a wiki.
func LintRules(w *Wiki) lint.Rules {
	rules := lint.Rules{Human: w.Human, Shared: w.Shared, BadName: badPath}
	if w.Layout == Links {
		return lint.Rules{BadName: badPath}
	}
	rules.Pages = w.Pages
	rules.Known, rules.Types = schemaFolders(w)
	for _, f := range pageFolders() {
		rules.Folders = append(rules.Folders, path.Join(w.Pages, f))
	}
	return rules
}

// badPath is why a page's path cannot exist on every system, and one that can.
func badPath(rel string) (why, better string) {
	for name := range strings.SplitSeq(rel, "/") {
		if why = oddName(name); why != "" {
			return why, path.Join(dirOf(rel), Slug(rel, nil)) + path.Ext(rel)
		}
	}
	return "", ""
}

// Lint gives the findings about some pages, or about the whole wiki where none is named, in order of path and position.
func (h *Host) Lint(ctx context.Context, w *Wiki, pages []string) ([]lint.Finding, error) {
	x, err := h.Index(ctx, w)
	if err != nil {
		return nil, err
	}
	if err := x.Refresh(ctx); err != nil {
		return nil, err
	}
	rules := h.LintRules(w)
	var found []lint.Finding
	if len(pages) == 0 {
		if found, err = lint.All(ctx, x, rules); err != nil {
			return nil, err
		}
	}
	for _, rel := range pages {
		found = append(found, lint.Page(x, rules, rel)...)
	}
	drift, err := h.modified(ctx, w, x)
	if err != nil {
		return nil, err
	}
	for _, f := range drift {
		if len(pages) == 0 || slices.Contains(pages, f.Path) {
			found = append(found, f)
		}
	}
	slices.SortStableFunc(found, func(a, b lint.Finding) int { return cmp.Or(strings.Compare(a.Path, b.Path), a.Start-b.Start) })
	return found, nil
}

// LintRules is what lint expects of a wiki, with a look at the sources of its pages.
func (h *Host) LintRules(w *Wiki) lint.Rules {
	rules := LintRules(w)
	if w.Layout != Links {
		rules.Drift = func(rel string, front index.FrontMatter) (code, why string) { return h.drifted(w, rel, front) }
	}
	return rules
}

// drifted tells whether the source of a page is there with the sha256 that the page gives, or that a run ingested since.
func (h *Host) drifted(w *Wiki, rel string, front index.FrontMatter) (code, why string) {
	if !isSourcePage(w, rel) {
		return "", ""
	}
	source, sha := namedSource(rel, front)
	if source == "" {
		return "", ""
	}
	file := rawFile(w, source)
	if file == "" {
		return lint.MissingSource, source + " is not there"
	}
	now := h.sums.of(file)
	if sha == "" || now == "" || sha == now {
		return "", ""
	}
	if runs, err := h.sourceRuns(w); err != nil || slices.Contains(runs[source].applied, now) {
		return "", "" // the page did not keep up with a run; what cannot be read tells nothing
	}
	return lint.RawDrift, source + " has changed since it was ingested"
}

// SourceSum is the sha256 in hex of a source as it is now, by its path in the wiki, "" where it cannot be read; false where it is not there. A file that is
// as it was is not read again.
func (h *Host) SourceSum(w *Wiki, source string) (sha string, there bool) {
	file := rawFile(w, source)
	if file == "" {
		return "", false
	}
	return h.sums.of(file), true
}

// rawFile finds a file of raw/ by its path in NFC, with or without .md; "" where there is none.
func rawFile(w *Wiki, rel string) string {
	for _, name := range []string{rel, rel + ".md"} {
		file := filepath.Join(w.Real, filepath.FromSlash(name))
		if _, err := os.Stat(file); err == nil {
			return file
		}
		entries, err := os.ReadDir(filepath.Dir(file)) // on disk the name may be decomposed
		if err != nil {
			continue
		}
		for _, e := range entries {
			if norm.NFC.String(e.Name()) == path.Base(name) {
				return filepath.Join(filepath.Dir(file), e.Name())
			}
		}
	}
	return ""
}

// fileSums keeps the sha256 of files by stat identity.
type fileSums struct {
	mu   sync.Mutex
	sums map[string]knownFile
}

// of is the sha256 of a file as it is now, "" where it cannot be read.
func (c *fileSums) of(file string) string {
	id, changed, err := statID(file)
	if err != nil {
		return ""
	}
	c.mu.Lock()
	had := c.sums[file]
	c.mu.Unlock()
	if had.ID == id {
		return had.SHA
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	sum := hashOf(text)
	if after, _, err := statID(file); err == nil && after == id && time.Since(changed) > sameTick {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.sums == nil {
			c.sums = map[string]knownFile{}
		}
		c.sums[file] = knownFile{ID: id, SHA: sum}
	}
	return sum
}

// modified finds the pages whose source was written since it was ingested, where no page gives its sha256.
func (h *Host) modified(ctx context.Context, w *Wiki, x *index.Index) (out []lint.Finding, err error) {
	sources, err := h.Scan(ctx, w)
	if err != nil {
		return nil, err
	}
	for _, s := range sources {
		if s.Page == "" || s.Status != SourceModified {
			continue
		}
		f := lint.Finding{Path: s.Page, Line: 1, Code: lint.RawDrift, Severity: lint.Warning, Message: s.Path + " has changed since it was ingested"}
		p, ok := x.Page(s.Page)
		text, ok2 := x.Source(s.Page)
		if field, has := p.Front.Field("source-path"); ok && ok2 && has && field.End <= len(text) {
			f.Start, f.End, f.Line = field.Start, field.End, 1+bytes.Count(text[:field.Start], []byte("\n"))
		}
		out = append(out, f)
	}
	return out, nil
}

// safeFixes are the codes whose first fix takes nothing away that a person could miss, has one meaning, and changes no text that a reader sees (as the
// better spelling of a link would).
func safeFixes() []string {
	return []string{"page-in-code-fence", "index-missing-page", "index-dead-entry", "title-not-text", "tags-not-list", "aliases-not-list", "frontmatter-yaml"}
}

// Fixable tells a finding that [Host.FixFindings] takes away.
func Fixable(f lint.Finding) bool {
	return slices.Contains(safeFixes(), f.Code) && len(f.Fixes) > 0 && len(f.Fixes[0].Edits) > 0
}

// ErrNoFix: none of the findings has a safe fix.
var ErrNoFix = errors.New("nothing to fix")

// FixFindings makes a proposal of the safe fixes of findings, as [Host.Lint] gave them. It is judged as a run's changes are. A fix that touches what another
// one changes waits for the next time.
func (h *Host) FixFindings(ctx context.Context, w *Wiki, found []lint.Finding, by string) (proposal.Record, error) {
	x, err := h.Index(ctx, w)
	if err != nil {
		return proposal.Record{}, err
	}
	edits, count := map[string][]lint.Edit{}, 0
	for _, f := range found {
		if !Fixable(f) || slices.ContainsFunc(f.Fixes[0].Edits, func(e lint.Edit) bool { return overlaps(edits[e.Path], e) }) {
			continue
		}
		count++
		for _, e := range f.Fixes[0].Edits {
			edits[e.Path] = append(edits[e.Path], e)
		}
	}
	var drafts []proposal.Draft
	for _, rel := range sortedKeys(edits) {
		text, err := readPage(w, rel)
		if err != nil {
			return proposal.Record{}, err
		}
		if seen, ok := x.Source(rel); !ok || !bytes.Equal(seen, text) {
			continue // an editor's text or a later one: the positions are not of this one
		}
		if now := applyEdits(text, edits[rel]); !bytes.Equal(now, text) {
			drafts = append(drafts, draftOf(rel, text, now))
		}
	}
	if len(drafts) == 0 {
		return proposal.Record{}, ErrNoFix
	}
	return h.propose(ctx, w, proposal.Record{Op: "lint", Agent: by, Title: "fix " + plural(count, "finding", "findings")}, drafts)
}

// overlaps tells whether an edit touches bytes that another one replaces. Insertions at one place follow each other.
func overlaps(had []lint.Edit, e lint.Edit) bool {
	return slices.ContainsFunc(had, func(o lint.Edit) bool {
		return e.Start < o.End && o.Start < e.End || e == o || e.Start == o.Start && e.End != o.End
	})
}

// applyEdits gives the text with the edits made; they do not overlap.
func applyEdits(text []byte, edits []lint.Edit) []byte {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b lint.Edit) int { return a.Start - b.Start })
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(append(out, text[at:e.Start]...), e.Text...)
		at = e.End
	}
	return append(out, text[at:]...)
}

// readLint reads the lines of an agent's semantic pass.
func (r *run) readLint(x *index.Index) {
	found, odd := semanticFindings(x, r.rec.Answer)
	r.rec.Findings = found
	if len(odd) > 0 {
		r.rec.Warnings = append(r.rec.Warnings, fmt.Sprintf("%s of %s told of no page of the wiki: %s", plural(len(odd), "line", "lines"), r.rec.Agent, plain(odd[0], 200)))
	}
}
