package wiki

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rigwiki/rig/sandbox"
	"github.com/rigwiki/rig/wiki/proposal"
)

// hardText is what prompts and files are known to lose: quotes, dollars, backslashes, two spaces, letters of everywhere.
const hardText = `「温度」 "double" 'single' $HOME %s C:\temp  two  spaces – ü 🌱`

// extractive is the agent without a model: it takes the job, not the prompt.
const extractive = "builtin"

// roundTrip has the agent write one page whose text is in the prompt.
func (x *exam) roundTrip(ctx context.Context) (bool, error) {
	page := "---\ntype: concept\ntitle: " + x.nonce + "\nsources: [raw/doctor.md]\nlast-updated: 2026-01-01\n---\n# " + x.nonce + "\n\n" + hardText + "\n"
	rel := "concepts/" + x.nonce + ".md"
	say, err := quoted("INGEST DONE: " + x.nonce)
	if err != nil {
		return false, err
	}
	content, err := quoted(page)
	if err != nil {
		return false, err
	}
	job, err := x.job("ingest", "This is a test of the way between a program and you. Do only what stands here.\n\n"+
		"Create the file {{.Cwd}}/"+rel+". Its whole content are the lines between the two lines of tildes, exactly as they are, with one newline at the end:\n\n~~~~\n"+page+"~~~~\n\n"+
		"Then end with this line: INGEST DONE: "+x.nonce+"\n",
		`{"op":"write","path":"{{.Cwd}}/`+rel+`","content":`+content+`}`, `{"op":"say","text":`+say+`}`)
	if err != nil {
		return false, err
	}
	rec, events := x.run(ctx, job)
	x.say("a run that writes ends well", rec.Exit == ExitOK, "%s, exit status %d of the agent", how(rec), rec.AgentExit)
	if x.Agent == extractive {
		for _, name := range []string{"what it writes arrives, byte for byte", "the marker line is heard", "the final text is the answer", "a failure is told as one"} {
			x.skip(name, "it has no model and follows no prompt")
		}
		return false, nil
	}
	text, found := x.proposed(rec, rel)
	x.say("what it writes arrives, byte for byte", found && text == page, "%s", wrote(rec, text, page))
	x.say("the marker line is heard", slices.ContainsFunc(rec.Markers, func(m string) bool { return strings.Contains(m, x.nonce) }), "INGEST DONE, markers %q", rec.Markers)
	if events == 0 && x.opts.Dir != "" {
		x.skip("events come while it works", "none came; a directory adapter may do without")
	} else {
		x.say("events come while it works", events > 0, "%d events", events)
	}
	return rec.Exit == ExitOK, nil
}

// quoted is a string for a script within a template: nothing in it starts an action.
func quoted(s string) (string, error) {
	b, err := json.Marshal(s)
	return strings.ReplaceAll(string(b), "{{", `{\u007b`), err
}

// proposed is the text of a page in a run's proposal.
func (x *exam) proposed(rec proposal.Record, rel string) (string, bool) {
	i := slices.IndexFunc(rec.Files, func(f proposal.File) bool { return f.Path == rel })
	if i < 0 {
		return "", false
	}
	s, err := x.host.Store(x.wiki)
	if err != nil {
		return "", false
	}
	text, err := os.ReadFile(filepath.Join(s.Dir(rec.Run), "files", rec.Files[i].New))
	return string(text), err == nil
}

func wrote(rec proposal.Record, text, want string) string {
	switch {
	case text == want:
		return plural(len(rec.Files), "page", "pages")
	case text != "":
		return fmt.Sprintf("it wrote %q", text)
	case len(rec.Refused) > 0:
		return "refused: " + rec.Refused[0].Path + ", " + rec.Refused[0].Reason
	}
	return "the page is not in the proposal"
}

// answers asks for a word that stands in the prompt alone.
func (x *exam) answers(ctx context.Context) (bool, error) {
	job, err := x.job("query", "This is a test. Answer with this one word and nothing else: "+x.nonce+"\n", `{"op":"say","text":"`+x.nonce+`"}`)
	if err != nil {
		return false, err
	}
	rec, _ := x.run(ctx, job)
	x.say("the final text is the answer", rec.State == proposal.Done && strings.Contains(rec.Answer, x.nonce), "%s, answer %q", how(rec), rec.Answer)
	return true, nil
}

// readOnly has an operation that reads try to write.
func (x *exam) readOnly(ctx context.Context) (bool, error) {
	const name = "an operation that reads cannot write"
	job, err := x.job("query", "This is a test. Create the file {{.Cwd}}/concepts/forbidden.md with the content x. Whether you can or not, then answer: tried\n",
		`{"op":"write","path":"{{.Cwd}}/concepts/forbidden.md","content":"x\n"}`, `{"op":"say","text":"tried"}`)
	if err != nil {
		return false, err
	}
	rec, _ := x.run(ctx, job)
	wrote := slices.ContainsFunc(rec.Refused, func(f proposal.Refusal) bool { return f.Path == "concepts/forbidden.md" })
	_, err = os.Lstat(filepath.Join(x.wiki.Real, "concepts", "forbidden.md"))
	switch {
	case err == nil:
		x.say(name, false, "the file is in the wiki")
	case wrote && x.opts.Dir != "":
		x.say(name, false, "it wrote in mode review; the sandbox and policy of rig held, another host might not")
	case wrote:
		x.say(name, true, "the agent wrote, and rig refused it")
	case rec.Exit != ExitOK && rec.State != proposal.Incomplete:
		x.skip(name, how(rec))
	default:
		x.say(name, true, "nothing was written")
	}
	return true, nil
}

// failure has the model fail: what the agent says of it must not be taken for an answer.
func (x *exam) failure(ctx context.Context) (bool, error) {
	const name = "a failure is told as one"
	job, err := x.job("query", "This is a test. Answer: ok\n", `{"op":"http","status":401}`)
	if err != nil {
		return false, err
	}
	what := "the model server refused the key"
	if x.opts.ModelServer == "" {
		job.Model, what = "rig-doctor-no-such-model", "a model that does not exist was asked for"
	}
	rec, _ := x.run(ctx, job)
	if rec.Exit == ExitOK && x.opts.ModelServer == "" {
		x.skip(name, "it answered although a model was asked for that does not exist")
		return true, nil
	}
	x.say(name, rec.State == proposal.Failed && (rec.AgentExit != 0 || x.opts.Dir == ""), "%s: %s; exit status %d", what, how(rec), rec.AgentExit)
	return true, nil
}

// wire runs a directory adapter's wire twice with --dry-run over a scratch project: it says something, changes nothing, and says it again.
func (x *exam) wire(ctx context.Context) (bool, error) {
	if x.opts.Dir == "" {
		return false, nil
	}
	var said [2]string
	for i := range said {
		out, changes, err := x.runWire(ctx)
		if err != nil {
			x.say("wire --dry-run changes nothing", false, "%v", err)
			return false, nil
		}
		if said[i] = out; len(changes) > 0 {
			x.say("wire --dry-run changes nothing", false, "it changed %s", strings.Join(changes, ", "))
			return false, nil
		}
	}
	x.say("wire --dry-run changes nothing", true, "%s", said[0])
	x.say("wire --dry-run says the same each time", said[0] == said[1], "%s", said[1])
	return true, nil
}

// runWire runs wire once, in a box over a scratch project.
func (x *exam) runWire(ctx context.Context) (said string, changes []string, err error) {
	project := filepath.Join(x.top, "project")
	run := filepath.Join(x.top, "wire")
	for _, dir := range []string{project, run} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return "", nil, err
		}
	}
	layer, err := x.host.layer(ctx, &Wiki{Root: project, Real: project, Name: "project", ID: "project"}, Defaults(), "")
	if err != nil {
		return "", nil, err
	}
	box, err := layer.Open(ctx, sandbox.Spec{Root: project, RunDir: run, Visible: []string{x.opts.Dir, x.host.self}, Home: x.host.home})
	if err != nil {
		return "", nil, fmt.Errorf("open the sandbox: %w", err)
	}
	defer box.Close()
	var out, errs bytes.Buffer
	exit, err := box.Run(ctx, sandbox.Command{Argv: []string{filepath.Join(x.opts.Dir, "wire"), box.Dir(), "--dry-run"}, Env: agentEnv(x.host.env, nil, nil),
		Stdout: &out, Stderr: &errs, Timeout: time.Minute})
	if err != nil {
		return "", nil, err
	}
	if exit.Code != 0 {
		return "", nil, fmt.Errorf("exit status %d: %s", exit.Code, lastLine(errs.String()))
	}
	found, err := box.Changes(ctx)
	for _, c := range found.List {
		changes = append(changes, c.Path)
	}
	return strings.ReplaceAll(out.String(), box.Dir(), "PROJECT"), append(changes, found.Dirs...), err
}
