package wiki

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rigwiki/rig/adapters"
	"github.com/rigwiki/rig/wiki/index"
	"github.com/rigwiki/rig/wiki/proposal"
)

// How much of the wiki a question brings along: enough that most are answered without a further look, little enough to be read each time.
const (
	maxPassages  = 8
	passageBytes = 1500
	maxNear      = 40 // pages that an agent without a model reads
)

// passage is a part of a page that may answer a question.
type passage struct {
	rel, heading, text string
}

// isAnswering tells pages that may answer: the wiki's own, not sources, what is the human's, the list of pages or the log.
func isAnswering(w *Wiki, rel string) bool {
	switch path.Base(rel) {
	case "index.md", "log.md", "reviews.md":
		if slices.Contains(w.Shared, rel) {
			return false
		}
	}
	return !slices.ContainsFunc(w.Human, func(h string) bool { return below(rel, h) })
}

// passagesFor gives the best passages for a question, best first. Sources, the index and the log are left out, since their words are those of every
// page; so is the page of the same question, which is an answer made from others.
func passagesFor(w *Wiki, x *index.Index, question string) []passage {
	var out []passage
	asked := index.Idea(question)
	for _, hit := range x.Search(question, 4*maxPassages) {
		if len(out) == maxPassages {
			break
		}
		filed := index.Idea(hit.Title) == asked && slices.Contains([]string{"queries", "query"}, path.Base(path.Dir(hit.Path)))
		if isAnswering(w, hit.Path) && !filed {
			out = append(out, passage{hit.Path, hit.Heading, section(x, hit)})
		}
	}
	return out
}

// section is the text under the heading of a hit; where it is cut before the best paragraph, with that behind it.
func section(x *index.Index, hit index.Hit) string {
	p, ok := x.Page(hit.Path)
	text, ok2 := x.Source(hit.Path)
	if !ok || !ok2 || len(text) < p.Front.End {
		return hit.Snippet
	}
	start, end := p.Front.End, len(text)
	for _, h := range p.Headings {
		switch {
		case start > p.Front.End && h.Start > start:
			end = min(end, h.Start)
		case hit.Heading == "" && h.Text == p.Title, hit.Heading != "" && h.Text == hit.Heading:
			start = h.End
		case hit.Heading == "" && h.Start > start:
			end = min(end, h.Start)
		}
	}
	if end <= start {
		return hit.Snippet
	}
	part := strings.TrimSpace(string(text[start:end]))
	cut := clipLines(part, passageBytes)
	if len(cut) < len(part) {
		cut += "\n…"
		if core := strings.Trim(hit.Snippet, "…"); !strings.Contains(cut, core[:runeCut(core, min(len(core), 40))]) {
			cut += " " + hit.Snippet
		}
	}
	return cut
}

// clipLines cuts a text at the end of a line, or of a rune where one line is too long.
func clipLines(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	if i := strings.LastIndexByte(s[:limit], '\n'); i > limit/2 {
		return s[:i]
	}
	return s[:runeCut(s, limit)]
}

// runeCut is the last start of a rune at or before i.
func runeCut(s string, i int) int {
	for i > 0 && i < len(s) && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}

// shownPassages are the passages as the prompt has them: where each stands, how it is cited, its text.
func shownPassages(x *index.Index, list []passage) string {
	var b bytes.Buffer
	for _, p := range list {
		fmt.Fprintf(&b, "%s%s, cite as [[%s]]:\n%s\n\n", code(p.rel), prefixed("#", p.heading), linkTo(x, p.rel), p.text)
	}
	return strings.TrimRight(b.String(), "\n")
}

func prefixed(sep, s string) string {
	if s == "" {
		return ""
	}
	return sep + s
}

// linkTo is the shortest wikilink that means a page alone: its slug, else its path. A source of the same name gives way.
func linkTo(x *index.Index, rel string) string {
	slug := strings.TrimSuffix(path.Base(rel), ".md")
	to := slices.DeleteFunc(slices.Clone(x.Resolve("", slug)), func(rel string) bool { return below(rel, "raw") })
	if len(to) == 1 && to[0] == rel {
		return slug
	}
	return strings.TrimSuffix(rel, ".md")
}

// lookUpPassages is what a query does before its agent starts: the wiki's own search. Where the index cannot be had the agent reads for itself.
func (r *run) lookUpPassages(ctx context.Context) error {
	if r.op.Name != "query" {
		return nil
	}
	x, err := r.host.Index(ctx, r.wiki)
	if err != nil {
		r.rec.Warnings = append(r.rec.Warnings, "the wiki was not searched beforehand: "+err.Error())
		return nil
	}
	list := passagesFor(r.wiki, x, r.job.Question)
	r.passages, r.used, r.near = shownPassages(x, list), map[string]string{}, &[]adapters.Found{}
	for _, hit := range x.Search(r.job.Question, maxNear) {
		if isAnswering(r.wiki, hit.Path) {
			*r.near = append(*r.near, adapters.Found{Rel: hit.Path, Link: linkTo(x, hit.Path)})
		}
	}
	for _, p := range list {
		r.used[p.rel] = r.pageSum(x, p.rel)
	}
	return nil
}

// pageSum is the sha256 of a page as the run sees it, "" where it is not there.
func (r *run) pageSum(x *index.Index, rel string) string {
	if b, ok := r.job.Buffers[rel]; ok {
		return hashOf(b.Text)
	}
	text, ok := x.Source(rel)
	if !ok {
		return ""
	}
	return hashOf(text)
}

// readAnswer is what becomes of the final text of an op that only reads: a query's citations are looked up, a lint's lines are read.
func (r *run) readAnswer(ctx context.Context) error {
	if r.op.Writes || !r.finished() || r.rec.Answer == "" {
		return nil
	}
	if len(r.outcome.Denials) > 0 {
		r.rec.Warnings = append(r.rec.Warnings, r.denial())
	}
	read := map[string]func(*run, *index.Index){"query": (*run).readQuery, "lint": (*run).readLint}[r.op.Name]
	if read == nil {
		return nil
	}
	x, err := r.host.Index(ctx, r.wiki)
	if err != nil {
		r.rec.Warnings = append(r.rec.Warnings, "the answer was not checked: "+err.Error())
		return nil
	}
	read(r, x)
	return nil
}

func (r *run) readQuery(x *index.Index) {
	said := r.rec.Answer
	r.takeAnswer(checkAnswer(x, said))
	if r.end().State != proposal.Done || !r.mayKeep() {
		return
	}
	for _, c := range r.rec.Citations {
		if _, known := r.used[c.Path]; c.Path != "" && !known {
			if p, ok := x.Page(c.Path); !ok || p.ModTime.After(r.rec.Started) {
				return // changed while the agent read: which text it had is not known
			}
			r.used[c.Path] = r.pageSum(x, c.Path)
		}
	}
	if err := r.host.keepAnswer(r.wiki, keptAnswer{Question: r.job.Question, Agent: r.rec.Agent, Asked: r.model, Model: r.rec.Model, At: r.rec.Started, Run: r.rec.Run, Text: said, Pages: r.used}); err != nil {
		r.rec.Warnings = append(r.rec.Warnings, "the answer is not kept: "+err.Error())
	}
}

// takeAnswer puts a checked answer into the record.
func (r *run) takeAnswer(c checkedAnswer) {
	r.rec.Answer, r.rec.Citations = c.text, c.citations
	r.rec.Warnings = append(r.rec.Warnings, c.warnings...)
}

// answered is the sentence that an op ends with that only reads.
func (r *run) answered() string {
	if r.op.Name == "lint" {
		return plural(len(r.rec.Findings), "finding", "findings")
	}
	bad := 0
	for _, c := range r.rec.Citations {
		if !c.OK {
			bad++
		}
	}
	switch n := len(r.rec.Citations); {
	case n == 0 && isUnknown(r.rec.Answer):
		return "answered: the wiki does not know"
	case n == 0:
		return "answered, without a citation"
	case bad > 0:
		return fmt.Sprintf("answered: %d of %s found", n-bad, plural(n, "citation", "citations"))
	default:
		return "answered: " + plural(n, "citation", "citations")
	}
}
