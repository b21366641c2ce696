package wiki

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rigwiki/rig/adapters"
	"github.com/rigwiki/rig/sandbox"
	"github.com/rigwiki/rig/wiki/proposal"
	"github.com/rigwiki/rig/wiki/task"
)

// CollectVerb are the arguments under which our binary is the collector of a task run, inside the sandbox; [task.Wanted] follows as JSON.
func CollectVerb() []string { return []string{"wiki", "__collect"} }

// collect has a program of ours look at what the agent left, in a sandbox like the agent's, without network. It is asked after every end, since what a
// run that was cut off did is kept for a look; of a review nothing is wanted.
func (r *run) collect(ctx context.Context) error {
	if err := r.box.Close(); err != nil {
		return err
	}
	if !r.op.Writes {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), collectTime) // also of a run that was cancelled
	defer cancel()
	t := r.task
	c := t.checkout
	want, err := json.Marshal(task.Wanted{Git: t.repo.GitPath(), Branch: c.Branch, Start: c.Start, Main: c.Main, Refs: c.Refs})
	if err != nil {
		return err
	}
	box, err := r.taskBox(ctx, "collect", sandbox.Spec{})
	if err != nil {
		return err
	}
	out, err := os.OpenFile(filepath.Join(t.dir, "left"), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return errors.Join(err, box.Close())
	}
	r.release = append(r.release, func() { _ = out.Close() })
	var said tailWriter
	bound := &boundWriter{to: out, left: r.cfg.Limits.WikiBytes + maxLeftOver}
	e, err := box.Run(ctx, sandbox.Command{Argv: slices.Concat([]string{r.host.self}, CollectVerb(), []string{string(want)}), Env: agentEnv(r.host.env, nil, c.Env()), Stdout: bound, Stderr: &said, Timeout: collectTime})
	if err = errors.Join(err, box.Close(), bound.err); err != nil {
		return fmt.Errorf("collect what the agent left: %w", err)
	}
	if bound.over {
		t.broken = fmt.Sprintf("its commits are larger than %d bytes", r.cfg.Limits.WikiBytes)
		return nil
	}
	if e.Code != 0 || e.Why != sandbox.Exited {
		t.broken = fmt.Sprintf("its checkout could not be read (%s, %d): %s", e.Why, e.Code, said.line())
		return nil
	}
	return t.readLeft(out)
}

// maxLeftOver is what a collector's report may be besides the bundle.
const maxLeftOver = 8 << 20

func (t *taskRun) readLeft(out *os.File) error {
	if _, err := out.Seek(0, 0); err != nil {
		return err
	}
	in := bufio.NewReader(out)
	left, err := task.ReadLeft(in)
	if err != nil {
		t.broken = err.Error()
		return nil
	}
	t.left = left
	at, err := out.Seek(0, 1)
	if err != nil {
		return err
	}
	if _, err := out.Seek(at-int64(in.Buffered()), 0); err != nil {
		return err
	}
	t.bundle = out
	return nil
}

// judgeTask says whether what the agent did is taken: a review left everything as it was, other runs moved their branch forward and nothing else.
func (r *run) judgeTask(ctx context.Context) error {
	t := r.task
	if !r.op.Writes {
		return r.judgeReview(ctx)
	}
	if t.broken != "" {
		return nil
	}
	if len(t.left.Moved) > 0 {
		t.broken = sentence(t.left.Moved)
	}
	b := task.DefaultBounds()
	b.Bytes = r.cfg.Limits.WikiBytes
	v, err := t.checkout.Verify(context.WithoutCancel(ctx), t.bundle, filepath.Join(t.dir, "quarantine"), b)
	var bad *task.Rejection
	switch {
	case errors.As(err, &bad):
		t.broken = bad.Error()
		r.verdict.Refused = append(r.verdict.Refused, proposal.Refusal{Path: cmp.Or(bad.Path, t.checkout.Branch), Rule: bad.Rule, Reason: bad.Reason})
		return nil
	case err != nil:
		return err
	}
	t.made = v
	r.release = append(r.release, func() { _ = v.Close() })
	return nil
}

// bringIn moves the branch in the user's repository, and keeps what it changes against its base. Of a run that came to no end, or broke its intent,
// nothing is taken.
func (r *run) bringIn(ctx context.Context) error {
	t := r.task
	r.keepLeft()
	r.noteCrossings()
	if t.made == nil || t.broken != "" {
		return nil
	}
	ctx = context.WithoutCancel(ctx)
	if t.made.Made == 0 {
		return nil // no branch is made for nothing
	}
	if !r.finished() {
		return r.refuseChanges(ctx)
	}
	if r.before != nil {
		if why := r.configChanged(); why != "" {
			t.broken = why
			return nil
		}
	}
	changes, err := t.made.Diff(ctx, "", r.cfg.Limits.FileBytes, r.cfg.Limits.WikiBytes)
	if err != nil {
		return err
	}
	if t.in, err = t.made.Import(ctx, r.rec.Run); err != nil {
		return err
	}
	r.rec.Base, r.rec.Was = t.checkout.Base, t.in.Was
	r.rec.Branch, r.rec.Tip, r.rec.Commits = strings.TrimPrefix(t.in.Ref, "refs/heads/"), t.made.Tip, t.made.Made
	if t.in.Aside != "" {
		r.rec.Warnings = append(r.rec.Warnings, fmt.Sprintf("%s; the commits are at %s (`git merge --ff-only %s`)", t.in.Aside, t.in.Ref, t.in.Ref))
	}
	short := r.stoppedShort()
	for _, ch := range changes {
		d := draftOfChange(ch)
		if short != "" {
			d.Flags = append(d.Flags, proposal.Flag{Rule: "incomplete-run", Reason: short})
		}
		r.verdict.Files = append(r.verdict.Files, d)
	}
	return nil
}

func draftOfChange(ch task.FileChange) proposal.Draft {
	d := proposal.Draft{File: proposal.File{Path: ch.Path, From: ch.From, Kind: ch.Kind}, BaseText: ch.Old, NewText: ch.New}
	if ch.Unread != "" {
		d.Flags = append(d.Flags, proposal.Flag{Rule: "not-text", Reason: "its text is not shown: " + ch.Unread})
	}
	if ch.Unpointed {
		d.Flags = append(d.Flags, proposal.Flag{Rule: "lfs-pointer", Reason: "Git LFS kept its content elsewhere, and it was committed in the pointer's place: `git add --renormalize` with git-lfs, and a commit, put it back"})
	}
	return d
}

// refuseChanges keeps what an unfinished run committed, for a look.
func (r *run) refuseChanges(ctx context.Context) error {
	changes, err := r.task.made.Diff(ctx, r.task.checkout.Start, r.cfg.Limits.FileBytes, r.cfg.Limits.WikiBytes)
	if err != nil {
		return err
	}
	for _, ch := range changes {
		f := proposal.Refusal{Path: ch.Path, Rule: "unfinished-run", Reason: r.end().Message}
		r.verdict.Refused = append(r.verdict.Refused, f)
		r.verdict.Texts = append(r.verdict.Texts, RefusedText{Refusal: f, Kind: ch.Kind, Base: ch.Old, New: ch.New})
	}
	return nil
}

// noteCrossings says what left through the host, and what was denied on the way.
func (r *run) noteCrossings() {
	denied := map[string]bool{}
	for _, c := range r.task.broker.Crossings() {
		line := c.Program + " " + plain(strings.Join(c.Args, " "), 80)
		switch {
		case c.Did == "" && !denied[line] && len(denied) < maxDenied:
			denied[line] = true
			r.rec.Warnings = append(r.rec.Warnings, "denied: "+line+": "+plain(c.Why, 200))
		case strings.HasPrefix(c.Did, "pushed"):
			r.task.pushed = c.Did
		}
	}
	if r.op.Mode == adapters.ActPR && r.task.pushed == "" && r.task.made != nil && r.task.made.Made > 0 && r.task.layer.Name() != "overlay" {
		r.rec.Warnings = append(r.rec.Warnings, notPushed)
	}
}

// notPushed tells what a copy cannot: there a git that is called by its path is the real one, which fails in words of its own.
const notPushed = "nothing was pushed: without an overlay only the git and gh that PATH finds reach the host; one that is called by its path (/usr/bin/git) has neither network nor credentials"

// maxDenied bounds the denials that are told; the run's events have all of them.
const maxDenied = 10

// keepLeft keeps work that was not committed as a file of the run's folder.
func (r *run) keepLeft() {
	t := r.task
	if len(t.left.Dirty) == 0 || !r.op.Writes {
		return
	}
	file := filepath.Join(r.store.Dir(r.rec.Run), "uncommitted.diff")
	note := "not committed: " + some(t.left.Dirty) + "; kept in " + file
	if err := os.WriteFile(file, t.left.Diff, 0o600); err != nil {
		note = "not committed: " + some(t.left.Dirty) + "; it could not be kept: " + err.Error()
	}
	r.rec.Warnings = append(r.rec.Warnings, note)
}

// configChanged is what of the repository's own settings changed while nothing kept the agent from them: then no git of ours runs there again.
func (r *run) configChanged() string {
	after, err := takeManifest(context.Background(), r.wiki.Real)
	if err != nil {
		return "the repository could not be compared: " + err.Error()
	}
	for _, rel := range r.before.diff(after) {
		if rel == ".git" || rel == ".git/config" || rel == ".git/commondir" || strings.HasPrefix(rel, ".git/hooks/") || strings.HasPrefix(rel, ".git/info/") || strings.HasPrefix(rel, ".git/objects/info/") {
			return rel + " of the real repository changed during the run"
		}
	}
	return ""
}
