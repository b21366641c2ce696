package wiki

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rigwiki/rig/adapters"
	"github.com/rigwiki/rig/sandbox"
)

// tooling is what an agent finds on PATH because of its grant, and what that needs.
type tooling struct {
	tools   []sandbox.Tool // our own binary under another name
	visible []string       // paths to be shown
	path    []string       // folders of the user's own tools, at the end of PATH
	state   []string       // paths below HOME that a tool of the user's writes
}

// tooling works out the run's tools, once.
func (r *run) tooling() tooling {
	if r.tooled == nil {
		r.tooled = &tooling{}
		if slices.Contains(r.op.Grant.Commands, qmdName) {
			r.qmd(r.tooled)
		}
		if r.task != nil {
			r.tooled.tools = append(r.tooled.tools, r.task.broker.Tools(r.host.self)...)
		}
	}
	return *r.tooled
}

const qmdName = "qmd"

// qmd gives the agent a search of the wiki: the user's own qmd where one is installed, else ours.
func (r *run) qmd(t *tooling) {
	path, runtime, err := adapters.Program(r.host.adapterEnv(r.wiki, r.cfg), qmdName)
	if err != nil {
		t.tools = append(t.tools, sandbox.Tool{Name: qmdName, Exec: r.host.self})
		t.visible = append(t.visible, r.showIndex()...)
		return
	}
	t.visible = append(append(t.visible, path), runtime...)
	t.path = append(t.path, filepath.Dir(path))
	for _, rel := range []string{".cache/qmd", ".config/qmd"} {
		if isDir(r.host.home, rel) {
			t.state = append(t.state, filepath.FromSlash(rel))
		}
	}
}

// toolsFirst puts the run's tools at the head of PATH and tells them where the wiki is. The user's own come last: the vendor's programs keep their order.
func (r *run) toolsFirst(env []string, root string) []string {
	t := r.tooling()
	path := filepath.SplitList(cmp.Or(LookupVar(env, "PATH"), "/usr/local/bin:/usr/bin:/bin"))
	if len(t.tools) > 0 {
		path = append([]string{"{tools}"}, path...)
	}
	if r.task == nil && len(t.tools) > 0 {
		env = append(slices.Clone(env), r.viewEnv(root)...)
	}
	for _, dir := range t.path {
		if !slices.Contains(path, dir) {
			path = append(path, dir)
		}
	}
	return agentEnv(nil, nil, append(slices.Clone(env), "PATH="+strings.Join(path, string(filepath.ListSeparator))))
}
