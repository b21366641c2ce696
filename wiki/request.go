package wiki

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/rigwiki/rig/adapters"
)

// give puts a host file into .rig-readonly under its base name, or the first free "<n>-<name>", and returns its path in the view.
// A file that is not there is left out: "" is returned.
func (r *run) give(path string) string {
	if fi, err := os.Stat(path); err != nil || !fi.Mode().IsRegular() {
		return ""
	}
	rel := readonlyDir + "/" + filepath.Base(path)
	for n := 2; r.inject[rel] != "" && r.inject[rel] != path; n++ {
		rel = fmt.Sprintf("%s/%d-%s", readonlyDir, n, filepath.Base(path))
	}
	r.inject[rel] = path
	return rel
}

// request is what the agent is asked, where it sees its folder at cwd.
func (r *run) request(cwd string) (adapters.Request, error) {
	if r.task != nil {
		return r.taskRequest(cwd)
	}
	data := promptData{Op: r.op.Name, Name: r.wiki.Name, Cwd: cwd, Date: r.rec.Started.Local().Format("2006-01-02"), Writes: r.op.Writes, Question: r.job.Question, Note: r.job.Note, URL: r.job.Fetch.URL, Passages: r.passages}
	var human []string
	for _, rel := range r.wiki.Human {
		shown := filepath.ToSlash(filepath.Join(cwd, readonlyDir, filepath.Base(rel)))
		switch {
		case rel == "raw":
			rel = "raw/"
		case rel == r.wiki.Schema:
			data.Schema = shown
		case r.inject[readonlyDir+"/"+filepath.Base(rel)] != "":
			data.Purpose = shown
		}
		human = append(human, rel)
	}
	data.Human = sentence(human)
	for _, s := range r.sources {
		data.Sources = append(data.Sources, promptSource{Shown: filepath.ToSlash(filepath.Join(cwd, s.shown)), Path: s.rel, SHA: s.sha})
	}
	for _, path := range r.job.With {
		data.With = append(data.With, filepath.ToSlash(filepath.Join(cwd, r.give(path))))
	}
	data.Rules = r.rules(cwd)
	system, err := render("system", data)
	if err != nil {
		return adapters.Request{}, err
	}
	review := ""
	if r.revised != nil {
		if review, err = render("revise", data); err != nil {
			return adapters.Request{}, err
		}
		data.Note = "" // it is the review
	}
	prompt, ignored, err := r.renderOp(data)
	if err != nil {
		return adapters.Request{}, err
	}
	prompt += review
	r.warnPrompts(ignored)
	req := adapters.Request{Op: r.op.Name, Mode: r.op.Mode, Prompt: prompt, System: system, Model: r.rec.Model, Cwd: cwd, ReadOnly: append(slices.Clone(r.wiki.Human), readonlyDir),
		Grant: r.op.Grant, Commands: r.op.Grant.Commands, Detection: r.found, Env: r.host.adapterEnv(r.wiki, r.cfg), Task: r.rec.Title, Timeout: r.timeout(), Question: r.job.Question, Found: r.near, Now: r.rec.Started.Local(), Pages: r.wiki.Pages}
	for _, s := range data.Sources {
		req.Sources = append(req.Sources, adapters.Source{Rel: s.Path, At: s.Shown})
	}
	r.sealed(&req)
	return req, nil
}

// requestInside is the request where the box shows the folder: the one that was made before, where that is the wiki's own path.
func (r *run) requestInside() (adapters.Request, error) {
	if r.asked == nil || r.asked.Cwd != r.box.Dir() {
		return r.request(r.box.Dir())
	}
	req := *r.asked
	r.sealed(&req)
	return req, nil
}

// sealed adds what is known once the box and the endpoint stand.
func (r *run) sealed(req *adapters.Request) {
	if r.box != nil {
		c := r.box.Confinement()
		req.Confined = c.HostWrites && c.HostSecrets
	}
	if r.board != nil {
		req.Board = adapters.Board{Port: r.board.Port(), AgentID: r.rec.Run, Token: r.boardToken()}
	}
}

func (r *run) timeout() time.Duration {
	if r.job.Timeout > 0 {
		return r.job.Timeout
	}
	return r.cfg.Timeout
}
