package adapters

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// A feed turns a vendor's tool calls into events: running when a call starts, completed when its result comes.
type feed struct {
	emit    func(Event)
	agent   string
	session string
	cwd     string
	open    map[string]openCall // running calls by their id
	order   []string
	unnamed int // calls without an id
}

// maxOpen bounds how many calls are followed at once.
const maxOpen = 1000

type openCall struct {
	tool  string
	event Event
}

func newFeed(agent string, emit func(Event)) *feed {
	if emit == nil {
		emit = func(Event) {}
	}
	return &feed{emit: emit, agent: agent, open: map[string]openCall{}}
}

func (f *feed) send(e Event) {
	e.Session, e.Agent = f.session, f.agent
	f.emit(e.Capped())
}

// start announces a call of a tool.
func (f *feed) start(id, tool string, e Event) {
	if id == "" {
		f.unnamed++
		id = fmt.Sprintf("?%d", f.unnamed)
	}
	if _, twice := f.open[id]; twice {
		return
	}
	if len(f.order) >= 2*maxOpen {
		f.order = slices.DeleteFunc(f.order, func(id string) bool { _, still := f.open[id]; return !still })
	}
	for len(f.open) >= maxOpen {
		f.finish(f.order[0], nil, neverEnded)
		f.order = f.order[1:]
	}
	f.open[id] = openCall{tool, e}
	f.order = append(f.order, id)
	e.Running = true
	f.send(e)
}

// finish completes a call that was announced; ok nil is unknown. It returns the call.
func (f *feed) finish(id string, ok *bool, detail string) (openCall, bool) {
	c, known := f.open[id]
	if !known {
		return c, false
	}
	delete(f.open, id)
	e := c.event
	e.OK, e.Detail = ok, detail
	f.send(e)
	return c, true
}

// printed is what a command that went well had to say: the end of it, where tests count. Of other tools it is nothing, since their outcome is not told by what they gave.
func printed(kind, output string) string {
	switch kind {
	case "command", "test", "check":
	default:
		return ""
	}
	output = strings.TrimSpace(output)
	if len(output) <= capDetail {
		return output
	}
	output = output[len(output)-capDetail:]
	if i := strings.IndexByte(output, '\n'); i >= 0 {
		output = output[i+1:]
	}
	return strings.ToValidUTF8(output, "")
}

// neverEnded is the detail of a call whose end was never told.
const neverEnded = "did not finish"

// close completes what has no end (denied calls, a killed agent) as unknown (case o-ev-04).
func (f *feed) close() {
	for _, id := range f.order {
		f.finish(id, nil, neverEnded)
	}
	f.order = nil
}

func truth(b bool) *bool { return &b }

// toolKinds maps the vendors' tool names, in lower case, to kinds. Commands are told apart further by commandKind.
var toolKinds = map[string]string{
	"read": "read", "notebookread": "read", "ls": "read", "list": "read",
	"write": "edit", "edit": "edit", "multiedit": "edit", "notebookedit": "edit", "apply_patch": "edit", "patch": "edit",
	"grep": "search", "glob": "search", "find": "search", "toolsearch": "search", "codesearch": "search",
	"bash": "command", "shell": "command", "exec_command": "command", "bashoutput": "command", "killshell": "command",
	"webfetch": "web", "websearch": "web", "web_search": "web", "fetch": "web",
	"todowrite": "plan", "todoread": "plan", "taskcreate": "plan", "taskupdate": "plan", "update_plan": "plan", "exitplanmode": "plan",
	"task": "subagent", "agent": "subagent",
}

// toolInput are the arguments that vendors give their tools, whatever they are called.
type toolInput struct {
	FilePath     string          `json:"file_path"`
	FilePath2    string          `json:"filePath"`
	Path         string          `json:"path"`
	NotebookPath string          `json:"notebook_path"`
	Command      json.RawMessage `json:"command"`
	Cmd          string          `json:"cmd"`
	Pattern      string          `json:"pattern"`
	Query        string          `json:"query"`
	URL          string          `json:"url"`
	Description  string          `json:"description"`
	Subject      string          `json:"subject"`
	Prompt       string          `json:"prompt"`
}

// toolEvent says in schema v1 what a tool call is.
func toolEvent(name string, input json.RawMessage, cwd string) Event {
	var in toolInput
	_ = json.Unmarshal(input, &in) // a foreign tool's arguments may have other types: the name alone is told then
	e := Event{Kind: toolKinds[strings.ToLower(name)], Summary: name}
	file := relTo(cwd, firstOf(in.FilePath, in.FilePath2, in.NotebookPath, in.Path))
	switch e.Kind {
	case "read", "edit":
		e.File = file
		e.Summary = strings.TrimSpace(e.Kind + " " + file)
	case "search":
		e.File = file
		e.Summary = "search " + firstOf(in.Pattern, in.Query)
	case "command":
		e.Cmd = firstOf(commandText(in.Command), in.Cmd)
		e.Kind = commandKind(e.Cmd)
		e.Summary = firstOf(e.Cmd, name)
	case "web":
		e.Summary = firstOf(in.URL, in.Query, name)
	case "plan", "subagent":
		e.Summary = firstOf(in.Description, in.Subject, name)
	}
	return e
}

// target is what a call was about, for a denial.
func target(e Event) string { return firstOf(e.File, e.Cmd, e.Summary) }

// commandText reads a command that is a string or a list of words.
func commandText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var words []string
	if json.Unmarshal(raw, &words) == nil {
		return strings.Join(words, " ")
	}
	return ""
}

// relTo shortens a path below the agent's folder.
func relTo(cwd, file string) string {
	if cwd == "" || !path.IsAbs(file) {
		return file
	}
	if rest, ok := strings.CutPrefix(path.Clean(file), strings.TrimSuffix(cwd, "/")+"/"); ok {
		return rest
	}
	return file
}

func firstOf(list ...string) string {
	for _, s := range list {
		if s != "" {
			return s
		}
	}
	return ""
}

// sortedIDs gives the ids of calls that one line announces in a fixed order.
func sortedIDs(events map[string]Event) []string {
	return slices.Sorted(maps.Keys(events))
}
