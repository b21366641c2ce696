package main

import (
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/rigwiki/rig/wiki/task"
)

// collectCmd is the hidden verb that looks at what a task's agent left, inside the sandbox: `rig wiki __collect WANTED`.
func (a *app) collectCmd() *cobra.Command {
	return &cobra.Command{Use: "__collect WANTED", Hidden: true, Args: args(cobra.ExactArgs(1)), RunE: func(c *cobra.Command, as []string) error {
		var want task.Wanted
		if err := json.Unmarshal([]byte(as[0]), &want); err != nil {
			return usageError{err, ""}
		}
		return task.Collect(c.Context(), want, a.out)
	}}
}
