package main

import (
	"github.com/spf13/cobra"

	"github.com/rigwiki/rig/adapters"
	"github.com/rigwiki/rig/wiki"
)

// wireCmd is `rig wiki wire [PROJECT] [--agent NAME] [--dry-run] [--remove]`.
func (a *app) wireCmd() *cobra.Command {
	var r adapters.WireRequest
	c := &cobra.Command{Use: "wire [PROJECT]", Short: "Make a project's own agent sessions report events to the task board", Args: args(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, as []string) error {
			r.Project = a.cwd
			if len(as) > 0 {
				r.Project = a.abs(as[0])
			}
			if !isFolder(r.Project) {
				return fail(wiki.ExitUsage, "name the folder of a project", "no folder %s", r.Project)
			}
			return a.wire(r, func(h *wiki.Host) ([]wiki.Wired, error) { return h.Wire(c.Context(), a.flags.agent, r) })
		}}
	wireFlags(c, &r)
	return c
}

// contractWireCmd is the hidden verb behind an exported adapter's wire: `rig wiki __wire NAME PROJECT [--dry-run] [--remove]`.
func (a *app) contractWireCmd() *cobra.Command {
	var r adapters.WireRequest
	c := &cobra.Command{Use: "__wire NAME PROJECT", Hidden: true, Args: args(cobra.ExactArgs(2)), RunE: func(c *cobra.Command, as []string) error {
		r.Project = a.abs(as[1])
		return a.wire(r, func(h *wiki.Host) ([]wiki.Wired, error) { return h.WireBuiltin(c.Context(), as[0], r) })
	}}
	wireFlags(c, &r)
	return c
}

func wireFlags(c *cobra.Command, r *adapters.WireRequest) {
	c.Flags().BoolVar(&r.DryRun, "dry-run", false, "say what would be done")
	c.Flags().BoolVar(&r.Remove, "remove", false, "take it back")
}

// wire does it and prints the report, one line a file.
func (a *app) wire(r adapters.WireRequest, do func(*wiki.Host) ([]wiki.Wired, error)) error {
	h, err := a.host()
	if err != nil {
		return err
	}
	defer h.Close()
	all, err := do(h)
	a.data = map[string]any{"project": r.Project, "dryRun": r.DryRun, "remove": r.Remove, "agents": all}
	changed := 0
	for _, w := range all {
		for _, f := range w.Files {
			a.say("%-9s %-7s %s%s", w.Agent, f.Change, f.Path, detail(f.What))
			if f.Change != "keep" {
				changed++
			}
		}
		for _, line := range w.Lines {
			a.say("%-9s %-7s %s", w.Agent, w.Status, line)
		}
	}
	word := "changed"
	if r.DryRun {
		word = "would change"
	}
	a.say("%s %s", plural(changed, "file"), word)
	return err
}
