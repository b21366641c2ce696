package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/rigwiki/rig/wiki"
)

// queryCmd is `rig wiki query QUESTION`.
func (a *app) queryCmd() *cobra.Command {
	var with []string
	c := &cobra.Command{Use: "query QUESTION", Short: "Ask the wiki", Args: args(cobra.MinimumNArgs(1)), RunE: func(c *cobra.Command, as []string) error {
		return a.withHost(func(h *wiki.Host, w *wiki.Wiki) error {
			return a.runJobs(c.Context(), h, w, []wiki.Job{{Op: "query", Question: strings.Join(as, " "), With: a.absAll(with)}})
		})
	}}
	c.Flags().StringArrayVar(&with, "with", nil, "give the agent this file too, to read")
	return c
}
