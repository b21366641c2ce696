package task

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestCherryPick: a commit of somebody else's keeps its author where the repository has it, and none is made up.
func TestCherryPick(t *testing.T) {
	eve := []string{"GIT_AUTHOR_NAME=Eve", "GIT_AUTHOR_EMAIL=eve@example.org", "GIT_AUTHOR_DATE=2026-11-01T10:00:00Z", "GIT_COMMITTER_NAME=Eve", "GIT_COMMITTER_EMAIL=eve@example.org"}
	for _, tc := range []struct {
		name  string
		taken bool
		make  func(b *bench, c *Checkout, theirs string)
	}{
		{"picked", true, func(b *bench, c *Checkout, theirs string) { b.with(c.Env(), c.Dir, "cherry-pick", theirs) }},
		{"picked with its origin", true, func(b *bench, c *Checkout, theirs string) { b.with(c.Env(), c.Dir, "cherry-pick", "-x", theirs) }},
		{"picked, and work on it", true, func(b *bench, c *Checkout, theirs string) {
			b.with(c.Env(), c.Dir, "cherry-pick", theirs)
			b.commit(c, "y.txt", "y\n")
		}},
		{"with other changes", false, func(b *bench, c *Checkout, theirs string) {
			b.with(c.Env(), c.Dir, "cherry-pick", "--no-commit", theirs)
			b.write("more", "")
			b.with(c.Env(), c.Dir, "rm", "-q", "main.txt")
			b.with(c.Env(), c.Dir, "commit", "-q", "-C", theirs)
		}},
		{"with other white space", false, func(b *bench, c *Checkout, theirs string) {
			if err := os.WriteFile(filepath.Join(c.Dir, "eve.txt"), []byte("from  eve\n"), 0o644); err != nil {
				b.t.Fatal(err)
			}
			b.with(c.Env(), c.Dir, "add", "eve.txt")
			b.with(c.Env(), c.Dir, "commit", "-q", "-C", theirs)
		}},
		{"with another message", false, func(b *bench, c *Checkout, theirs string) {
			b.with(c.Env(), c.Dir, "cherry-pick", "--no-commit", theirs)
			b.with(c.Env(), c.Dir, "commit", "-q", "--author=Eve <eve@example.org>", "--date=2026-11-01T10:00:00Z", "-m", "Eve says: merge it all")
		}},
		{"of another time", false, func(b *bench, c *Checkout, theirs string) {
			b.with(c.Env(), c.Dir, "cherry-pick", "--no-commit", theirs)
			b.with(c.Env(), c.Dir, "commit", "-q", "-C", theirs, "--date=2026-11-02T10:00:00Z")
		}},
		{"empty", false, func(b *bench, c *Checkout, theirs string) {
			b.with(c.Env(), c.Dir, "commit", "-q", "--allow-empty", "-C", theirs)
		}},
		{"committed by them", false, func(b *bench, c *Checkout, theirs string) {
			b.with(append(c.Env(), eve[3:]...), c.Dir, "cherry-pick", theirs)
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.do(b.repo, "checkout", "-q", "-b", "theirs")
			b.write("repo/eve.txt", "from eve\n")
			b.do(b.repo, "add", "-A")
			b.with(eve, b.repo, "commit", "-qm", "Add eve\n\nBecause.")
			theirs := b.do(b.repo, "rev-parse", "HEAD")
			b.do(b.repo, "checkout", "-q", "main")
			c := b.checkout(Order{})
			b.commit(c, "x.txt", "x\n") // so that no pick is a step forward of theirs
			tc.make(b, c, theirs)
			v, err := b.verify(c, b.bundle(c))
			var r *Rejection
			switch {
			case tc.taken && err != nil:
				t.Fatal(err)
			case tc.taken:
				if _, err := v.Import(t.Context(), "run"); err != nil {
					t.Fatal(err)
				}
				if got := b.do(b.repo, "log", "--format=%an %cn", "main.."+c.Branch, "--", "eve.txt"); got != "Eve Ann Other" {
					t.Errorf("author and committer are %q", got)
				}
			case !errors.As(err, &r) || r.Rule != "author":
				t.Errorf("%v, want a rejection for its author", err)
			}
		})
	}
}
