package wiki

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rigwiki/rig/adapters"
	"github.com/rigwiki/rig/adapters/guard"
	"github.com/rigwiki/rig/sandbox"
	"github.com/rigwiki/rig/wiki/proposal"
	"github.com/rigwiki/rig/wiki/task"
)

// taskRun is what a run about a task knows besides. Its zero pointer is a run about pages.
type taskRun struct {
	file     string // the task's, rel in the repository
	text     []byte
	repo     *task.Repo
	asked    taskSettings
	pr       task.PullRequest // Number 0: none is known
	exact    string           // commit to start from, "" for the branch's
	checkout *task.Checkout
	broker   *task.Broker
	lend     map[string]string // ignored dependency folders: rel -> folder of the user's checkout
	layer    sandbox.Layer
	dir      string            // of the run in the cache
	tries    int               // of the agent that were cut off before this one
	tree     map[string]string // review: identity of what was checked out, before the agent
	left     task.Left
	pushed   string   // the last push that the host did, a clause; "" for none
	bundle   *os.File // of the commits, behind its head; nil: none came
	broken   string   // why nothing is taken, "" where it is
	made     *task.Verified
	in       task.Imported
}

// Bounds of what goes on around an agent's own time.
const (
	fetchTime   = 20 * time.Second
	ghTime      = 20 * time.Second
	setupTime   = 10 * time.Minute
	collectTime = 2 * time.Minute
)

// wants is what the project's variables ask for; nothing where the run is about pages.
func (t *taskRun) wants() taskSettings {
	if t == nil {
		return taskSettings{}
	}
	return t.asked
}

// env is what a task's agent is told of the user, and where its git and gh are asked for.
func (t *taskRun) env() ([]string, error) {
	if t == nil || t.checkout == nil {
		return nil, nil
	}
	env := t.checkout.Env()
	if t.broker == nil {
		return env, nil
	}
	door, err := t.broker.Env(t.checkout.Dir, task.RealGit)
	return append(env, door...), err
}

// taskSteps are those of a run about a task: no layer lies over the user's files; the agent works in a clone, and what comes out of the sandbox is a
// bundle.
func (r *run) taskSteps() []func(context.Context) error {
	return []func(context.Context) error{
		r.takeLock,    // the task's lock or a place in its queue
		r.noteTask,    // time, the task's text, the repository; the record and its folder
		r.chooseAgent, // which agent, whether it can run
		r.checkOut,    // fetch, the branch, a clone
		r.setUp,       // the project's own preparation, in a sandbox of its own
		r.openBroker,  // what pushes, fetches and asks gh for the agent
		r.openTask,    // confined over the clone
		r.runAgent,    // plan and start, events, wait for its end
		r.tryAgain,    // both once more where the failure passes
		r.collect,     // what it left, by a program of ours in a fresh sandbox
		r.judgeTask,   // verify the bundle in quarantine, or compare the tree
		r.bringIn,     // move the branch in the user's repository; its diff
		r.compareReal, // where nothing kept the agent from it: what happened to the real repository
	}
}

// noteTask is the start of a task run.
func (r *run) noteTask(ctx context.Context) error {
	r.rec.Started = time.Now().UTC()
	r.task = &taskRun{}
	if err := r.readTask(ctx); err != nil {
		return err
	}
	if err := r.openRecord(); err != nil {
		return err
	}
	r.tell(Update{State: proposal.Running, Message: r.rec.Title})
	return nil
}

// readTask reads the task file, as the editor has it where it does, and finds its repository and settings.
func (r *run) readTask(ctx context.Context) error {
	t := r.task
	if len(r.job.Sources) != 1 {
		return &ending{State: proposal.Failed, Exit: ExitUsage, Message: r.op.Name + " needs one task file", Hint: "name a file of tasks/"}
	}
	t.file = r.job.Sources[0]
	if !IsTask(r.cfg, t.file) {
		return &ending{State: proposal.Failed, Exit: ExitUsage, Message: t.file + " is no task file", Hint: "tasks are markdown files below tasks/, or those that `tasks` of the configuration names"}
	}
	if b, ok := r.job.Buffers[t.file]; ok {
		t.text = b.Text
	} else {
		text, err := os.ReadFile(filepath.Join(r.wiki.Real, filepath.FromSlash(t.file)))
		if err != nil {
			return &ending{State: proposal.Failed, Exit: ExitUsage, Message: "read the task: " + err.Error()}
		}
		t.text = text
	}
	git, err := task.FindGit(r.host.env)
	if err != nil {
		return &ending{State: proposal.Failed, Exit: ExitFailed, Message: err.Error(), Hint: "install git: tasks are worked on in clones"}
	}
	if t.repo, err = task.Open(ctx, git, r.wiki.Real); err != nil {
		return err
	}
	if t.asked, err = r.host.taskSettingsFor(r.wiki, r.cfg, r.op.Name, confined); err != nil {
		return &ending{State: proposal.Failed, Exit: ExitConfig, Message: err.Error(), Hint: "mend the file and run again"}
	}
	return nil
}

// checkOut makes the clone that the agent works in.
func (r *run) checkOut(ctx context.Context) (err error) {
	t := r.task
	if r.rec.Agent == extractive {
		return &ending{State: proposal.Failed, Exit: ExitAgent, Message: "agent " + extractive + " follows no prompt: it cannot work on tasks", Hint: "see `rig wiki agent list`"}
	}
	t.dir = r.dir
	if t.layer, err = r.host.layerAt(ctx, filepath.Dir(r.store.Dir(r.rec.Run)), r.cfg, r.job.Layer); err != nil {
		return err
	}
	branch, err := r.branch(ctx)
	if err != nil {
		return err
	}
	r.warnCommands()
	want := borrowed(r.cfg, r.wiki.Real)
	ignored, err := t.repo.Ignored(ctx, slices.Sorted(maps.Keys(want)))
	if err != nil {
		return err
	}
	o := task.Order{Branch: branch, Exact: t.exact, Dir: filepath.Join(t.dir, "checkout"), Borrow: ignored}
	if t.checkout, err = t.repo.Checkout(ctx, o); err != nil {
		return err
	}
	r.rec.Warnings = append(r.rec.Warnings, t.checkout.Notes...)
	if r.rec.Base = t.checkout.Base; t.checkout.Continued {
		r.rec.Branch = branch
	}
	if t.lend, err = r.lendable(want, ignored); err != nil {
		return err
	}
	r.tell(Update{State: proposal.Running, Message: r.startLine()})
	if !r.op.Writes {
		t.tree, err = treeOf(t.checkout.Dir)
	}
	return err
}

// startLine says where the agent begins.
func (r *run) startLine() string {
	c := r.task.checkout
	if c.Continued {
		return fmt.Sprintf("%s goes on at %.12s", c.Branch, c.Start)
	}
	return fmt.Sprintf("%s begins at %s, %.12s", c.Branch, c.Repo.Main, c.Start)
}

// branch is what the run is about: the task's own, or that of the pull request that gh knows. What must be fetched for it is fetched.
func (r *run) branch(ctx context.Context) (string, error) {
	t, own := r.task, TaskBranch(r.task.file)
	branch := own
	if r.op.Mode != adapters.Work {
		r.tell(Update{State: proposal.Running, Message: "asking gh for the pull request"})
		pr, err := t.repo.PullRequest(ctx, cmp.Or(frontPR(t.text), own), ghTime)
		switch {
		case ctx.Err() != nil:
			return "", context.Cause(ctx)
		case err != nil && r.op.Writes: // a review may as well be of the task itself
			r.rec.Warnings = append(r.rec.Warnings, err.Error()+"; "+own+" was taken")
		case err != nil: // a number is enough to say on which one may be commented
			t.pr.Number = cmp.Or(pr.Number, t.repo.PullNumber(ctx, frontPR(t.text)))
		case pr.Foreign && r.op.Writes:
			return "", &ending{State: proposal.Failed, Exit: ExitFailed, Message: fmt.Sprintf("the branch of pull request %d is in another repository: nothing can be pushed there for you", pr.Number),
				Hint: fmt.Sprintf("make it a branch of your own: `git fetch %s pull/%d/head:%s`", cmp.Or(t.repo.Remote, "origin"), pr.Number, own)}
		case pr.Foreign:
			t.pr, branch = pr, fmt.Sprintf("pull/%d", pr.Number) // its own name could be that of a branch here
			if t.exact, err = t.repo.FetchPull(ctx, pr.Number, fetchTime); err != nil {
				return "", err
			}
		default:
			t.pr, branch = pr, pr.Branch
		}
	}
	r.tell(Update{State: proposal.Running, Message: "fetching " + t.repo.Main})
	var more []string
	if t.exact == "" {
		more = append(more, branch)
	}
	if note := t.repo.Fetch(ctx, fetchTime, more...); note != "" {
		r.rec.Warnings = append(r.rec.Warnings, note)
	}
	if r.op.Mode != adapters.ActPR || ctx.Err() != nil {
		return branch, context.Cause(ctx)
	}
	if there, err := t.repo.Has(ctx, branch); err != nil || there {
		return branch, err
	}
	return "", &ending{State: proposal.Failed, Exit: ExitFailed, Message: "there is no pull request and no branch " + branch + " to act on", Hint: "`rig wiki work` makes the branch"}
}

// frontPR is what the task's front matter names as its pull request: `pr: 12`.
func frontPR(text []byte) string {
	rest, ok := bytes.CutPrefix(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), []byte("---"))
	if !ok {
		return ""
	}
	lines := bufio.NewScanner(bytes.NewReader(rest))
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "---" {
			break
		}
		if v, ok := strings.CutPrefix(line, "pr:"); ok {
			v = strings.Trim(strings.TrimSpace(v), `"'#`)
			if strings.HasPrefix(v, "https://") || v != "" && strings.Trim(v, "0123456789") == "" {
				return v
			}
		}
	}
	return ""
}

// lendable makes a place in the clone for each ignored dependency folder that the branch does not bring itself.
func (r *run) lendable(want map[string]string, ignored []string) (map[string]string, error) {
	out := map[string]string{}
	for _, rel := range ignored {
		at := filepath.Join(r.task.checkout.Dir, filepath.FromSlash(rel))
		if _, err := os.Lstat(at); err == nil {
			continue
		}
		if err := os.MkdirAll(at, 0o755); err != nil {
			return nil, fmt.Errorf("make a place for %s: %w", rel, err)
		}
		out[rel] = want[rel]
	}
	return out, nil
}

// box opens a sandbox over the clone. The clone is the run's own: what one program leaves, the next one finds.
func (r *run) taskBox(ctx context.Context, name string, s sandbox.Spec) (sandbox.Box, error) {
	t := r.task
	s.Root, s.RunDir, s.Own, s.Home, s.Cover = t.checkout.Dir, filepath.Join(t.dir, name), true, r.host.home, []string{r.host.rigHome}
	s.Visible = slices.Concat(s.Visible, t.checkout.Visible, r.cfg.Sandbox.Read, []string{r.host.self, t.repo.GitPath()})
	s.Limits = sandbox.Limits{FileBytes: r.cfg.Limits.FileBytes, Files: r.cfg.Limits.Files, Bytes: r.cfg.Limits.WikiBytes}
	if err := os.Mkdir(s.RunDir, 0o700); err != nil {
		return nil, err
	}
	box, err := t.layer.Open(ctx, s)
	if err != nil {
		return nil, fmt.Errorf("open the sandbox: %w", err)
	}
	return box, nil
}

// setUp runs the user's own preparation (`setup`), with the network that the user gave it. What it makes in the clone stays for the agent.
func (r *run) setUp(ctx context.Context) error {
	if r.cfg.Setup == "" {
		return nil
	}
	r.tell(Update{State: proposal.Running, Message: "setting up: " + plain(r.cfg.Setup, 80)})
	box, err := r.taskBox(ctx, "setup", sandbox.Spec{Lend: r.task.lend, Network: reach(r.cfg.Sandbox.Network["setup"])})
	if err != nil {
		return err
	}
	var said tailWriter
	e, err := box.Run(ctx, sandbox.Command{Argv: []string{"/bin/sh", "-c", r.cfg.Setup}, Env: agentEnv(r.host.env, nil, r.task.checkout.Env()), Stdout: &said, Stderr: &said, Timeout: setupTime})
	err = errors.Join(err, box.Close())
	switch {
	case err != nil:
		return fmt.Errorf("set up: %w", err)
	case e.Why == sandbox.Cancelled:
		return context.Cause(ctx)
	case e.Why != sandbox.Exited || e.Code != 0:
		return &ending{State: proposal.Failed, Exit: ExitFailed, Message: fmt.Sprintf("the setup command ended with %d (%s): %s", e.Code, e.Why, said.line()), Hint: "see `setup` of the configuration, and sandbox.network.setup for what it may reach"}
	}
	return nil
}

// openTask opens the agent's sandbox.
func (r *run) openTask(ctx context.Context) (err error) {
	r.layerAt = len(r.release)
	if err := r.openBoard(); err != nil {
		return err
	}
	req, err := r.request(r.task.checkout.Dir)
	if err != nil {
		return err
	}
	inv, err := r.agent.Plan(req)
	if err != nil {
		return fmt.Errorf("plan %s: %w", r.rec.Agent, err)
	}
	r.tell(Update{State: proposal.Running, Message: "preparing the sandbox (" + r.task.layer.Name() + ")"})
	tools, network := r.tooling(), r.network(inv)
	network.Loopback = append(network.Loopback, r.task.broker.Addr())
	r.box, err = r.taskBox(ctx, fmt.Sprintf("agent-%d", r.task.tries+1), sandbox.Spec{Visible: slices.Concat(inv.Visible, r.found.Runtime, tools.visible), Tools: tools.tools,
		State: slices.Concat(inv.State, tools.state), KeepBack: inv.Keep, Lend: r.task.lend, Network: network})
	if err != nil {
		return err
	}
	r.release = append(r.release, func() { _ = r.box.Close() })
	r.rec.Confinement = describe(r.box.Confinement())
	if r.box.Confinement().HostWrites || r.before != nil {
		return nil
	}
	if r.task.asked, err = r.host.taskSettingsFor(r.wiki, r.cfg, r.op.Name, unconfined); err != nil {
		return err
	}
	r.rec.Warnings = append(r.rec.Warnings, r.task.asked.Ignored...)
	r.before, err = takeManifest(ctx, r.wiki.Real)
	return err
}

// openBroker opens what does for the agent what may leave the sandbox: pushes, fetches and gh, by the grant of the run.
func (r *run) openBroker(ctx context.Context) (err error) {
	t := r.task
	dir := filepath.Join(t.dir, "broker")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	grant := guard.Grant{Intent: guard.Intent(r.op.Mode), Remote: t.repo.Remote, Branch: t.checkout.Branch, PR: t.pr.Number, Repo: cmp.Or(t.pr.GitHubName(), t.repo.GitHubName(ctx))}
	t.broker, err = task.NewBroker(task.BrokerOptions{Checkout: t.checkout, Grant: grant, Dir: dir, Env: r.host.env, Note: func(c task.Crossing) { r.event(c.Event(r.rec.Run)) }})
	if err != nil {
		return err
	}
	r.release = append(r.release, func() { _ = t.broker.Close() })
	return nil
}

// maxOutside bounds what the record tells of requests that crossed the wall; the events have them all.
const maxOutside = 200

// outsideOf is what git and gh did outside for the run, a sentence each. What they were denied is told as a warning.
func (t *taskRun) outsideOf() []string {
	if t == nil || t.broker == nil {
		return nil
	}
	var out []string
	for _, c := range t.broker.Crossings() {
		if c.Did == "" {
			continue
		}
		if len(out) == maxOutside {
			return append(out, "…")
		}
		out = append(out, c.Event("").Summary)
	}
	return out
}
