package wiki

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rigwiki/rig/adapters"
	"github.com/rigwiki/rig/sandbox"
	"github.com/rigwiki/rig/wiki/index"
	"github.com/rigwiki/rig/wiki/proposal"
)

// readonlyDir is where the agent finds what it may read and not write (design, section 5, step 3).
const readonlyDir = ".rig-readonly"

// source is one source of a run.
type source struct {
	rel, sha string
	shown    string // rel path in the view, below .rig-readonly
}

// noteStart is step 2: the start is noted before anything is read, the run gets its folder and its record.
func (r *run) noteStart(ctx context.Context) (err error) {
	r.rec.Started = time.Now().UTC()
	r.inject = map[string]string{}
	for _, human := range r.wiki.Human {
		if human != "raw" {
			r.give(filepath.Join(r.wiki.Real, filepath.FromSlash(human)))
		}
	}
	if err := errors.Join(r.takeSources(ctx), r.takeFooting(), r.takeRevised()); err != nil {
		return err
	}
	if err := r.openRecord(); err != nil {
		return err
	}
	r.tell(Update{State: proposal.Running, Message: r.rec.Title})
	return nil
}

// openRecord gives the run its folders and its record, where it has none yet. The folder of its sandbox comes first: it tells that the record, which says that the run is on, is
// somebody's (see sweep).
func (r *run) openRecord() (err error) {
	if r.logs != nil {
		return nil
	}
	if r.store == nil {
		if r.store, err = r.host.Store(r.wiki); err != nil {
			return err
		}
	}
	if r.dir, err = r.host.runDir(r.wiki, r.rec.Run); err != nil {
		return err
	}
	r.release = append(r.release, func() { _ = removeRunDir(r.dir) })
	r.readChecks()
	r.rec.State = proposal.Running
	if err = r.store.Create(r.rec); err != nil {
		return err
	}
	r.logs, err = openLogs(r.store.Dir(r.rec.Run))
	return err
}

// takeSources reads the sources' hashes. A source that is ingested and unchanged ends the run before it is one.
func (r *run) takeSources(ctx context.Context) error {
	for _, rel := range r.job.Sources {
		path := filepath.Join(r.wiki.Real, filepath.FromSlash(rel))
		text, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("read the source: %w", err)
		}
		sum := sha256.Sum256(text)
		src := source{rel: rel, sha: hex.EncodeToString(sum[:]), shown: r.give(path)}
		if r.asksOnce() {
			if why := r.ingested(ctx, src); why != "" {
				return &ending{State: proposal.Empty, Exit: ExitNothing, Message: why, Hint: "--again does it anyway"}
			}
		}
		r.sources = append(r.sources, src)
		r.rec.SourceSHA = append(r.rec.SourceSHA, src.sha)
	}
	return nil
}

// asksOnce says whether a source that needs no ingest is left alone. In an editor the person who chose the action sees the page and means it.
func (r *run) asksOnce() bool {
	return r.op.Name == "ingest" && !r.job.Again && r.job.By != "editor"
}

// chooseAgent takes the agent of the job, else of the operation, else the default one. Operations that only read fall back to any usable agent, then
// to builtin, and say so.
func (r *run) chooseAgent(ctx context.Context) error {
	if r.agent != nil { // recall did
		return nil
	}
	name := cmp.Or(r.job.Agent, r.task.wants().Agent, r.cfg.AgentFor(r.op.Name))
	r.rec.Agent = name
	reg, env := r.host.registry(r.wiki, r.cfg), r.host.adapterEnv(r.wiki, r.cfg)
	if r.job.adapter != nil {
		return r.take(r.job.adapter, r.job.adapter.Detect(ctx, env))
	}
	a, err := reg.Find(name)
	why := ""
	if err == nil {
		d := r.host.detect(ctx, a, env)
		if why = d.Why; d.Usable {
			if !r.op.Grant.Web || !d.Webless {
				return r.take(a, d)
			}
			why = "it has no tool that reads the web"
		}
	} else {
		why = err.Error()
	}
	if r.op.Grant.Web {
		r.rec.Warnings = append(r.rec.Warnings, fmt.Sprintf("%s is not usable (%s); rig fetched itself", name, why))
		return r.fetchOurselves(ctx)
	}
	if r.op.Fallback && r.job.Agent == "" {
		for _, a := range reg.List() {
			if d := r.host.detect(ctx, a, env); d.Usable && a.Name() != name {
				r.rec.Warnings = append(r.rec.Warnings, fmt.Sprintf("%s is not usable (%s); %s answered instead", name, why, a.Name()))
				return r.take(a, d)
			}
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return &ending{State: proposal.Failed, Exit: ExitAgent, Message: fmt.Sprintf("agent %s is not usable: %s", name, why), Hint: r.agentHint(name)}
}

// agentHint is what to do where the agent of that name cannot run.
func (r *run) agentHint(name string) string {
	run := filepath.Join(r.wiki.Real, "local", "adapters", name, "run")
	if _, err := os.Stat(run); err == nil && filepath.Base(name) == name && !Trusted(r.host.rigHome, r.wiki.Real) {
		return fmt.Sprintf("local/adapters/%s did not count: the folder is not trusted (`rig wiki trust %s`)", name, r.wiki.Root)
	}
	if r.op.Task {
		return "see `rig wiki agent list`"
	}
	return "see `rig wiki agent list`; --agent builtin works without an agent"
}

func (r *run) take(a adapters.Adapter, d adapters.Detection) error {
	r.agent, r.found, r.rec.Agent = a, d, a.Name()
	r.model = cmp.Or(r.job.Model, r.task.wants().Model, r.cfg.ModelFor(a.Name(), r.op.Name))
	r.rec.Model = r.model
	return nil
}

// openLayer is steps 3 and 4. The plan is asked for twice, since it is pure: here for what the agent must see, in runAgent with the path at which
// the layer shows the wiki.
func (r *run) openLayer(ctx context.Context) (err error) {
	r.layerAt = len(r.release)
	if err := r.openBoard(); err != nil {
		return err
	}
	for _, path := range r.job.With {
		if r.give(path) == "" {
			why := "no such file"
			if isDir(path) {
				why = "a folder, not a file"
			}
			return &ending{State: proposal.Failed, Exit: ExitUsage, Message: "--with " + path + ": " + why, Hint: "give a file that exists"}
		}
	}
	req, err := r.request(r.wiki.Real)
	if err != nil {
		return err
	}
	r.asked = &req
	inv, err := r.agent.Plan(req)
	if err != nil {
		return fmt.Errorf("plan %s: %w", r.rec.Agent, err)
	}
	layer, err := r.takeLayer(ctx)
	if err != nil {
		return err
	}
	r.tell(Update{State: proposal.Running, Message: "preparing the sandbox (" + layer.Name() + ")"})
	r.bases = r.host.findBases(ctx, r.wiki, func(ctx context.Context) { r.host.watchOwners(ctx, r.wiki, r.cfg, r.job.Layer) })
	r.release = append(r.release, r.bases.stop)
	if r.box, err = layer.Open(ctx, r.spec(inv)); err != nil {
		r.host.forgetTier(r.wiki, r.cfg, r.job.Layer)
		return fmt.Errorf("open the sandbox: %w", err)
	}
	r.release = append(r.release, func() { _ = r.box.Close() })
	r.rec.Confinement = describe(r.box.Confinement())
	if !r.box.Confinement().HostWrites && r.before == nil {
		r.before, err = takeManifest(ctx, r.job.Wiki.Real)
	}
	return err
}

func (r *run) spec(inv adapters.Invocation) sandbox.Spec {
	buffers := make(map[string][]byte, len(r.job.Buffers))
	for rel, b := range r.job.Buffers {
		buffers[rel] = b.Text
	}
	r.footing.lay(buffers)
	r.revised.lay(buffers)
	tools := r.tooling()
	return sandbox.Spec{
		Root: r.wiki.Real, RunDir: r.dir, Protect: r.wiki.Human, Inject: r.inject, Buffers: buffers, Gone: r.footing.gone(buffers), Hide: HideEntry, BaseText: r.bases.text,
		Visible: slices.Concat(inv.Visible, r.found.Runtime, r.cfg.Sandbox.Read, []string{r.host.self}, tools.visible), Cover: []string{r.host.rigHome}, Tools: tools.tools, State: slices.Concat(inv.State, tools.state), KeepBack: inv.Keep, Home: r.host.home,
		Network: r.network(inv),
		Limits:  sandbox.Limits{FileBytes: r.cfg.Limits.FileBytes, Files: r.cfg.Limits.Files, Bytes: r.cfg.Limits.WikiBytes},
	}
}

// runAgent is steps 5 to 7: plan, start, follow and wait until no process of the run is left.
func (r *run) runAgent(ctx context.Context) error {
	req, err := r.requestInside()
	if err != nil {
		return err
	}
	req.Confined = r.box.Confinement().HostWrites // then a sandbox of the vendor's inside ours is only in the way
	inv, err := r.agent.Plan(req)
	if err != nil {
		return fmt.Errorf("plan %s: %w", r.rec.Agent, err)
	}
	if err := r.logs.prompt(req.System, req.Prompt); err != nil {
		return err
	}
	if r.deadline.IsZero() {
		r.deadline = time.Now().Add(r.timeout())
	}
	cfg := r.cfg.Agent[r.rec.Agent]
	user, err := r.task.env()
	if err != nil {
		return err
	}
	set := slices.Concat(inv.Env, user, configEnv(cfg))
	cmd := sandbox.Command{Argv: inv.Argv, Stdin: inv.Stdin, TwoWay: inv.TwoWay, Files: inv.Files, Stop: inv.Stop, Timeout: max(time.Until(r.deadline), time.Millisecond), Idle: r.cfg.IdleTimeout,
		Env:    r.toolsFirst(agentEnv(r.host.env, inv.Pass, set), r.box.Dir()),
		Stdout: r.logs.stdout, Stderr: r.logs.stderr, Talk: r.talk(inv)}
	r.exit, err = r.box.Run(ctx, cmd)
	if err != nil {
		return fmt.Errorf("run %s: %w", r.rec.Agent, err)
	}
	r.rec.AgentExit = r.exit.Code
	r.hearStderr()
	r.endEvents()
	for _, m := range adapters.Markers(r.outcome.Text) {
		r.rec.Markers = append(r.rec.Markers, m.Name+": "+m.Text)
	}
	r.spent = r.spent.Plus(r.outcome.Usage) // a try that failed was paid for too
	r.rec.Session, r.rec.Usage, r.rec.Model = r.outcome.Session, r.spent, cmp.Or(r.rec.Model, r.outcome.Model)
	switch answer := strings.TrimSpace(r.outcome.Text); {
	case r.op.Task:
		r.rec.Answer = headAndTail(answer, maxReport)
	case !r.op.Writes:
		r.rec.Answer = answer
	}
	return nil
}

// readChanges is step 8.
func (r *run) readChanges(ctx context.Context) (err error) {
	if ctx.Err() != nil { // the run was cancelled: what it changed is still read, for refused.diff
		ctx = context.WithoutCancel(ctx)
	}
	r.bases.stop()
	if r.changes, err = r.box.Changes(ctx); err != nil {
		return fmt.Errorf("read what %s changed: %w", r.rec.Agent, err)
	}
	r.changes.List = r.revised.compose(r.changes.List)
	r.rec.Warnings = append(r.rec.Warnings, r.changes.Warnings...)
	return nil
}

// judge is steps 9 and 10: policy on the changes, with the links of the wiki as it would be.
func (r *run) judge(ctx context.Context) error {
	in := Input{Wiki: r.wiki, Config: r.cfg, Op: r.op.Name, Writes: r.op.Writes, Changes: r.changes, Sources: r.rec.Sources, Why: r.stoppedShort()}
	switch {
	case !r.finished():
		in.End, in.Why = RunUnfinished, r.end().Message
	case in.Why != "":
		in.End = RunShort
	}
	x, err := r.host.Index(ctx, r.wiki)
	if err != nil {
		r.rec.Warnings = append(r.rec.Warnings, "links were not checked: "+err.Error())
		r.verdict = Judge(in)
		return nil
	}
	in.Made, in.Gone = r.footing.made(), r.footing.gone(nil)
	r.footing.view(x, func(x *index.Index) {
		in.View = x
		r.verdict = Judge(in)
		r.footing.note(x, r.verdict.Files)
		if r.op.Writes {
			r.lintProposal(x)
		}
	})
	return nil
}

// refusedTexts are the refusals with what there is of their texts.
func refusedTexts(j Judgement) []proposal.RefusedText {
	out := make([]proposal.RefusedText, len(j.Refused))
	for i, f := range j.Refused {
		out[i].Refusal = f
		for _, t := range j.Texts {
			if t.Refusal == f {
				out[i].BaseText, out[i].NewText = t.Base, t.New
			}
		}
	}
	return out
}

// compareReal is step 12: where nothing kept the agent from the real wiki, it is compared with what it was.
func (r *run) compareReal(ctx context.Context) error {
	if r.before == nil {
		return nil
	}
	after, err := takeManifest(context.WithoutCancel(ctx), r.job.Wiki.Real)
	if err != nil {
		return err
	}
	for _, rel := range r.before.diff(after) {
		if Protected(r.job.Wiki, rel) {
			r.rec.Warnings = append(r.rec.Warnings, "PROTECTED FILE CHANGED during the run, outside the sandbox: "+rel)
		} else {
			r.rec.Warnings = append(r.rec.Warnings, "changed during the run: "+rel)
		}
	}
	return nil
}

// settle ends the run: the proposal is stored, then the sandbox goes, then the end is shown.
func (r *run) settle(ctx context.Context, failed error) {
	e := r.end()
	if failed != nil {
		e = endOf(ctx, failed)
	}
	if errors.Is(failed, sandbox.ErrNotQuiescent) {
		e.Hint = "its changes were not read; run again"
	}
	r.rec.State, r.rec.Exit, r.rec.Message, r.rec.Hint = e.State, e.Exit, e.Message, e.Hint
	if !r.op.Task && unfinished(e.State) {
		r.rec.Answer = "" // what was said before the run broke is no answer, to show or to file
	}
	r.rec.Ended = time.Now().UTC()
	if r.box != nil {
		go r.box.Close() // beside the store, which waits for the disk; released below, where its end is waited for
	}
	if r.store != nil && r.logs != nil {
		r.rec.Outside = r.task.outsideOf()
		if err := r.store.Propose(&r.rec, r.verdict.Files, refusedTexts(r.verdict)); err != nil {
			r.rec.State, r.rec.Exit, r.rec.Message = proposal.Failed, ExitFailed, "store the proposal: "+err.Error()
		}
		r.replaceRevised()
		r.report()
	}
	for _, release := range slices.Backward(r.release) {
		release()
	}
	if r.logs != nil {
		r.logs.close()
	}
	r.host.dequeue(r)
	rec := r.rec
	r.tell(Update{State: rec.State, Message: rec.Message, Record: &rec})
}
