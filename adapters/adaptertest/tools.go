package adaptertest

import (
	"encoding/json"
	"strings"
)

// object is JSON under construction.
type object = map[string]any

// An offer is the tools of a request: their names, which are freeform, and their parameters.
type offer struct {
	names  map[string]bool
	custom map[string]bool
	params map[string]map[string]any
}

func newOffer() offer {
	return offer{map[string]bool{}, map[string]bool{}, map[string]map[string]any{}}
}

func (o offer) add(name string, schema any) {
	o.names[name] = true
	if s, ok := schema.(map[string]any); ok {
		p, _ := s["properties"].(map[string]any)
		o.params[name] = p
	}
}

func (o offer) has(name string) bool { return o.names[name] }

func (o offer) takes(tool, param string) bool {
	_, ok := o.params[tool][param]
	return ok
}

// A call is a tool call of the model.
type call struct {
	name   string
	args   any
	custom bool // freeform: input instead of args
	input  string
}

// render turns a step into a call of the tool that the agent offers for it. Where none is offered, it is called anyway, in the agent's own
// spelling: refusing is the agent's work.
func render(s Step, o offer) call {
	if s.Op == "raw" {
		var args any
		_ = json.Unmarshal(s.Args, &args) // nil arguments are a case of their own
		return call{name: s.Name, args: args}
	}
	if isCodex(o) {
		return renderCodex(s, o)
	}
	if isGemini(o) {
		return renderGemini(s, o)
	}
	switch s.Op {
	case "read":
		n := o.pick("Read", "mcp__acp__Read", "read")
		return call{name: n, args: object{o.pathParam(n): s.Path}}
	case "write":
		if !o.has("Write") && !o.has("write") && o.has("apply_patch") {
			return o.patch(addPatch(s))
		}
		n := o.pick("Write", "mcp__acp__Write", "write")
		return call{name: n, args: object{o.pathParam(n): s.Path, "content": s.Content}}
	case "edit":
		return renderEdit(s, o)
	case "bash":
		n := o.pick("Bash", "mcp__acp__Bash", "bash")
		args := object{"command": s.Cmd}
		if o.takes(n, "description") || n == "Bash" {
			args["description"] = "scripted command"
		}
		return call{name: n, args: args}
	case "grep":
		return call{name: o.pick("Grep", "grep"), args: object{"pattern": s.Text}}
	case "plan":
		return renderPlan(s, o)
	}
	return call{name: s.Op, args: object{}}
}

func isCodex(o offer) bool {
	return o.has("exec_command") || o.has("shell_command") || o.has("shell") || o.has("local_shell")
}

func (o offer) pick(names ...string) string {
	for _, n := range names {
		if o.has(n) {
			return n
		}
	}
	if o.has("read") || o.has("bash") || o.has("grep") {
		return names[len(names)-1]
	}
	return names[0]
}

func (o offer) pathParam(tool string) string {
	for _, p := range []string{"file_path", "filePath"} {
		if o.takes(tool, p) {
			return p
		}
	}
	if tool == "Write" || tool == "Edit" || tool == "Read" {
		return "file_path"
	}
	return "path"
}

func renderEdit(s Step, o offer) call {
	if !o.has("Edit") && !o.has("edit") && o.has("apply_patch") {
		return o.patch(editPatch(s))
	}
	n := o.pick("Edit", "mcp__acp__Edit", "edit")
	switch {
	case n == "Edit" || n == "mcp__acp__Edit" || o.takes(n, "file_path"):
		return call{name: n, args: object{"file_path": s.Path, "old_string": s.Old, "new_string": s.New}}
	case o.takes(n, "filePath"):
		return call{name: n, args: object{"filePath": s.Path, "oldString": s.Old, "newString": s.New}}
	case o.takes(n, "edits"):
		return call{name: n, args: object{"path": s.Path, "edits": []any{object{"oldText": s.Old, "newText": s.New}}}}
	}
	return call{name: n, args: object{"path": s.Path, "oldText": s.Old, "newText": s.New}}
}

func renderPlan(s Step, o offer) call {
	switch {
	case o.has("update_plan"):
		return call{name: "update_plan", args: object{"plan": []any{object{"step": s.Text, "status": "in_progress"}}}}
	case o.has("TodoWrite"):
		return call{name: "TodoWrite", args: object{"todos": []any{object{"content": s.Text, "status": "in_progress", "activeForm": s.Text}}}}
	case o.has("TaskCreate"):
		return call{name: "TaskCreate", args: object{"subject": s.Text, "description": s.Text}}
	}
	return call{name: "todowrite", args: object{"todos": []any{object{"content": s.Text, "status": "in_progress", "priority": "high", "id": "1"}}}}
}

func renderCodex(s Step, o offer) call {
	switch s.Op {
	case "read":
		return o.shell("cat " + s.Path)
	case "write":
		return o.patch(addPatch(s))
	case "edit":
		return o.patch(editPatch(s))
	case "bash":
		return o.shell(s.Cmd)
	case "grep":
		return o.shell("grep -rn " + s.Text + " .")
	}
	return renderPlan(s, o)
}

func (o offer) shell(cmd string) call {
	switch {
	case o.has("exec_command"):
		return call{name: "exec_command", args: object{"cmd": cmd, "yield_time_ms": 10000}}
	case o.has("shell_command"):
		return call{name: "shell_command", args: object{"command": cmd}}
	}
	return call{name: "shell", args: object{"command": []string{"bash", "-lc", cmd}}}
}

func (o offer) patch(p string) call {
	switch {
	case o.custom["apply_patch"]:
		return call{name: "apply_patch", custom: true, input: p}
	case o.has("apply_patch") && o.takes("apply_patch", "patchText"):
		return call{name: "apply_patch", args: object{"patchText": p}}
	case o.has("apply_patch"):
		return call{name: "apply_patch", args: object{"input": p}}
	}
	return o.shell("apply_patch <<'EOP'\n" + p + "\nEOP")
}

func addPatch(s Step) string {
	return "*** Begin Patch\n*** Add File: " + s.Path + "\n" + marked("+", s.Content) + "*** End Patch"
}

// marked puts a mark before each line.
func marked(mark, text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(mark + strings.TrimSuffix(line, "\n") + "\n")
	}
	return b.String()
}

func editPatch(s Step) string {
	return "*** Begin Patch\n*** Update File: " + s.Path + "\n@@\n" + marked("-", s.Old) + marked("+", s.New) + "*** End Patch"
}

// textOf flattens a content value: a string, or parts with a text.
func textOf(v any) string {
	switch c := v.(type) {
	case string:
		return c
	case []any:
		var b strings.Builder
		for _, p := range c {
			if m, ok := p.(map[string]any); ok {
				if t, ok := m["text"].(string); ok {
					b.WriteString(t + "\n")
				}
			}
		}
		return b.String()
	}
	return ""
}
