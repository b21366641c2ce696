package adapters

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/rigwiki/rig/adapters/builtin"
)

// BuiltinVerb are the arguments under which our binary is the built-in agent; the code behind them is [builtin.Main].
func BuiltinVerb() []string { return []string{"wiki", "__agent"} }

// builtinAgent is our own binary, started again: no model, no network (package builtin).
type builtinAgent struct{}

func (builtinAgent) Name() string { return "builtin" }

func (builtinAgent) Detect(_ context.Context, env Env) Detection {
	if env.Self == "" {
		return Detection{Why: "the path of rig's own binary is not known"}
	}
	return Detection{Installed: true, Usable: true, Path: env.Self}
}

func (builtinAgent) Plan(r Request) (Invocation, error) {
	if !builtin.Can(r.Op) {
		return Invocation{}, fmt.Errorf("the built-in agent has no model and cannot do %s: install another agent", r.Op)
	}
	job := builtin.Job{Op: r.Op, Cwd: r.Cwd, Pages: r.Pages, Question: r.Question, Now: r.Now}
	for _, s := range r.Sources {
		job.Sources = append(job.Sources, builtin.Source{Rel: s.Rel, At: s.At, Slug: s.Slug})
	}
	if r.Found != nil {
		job.Found = &[]builtin.Found{}
		for _, f := range *r.Found {
			*job.Found = append(*job.Found, builtin.Found{Rel: f.Rel, Link: f.Link})
		}
	}
	stdin, err := json.Marshal(job)
	if err != nil {
		return Invocation{}, fmt.Errorf("render the job: %w", err)
	}
	return withConfig(Invocation{
		Argv:    append([]string{r.Env.Self}, BuiltinVerb()...),
		Env:     boardEnv(r),
		Stdin:   stdin,
		Visible: []string{r.Env.Self},
	}, r.Env.Config["builtin"]), nil
}

func (builtinAgent) Converse(_ context.Context, rw io.ReadWriter, emit func(Event)) Outcome {
	f := newFeed("builtin", emit)
	f.session = "builtin"
	f.send(Event{Kind: "session", Summary: "builtin started"})
	stream := newObjects(rw)
	for {
		obj, err := stream.next()
		if err != nil {
			return Outcome{Started: true, Failure: truncated("builtin")}
		}
		var l builtin.Line
		if json.Unmarshal(obj, &l) != nil {
			continue
		}
		if e := l.Event; e != nil {
			f.send(Event{Kind: e.Kind, Summary: e.Summary, File: e.File, OK: truth(true)})
		}
		if res := l.Result; res != nil {
			o := Outcome{Started: true, Ended: true, OK: res.OK, Text: res.Text, Turns: 1}
			if !res.OK {
				o.Failure = &Failure{Kind: "other", Message: sentence(res.Error), Hint: "this is rig's own agent: see the run's log"}
			}
			f.send(Event{Kind: "idle", Summary: sentence(res.Text), OK: truth(res.OK)})
			return o
		}
	}
}

func (builtinAgent) Wire(context.Context, WireRequest) (WireReport, error) {
	return WireReport{Status: "none", Lines: []string{"builtin: it has no interactive sessions"}}, nil
}
