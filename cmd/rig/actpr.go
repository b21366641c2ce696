package main

import "github.com/spf13/cobra"

// actPRCmd is `rig wiki act-pr TASK...`.
func (a *app) actPRCmd() *cobra.Command {
	return a.taskCmd("act-pr", "Let an agent act on the review of a task's pull request")
}
