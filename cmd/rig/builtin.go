package main

import (
	"github.com/spf13/cobra"

	"github.com/rigwiki/rig/adapters/builtin"
)

// builtinCmd is the hidden verb as which the builtin agent re-executes this binary inside a sandbox.
func (a *app) builtinCmd() *cobra.Command {
	return &cobra.Command{Use: "__agent", Hidden: true, Args: args(cobra.NoArgs), RunE: func(*cobra.Command, []string) error {
		if code := builtin.Main(a.in, a.out); code != 0 {
			return &failure{code: code}
		}
		return nil
	}}
}
