package main

import "github.com/spf13/cobra"

// reviewCmd is `rig wiki review TASK...`.
func (a *app) reviewCmd() *cobra.Command {
	return a.taskCmd("review", "Let an agent review a task or the work on it; it changes nothing")
}
