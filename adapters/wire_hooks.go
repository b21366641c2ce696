package adapters

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// hookFile is a settings file whose key "hooks" names commands for events, as claude and codex read it.
type hookFile struct {
	agent   string
	events  []hookEvent
	command string // what our hooks run
}

type hookEvent struct {
	name  string
	tools bool // it is about a tool call, and takes a matcher
}

type hookGroup struct {
	Matcher string        `json:"matcher,omitempty"`
	Hooks   []hookHandler `json:"hooks"`
}

type hookHandler struct {
	Type    string `json:"type"`
	Command string `json:"command"`
	Timeout int    `json:"timeout"` // seconds
}

// hookTimeout bounds a hook, in seconds. Ours ends within a fraction of one.
const hookTimeout = 5

// oursRE finds a command of ours, of whatever version and wherever the binary lay then.
var oursRE = lazyRE(`\bwiki['"]? __emit [a-z]+\b`)

// add gives the text with one hook of ours for each event, and says what was repaired. A text that has just that comes back as it is.
func (h hookFile) add(old []byte) (text []byte, notes []string, err error) {
	if blankText(old) {
		old = []byte("{}\n")
	}
	stale, wired, err := h.judge(old)
	if err != nil || wired {
		return old, nil, err
	}
	if stale > 0 {
		notes = append(notes, fmt.Sprintf("%s of an older wiring taken out", plural(stale, "hook")))
	}
	if text, _, err = h.strip(old); err != nil {
		return nil, nil, err
	}
	var names []string
	for _, e := range h.events {
		root, err := scanSettings(text)
		if err != nil {
			return nil, nil, err
		}
		text, names = h.insert(text, root, e), append(names, e.name)
	}
	return text, append(notes, "hooks for "+strings.Join(names, ", ")), nil
}

// blankText: some programs leave an empty file where they have nothing to set.
func blankText(text []byte) bool {
	return len(bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\ufeff")))) == 0
}

// insert adds the hook of one event, and the lists around it where they are missing.
func (h hookFile) insert(text []byte, root *setting, e hookEvent) []byte {
	group := h.group(e)
	hooks := root.member("hooks")
	if hooks == nil {
		text = appended(text, root, `"hooks": {}`)
		if root, _ = scanSettings(text); root == nil {
			return text // it was valid, and so is what appended makes
		}
		hooks = root.member("hooks")
	}
	if list := hooks.member(e.name); list != nil {
		return appended(text, list, group)
	}
	return appended(text, hooks, `"`+e.name+`": [`+group+`]`)
}

func (h hookFile) group(e hookEvent) string {
	g := hookGroup{Hooks: []hookHandler{{"command", h.command, hookTimeout}}}
	if e.tools {
		g.Matcher = "*"
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(g) // strings and numbers always encode
	return strings.TrimSpace(b.String())
}

// judge counts our hooks that are not as they should be; wired is true where every event has its one and there is no other.
func (h hookFile) judge(text []byte) (stale int, wired bool, err error) {
	root, err := h.scan(text)
	if err != nil {
		return 0, false, err
	}
	good := 0
	for _, list := range root.member("hooks").list() {
		at := slices.IndexFunc(h.events, func(e hookEvent) bool { return e.name == list.key })
		found := false
		for _, g := range list.members {
			n := len(h.ours(text, g))
			if n == 0 {
				continue
			}
			if !found && n == 1 && at >= 0 && sameJSON(text[g.start:g.end], h.group(h.events[at])) {
				found = true
				good++
				n--
			}
			stale += n
		}
	}
	return stale, good == len(h.events) && stale == 0, nil
}

// list is the members of a value that may be missing.
func (s *setting) list() []*setting {
	if s == nil {
		return nil
	}
	return s.members
}

func sameJSON(have []byte, want string) bool {
	plain, _ := withoutComments(have)
	var a, b any
	return json.Unmarshal(plain, &a) == nil && json.Unmarshal([]byte(want), &b) == nil && fmt.Sprint(a) == fmt.Sprint(b)
}

// scan reads the text and demands the shape that hooks have.
func (h hookFile) scan(text []byte) (*setting, error) {
	root, err := scanSettings(text)
	if err != nil {
		return nil, err
	}
	if root.open != '{' {
		return nil, settingsError(text, root.start, "settings are an object, which this is not")
	}
	hooks := root.member("hooks")
	if hooks != nil && hooks.open != '{' {
		return nil, settingsError(text, hooks.start, `"hooks" is not an object`)
	}
	for _, list := range hooks.list() {
		if list.open != '[' {
			return nil, settingsError(text, list.start, fmt.Sprintf("%q of \"hooks\" is not a list", list.key))
		}
	}
	return root, nil
}

// ours are the places, among the handlers of a group, of those that run our emitter for this agent.
func (h hookFile) ours(text []byte, group *setting) []int {
	var at []int
	for i, handler := range group.member("hooks").list() {
		command := handler.member("command")
		if command == nil {
			continue
		}
		var s string
		if json.Unmarshal(text[command.start:command.end], &s) == nil && strings.HasSuffix(oursRE().FindString(s), " "+h.agent) {
			at = append(at, i)
		}
	}
	return at
}

// strip takes every hook of ours out, and the lists that are empty then. count is how many there were.
func (h hookFile) strip(text []byte) (out []byte, count int, err error) {
	if blankText(text) {
		return text, 0, nil
	}
	for ; ; count++ {
		root, err := h.scan(text)
		if err != nil {
			return nil, 0, err
		}
		next, found := h.stripOne(text, root)
		if !found {
			return text, count, nil
		}
		text = next
	}
}

func (h hookFile) stripOne(text []byte, root *setting) ([]byte, bool) {
	hooks := root.member("hooks")
	for li, list := range hooks.list() {
		for gi, g := range list.members {
			at := h.ours(text, g)
			if len(at) == 0 {
				continue
			}
			handlers := g.member("hooks")
			switch {
			case len(at) < len(handlers.members):
				return dropped(text, handlers, at[0]), true
			case len(list.members) > 1:
				return dropped(text, list, gi), true
			case len(hooks.members) > 1:
				return dropped(text, hooks, li), true
			}
			return dropped(text, root, slices.Index(root.members, hooks)), true
		}
	}
	return text, false
}

// nothing tells whether the text is what is left of a file that we made.
func (hookFile) nothing(text []byte) bool { return string(bytes.TrimSpace(text)) == "{}" }

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// emitCommand is what a hook runs: our binary by its name where PATH leads to it, else by its path. Without our binary nothing happens, and
// whatever happens the agent hears nothing of it.
func emitCommand(env Env, agent string) string {
	return selfCommand(env) + " wiki __emit " + agent + " 2>/dev/null || :"
}

var plainPathRE = lazyRE(`^[A-Za-z0-9_./-]+$`)

func selfCommand(env Env) string {
	if onPath(env) {
		return "rig"
	}
	if plainPathRE().MatchString(env.Self) {
		return env.Self
	}
	return "'" + strings.ReplaceAll(env.Self, "'", `'\''`) + "'"
}
