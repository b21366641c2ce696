package main

import (
	"github.com/spf13/cobra"

	"github.com/rigwiki/rig/wiki"
)

// trustCmd is `rig wiki trust DIR`.
func (a *app) trustCmd() *cobra.Command {
	return &cobra.Command{Use: "trust DIR", Short: "Let executables and prompts of this folder's local/ and .rig/prompts/ count", Args: args(cobra.ExactArgs(1)), RunE: func(_ *cobra.Command, as []string) error {
		if as[0] == "" || !isFolder(a.abs(as[0])) {
			return fail(wiki.ExitUsage, "name a folder that exists", "trust %q: not a folder", as[0])
		}
		h, err := a.host()
		if err != nil {
			return err
		}
		if err := wiki.Trust(h.RigHome(), a.abs(as[0])); err != nil {
			return err
		}
		a.data = map[string]any{"trusted": a.abs(as[0])}
		a.say("trusted: %s", a.abs(as[0]))
		return h.Close()
	}}
}
