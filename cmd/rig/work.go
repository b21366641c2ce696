package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/proposal"
	"github.com/rigwiki/rig/wiki/task"
)

// workCmd is `rig wiki work TASK...`.
func (a *app) workCmd() *cobra.Command {
	return a.taskCmd("work", "Let an agent work on a task, on a branch of its own")
}

// taskCmd is a verb about task files of git repositories.
func (a *app) taskCmd(op, short string) *cobra.Command {
	var note string
	c := &cobra.Command{Use: op + " TASK...", Short: short, Args: args(cobra.MinimumNArgs(1)), RunE: func(c *cobra.Command, names []string) error {
		h, err := a.host()
		if err != nil {
			return err
		}
		jobs, err := a.taskJobs(op, names)
		if err != nil {
			return errors.Join(err, h.Close())
		}
		for i := range jobs {
			jobs[i].Note = note
		}
		return errors.Join(a.runTasks(c.Context(), h, jobs), h.Close())
	}}
	c.Flags().StringVar(&note, "note", "", "what the agent should heed, in your words")
	return c
}

// taskJobs finds the task files: relative to the working folder, else by their path or name in the tasks/ of the repository around it.
func (a *app) taskJobs(op string, names []string) ([]wiki.Job, error) {
	var jobs []wiki.Job
	for _, name := range names {
		path, err := a.taskPath(name)
		if err != nil {
			return nil, err
		}
		repo, err := wiki.Repository(path)
		if errors.Is(err, task.ErrNoRepo) {
			return nil, fail(wiki.ExitUsage, "tasks are files of a git repository", "%v", err)
		}
		if err != nil {
			return nil, err
		}
		rel, ok := repo.Rel(path)
		if !ok {
			return nil, fail(wiki.ExitUsage, "", "%s is not in %s", path, repo.Root)
		}
		jobs = append(jobs, wiki.Job{Wiki: repo, Op: op, Sources: []string{rel}})
	}
	return jobs, nil
}

func (a *app) taskPath(name string) (string, error) {
	dir := a.cwd
	if a.flags.wiki != "" {
		dir = a.abs(a.flags.wiki)
	}
	tries := []string{a.abs(name), filepath.Join(dir, name)}
	if repo, err := wiki.Repository(dir); err == nil {
		tries = append(tries, filepath.Join(repo.Root, name), filepath.Join(repo.Root, "tasks", name), filepath.Join(repo.Root, "tasks", name+".md"))
	}
	for _, path := range tries {
		if fi, err := os.Stat(path); err == nil && fi.Mode().IsRegular() {
			return path, nil
		}
	}
	return "", fail(wiki.ExitUsage, "name a file of tasks/", "no task %s", name)
}

// runTasks runs the jobs at once, as many as the configuration allows, and reports each; the first exit code that is not 0 is the command's.
func (a *app) runTasks(ctx context.Context, h *wiki.Host, jobs []wiki.Job) error {
	var printing sync.Mutex // reports and progress lines of several runs
	all, errs := make([]opData, len(jobs)), make([]error, len(jobs))
	var runs sync.WaitGroup
	for i, job := range jobs {
		runs.Go(func() {
			prefix := ""
			if len(jobs) > 1 {
				prefix = strings.TrimSuffix(filepath.Base(job.Sources[0]), ".md") + ": "
			}
			say := a.progress()
			rec := h.Run(ctx, a.flagged(job.Wiki, job), func(u wiki.Update) {
				printing.Lock()
				defer printing.Unlock()
				if u.Message != "" {
					u.Message = prefix + u.Message
				}
				say(u)
			})
			printing.Lock()
			defer printing.Unlock()
			errs[i] = a.finishTask(h, job.Wiki, rec)
			all[i] = a.opData(h, job.Wiki, rec)
		})
	}
	runs.Wait()
	if len(jobs) == 1 {
		a.data = all[0]
	} else {
		a.data = map[string]any{"runs": all}
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// finishTask shows a task run's end: the diff of its branch, or the verdict.
func (a *app) finishTask(h *wiki.Host, w *wiki.Wiki, rec proposal.Record) error {
	for _, warning := range rec.Warnings {
		a.warn("warning: %s", warning)
	}
	for _, what := range rec.Outside {
		a.warn("outside: %s", what)
	}
	a.showRefusals(rec)
	s, err := h.Store(w)
	if err != nil {
		return err
	}
	if a.flags.json == "" && len(rec.Files) > 0 {
		if err := a.showDiff(s, rec.Run); err != nil {
			return err
		}
	}
	switch {
	case rec.Answer == "":
	case len(rec.Files) == 0:
		a.say("%s", a.printable(rec.Answer))
	default: // standard output is the diff's
		a.warn("%s", a.printable(rec.Answer))
	}
	a.warn("%s: %s", rec.State, rec.Message)
	if rec.Exit != wiki.ExitOK {
		return fail(rec.Exit, rec.Hint, "%s", rec.Message)
	}
	return nil
}
