package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/lint"
	"github.com/rigwiki/rig/wiki/proposal"
)

// proposalsCmd is `rig wiki proposals list|show|apply|discard|export|import [RUN]`.
func (a *app) proposalsCmd() *cobra.Command {
	var only []string
	var reason string
	list := &cobra.Command{Use: "list", Short: "Proposals that wait", Args: args(cobra.NoArgs), RunE: func(*cobra.Command, []string) error {
		return a.listRuns(proposal.Record.Waits)
	}}
	show := &cobra.Command{Use: "show [RUN]", Short: "What a proposal would change, as a diff", Args: args(cobra.MaximumNArgs(1)), RunE: func(_ *cobra.Command, as []string) error {
		return a.withRun(as, a.showProposal)
	}}
	apply := &cobra.Command{Use: "apply [RUN]", Short: "Apply a proposal to the pages", Args: args(cobra.MaximumNArgs(1)), RunE: func(c *cobra.Command, as []string) error {
		return a.withRun(as, func(h *wiki.Host, w *wiki.Wiki, s *proposal.Store, rec proposal.Record) error {
			if len(as) == 0 { // nobody named the newest: of a stack the first is meant
				var err error
				if rec, err = s.Lowest(rec.Run); err != nil {
					return err
				}
			}
			return a.applyRun(c.Context(), h, w, rec.Run, proposal.Selection{Paths: only}, a.consent())
		})
	}}
	apply.Flags().StringArrayVar(&only, "only", nil, "apply just this page (repeat for more)")
	discard := &cobra.Command{Use: "discard [RUN]", Short: "Drop a proposal", Args: args(cobra.MaximumNArgs(1)), RunE: func(c *cobra.Command, as []string) error {
		return a.withRun(as, func(h *wiki.Host, w *wiki.Wiki, s *proposal.Store, rec proposal.Record) error {
			if err := h.Discard(c.Context(), w, rec.Run, proposal.Selection{Paths: only}, reason, "cli"); err != nil {
				return err
			}
			if above, err := s.Above(rec.Run); err == nil && len(above) > 0 {
				a.warn("made on top of it: %s; what is applied of them is merged onto what there is then", plural(len(above), "proposal"))
			}
			return a.reload(h, w, s, rec.Run, "discarded %s", rec.Run)
		})
	}}
	discard.Flags().StringArrayVar(&only, "only", nil, "drop just this page (repeat for more)")
	discard.Flags().StringVar(&reason, "reason", "", "why, kept with the run")
	export := &cobra.Command{Use: "export [RUN]", Short: "Print the kept changes as a -p1 diff", Args: args(cobra.MaximumNArgs(1)), RunE: func(_ *cobra.Command, as []string) error {
		return a.withRun(as, a.exportProposal)
	}}
	imp := &cobra.Command{Use: "import FILE", Short: "Make a proposal from a diff (- reads standard input)", Args: args(cobra.ExactArgs(1)), RunE: func(c *cobra.Command, as []string) error {
		return a.withHost(func(h *wiki.Host, w *wiki.Wiki) error { return a.importDiff(c.Context(), h, w, as[0]) })
	}}
	return group("proposals", "See, apply, discard, export and import proposals", list, show, apply, discard, export, imp)
}

// withRun runs f with the run that the user named, else with the newest proposal that waits.
func (a *app) withRun(as []string, f func(*wiki.Host, *wiki.Wiki, *proposal.Store, proposal.Record) error) error {
	return a.withPlaces(func(h *wiki.Host, places []*wiki.Wiki) error {
		if len(as) == 1 {
			k, err := loadRun(h, places, as[0])
			if err != nil {
				return err
			}
			return f(h, k.w, k.s, k.rec)
		}
		runs, _, err := keptRuns(h, places)
		if err != nil {
			return err
		}
		for _, k := range runs {
			if k.rec.Waits() {
				return f(h, k.w, k.s, k.rec)
			}
		}
		return fail(wiki.ExitNothing, "see `rig wiki runs list`", "no proposal waits in %s", places[0].Name)
	})
}

func (a *app) listRuns(keep func(proposal.Record) bool) error {
	return a.withPlaces(func(h *wiki.Host, places []*wiki.Wiki) error {
		kept, broken, err := keptRuns(h, places)
		if err != nil {
			return err
		}
		for _, err := range broken {
			a.warn("warning: %v", err)
		}
		runs := []runData{}
		for _, k := range kept {
			if r := k.rec; keep(r) {
				runs = append(runs, runData{r.Run, r.Op, r.Agent, r.State, r.Title, r.Started, len(r.Files), len(r.Refused)})
			}
		}
		a.data = map[string]any{"runs": runs}
		for _, r := range runs {
			a.say("%s  %-10s %-9s %2d files %2d refused  %s", r.Run, r.State, r.Agent, r.Files, r.Refused, r.Title)
		}
		if len(runs) == 0 {
			a.say("none")
		}
		return nil
	})
}

func (a *app) showProposal(h *wiki.Host, w *wiki.Wiki, s *proposal.Store, rec proposal.Record) error {
	a.data = a.opData(h, w, rec)
	if a.flags.json != "" {
		return nil
	}
	a.say("%s: %s by %s, %s: %s", rec.Run, rec.Title, rec.Agent, rec.State, rec.Message)
	for _, f := range rec.Files {
		for _, flag := range f.Flags {
			a.say("flagged  %s (%s): %s", f.Path, flag.Rule, flag.Reason)
		}
	}
	for _, warning := range rec.Warnings {
		a.say("warning  %s", warning)
	}
	if len(rec.Stack) > 0 {
		a.say("on top of %s", a.titles(h, w, rec.Stack))
	}
	a.showRefusals(rec)
	a.showProposed(rec)
	return a.showDiff(s, rec.Run)
}

// titles names runs with what they are about.
func (a *app) titles(h *wiki.Host, w *wiki.Wiki, runs []string) string {
	s, err := h.Store(w)
	if err != nil {
		return strings.Join(runs, ", ")
	}
	names := make([]string, len(runs))
	for i, run := range runs {
		names[i] = run
		if rec, err := s.Load(run); err == nil {
			names[i] += ": " + rec.Title
		}
	}
	return strings.Join(names, ", ")
}

func (a *app) exportProposal(h *wiki.Host, w *wiki.Wiki, s *proposal.Store, rec proposal.Record) error {
	var b strings.Builder
	if err := s.Export(rec.Run, &b); err != nil {
		return err
	}
	if a.flags.json != "" {
		a.data = map[string]any{"run": rec.Run, "diff": b.String()}
		return nil
	}
	_, err := io.WriteString(a.out, b.String())
	return err
}

func (a *app) importDiff(ctx context.Context, h *wiki.Host, w *wiki.Wiki, name string) error {
	text, err := a.readFile(name)
	if err != nil {
		return fail(wiki.ExitUsage, "name a file with a unified diff, or - for standard input", "read the diff: %v", err)
	}
	rec, err := h.Import(ctx, w, text, "cli")
	if err != nil {
		return fail(wiki.ExitFailed, "the diff must apply to the pages as they are", "%v", err)
	}
	return a.finishImported(ctx, h, w, &rec)
}

func (a *app) finishImported(ctx context.Context, h *wiki.Host, w *wiki.Wiki, rec *proposal.Record) error {
	err := a.finishRun(ctx, h, w, rec)
	a.data = a.opData(h, w, *rec)
	return err
}

func (a *app) readFile(name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(a.in)
	}
	return os.ReadFile(a.abs(name))
}

// reload puts the run as it is now into the envelope and says one line.
func (a *app) reload(h *wiki.Host, w *wiki.Wiki, s *proposal.Store, run, format string, args ...any) error {
	rec, err := s.Load(run)
	if err != nil {
		return err
	}
	a.data = a.opData(h, w, rec)
	a.say(format, args...)
	return nil
}

// showRefusals tells what policy dropped; it is never silent.
func (a *app) showRefusals(rec proposal.Record) {
	for _, r := range rec.Refused {
		a.warn("refused  %s (%s): %s", quoteName(r.Path), r.Rule, r.Reason)
	}
}

// showProposed tells what lint finds in the pages as they are proposed and did not find before; hints are for an editor.
func (a *app) showProposed(rec proposal.Record) {
	for _, f := range rec.Findings {
		if f.Severity != string(lint.Hint) {
			a.warn("finding  %s:%d: %s: %s", quoteName(f.Path), f.Line, f.Code, f.Message)
		}
	}
}

// quoteName shows a name as it is where a terminal can, else quoted.
func quoteName(name string) string {
	if q := fmt.Sprintf("%q", name); q != `"`+name+`"` {
		return q
	}
	return name
}
