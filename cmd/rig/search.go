package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rigwiki/rig/wiki"
)

// hitData is one hit of `rig wiki search`.
type hitData struct {
	Path    string  `json:"path"`
	Title   string  `json:"title"`
	Heading string  `json:"heading"`
	Snippet string  `json:"snippet"`
	Score   float64 `json:"score"`
}

// searchCmd is `rig wiki search TERMS [-n N]`.
func (a *app) searchCmd() *cobra.Command {
	var limit int
	c := &cobra.Command{Use: "search TERMS", Short: "Full-text search; any text is a valid query (-- before one that begins with a dash)", Args: args(cobra.MinimumNArgs(1)), RunE: func(c *cobra.Command, as []string) error {
		if limit < 1 {
			return fail(wiki.ExitUsage, "give a number from 1", "-n %d finds nothing", limit)
		}
		return a.withPages(func(h *wiki.Host, w *wiki.Wiki) error {
			x, err := h.Index(c.Context(), w)
			if err != nil {
				return err
			}
			if err := x.FullText(c.Context()); err != nil { // here, where it can be interrupted
				return err
			}
			hits := []hitData{}
			for _, hit := range x.Search(strings.Join(as, " "), limit) {
				hits = append(hits, hitData{hit.Path, hit.Title, hit.Heading, hit.Snippet, hit.Score})
			}
			a.data = map[string]any{"hits": hits}
			for _, hit := range hits {
				a.say("%s", a.printable(fmt.Sprintf("%s%s  %s\n    %s", quoteName(hit.Path), prefixed("#", hit.Heading), hit.Title, hit.Snippet)))
			}
			for _, warning := range x.Warnings() {
				a.warn("warning: %s", warning)
			}
			if len(hits) == 0 { // an answer too, not an error (case o-lw-09)
				a.warn("nothing found")
			}
			return nil
		})
	}}
	c.Flags().IntVarP(&limit, "n", "n", 10, "hits at most")
	return c
}
