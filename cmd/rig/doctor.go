package main

import (
	"github.com/spf13/cobra"

	"github.com/rigwiki/rig/wiki"
)

// doctorCmd is `rig wiki doctor`.
func (a *app) doctorCmd() *cobra.Command {
	return &cobra.Command{Use: "doctor", Short: "What works here: sandbox, agents, wiki, config", Args: args(cobra.NoArgs), RunE: func(c *cobra.Command, _ []string) error {
		return a.withMaybeWiki(func(h *wiki.Host, w *wiki.Wiki) error {
			report, err := h.Doctor(c.Context(), w)
			if err != nil {
				return err
			}
			a.data = report
			a.say("rig      %s\nsandbox  %s", version, report.Sandbox)
			if w != nil {
				a.say("wiki     %s (%s) in %s", w.Name, w.Layout, w.Root)
			} else {
				a.say("wiki     none here")
			}
			for _, g := range report.Agents {
				word := "usable, " + g.Version
				if !g.Usable {
					word = "not usable: " + g.Why
				}
				a.say("agent    %s %s", g.Name, word)
			}
			for _, warning := range report.Warnings {
				a.warn("warning: %s", warning)
			}
			return nil
		})
	}}
}
