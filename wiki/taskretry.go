package wiki

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
)

// mayGoOn tells whether a task's agent that was cut off may be started again over the same clone. What it committed or wrote there is in nobody's way: the
// next one is told to go on from it, and all of it is judged at the end. A review starts again only where the clone is as it was and nothing was said
// on the pull request, which it would say twice.
func (r *run) mayGoOn(ctx context.Context) bool {
	if r.op.Writes {
		return true
	}
	for _, c := range r.task.broker.Crossings() {
		if c.Did != "" && len(c.Args) > 1 && slices.Contains([]string{"comment", "review"}, c.Args[1]) {
			return false
		}
	}
	changed, err := r.changedInReview(ctx)
	return err == nil && len(changed) == 0
}

// openTaskAgain opens the agent's sandbox over the clone as the last try left it.
func (r *run) openTaskAgain(ctx context.Context) error {
	r.task.tries++
	if err := dropLocks(r.task.checkout.Dir); err != nil {
		return err
	}
	return r.openTask(ctx)
}

// dropLocks removes the lock files that a git which was killed leaves behind: the next one would wait for its owner. The clone was an agent's, so
// nothing is followed that leads out of it.
func dropLocks(checkout string) error {
	root, err := os.OpenRoot(checkout)
	if err != nil {
		return fmt.Errorf("look at the checkout: %w", err)
	}
	defer root.Close()
	for _, name := range []string{"index.lock", "HEAD.lock", "config.lock", "packed-refs.lock"} {
		// A .git that is a link out of the clone is an error, which ends the run.
		if err := root.Remove(".git/" + name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove what the last try left locked: %w", err)
		}
	}
	return nil
}
