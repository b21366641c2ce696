package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/lint"
	"github.com/rigwiki/rig/wiki/proposal"
)

// lintData is the envelope's data of `rig wiki lint`.
type lintData struct {
	Findings []proposal.Finding `json:"findings"`
	Semantic *opData            `json:"semantic,omitempty"` // the agent's run
	Fix      *opData            `json:"fix,omitempty"`      // the proposal of the fixes
}

// linting is one `rig wiki lint` under way.
type linting struct {
	*app
	h             *wiki.Host
	w             *wiki.Wiki
	pages         []string // none: the whole wiki
	fix, semantic bool
	data          lintData
}

// lintCmd is `rig wiki lint [--fix] [--semantic] [PAGE…]`.
func (a *app) lintCmd() *cobra.Command {
	l := linting{app: a, data: lintData{Findings: []proposal.Finding{}}}
	c := &cobra.Command{Use: "lint [PAGE...]", Short: "What is wrong in the wiki's pages", Long: "What is wrong in the wiki's pages: path:line: severity code: message.\nExit 11 where a finding is an error, else 10 where a source is not as it was ingested.",
		RunE: func(c *cobra.Command, names []string) error {
			with := a.withPages
			if l.fix || l.semantic {
				with = a.withHost
			}
			return with(func(h *wiki.Host, w *wiki.Wiki) error {
				pages, err := a.pages(c.Context(), h, w, names)
				if err != nil {
					return err
				}
				l.h, l.w, l.pages = h, w, pages
				err = l.run(c.Context())
				a.data = l.data
				return err
			})
		}}
	c.Flags().BoolVar(&l.fix, "fix", false, "propose the safe fixes")
	c.Flags().BoolVar(&l.semantic, "semantic", false, "let an agent read for contradictions, claims without source and what is out of date")
	return c
}

func (l *linting) run(ctx context.Context) error {
	found, err := l.h.Lint(ctx, l.w, l.pages)
	if err != nil {
		return err
	}
	severe, drifted := 0, 0
	for _, f := range found {
		l.show(proposal.Finding{Path: f.Path, Line: f.Line, Code: f.Code, Severity: string(f.Severity), Message: f.Message})
		switch {
		case l.fix && wiki.Fixable(f):
		case f.Severity == lint.Error:
			severe++
		case f.Code == lint.RawDrift, f.Code == lint.MissingSource:
			drifted++
		}
	}
	if l.semantic {
		if err := l.ask(ctx); err != nil {
			return err
		}
	}
	l.warn("%s, %d severe", plural(len(l.data.Findings), "finding"), severe)
	if l.fix {
		if err := l.propose(ctx, found); err != nil {
			return err
		}
	}
	switch {
	case severe > 0:
		return fail(wiki.ExitSevere, "", "%s", plural(severe, "severe finding"))
	case drifted > 0:
		return fail(wiki.ExitDrift, "see `rig wiki scan`; `rig wiki ingest` takes a changed source again", "%s not as ingested", plural(drifted, "source"))
	}
	return nil
}

func (l *linting) show(f proposal.Finding) {
	l.data.Findings = append(l.data.Findings, f)
	l.say("%s", l.printable(fmt.Sprintf("%s:%d: %s %s: %s", quoteName(f.Path), f.Line, f.Severity, f.Code, f.Message)))
}

// maxNamed is how many pages an agent is given by name; each stands in its prompt.
const maxNamed = 100

// ask is the agent's pass. Its findings are opinions: none is severe.
func (l *linting) ask(ctx context.Context) error {
	if len(l.pages) > maxNamed {
		return fail(wiki.ExitUsage, "name fewer, or none for the whole wiki", "--semantic takes at most %d pages by name, not %d", maxNamed, len(l.pages))
	}
	rec := l.h.Run(ctx, l.flagged(l.w, wiki.Job{Op: "lint", Sources: l.pages}), l.progress())
	for _, warning := range rec.Warnings {
		l.warn("warning: %s", warning)
	}
	l.showRefusals(rec)
	data := l.opData(l.h, l.w, rec)
	l.data.Semantic = &data
	l.warn("%s: %s", rec.State, rec.Message)
	if rec.Exit != wiki.ExitOK {
		return fail(rec.Exit, rec.Hint, "%s", rec.Message)
	}
	for _, f := range rec.Findings {
		l.show(f)
	}
	return nil
}

// propose makes the proposal of the safe fixes and does what the flags or the user say about it.
func (l *linting) propose(ctx context.Context, found []lint.Finding) error {
	rec, err := l.h.FixFindings(ctx, l.w, found, "cli")
	if errors.Is(err, wiki.ErrNoFix) {
		l.warn("%v", err)
		return nil
	}
	if err != nil {
		return err
	}
	err = l.finishRun(ctx, l.h, l.w, &rec)
	data := l.opData(l.h, l.w, rec)
	l.data.Fix = &data
	return err
}

// pages turns what the user named into pages: files, or folders with all pages below, relative to the working folder, else to the wiki.
func (a *app) pages(ctx context.Context, h *wiki.Host, w *wiki.Wiki, names []string) ([]string, error) {
	if len(names) == 0 {
		return nil, nil
	}
	x, err := h.Index(ctx, w)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, name := range names {
		rel, ok := "", false
		for _, file := range []string{a.abs(name), filepath.Join(w.Root, name)} {
			if _, err := os.Stat(file); err == nil && !ok {
				rel, ok = w.Rel(file)
			}
		}
		n := len(out)
		for _, p := range x.Paths() {
			if ok && (p == rel || rel == "" || strings.HasPrefix(p, rel+"/")) {
				out = append(out, p)
			}
		}
		if len(out) == n {
			return nil, fail(wiki.ExitUsage, "name a page or a folder of "+w.Root, "no page %s", name)
		}
	}
	return out, nil
}
