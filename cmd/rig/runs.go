package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/proposal"
)

// runsCmd is `rig wiki runs list|show|undo [RUN]`.
func (a *app) runsCmd() *cobra.Command {
	list := &cobra.Command{Use: "list", Short: "All runs that are kept, newest first", Args: args(cobra.NoArgs), RunE: func(*cobra.Command, []string) error {
		return a.listRuns(func(proposal.Record) bool { return true })
	}}
	show := &cobra.Command{Use: "show RUN", Short: "What a run did, step by step", Args: args(cobra.ExactArgs(1)), RunE: func(_ *cobra.Command, as []string) error {
		return a.withRun(as, a.showRun)
	}}
	undo := &cobra.Command{Use: "undo [RUN]", Short: "Take back what a run applied, keeping later edits", Args: args(cobra.MaximumNArgs(1)), RunE: func(c *cobra.Command, as []string) error {
		return a.withPlaces(func(h *wiki.Host, places []*wiki.Wiki) error { return a.undoRun(c.Context(), h, places, as) })
	}}
	return group("runs", "See and undo runs", list, show, undo)
}

func (a *app) showRun(h *wiki.Host, w *wiki.Wiki, s *proposal.Store, rec proposal.Record) error {
	receipts, err := s.Receipts(rec.Run)
	if err != nil {
		return err
	}
	a.data = struct {
		opData
		Receipts []proposal.Receipt `json:"receipts"`
		Folder   string             `json:"folder"`
	}{a.opData(h, w, rec), append([]proposal.Receipt{}, receipts...), s.Dir(rec.Run)}
	if a.flags.json != "" {
		return nil
	}
	a.say("run          %s\nwhat         %s\nagent        %s %s\nstate        %s: %s\nconfinement  %s\nstarted      %s, took %s\nfolder       %s",
		rec.Run, rec.Title, rec.Agent, rec.Model, rec.State, rec.Message, rec.Confinement, rec.Started.Local().Format("2006-01-02 15:04:05"), rec.Ended.Sub(rec.Started).Round(1e6), s.Dir(rec.Run))
	if rec.Usage != nil {
		if text, err := json.Marshal(rec.Usage); err == nil {
			a.say("usage        %s", text)
		}
	}
	for _, f := range rec.Files {
		a.say("kept         %s %s +%d -%d %v", f.Kind, f.Path, f.Added, f.Removed, fileDataOf(f).Flags)
	}
	a.showRefusals(rec)
	for _, r := range receipts {
		what := "applied"
		if r.Undo {
			what = "undone"
		}
		a.say("%s      %s by %s, %d files", what, r.At.Local().Format("2006-01-02 15:04:05"), r.By, len(r.Files))
		for _, f := range r.Files {
			a.say("             %s %s: %s", f.Kind, f.Path, f.Word)
		}
	}
	return a.timeline(s.Dir(rec.Run))
}

// timeline prints the events that the agent reported, a line each.
func (a *app) timeline(dir string) error {
	f, err := os.Open(filepath.Join(dir, "events.jsonl"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	dec := json.NewDecoder(f)
	for {
		var e struct{ Kind, Summary string }
		if err := dec.Decode(&e); err != nil {
			return nil // the end, or a line cut by the cap
		}
		a.say("event        %-8s %s", e.Kind, e.Summary)
	}
}

// undoRun takes back the named run, else the newest one that applied something.
func (a *app) undoRun(ctx context.Context, h *wiki.Host, places []*wiki.Wiki, as []string) error {
	var k keptRun
	var err error
	if len(as) == 1 {
		if k, err = loadRun(h, places, as[0]); err != nil {
			return err
		}
	} else {
		runs, _, err := keptRuns(h, places)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(runs, func(k keptRun) bool {
			return k.rec.State == proposal.Applied || k.rec.State == proposal.Partly || k.rec.Tip != "" && k.rec.Undone.IsZero()
		})
		if i < 0 {
			return fail(wiki.ExitNothing, "see `rig wiki runs list`", "no run to undo")
		}
		k = runs[i]
	}
	if k.rec.Tip != "" {
		rec, err := h.UndoTask(ctx, k.w, k.rec.Run)
		if err != nil {
			return err
		}
		a.data = a.opData(h, k.w, rec)
		a.say("%s is where it was before %s", rec.Branch, k.rec.Run)
		return nil
	}
	res, err := h.Undo(ctx, k.w, k.rec.Run, "cli")
	if err != nil {
		return errors.Join(err, a.brokeOff(h, k.w, k.rec.Run, "undone", res))
	}
	return a.reportApply(h, k.w, k.s, k.rec.Run, "undone", res)
}

func prefixed(sep, s string) string {
	if s == "" {
		return ""
	}
	return sep + s
}

// reportApply tells what an apply or undo did, file by file.
func (a *app) reportApply(h *wiki.Host, w *wiki.Wiki, s *proposal.Store, run, did string, res wiki.Result) error {
	rec, err := s.Load(run)
	if err != nil {
		return err
	}
	a.tellPages(h, w, rec, did, res)
	for _, p := range res.Unsaved {
		a.warn("left waiting  %s: it has unsaved text in an editor", p)
	}
	for _, p := range res.Flagged {
		a.warn("flagged  %s", p)
	}
	switch {
	case len(res.Flagged) > 0:
		return fail(wiki.ExitFlagged, "look at them, then say --yes, or narrow with --only PATH", "nothing was applied: %s", plural(len(res.Flagged), "flagged page"))
	case len(res.Conflicts)+len(res.Unsaved) > 0:
		return fail(wiki.ExitConflict, "decide those pages in an editor: `rig wiki proposals show "+run+"`", "%s %s, %s left as they are", plural(len(res.Receipt.Files), "page"), did, plural(len(res.Conflicts)+len(res.Unsaved), "page"))
	case len(res.Receipt.Files) == 0:
		return fail(wiki.ExitNothing, "", "nothing is left to do for %s", run)
	}
	a.say("%s %s", plural(len(res.Receipt.Files), "page"), did)
	return nil
}

// brokeOff tells which pages an apply or undo did write before, or beside, an error.
func (a *app) brokeOff(h *wiki.Host, w *wiki.Wiki, run, did string, res wiki.Result) error {
	if len(res.Receipt.Files) == 0 {
		return nil
	}
	s, err := h.Store(w)
	if err != nil {
		return err
	}
	rec, err := s.Load(run)
	if err != nil {
		return err
	}
	a.tellPages(h, w, rec, did, res)
	return nil
}

// tellPages tells which pages were written, which were not, and which are in conflict.
func (a *app) tellPages(h *wiki.Host, w *wiki.Wiki, rec proposal.Record, did string, res wiki.Result) {
	a.data = a.opData(h, w, rec)
	for _, f := range res.Receipt.Files {
		if f.Word == proposal.WordNotApplied {
			a.warn("not %s  %s: %s", did, f.Path, f.Reason)
			continue
		}
		a.say("%s  %s %s", did, f.Kind, f.Path)
	}
	for _, c := range res.Conflicts {
		a.warn("conflict  %s: %s", c.Path, c.Reason)
	}
}

func plural(n int, what string) string {
	if n == 1 {
		return fmt.Sprintf("1 %s", what)
	}
	return fmt.Sprintf("%d %ss", n, what)
}
