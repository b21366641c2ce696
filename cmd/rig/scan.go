package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rigwiki/rig/wiki"
)

// scanning is one `rig wiki scan`.
type scanning struct {
	*app
	h              *wiki.Host
	w              *wiki.Wiki
	again, cascade bool
	data           struct {
		Sources []wiki.ScannedSource `json:"sources"`
		Runs    any                  `json:"runs,omitempty"`    // of --ingest
		Cascade *opData              `json:"cascade,omitempty"` // of --cascade
	}
}

// scanCmd is `rig wiki scan`.
func (a *app) scanCmd() *cobra.Command {
	s := &scanning{app: a}
	c := &cobra.Command{Use: "scan", Short: "How each source in raw/ stands: NEW, MODIFIED, DELETED, RAW DRIFT, UNCHANGED",
		Long: "How each source in raw/ stands: NEW (not ingested), MODIFIED (written since it was ingested), DELETED (its page is left), RAW DRIFT (its sha256 is not\nthe one that its page gives), UNCHANGED; and whose proposal waits. Exit 10 where one is not as it was ingested.\n" +
			"--ingest takes changed sources in again; --cascade proposes what goes with deleted ones: pages that rest on nothing else, entries and citations elsewhere.\nOn a terminal both are offered.",
		Args: args(cobra.NoArgs), RunE: func(c *cobra.Command, _ []string) error {
			return a.withHost(func(h *wiki.Host, w *wiki.Wiki) error {
				s.h, s.w = h, w
				return s.run(c.Context())
			})
		}}
	c.Flags().BoolVar(&s.again, "ingest", false, "take changed sources in again, a proposal each")
	c.Flags().BoolVar(&s.cascade, "cascade", false, "propose what goes with deleted sources")
	return c
}

func (s *scanning) run(ctx context.Context) (err error) {
	if s.data.Sources, err = s.h.Scan(ctx, s.w); err != nil {
		return err
	}
	changed, deleted := s.show()
	asked := s.again || s.cascade
	if !asked && terminal(s.in) && s.flags.json == "" {
		s.again = len(changed) > 0 && s.confirm(fmt.Sprintf("take %s in again? [y/N] ", plural(len(changed), "changed source")))
		s.cascade = deleted > 0 && s.confirm(fmt.Sprintf("propose what goes with %s? [y/N] ", plural(deleted, "deleted source")))
	}
	var errs []error
	if s.cascade {
		errs = append(errs, s.propose(ctx))
	}
	if s.again {
		errs = append(errs, s.ingest(ctx, changed))
	}
	s.app.data = s.data
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	if n := s.drifted(); n > 0 && len(errs) == 0 {
		return fail(wiki.ExitDrift, "`rig wiki scan --ingest` takes changed sources in again, `rig wiki scan --cascade` proposes what goes with deleted ones", "%s not as ingested", plural(n, "source"))
	}
	return nil
}

// show lists the sources and counts them. changed are those that differ from what was ingested and for which nothing waits.
func (s *scanning) show() (changed []string, deleted int) {
	count, waiting := map[wiki.SourceStatus]int{}, 0
	for _, src := range s.data.Sources {
		count[src.Status]++
		waits := ""
		if src.Proposal != "" {
			waits = "  (proposal waits: " + src.Proposal + ")"
			waiting++
		}
		if src.Status.Changed() && src.Proposal == "" {
			changed = append(changed, src.Path)
		}
		s.say("%-9s  %s%s%s", src.Status.Word(), quoteName(src.Path), prefixed("  ", src.Page), waits)
	}
	parts := []string{plural(len(s.data.Sources), "source")}
	for _, status := range wiki.SourceStatuses() {
		if n := count[status]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, status.Word()))
		}
	}
	if waiting > 0 {
		parts = append(parts, fmt.Sprintf("%d with a proposal that waits", waiting))
	}
	s.warn("%s", strings.Join(parts, ", "))
	return changed, count[wiki.SourceDeleted]
}

func (s *scanning) drifted() (n int) {
	for _, src := range s.data.Sources {
		if src.Status.Drifted() {
			n++
		}
	}
	return n
}

// propose makes the proposal of what goes with deleted sources and does what the flags or the user say about it.
func (s *scanning) propose(ctx context.Context) error {
	rec, err := s.h.Cascade(ctx, s.w, "cli")
	if errors.Is(err, wiki.ErrNoCascade) {
		return fail(wiki.ExitNothing, "", "%v", err)
	}
	if err != nil {
		return err
	}
	err = s.finishRun(ctx, s.h, s.w, &rec)
	data := s.opData(s.h, s.w, rec)
	s.data.Cascade = &data
	return err
}

// ingest takes the changed sources in again.
func (s *scanning) ingest(ctx context.Context, changed []string) error {
	if len(changed) == 0 {
		return fail(wiki.ExitNothing, "", "no source has changed since it was ingested, but for those whose proposal waits")
	}
	if err := s.askBatch(s.h, s.w, changed); err != nil {
		return err
	}
	var jobs []wiki.Job
	for _, rel := range changed {
		jobs = append(jobs, wiki.Job{Op: "ingest", Sources: []string{rel}})
	}
	err := s.runJobs(ctx, s.h, s.w, jobs, batchFlags{jobs: 1})
	s.data.Runs = s.app.data
	return err
}
