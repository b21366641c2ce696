package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rigwiki/rig/wiki"
)

// scanCmd is `rig wiki scan`.
func (a *app) scanCmd() *cobra.Command {
	return &cobra.Command{Use: "scan", Short: "How each source in raw/ stands: NEW, MODIFIED, DELETED, RAW DRIFT, UNCHANGED",
		Long: "How each source in raw/ stands: NEW (not ingested), MODIFIED (written since it was ingested), DELETED (its page is left), RAW DRIFT (its sha256 is not\nthe one that its page gives), UNCHANGED; and whose proposal waits. Exit 10 where one is not as it was ingested.", Args: args(cobra.NoArgs), RunE: func(c *cobra.Command, _ []string) error {
			return a.withHost(func(h *wiki.Host, w *wiki.Wiki) error {
				sources, err := h.Scan(c.Context(), w)
				if err != nil {
					return err
				}
				a.data = map[string]any{"sources": sources}
				count, drifted, waiting := map[wiki.SourceStatus]int{}, 0, 0
				for _, s := range sources {
					count[s.Status]++
					if s.Status.Drifted() {
						drifted++
					}
					waits := ""
					if s.Proposal != "" {
						waits = "  (proposal waits: " + s.Proposal + ")"
						waiting++
					}
					a.say("%-9s  %s%s%s", s.Status.Word(), quoteName(s.Path), prefixed("  ", s.Page), waits)
				}
				parts := []string{plural(len(sources), "source")}
				for _, status := range wiki.SourceStatuses() {
					if n := count[status]; n > 0 {
						parts = append(parts, fmt.Sprintf("%d %s", n, status.Word()))
					}
				}
				if waiting > 0 {
					parts = append(parts, fmt.Sprintf("%d with a proposal that waits", waiting))
				}
				a.warn("%s", strings.Join(parts, ", "))
				if drifted > 0 {
					return fail(wiki.ExitDrift, "`rig wiki ingest` takes a changed source again", "%s not as ingested", plural(drifted, "source"))
				}
				return nil
			})
		}}
}
