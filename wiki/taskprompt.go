package wiki

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rigwiki/rig/adapters"
)

// taskData is what the templates of task runs may name.
type taskData struct {
	Op, Name, Cwd, Date string
	Writes              bool
	Task                string // the file's path in the repository
	Text                string // of the task
	Branch, Main, Base  string
	Continued, Again    bool     // Again: an earlier try of this run was cut off
	Commands            []string // that the project's agents may run
	PR                  int      // 0: none is known
	PRURL, PRTitle      string
	Note                string
}

// localPromptDir is where a project keeps its prompts for task runs, one a file: work.md, act-pr.md, review.md. They count only in a trusted folder.
const localPromptDir = "local/prompts"

// maxBrief and maxReport bound the project's brief and what is kept of an agent's final text, in bytes.
const (
	maxBrief  = 64 << 10
	maxReport = 64 << 10
)

// taskRequest is what a task's agent is asked, where it sees the checkout at cwd.
func (r *run) taskRequest(cwd string) (adapters.Request, error) {
	t := r.task
	c := t.checkout
	data := taskData{Op: r.op.Name, Name: r.wiki.Name, Cwd: cwd, Date: r.rec.Started.Local().Format("2006-01-02"), Writes: r.op.Writes, Task: t.file,
		Text: strings.ToValidUTF8(string(bytes.TrimPrefix(t.text, []byte("\xef\xbb\xbf"))), "\uFFFD"), Branch: c.Branch, Main: c.Repo.Main, Base: c.Base,
		Continued: c.Continued, Again: t.tries > 0, PR: t.pr.Number, PRURL: t.pr.URL, PRTitle: t.pr.Title, Note: r.job.Note}
	if r.op.Writes {
		data.Commands = t.asked.Commands
	}
	system, err := render("task", data)
	if err != nil {
		return adapters.Request{}, err
	}
	prompt, ignored, err := r.renderOp(data)
	if err != nil {
		return adapters.Request{}, err
	}
	r.warnPrompts(ignored)
	grant := r.op.Grant
	grant.Commands = slices.Concat(grant.Commands, data.Commands)
	if len(grant.Exact) > 0 {
		grant.Exact = pushLines(cmp.Or(t.repo.Remote, "origin"), c.Branch)
	}
	req := adapters.Request{Op: r.op.Name, Mode: r.op.Mode, Prompt: prompt, System: system, Model: r.rec.Model, Cwd: cwd, Grant: grant, Commands: data.Commands, Brief: r.brief(),
		Detection: r.found, Env: r.host.adapterEnv(r.wiki, r.cfg), Task: path.Base(t.file), Timeout: r.timeout(), Now: r.rec.Started.Local()}
	r.sealed(&req)
	return req, nil
}

// brief is the project's AGENTS.md as the branch has it.
func (r *run) brief() string {
	text, err := r.task.repo.FileAt(r.host.ctx, r.task.checkout.Start, "AGENTS.md", maxBrief)
	if err != nil {
		return "" // there is none, or it is a book
	}
	return strings.ToValidUTF8(string(text), "\uFFFD")
}

// warnCommands says aloud that nothing is configured which the agent may run.
func (r *run) warnCommands() {
	if r.op.Writes && len(r.task.asked.Commands) == 0 {
		r.rec.Warnings = append(r.rec.Warnings, "no project commands are configured: the agent can run no tests (set BOARD_AGENT_COMMANDS, or `commands` in config.json5)")
	}
}

// headAndTail keeps the beginning and the end of a text that is longer than limit bytes.
func headAndTail(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	head, tail := text[:limit/2], text[len(text)-limit/2:]
	if i := strings.LastIndexByte(head, '\n'); i > 0 {
		head = head[:i+1]
	}
	if i := strings.IndexByte(tail, '\n'); i >= 0 && i < len(tail)-1 {
		tail = tail[i+1:]
	}
	for !utf8.ValidString(head) && head != "" {
		head = head[:len(head)-1]
	}
	for !utf8.ValidString(tail) && tail != "" {
		tail = tail[1:]
	}
	return head + "\n[… " + plural(len(text)-len(head)-len(tail), "byte", "bytes") + " left out …]\n" + tail
}
