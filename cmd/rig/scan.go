package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rigwiki/rig/wiki"
)

// scanCmd is `rig wiki scan`.
func (a *app) scanCmd() *cobra.Command {
	return &cobra.Command{Use: "scan", Short: "How each source in raw/ stands: new, ingested, changed, missing, waiting", Args: args(cobra.NoArgs), RunE: func(c *cobra.Command, _ []string) error {
		return a.withHost(func(h *wiki.Host, w *wiki.Wiki) error {
			sources, err := h.Scan(c.Context(), w)
			if err != nil {
				return err
			}
			a.data = map[string]any{"sources": sources}
			count, drifted := map[wiki.SourceStatus]int{}, 0
			for _, s := range sources {
				count[s.Status]++
				if s.Status.Drifted() {
					drifted++
				}
				a.say("%-8s  %s%s", s.Status, quoteName(s.Path), prefixed("  ", s.Page))
			}
			parts := []string{plural(len(sources), "source")}
			for _, status := range []wiki.SourceStatus{wiki.SourceNew, wiki.SourceIngested, wiki.SourceChanged, wiki.SourceMissing, wiki.SourceWaiting} {
				if n := count[status]; n > 0 {
					parts = append(parts, fmt.Sprintf("%d %s", n, status))
				}
			}
			a.warn("%s", strings.Join(parts, ", "))
			if drifted > 0 {
				return fail(wiki.ExitDrift, "`rig wiki ingest` takes a changed source again", "%s not as ingested", plural(drifted, "source"))
			}
			return nil
		})
	}}
}
