package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rigwiki/rig/wiki"
)

// qmd is the search that an agent finds on PATH under the name of the tool that wikis' schemas tell of (design, section 8: Grants). It takes that tool's
// arguments as far as they make sense without a language model, and prints its forms: plain, --json, --files, --md.
func qmd(ctx context.Context, a *app, args []string) int {
	q := &qmdCall{app: a}
	root := group("qmd", "Search the wiki that this run works on")
	root.SilenceErrors, root.SilenceUsage = true, true
	root.AddCommand(q.searchCmd("search"), q.searchCmd("query"), q.searchCmd("vsearch"), q.getCmd())
	root.SetArgs(args)
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	if f := asFailure(root.ExecuteContext(ctx)); f != nil {
		fmt.Fprintln(a.err, "qmd: "+f.message)
		if f.hint != "" {
			fmt.Fprintln(a.err, "     "+f.hint)
		}
		return f.code
	}
	return wiki.ExitOK
}

// qmdCall is one call at work.
type qmdCall struct {
	*app
	r      wiki.Reader
	format string
	min    float64
	full   bool
	from   int
	lines  int
	number bool
}

// qmdHit is a hit as qmd's --json has it.
type qmdHit struct {
	DocID   string  `json:"docid"`
	Score   float64 `json:"score"`
	File    string  `json:"file"`
	Line    int     `json:"line"`
	Title   string  `json:"title"`
	Heading string  `json:"heading,omitempty"`
	Snippet string  `json:"snippet"`
	Body    string  `json:"body,omitempty"` // --full
}

// open opens the index for one call.
func (q *qmdCall) open(ctx context.Context, run func() error) error {
	r, err := wiki.OpenReader(ctx, q.env, q.cwd)
	if err != nil {
		return err
	}
	q.r = r
	err = run()
	if e := r.Index.Close(); err == nil {
		err = e
	}
	for _, w := range r.Index.Warnings() {
		q.warn("warning: %s", w)
	}
	return err
}

func (q *qmdCall) searchCmd(name string) *cobra.Command {
	limit, all := 0, false
	c := &cobra.Command{Use: name + " TEXT", Short: "Full-text search; any text is a query", Args: args(cobra.MinimumNArgs(1)), RunE: func(c *cobra.Command, as []string) error {
		for _, short := range []string{"json", "files", "md"} {
			if c.Flags().Changed(short) {
				q.format = short
			}
		}
		switch {
		case limit < 0:
			return fail(wiki.ExitUsage, "give a number from 1", "-n %d finds nothing", limit)
		case all:
			limit = 1000
		case limit == 0 && (q.format == "json" || q.format == "files"):
			limit = 20
		case limit == 0:
			limit = 5
		}
		show := map[string]func([]qmdHit) error{"cli": q.plain, "json": q.json, "files": q.files, "md": q.markdown}[q.format]
		if show == nil {
			return fail(wiki.ExitUsage, "cli, json, files and md are known", "--format %s is not known", q.format)
		}
		return q.open(c.Context(), func() error { return show(q.hits(strings.Join(as, " "), min(limit, 1000))) })
	}}
	f := c.Flags()
	f.IntVarP(&limit, "n", "n", 0, "hits at most (5; 20 for --json and --files)")
	f.BoolVar(&all, "all", false, "all hits")
	f.Float64Var(&q.min, "min-score", 0, "leave out hits below, 0 to 1")
	f.BoolVar(&q.full, "full", false, "whole pages instead of snippets")
	f.BoolVar(&q.number, "line-numbers", false, "number the lines of pages")
	f.StringVar(&q.format, "format", "cli", "cli, json, files, md")
	for _, short := range []string{"json", "files", "md"} {
		f.Bool(short, false, "the same as --format "+short)
	}
	q.ignored(c)
	return c
}

// ignored are arguments of qmd's that mean nothing here: there is one collection, and no model that expands or ranks.
func (q *qmdCall) ignored(c *cobra.Command) {
	f := c.Flags()
	f.StringArrayP("collection", "c", nil, "ignored: there is one wiki")
	f.String("index", "", "ignored: there is one index")
	f.String("intent", "", "ignored")
	f.IntP("candidate-limit", "C", 0, "ignored")
	for _, name := range []string{"no-rerank", "explain", "full-path"} {
		f.Bool(name, false, "ignored")
	}
}

func (q *qmdCall) hits(text string, limit int) []qmdHit {
	out := []qmdHit{}
	for _, h := range q.r.Index.Search(text, limit) {
		hit := qmdHit{DocID: docID(h.Path), Score: float64(int(100*h.Score/(h.Score+10))) / 100, File: h.Path, Line: max(1, h.Line), Title: h.Title, Heading: h.Heading, Snippet: h.Snippet}
		if hit.Score < q.min {
			continue
		}
		if q.full {
			hit.Body = q.text(h.Path)
		}
		out = append(out, hit)
	}
	return out
}

// docID is a short name for a page that search prints and get takes.
func docID(rel string) string {
	sum := sha256.Sum256([]byte(rel))
	return "#" + hex.EncodeToString(sum[:])[:6]
}

func (q *qmdCall) plain(hits []qmdHit) error {
	if len(hits) == 0 {
		_, err := fmt.Fprintln(q.out, "No results found.")
		return err
	}
	var b strings.Builder
	for i, h := range hits {
		if i > 0 {
			b.WriteString("\n\n")
		}
		fmt.Fprintf(&b, "%s:%d %s\nTitle: %s\nScore: %d%%\n\n%s\n", h.File, h.Line, h.DocID, h.Title, int(100*h.Score), q.content(h))
	}
	_, err := fmt.Fprint(q.out, q.printable(b.String()))
	return err
}

func (q *qmdCall) json(hits []qmdHit) error {
	q.printJSON(hits)
	return nil
}

func (q *qmdCall) files(hits []qmdHit) error {
	for _, h := range hits {
		if _, err := fmt.Fprintf(q.out, "%s,%.2f,%s\n", h.DocID, h.Score, h.File); err != nil {
			return err
		}
	}
	return nil
}

func (q *qmdCall) markdown(hits []qmdHit) error {
	for _, h := range hits {
		if _, err := fmt.Fprintf(q.out, "---\n# %s\n\n**file:** `%s`\n**docid:** `%s`\n\n%s\n\n", h.Title, h.File, h.DocID, q.content(h)); err != nil {
			return err
		}
	}
	return nil
}

func (q *qmdCall) content(h qmdHit) string {
	if q.full {
		return strings.TrimRight(q.numbered(h.Body, 1), "\n")
	}
	return h.Snippet
}

func (q *qmdCall) text(rel string) string {
	text, _ := q.r.Index.Source(rel)
	return string(text)
}

func (q *qmdCall) getCmd() *cobra.Command {
	c := &cobra.Command{Use: "get PAGE[:FROM[:COUNT]]", Short: "Print a page", Args: args(cobra.ExactArgs(1)), RunE: func(c *cobra.Command, as []string) error {
		return q.open(c.Context(), func() error { return q.get(as[0]) })
	}}
	f := c.Flags()
	f.IntVar(&q.from, "from", 0, "first line")
	f.IntVarP(&q.lines, "lines", "l", 0, "lines at most")
	f.BoolVar(&q.number, "line-numbers", false, "number the lines")
	f.Bool("no-line-numbers", true, "ignored: lines are not numbered unless asked for")
	f.Bool("full", true, "ignored: a page is printed whole")
	q.ignored(c)
	return c
}

func (q *qmdCall) get(name string) error {
	rel, from, count, ok := q.find(name)
	if !ok {
		hint := "see qmd search"
		if near := q.r.Index.Names(strings.TrimSuffix(name, ".md"), 3); len(near) > 0 {
			var names []string
			for _, n := range near {
				names = append(names, n.Path)
			}
			hint = "did you mean " + strings.Join(names, ", ")
		}
		return fail(wiki.ExitFailed, hint, "no page %s", quoteName(name))
	}
	if q.from > 0 {
		from = q.from
	}
	if q.lines > 0 {
		count = q.lines
	}
	_, err := fmt.Fprint(q.out, q.printable(q.numbered(cut(q.text(rel), from, count), max(1, from))))
	return err
}

// find takes a page's name with the lines that are wanted behind it.
func (q *qmdCall) find(name string) (rel string, from, count int, ok bool) {
	if rel, ok = q.named(name); ok {
		return rel, 0, 0, true
	}
	parts := strings.Split(name, ":")
	for n := len(parts) - 1; n >= max(1, len(parts)-2); n-- {
		if rel, ok = q.named(strings.Join(parts[:n], ":")); !ok {
			continue
		}
		var err error
		if from, err = strconv.Atoi(parts[n]); err != nil || from < 1 {
			return "", 0, 0, false
		}
		if n+1 < len(parts) {
			if count, err = strconv.Atoi(parts[n+1]); err != nil || count < 1 {
				return "", 0, 0, false
			}
		}
		return rel, from, count, true
	}
	return "", 0, 0, false
}

func (q *qmdCall) named(name string) (string, bool) {
	if strings.HasPrefix(name, "#") {
		for _, rel := range q.r.Index.Paths() {
			if docID(rel) == name {
				return rel, true
			}
		}
		return "", false
	}
	return q.r.Page(q.cwd, name)
}

// cut takes lines out of a text; 0 is from the first and all.
func cut(text string, from, count int) string {
	at, n := 0, 1
	var b strings.Builder
	for line := range strings.Lines(text) {
		if n++; n-1 < from {
			continue
		}
		if at++; count > 0 && at > count {
			break
		}
		b.WriteString(line)
	}
	return b.String()
}

// numbered writes each line's number before it, where that is asked for.
func (q *qmdCall) numbered(text string, first int) string {
	if !q.number {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		fmt.Fprintf(&b, "%d: %s", first, line)
		first++
	}
	return b.String()
}
