package main

import (
	"cmp"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rigwiki/rig/wiki"
)

// initCmd is `rig wiki init [DIR]`.
func (a *app) initCmd() *cobra.Command {
	return &cobra.Command{Use: "init [DIR]", Short: "Lay out a wiki; nothing that is there is touched", Args: args(cobra.MaximumNArgs(1)), RunE: func(_ *cobra.Command, as []string) error {
		if err := a.standing(cmp.Or(strings.Join(as, ""), a.flags.wiki)); err != nil {
			return err
		}
		dir := a.cwd
		if a.flags.wiki != "" {
			dir = a.abs(a.flags.wiki)
		}
		if len(as) == 1 {
			dir = a.abs(as[0])
		}
		if fi, err := os.Stat(dir); err == nil && !fi.IsDir() || len(as) == 1 && as[0] == "" {
			return fail(wiki.ExitUsage, "name a folder, or one that does not exist yet", "init %q: not a folder", strings.Join(as, ""))
		}
		w, made, err := wiki.Init(dir, wiki.InitOptions{})
		if err != nil {
			return err
		}
		if made == nil {
			made = []string{}
		}
		a.data = map[string]any{"wiki": w.Root, "made": made}
		for _, m := range made {
			a.say("made %s", m)
		}
		if len(made) == 0 {
			a.say("%s is a wiki already; nothing was made", w.Root)
			return nil
		}
		a.say("next: say in purpose.md what the wiki is for, put a document into raw/, then `rig wiki ingest raw/<name>`")
		return nil
	}}
}
