package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/proposal"
)

// fetchCmd is `rig wiki fetch URL`.
func (a *app) fetchCmd() *cobra.Command {
	var job wiki.FetchJob
	c := &cobra.Command{Use: "fetch URL", Short: "Fetch a page from the web into raw/", Long: "Fetch a page from the web into raw/, as markdown with where it is from and when it was fetched.\nNothing is replaced: a page that says the same as before is said (exit 3), one that changed becomes a new source.\nWith --agent an agent reads the page with its own web tool, in an empty folder.",
		Args: args(cobra.ExactArgs(1)), RunE: func(c *cobra.Command, as []string) error {
			return a.withHost(func(h *wiki.Host, w *wiki.Wiki) error {
				job.URL = as[0]
				rec, err := a.fetch(c.Context(), h, w, a.flagged(w, wiki.Job{Op: "fetch", Fetch: job}))
				if rec.Fetched != nil {
					a.data = rec.Fetched
					if err == nil {
						a.say("%s", quoteName(rec.Fetched.Path))
					}
				}
				return err
			})
		}}
	c.Flags().BoolVar(&job.Private, "allow-private", false, "also from this machine and private networks")
	c.Flags().BoolVar(&job.Assets, "assets", false, "keep the page's images in raw/assets/")
	c.Flags().BoolVar(&job.Original, "original", false, "keep the bytes as they came in raw/assets/")
	return c
}

func (a *app) fetch(ctx context.Context, h *wiki.Host, w *wiki.Wiki, job wiki.Job) (proposal.Record, error) {
	rec := h.Run(ctx, job, a.progress())
	return rec, a.finishRun(ctx, h, w, &rec)
}

// fetchSource fetches an address for an ingest; the flags about agents are the ingest's. A page that is there already, unchanged, is as good.
func (a *app) fetchSource(ctx context.Context, h *wiki.Host, w *wiki.Wiki, job wiki.FetchJob) (string, error) {
	rec, err := a.fetch(ctx, h, w, wiki.Job{Wiki: w, Op: "fetch", Fetch: job, By: "cli"})
	if got := rec.Fetched; got != nil && got.Path != "" {
		return got.Path, nil
	}
	return "", err
}
