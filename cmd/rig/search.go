package main

import (
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
	c := &cobra.Command{Use: "search TERMS", Short: "Full-text search; any text is a valid query", Args: args(cobra.MinimumNArgs(1)), RunE: func(c *cobra.Command, as []string) error {
		return a.withHost(func(h *wiki.Host, w *wiki.Wiki) error {
			x, err := h.Index(c.Context(), w)
			if err != nil {
				return err
			}
			hits := []hitData{}
			for _, hit := range x.Search(strings.Join(as, " "), limit) {
				hits = append(hits, hitData{hit.Path, hit.Title, hit.Heading, hit.Snippet, hit.Score})
			}
			a.data = map[string]any{"hits": hits}
			for _, hit := range hits {
				a.say("%s%s  %s\n    %s", hit.Path, prefixed("#", hit.Heading), hit.Title, hit.Snippet)
			}
			if len(hits) == 0 {
				return fail(wiki.ExitNothing, "", "nothing found")
			}
			return nil
		})
	}}
	c.Flags().IntVarP(&limit, "n", "n", 10, "hits at most")
	return c
}
