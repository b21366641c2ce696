package main

import (
	"errors"
	"github.com/spf13/cobra"

	"github.com/rigwiki/rig/wiki"
)

// agentCmd is `rig wiki agent list|use|doctor|export`.
func (a *app) agentCmd() *cobra.Command {
	list := &cobra.Command{Use: "list", Short: "Agents, and whether each can run here", Args: args(cobra.NoArgs), RunE: func(c *cobra.Command, _ []string) error {
		return a.withMaybeWiki(func(h *wiki.Host, w *wiki.Wiki) error {
			agents, err := h.Agents(c.Context(), w, nil)
			if err != nil {
				return err
			}
			a.data = map[string]any{"agents": agents}
			for _, g := range agents {
				mark, word := " ", g.Version
				if g.Default {
					mark = "*"
				}
				if !g.Usable {
					word = "not usable: " + g.Why
				}
				a.say("%s %-10s %s  %s", mark, g.Name, word, g.Path)
			}
			return nil
		})
	}}
	use := &cobra.Command{Use: "use NAME", Short: "Make an agent the default", Args: args(cobra.ExactArgs(1)), RunE: func(c *cobra.Command, as []string) error {
		return a.withMaybeWiki(func(h *wiki.Host, w *wiki.Wiki) error {
			overridden, err := h.UseAgent(c.Context(), w, nil, as[0])
			if err != nil {
				return err
			}
			data := map[string]any{"default": as[0]}
			a.data = data
			a.say("%s is the default agent now", as[0])
			if overridden != "" {
				data["overridden"] = overridden
				a.warn("%s", overridden)
			}
			return nil
		})
	}}
	return group("agent", "See, choose, examine and export agents", list, use, a.agentDoctorCmd(), a.agentExportCmd())
}

// withMaybeWiki is withHost for verbs that need no wiki; w is nil where there is none.
func (a *app) withMaybeWiki(f func(*wiki.Host, *wiki.Wiki) error) error {
	w, err := a.findWiki()
	if err != nil && (a.flags.wiki != "" || errors.As(err, new(*wiki.ConfigError))) { // one that is there and cannot be read is no wiki that is missing
		return err
	}
	if err != nil {
		w = nil
	}
	h, err := a.host()
	if err != nil {
		return err
	}
	return errors.Join(f(h, w), h.Close())
}
