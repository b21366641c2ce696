package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/proposal"
)

// decide asks what to do with a fresh proposal where a person sits at a terminal; elsewhere it applies only with --apply and says how to open it.
func (a *app) decide(ctx context.Context, h *wiki.Host, w *wiki.Wiki, rec *proposal.Record) error {
	var err error
	switch {
	case a.flags.apply:
		err = a.applyRun(ctx, h, w, rec.Run, proposal.Selection{}, a.consent())
	case a.flags.json == "" && terminal(a.in) && (terminal(a.out) || terminal(a.err)):
		err = a.ask(ctx, h, w, *rec)
	default:
		a.warn("waiting as a proposal: `rig wiki proposals show %s`, `rig wiki proposals apply %s`", rec.Run, rec.Run)
		return nil
	}
	if s, e := h.Store(w); e == nil {
		if now, e := s.Load(rec.Run); e == nil {
			*rec = now
		}
	}
	return err
}

// applyRun applies a selection of a proposal to the disk.
func (a *app) applyRun(ctx context.Context, h *wiki.Host, w *wiki.Wiki, run string, sel proposal.Selection, yes wiki.Consent) error {
	res, err := h.Apply(ctx, w, run, sel, yes, "cli")
	var below *proposal.BelowError
	if errors.As(err, &below) {
		return a.applyBelow(ctx, h, w, below, func() error { return a.applyRun(ctx, h, w, run, sel, yes) })
	}
	if err != nil {
		return errors.Join(err, a.brokeOff(h, w, run, "applied", res))
	}
	s, err := h.Store(w)
	if err != nil {
		return err
	}
	return a.reportApply(h, w, s, run, "applied", res)
}

// applyBelow offers the first of the proposals that one stands on, then tries that one again; where nobody can be asked it says what is to be done.
func (a *app) applyBelow(ctx context.Context, h *wiki.Host, w *wiki.Wiki, below *proposal.BelowError, again func() error) error {
	first := below.Below[0]
	if !terminal(a.in) {
		return fail(wiki.ExitNothing, "`rig wiki proposals apply "+first.Run+"` or discard it", "%v", below)
	}
	s, err := h.Store(w)
	if err != nil {
		return err
	}
	a.warn("it stands on %s (%s), which waits:", first.Run, first.Title)
	if err := a.showDiff(s, first.Run); err != nil {
		return err
	}
	if !a.confirm("apply that first? [y/N] ") {
		return fail(wiki.ExitNothing, "`rig wiki proposals apply "+first.Run+"` or discard it", "%v", below)
	}
	if err := a.applyRun(ctx, h, w, first.Run, proposal.Selection{}, wiki.WithFlagged); err != nil {
		return err
	}
	return again()
}

// consent is how far --yes goes: with it also to what is flagged.
func (a *app) consent() wiki.Consent {
	if a.flags.yes {
		return wiki.WithFlagged
	}
	return wiki.Unflagged
}

// ask is the terminal's question: all, nothing, by file or by hunk.
func (a *app) ask(ctx context.Context, h *wiki.Host, w *wiki.Wiki, rec proposal.Record) error {
	in := bufio.NewReader(a.in)
	for {
		switch strings.TrimSpace(a.prompt(in, "apply? [y]es [n]o [f]ile by file [h]unks ")) {
		case "y", "yes":
			return a.applyRun(ctx, h, w, rec.Run, proposal.Selection{}, wiki.WithFlagged) // what is flagged was shown above, and the answer is an explicit yes
		case "n", "no", "":
			a.warn("waiting as a proposal: `rig wiki proposals apply %s`", rec.Run)
			return nil
		case "f", "file":
			return a.applyChosen(ctx, h, w, rec, a.askFiles(in, rec))
		case "h", "hunks":
			sel, err := a.askHunks(in, h, w, rec)
			if err != nil {
				return err
			}
			return a.applyChosen(ctx, h, w, rec, sel)
		}
	}
}

func (a *app) applyChosen(ctx context.Context, h *wiki.Host, w *wiki.Wiki, rec proposal.Record, sel proposal.Selection) error {
	if len(sel.Paths)+len(sel.Hunks) == 0 {
		a.warn("nothing chosen; waiting as a proposal: `rig wiki proposals apply %s`", rec.Run)
		return nil
	}
	return a.applyRun(ctx, h, w, rec.Run, sel, wiki.WithFlagged)
}

func (a *app) askFiles(in *bufio.Reader, rec proposal.Record) (sel proposal.Selection) {
	for _, f := range rec.Files {
		note := ""
		for _, flag := range f.Flags {
			note += " [" + flag.Rule + ": " + flag.Reason + "]"
		}
		if strings.HasPrefix(a.prompt(in, fmt.Sprintf("%s %s +%d -%d%s? [y/n] ", f.Kind, quoteName(f.Path), f.Added, f.Removed, note)), "y") {
			sel.Paths = append(sel.Paths, f.Path)
		}
	}
	return sel
}

func (a *app) askHunks(in *bufio.Reader, h *wiki.Host, w *wiki.Wiki, rec proposal.Record) (sel proposal.Selection, err error) {
	s, err := h.Store(w)
	if err != nil {
		return sel, err
	}
	shown, err := s.Show(rec.Run)
	if err != nil {
		return sel, err
	}
	for _, f := range shown.Files {
		if len(f.Hunks) == 0 {
			if strings.HasPrefix(a.prompt(in, fmt.Sprintf("%s %s? [y/n] ", f.Kind, quoteName(f.Path))), "y") {
				sel.Paths = append(sel.Paths, f.Path)
			}
			continue
		}
		for _, hunk := range f.Hunks {
			a.say("%s\n%s\n%s", quoteName(f.Path), hunk.Header, colourDiff(hunk.Text, terminal(a.out)))
			if strings.HasPrefix(a.prompt(in, "this hunk? [y/n] "), "y") {
				sel.Hunks = append(sel.Hunks, hunk.ID)
			}
		}
	}
	return sel, nil
}

// prompt asks on stderr and reads one line; the end of input answers "".
func (a *app) prompt(in *bufio.Reader, question string) string {
	fmt.Fprint(a.err, question)
	line, err := in.ReadString('\n')
	if err != nil && line == "" {
		return ""
	}
	return strings.ToLower(strings.TrimSpace(line))
}

// confirm asks a yes-or-no question where a person can answer it.
func (a *app) confirm(question string) bool {
	if !terminal(a.in) {
		return false
	}
	return strings.HasPrefix(a.prompt(bufio.NewReader(a.in), question), "y")
}

// showDiff prints what waits of a proposal, in colour on a terminal.
func (a *app) showDiff(s *proposal.Store, run string) error {
	var b strings.Builder
	if err := s.Diff(run, &b); err != nil {
		return err
	}
	_, err := io.WriteString(a.out, colourDiff(b.String(), terminal(a.out)))
	return err
}

// colourDiff colours a unified diff's lines as git does. Control characters of the text are made visible, since a page may hold a terminal's escapes.
func colourDiff(diff string, colour bool) string {
	if !colour {
		return diff
	}
	var b strings.Builder
	for line := range strings.Lines(diff) {
		text := visible(strings.TrimRight(line, "\n"))
		switch {
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"), strings.HasPrefix(line, "diff "):
			text = "\x1b[1m" + text + "\x1b[0m"
		case strings.HasPrefix(line, "@@"):
			text = "\x1b[36m" + text + "\x1b[0m"
		case strings.HasPrefix(line, "+"):
			text = "\x1b[32m" + text + "\x1b[0m"
		case strings.HasPrefix(line, "-"):
			text = "\x1b[31m" + text + "\x1b[0m"
		}
		b.WriteString(text + "\n")
	}
	return b.String()
}

// printable makes control characters of a text visible where it goes to a terminal: a page may hold a terminal's escapes.
func (a *app) printable(text string) string {
	if !terminal(a.out) {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = visible(l)
	}
	return strings.Join(lines, "\n")
}

// visible replaces control characters by their pictures (U+2400 and on).
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t', r == '\r':
			return r
		case r < 0x20:
			return 0x2400 + r
		case r == 0x7f:
			return 0x2421
		}
		return r
	}, s)
}
