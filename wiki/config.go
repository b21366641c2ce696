package wiki

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rigwiki/rig/adapters"
)

// Config is one wiki's merged configuration (design, section 4).
type Config struct {
	DefaultAgent string
	Agents       map[string]string // op -> agent
	Models       map[string]string // agent or op -> model
	Agent        map[string]adapters.AgentConfig
	Timeout      time.Duration // of a run
	IdleTimeout  time.Duration // of silence in a run
	Jobs         int           // runs at once over all wikis

	Preview        string          // auto annotations diff apply
	HoverQuestions string          // callouts any off
	Features       map[string]bool // LSP feature -> on; absent: on
	Sandbox        SandboxConfig

	Daemon  DaemonConfig
	Protect []string // globs of rel paths, besides the human's own
	Limits  LimitsConfig
	Guards  GuardsConfig

	Name, Root  string
	Include     []string // globs of rel paths that are pages; none: all
	Exclude     []string
	IngestRules string   // rel path or text: more instructions for an ingest
	AutoOnNew   []string // globs of sources that the daemon ingests when they come
	AutoChanged []string // globs of sources that the daemon ingests again when they have changed
	ProposeOnly []string // globs of sources whose proposals wait even where the daemon applies
	Assets      []string // globs of rel paths that are no pages and may be changed all the same
	Tasks       []string // globs of task files
	Checks      []string

	Commands     []string // prefixes of commands that a task's agent may run: tests, builds
	Setup        string   // shell command that readies a task's checkout
	Dependencies []string // ignored folders of the user's checkout that a task's agent is shown
}

// SandboxConfig is how runs are confined.
type SandboxConfig struct {
	Layer           string // auto overlay copy
	AllowUnconfined bool
	Network         map[string][]string // op -> more hosts
	Read            []string            // more readable folders, absolute
}

// DaemonConfig is what only the daemon reads.
type DaemonConfig struct {
	Wikis      []string // folders to watch, absolute or from ~/
	RunsPerDay int      // runs within 24 hours, over all wikis
}

// LimitsConfig bounds one run.
type LimitsConfig struct {
	FileBytes int64 // of one changed file
	Files     int   // changed files
	WikiBytes int64 // of all new texts, and of what a copy may hold
}

// GuardsConfig are the thresholds of policy's flags.
type GuardsConfig struct {
	Shrink      float64 // share of a page that may go unflagged, 0 to 1
	ShrinkLines int     // pages of that many lines or fewer may shrink
	ManyChanges int     // changed pages of a run that need no flag
}

// Defaults is the built-in configuration.
func Defaults() Config {
	return Config{
		DefaultAgent: "claude",
		Agents:       map[string]string{}, Models: map[string]string{}, Agent: map[string]adapters.AgentConfig{},
		Timeout: 15 * time.Minute, IdleTimeout: 5 * time.Minute, Jobs: 2,
		AutoOnNew: []string{"**"}, Daemon: DaemonConfig{RunsPerDay: 50},
		Preview: "auto", HoverQuestions: "callouts", Features: map[string]bool{},
		Sandbox: SandboxConfig{Layer: "auto", Network: map[string][]string{}},
		Limits:  LimitsConfig{FileBytes: 8 << 20, Files: 2000, WikiBytes: 256 << 20},
		Guards:  GuardsConfig{Shrink: 0.30, ShrinkLines: 20, ManyChanges: 50},

		Dependencies: []string{"node_modules", ".venv", "vendor"},
	}
}

// AgentFor is the agent that an op is configured to run with.
func (c Config) AgentFor(op string) string {
	if a := c.Agents[op]; a != "" {
		return a
	}
	return c.DefaultAgent
}

// ModelFor is the model of an agent in an op, "" for the agent's own.
func (c Config) ModelFor(agent, op string) string {
	if m := c.Models[op]; m != "" {
		return m
	}
	return c.Models[agent]
}

// AutoIngest tells whether the daemon ingests a new source by itself.
func (c Config) AutoIngest(rel string) bool { return newGlobSet(c.AutoOnNew).match(rel) }

// AutoAgain tells whether the daemon ingests a source again by itself that has changed since it was ingested.
func (c Config) AutoAgain(rel string) bool { return newGlobSet(c.AutoChanged).match(rel) }

// MayApply tells whether the proposal for a source may be applied unseen, where the daemon applies at all.
func (c Config) MayApply(rel string) bool { return !newGlobSet(c.ProposeOnly).match(rel) }

// Feature tells whether an LSP feature is on.
func (c Config) Feature(name string) bool {
	on, set := c.Features[name]
	return on || !set
}

// Settings are keys set by flags or by an editor. The zero value sets nothing.
type Settings struct{ root configNode }

// UnmarshalJSON reads an editor's settings: the table's names, nested or dotted ("hover.questions").
func (s *Settings) UnmarshalJSON(text []byte) error {
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		return fmt.Errorf("read settings: %w", err)
	}
	if _, ok := v.(map[string]any); !ok && v != nil {
		return fmt.Errorf("read settings: not an object")
	}
	s.root = *fromJSON("", v)
	s.root.mapping = true
	return nil
}

// Set sets one key, dotted, as a flag does. value is a string, bool, number or []string; an empty string sets nothing.
func (s *Settings) Set(key string, value any) {
	if value == "" {
		return
	}
	if list, ok := value.([]string); ok {
		items := []any{}
		for _, v := range list {
			items = append(items, v)
		}
		value = items
	}
	s.root.mapping = true
	s.root.members = append(s.root.members, &configNode{key: key, value: number(value)})
}

// ErrHome says that RIG_HOME, where configuration and runs are kept, cannot be one.
var ErrHome = errors.New("RIG_HOME cannot be used")

// notAFolder is what stands where a folder has to be, on the way to dir; "" where nothing does.
func notAFolder(dir string) string {
	for ; ; dir = filepath.Dir(dir) {
		fi, err := os.Stat(dir)
		if err == nil && !fi.IsDir() {
			return dir
		}
		if err == nil || dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// LoadConfig merges the sources, weakest first: built in, rigHome/config.json5 (under "wiki"), the wiki's .rig/config.yml, s. w and s may be nil.
// Warnings name unknown keys and keys that a wiki's own file may not set, which are ignored. The error is a [*ConfigError].
func LoadConfig(rigHome string, w *Wiki, s *Settings) (Config, []string, error) {
	m := &merger{config: Defaults(), keys: configKeys()}
	if w != nil {
		m.config.Name, m.config.Root = w.Name, "."
	}
	file := filepath.Join(rigHome, "config.json5")
	text, err := readConfigFile(file)
	if place := notAFolder(rigHome); err != nil && place != "" {
		return m.config, nil, fmt.Errorf("%w: %s is a file, and %s has to be a folder", ErrHome, place, rigHome)
	}
	if err != nil {
		return m.config, nil, err
	}
	user, err := readJSON5(file, text)
	if err != nil {
		return m.config, nil, err
	}
	m.strayKeys(file, user)
	if n := user.find("wiki"); n != nil {
		if err := m.merge(file, n, fromUser); err != nil {
			return m.config, m.warnings, err
		}
	}
	if w != nil && w.Config != "" {
		own, err := readYAMLFile(w.Config)
		if err != nil {
			return m.config, m.warnings, err
		}
		if err := m.merge(w.Config, own, fromWiki); err != nil {
			return m.config, m.warnings, err
		}
	}
	if s != nil {
		if err := m.merge("settings", &s.root, fromUser); err != nil {
			return m.config, m.warnings, err
		}
	}
	return m.config, m.warnings, nil
}

// origin is whose file a key stands in.
type origin int

const (
	fromUser origin = iota
	fromWiki
)

type merger struct {
	config   Config
	keys     []configKey
	warnings []string
}

func (m *merger) warnf(format string, args ...any) {
	m.warnings = append(m.warnings, fmt.Sprintf(format, args...))
}

// strayKeys warns of our keys at the top of config.json5, where nothing reads them.
func (m *merger) strayKeys(file string, root *configNode) {
	for _, n := range root.members {
		path := strings.Split(n.key, ".")
		if k, _ := m.lookup(path, n.mapping); n.key != "wiki" && (k != nil || m.isPrefix(path)) {
			m.warnf("%s:%d: %s belongs under wiki and is ignored here", file, n.line, n.key)
		}
	}
}

// isPrefix tells whether keys of the table lie below path.
func (m *merger) isPrefix(path []string) bool {
	return slices.ContainsFunc(m.keys, func(k configKey) bool {
		parts := strings.Split(k.name, ".")
		if len(parts) <= len(path) {
			return false
		}
		for i, p := range path {
			if parts[i] != "*" && parts[i] != p {
				return false
			}
		}
		return true
	})
}

func (m *merger) merge(file string, root *configNode, from origin) error {
	if !root.mapping {
		if root.value == nil {
			return nil
		}
		return root.errorf(file, "%s is not an object", root.key)
	}
	return m.members(file, nil, root, from)
}

// members walks down to the table's keys. Dots in a key are nesting, except where a name may have dots.
func (m *merger) members(file string, prefix []string, n *configNode, from origin) error {
	for _, c := range n.members {
		path := slices.Clone(prefix)
		if len(prefix) == 0 {
			path = append(path, strings.Split(c.key, ".")...)
		} else {
			path = append(path, c.key)
		}
		k, names := m.lookup(path, c.mapping)
		switch {
		case k != nil:
			if err := m.set(file, k, names, path, c, from); err != nil {
				return err
			}
		case m.isPrefix(path):
			if !c.mapping && c.value != nil {
				return c.errorf(file, "%s is not an object", strings.Join(path, "."))
			}
			if err := m.members(file, path, c, from); err != nil {
				return err
			}
		case !(len(prefix) == 0 && slices.Contains(clientKeys(), c.key)):
			m.warnf("%s: unknown key %s", atLine(file, c), strings.Join(path, "."))
		}
	}
	return nil
}

// lookup finds the key of a path; names are what its stars stand for.
func (m *merger) lookup(path []string, mapping bool) (*configKey, []string) {
	for i := range m.keys {
		k := &m.keys[i]
		parts := strings.Split(k.name, ".")
		if len(parts) != len(path) || mapping && !k.takesMap {
			continue
		}
		names, ok := []string{}, true
		for j, p := range parts {
			if p == "*" {
				names = append(names, path[j])
			} else if p != path[j] {
				ok = false
			}
		}
		if ok && (k.names == nil || slices.Contains(k.names, names[0])) {
			return k, names
		}
	}
	return nil, nil
}

func (m *merger) set(file string, k *configKey, names, path []string, n *configNode, from origin) error {
	if n.value == nil && !n.mapping {
		return nil // null leaves a key as it was
	}
	dotted := strings.Join(path, ".")
	if from == fromWiki && k.own == never {
		m.warnf("%s: %s is ignored: a wiki's own file may not set it (%s)", atLine(file, n), dotted, k.why)
		return nil
	}
	before := m.config
	name := ""
	if len(names) > 0 {
		name = names[0]
	}
	problem, raised := k.set(&m.config, name, n.plain())
	if problem != "" {
		m.config = before
		return n.errorf(file, "%s %s", dotted, problem)
	}
	if from == fromWiki && raised {
		m.config = before
		m.warnf("%s: %s is ignored: a wiki's own file may only lower it", atLine(file, n), dotted)
	}
	return nil
}

func atLine(file string, n *configNode) string {
	if n.line == 0 {
		return file
	}
	return fmt.Sprintf("%s:%d", file, n.line)
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// isAgentName keeps paths and options out of a place where a name is meant.
func isAgentName(s string) bool {
	return s != "" && len(s) <= 64 && s[0] != '-' && s[0] != '.' && !bytes.ContainsFunc([]byte(s), func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r))
	})
}
