package wiki

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rigwiki/rig/adapters"
	"github.com/rigwiki/rig/wiki/proposal"
)

// Verdict is what an examination says of a clause.
type Verdict string

// The verdicts.
const (
	Holds     Verdict = "holds"
	Broken    Verdict = "broken"
	NotJudged Verdict = "not judged" // cannot be seen here; Detail says why
)

// Clause is one clause of the adapters' contract (design, section 8), judged.
type Clause struct {
	Name    string  `json:"name"`
	Verdict Verdict `json:"verdict"`
	Detail  string  `json:"detail"`
}

// Examination is what `rig wiki agent doctor` found.
type Examination struct {
	Agent   string   `json:"agent"`
	Version string   `json:"version"`
	Path    string   `json:"path"`
	OK      bool     `json:"ok"` // no clause is broken
	Clauses []Clause `json:"clauses"`
}

// ExamineOptions name what is examined.
type ExamineOptions struct {
	Agent string // its name; "" where Dir is set
	Dir   string // absolute path of a directory adapter's folder
	Model string
	// ModelServer is the base URL of a scripted model server (adapters/adaptertest) that agents are led to by the usual variables, for tests. "" is
	// the user's own login.
	ModelServer string
	Timeout     time.Duration // of one round trip; 0: 3 minutes
}

// Examine judges an agent by real runs in a scratch wiki, a clause at a time; tell is called for each. An error is about the examination itself: no
// such agent, no room for the scratch wiki.
func (h *Host) Examine(ctx context.Context, w *Wiki, o ExamineOptions, tell func(Clause)) (Examination, error) {
	x, err := h.newExam(w, o, tell)
	if err != nil {
		return Examination{}, err
	}
	err = x.judge(ctx)
	x.OK = err == nil
	for _, c := range x.Clauses {
		x.OK = x.OK && c.Verdict != Broken
	}
	return x.Examination, errors.Join(err, x.host.Close(), os.RemoveAll(x.top))
}

// exam is one examination under way. It has a host of its own, whose state goes with it.
type exam struct {
	Examination
	opts    ExamineOptions
	tell    func(Clause)
	host    *Host
	adapter adapters.Adapter
	top     string // of all that is made for it
	wiki    *Wiki
	nonce   string // in prompts, so that an answer can only come from them
}

func (h *Host) newExam(w *Wiki, o ExamineOptions, tell func(Clause)) (*exam, error) {
	cfg, _, err := LoadConfig(h.rigHome, w, nil)
	if err != nil {
		return nil, err
	}
	if tell == nil {
		tell = func(Clause) {}
	}
	if o.Timeout == 0 {
		o.Timeout = 3 * time.Minute
	}
	x := &exam{opts: o, tell: tell, nonce: "k" + strings.ToLower(rand.Text()[:12])}
	x.Clauses = []Clause{}
	if o.Dir != "" {
		x.adapter = adapters.Directory(o.Dir)
	} else if x.adapter, err = h.registry(w, cfg).Find(o.Agent); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAgent, err)
	}
	x.Agent = x.adapter.Name()
	if x.top, err = os.MkdirTemp("", "rig-doctor-"); err != nil {
		return nil, fmt.Errorf("make a scratch folder: %w", err)
	}
	if err := x.layOut(h); err != nil {
		return nil, errors.Join(err, os.RemoveAll(x.top))
	}
	return x, nil
}

// layOut makes the scratch wiki and a host with the user's own configuration.
func (x *exam) layOut(h *Host) (err error) {
	if x.top, err = filepath.EvalSymlinks(x.top); err != nil {
		return err
	}
	rigHome := filepath.Join(x.top, "rig")
	if err := os.MkdirAll(rigHome, 0o700); err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(h.rigHome, "config.json5"))
	if err == nil {
		err = os.WriteFile(filepath.Join(rigHome, "config.json5"), text, 0o600)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("take over config.json5: %w", err)
	}
	if x.wiki, _, err = Init(filepath.Join(x.top, "wiki"), InitOptions{Name: "doctor"}); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(x.wiki.Real, "raw", "doctor.md"), []byte("# Doctor\n\nA source for a test.\n"), 0o600); err != nil {
		return err
	}
	if err := Trust(rigHome, x.wiki.Real); err != nil { // its prompts are ours
		return err
	}
	x.host, err = NewHost(Options{RigHome: rigHome, Env: append(h.env, modelServerVars(x.opts.ModelServer)...), Self: h.self})
	return err
}

// modelServerVars lead an agent to another model server, as far as variables can.
func modelServerVars(url string) []string {
	if url == "" {
		return nil
	}
	return []string{"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=sk-doctor", "OPENAI_BASE_URL=" + url + "/v1", "OPENAI_API_KEY=sk-doctor"}
}

// judge goes through the clauses in order; one that the later ones need ends the examination.
func (x *exam) judge(ctx context.Context) error {
	for _, part := range []func(context.Context) (goOn bool, err error){
		x.detect, x.doorstep, x.roundTrip, x.answers, x.readOnly, x.failure, x.wire,
	} {
		goOn, err := part(ctx)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil || !goOn {
			return err
		}
	}
	return nil
}

// say records a clause.
func (x *exam) say(name string, holds bool, format string, args ...any) {
	v := Broken
	if holds {
		v = Holds
	}
	x.record(Clause{name, v, fmt.Sprintf(format, args...)})
}

func (x *exam) skip(name, why string) { x.record(Clause{name, NotJudged, why}) }

func (x *exam) record(c Clause) {
	c.Detail = plain(c.Detail, 400)
	x.Clauses = append(x.Clauses, c)
	x.tell(c)
}

func (x *exam) detect(ctx context.Context) (bool, error) {
	d := x.adapter.Detect(ctx, x.host.adapterEnv(nil, Config{}))
	x.Version, x.Path = d.Version, d.Path
	if dir := filepath.Dir(d.Path); x.adapter == adapters.Directory(dir) {
		x.opts.Dir = dir
	}
	detail := strings.TrimSpace(d.Version + " " + d.Path)
	if !d.Usable {
		detail = d.Why
	}
	name := "it can run here"
	if x.opts.Dir != "" {
		name = "the executables run and wire are there"
	}
	x.say(name, d.Usable, "%s", detail)
	return d.Usable, nil
}

// job is a run in the scratch wiki, whose prompt is text: a template, in which {{.Cwd}} is the folder as the agent sees it.
func (x *exam) job(op, text string, script ...string) (Job, error) {
	if x.opts.ModelServer != "" {
		text += "\n<<FAKE [" + strings.Join(script, ", ") + "] FAKE>>\n"
	}
	file := filepath.Join(x.wiki.Real, filepath.FromSlash(promptDir), op+".md")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return Job{}, err
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return Job{}, err
	}
	j := Job{Wiki: x.wiki, Op: op, Agent: x.Agent, adapter: x.adapter, Model: x.opts.Model, Timeout: x.opts.Timeout, By: "cli", Again: true}
	if op == "ingest" {
		j.Sources = []string{"raw/doctor.md"}
	} else {
		j.Question = "the question of rig's doctor"
	}
	return j, nil
}

// run runs a job and tells how many events came.
func (x *exam) run(ctx context.Context, j Job) (rec proposal.Record, events int) {
	rec = x.host.Run(ctx, j, func(u Update) {
		if u.Event != nil && u.Event.Kind != "end" { // which is the host's
			events++
		}
	})
	return rec, events
}

// how is a run's end as a detail.
func how(rec proposal.Record) string {
	return strings.TrimRight(fmt.Sprintf("%s: %s. %s", rec.State, rec.Message, rec.Hint), ". ")
}
