package main

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"

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
		if f := asFailure(err); f != nil {
			f.hint = cmp.Or(f.hint, initHint(err))
			return f
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

// initHint tells what to do where a wiki could not be laid out.
func initHint(err error) string {
	switch {
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return "you may not write there: name a folder of your own"
	case errors.Is(err, fs.ErrExist), errors.Is(err, syscall.ENOTDIR):
		return "a file, or a link that leads nowhere, is where a folder has to be: move it away, or name another folder"
	case errors.Is(err, syscall.ENOSPC):
		return "the disk is full: make room, then run the command again; what is there already stays"
	}
	return "name another folder"
}
