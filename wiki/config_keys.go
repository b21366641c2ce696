package wiki

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rigwiki/rig/adapters"
)

// owner says whether a wiki's own config.yml may set a key.
type owner int

const (
	anyone    owner = iota
	never           // ignored with a warning that says why
	lowerOnly       // only to something stricter
)

// A configKey is one row of the configuration's table. A star in name stands for any name, or for one of names. set puts a value into the configuration: problem is
// a clause where the value is none ("is not a duration"), raised tells that it is laxer than before.
type configKey struct {
	name     string
	own      owner
	why      string
	set      func(c *Config, name string, v any) (problem string, raised bool)
	names    []string
	takesMap bool
}

// opNames are the operations of the design.
func opNames() []string {
	return []string{"ingest", "query", "lint", "fetch", "work", "act-pr", "review"}
}

// clientKeys are settings that only the editor's side reads.
func clientKeys() []string { return []string{"notifications", "review", "trace", "path", "server"} }

// configKeys is the table of the design, section 4.
func configKeys() []configKey {
	const (
		runs    = "it could name a program to run"
		hosts   = "it could open the network"
		taste   = "it is the user's choice"
		weakens = "it could weaken the sandbox"
	)
	return []configKey{
		{name: "defaultAgent", set: asAgentName(func(c *Config, _, v string) { c.DefaultAgent = v })},
		{name: "agents.*", names: opNames(), set: asAgentName(func(c *Config, op, v string) { c.Agents = withEntry(c.Agents, op, v) })},
		{name: "models.*", own: never, why: taste, set: asText(func(c *Config, name, v string) { c.Models = withEntry(c.Models, name, v) })},
		{name: "agent.*.command", own: never, why: runs, set: asText(onAgent(func(a *adapters.AgentConfig, v string) { a.Command = v }))},
		{name: "agent.*.args", own: never, why: runs, set: asList(onAgent(func(a *adapters.AgentConfig, v []string) { a.Args = v }))},
		{name: "agent.*.env", own: never, why: runs, takesMap: true, set: asTexts(onAgent(func(a *adapters.AgentConfig, v map[string]string) { a.Env = v }))},
		{name: "agent.*.network", own: never, why: hosts, set: asList(onAgent(func(a *adapters.AgentConfig, v []string) { a.Network = v }))},
		{name: "agent.*.mcp", own: never, why: runs, set: asBool(onAgent(func(a *adapters.AgentConfig, v bool) { a.MCP = v }))},
		{name: "timeout", own: lowerOnly, set: asDuration(func(c *Config) *time.Duration { return &c.Timeout })},
		{name: "idleTimeout", own: lowerOnly, set: asDuration(func(c *Config) *time.Duration { return &c.IdleTimeout })},
		{name: "jobs", own: lowerOnly, set: asCount(func(c *Config) *int { return &c.Jobs })},
		{name: "preview", own: never, why: taste, set: asChoice(func(c *Config) *string { return &c.Preview }, "auto", "annotations", "diff", "apply")},
		{name: "hover.questions", own: never, why: taste, set: asChoice(func(c *Config) *string { return &c.HoverQuestions }, "callouts", "any", "off")},
		{name: "features.*", own: never, why: taste, set: asBool(func(c *Config, name string, v bool) { c.Features = withEntry(c.Features, name, v) })},
		{name: "sandbox.layer", own: never, why: weakens, set: asChoice(func(c *Config) *string { return &c.Sandbox.Layer }, "auto", "overlay", "copy")},
		{name: "sandbox.allowUnconfined", own: never, why: weakens, set: asBool(func(c *Config, _ string, v bool) { c.Sandbox.AllowUnconfined = v })},
		{name: "sandbox.network.*", own: never, why: hosts, names: append(opNames(), "setup"), set: asList(func(c *Config, op string, v []string) { c.Sandbox.Network = withEntry(c.Sandbox.Network, op, v) })},
		{name: "sandbox.read", own: never, why: weakens, set: asFolders(func(c *Config, _ string, v []string) { c.Sandbox.Read = v })},
		// Protection only grows, whoever speaks.
		{name: "protect", set: asGlobs(func(c *Config, _ string, v []string) { c.Protect = append(slices.Clone(c.Protect), v...) })},
		{name: "limits.fileBytes", own: lowerOnly, set: asSize(func(c *Config) *int64 { return &c.Limits.FileBytes })},
		{name: "limits.files", own: lowerOnly, set: asCount(func(c *Config) *int { return &c.Limits.Files })},
		{name: "limits.wikiBytes", own: lowerOnly, set: asSize(func(c *Config) *int64 { return &c.Limits.WikiBytes })},
		{name: "guards.shrink", own: lowerOnly, set: asShare(func(c *Config) *float64 { return &c.Guards.Shrink })},
		{name: "guards.shrinkLines", own: lowerOnly, set: asCount(func(c *Config) *int { return &c.Guards.ShrinkLines })},
		{name: "guards.manyChanges", own: lowerOnly, set: asCount(func(c *Config) *int { return &c.Guards.ManyChanges })},
		{name: "name", set: asText(func(c *Config, _, v string) { c.Name = v })},
		{name: "root", set: asText(func(c *Config, _, v string) { c.Root = v })},
		{name: "include", set: asGlobs(func(c *Config, _ string, v []string) { c.Include = v })},
		{name: "exclude", set: asGlobs(func(c *Config, _ string, v []string) { c.Exclude = v })},
		{name: "ingestRules", set: asRules},
		{name: "ingestRules.text", set: asText(func(c *Config, _, v string) { c.IngestRules = v })},
		{name: "ingestRules.auto-on-new", set: asScope(func(c *Config, v []string) { c.AutoOnNew = v })},
		{name: "ingestRules.auto-on-change", set: asScope(func(c *Config, v []string) { c.AutoChanged = v })},
		{name: "ingestRules.propose-only", set: asScope(func(c *Config, v []string) { c.ProposeOnly = append(slices.Clone(c.ProposeOnly), v...) })},
		{name: "daemon.wikis", own: never, why: taste, set: asFolders(func(c *Config, _ string, v []string) { c.Daemon.Wikis = v })},
		{name: "daemon.runsPerDay", own: never, why: taste, set: asCount(func(c *Config) *int { return &c.Daemon.RunsPerDay })},
		{name: "assets", set: asGlobs(func(c *Config, _ string, v []string) { c.Assets = v })},
		{name: "tasks", set: asGlobs(func(c *Config, _ string, v []string) { c.Tasks = v })},
		{name: "checks", set: asList(func(c *Config, _ string, v []string) { c.Checks = v })},
		{name: "commands", own: never, why: runs, set: asList(func(c *Config, _ string, v []string) { c.Commands = v })},
		{name: "setup", own: never, why: runs, set: asText(func(c *Config, _, v string) { c.Setup = v })},
		{name: "dependencies", own: never, why: "it could show folders that the agent is not to see", set: asList(func(c *Config, _ string, v []string) { c.Dependencies = v })},
	}
}

type setter = func(c *Config, name string, v any) (string, bool)

// withEntry is m with one entry more. A copy, since a refused value must leave the configuration as it was.
func withEntry[V any](m map[string]V, k string, v V) map[string]V {
	out := make(map[string]V, len(m)+1)
	for k, v := range m {
		out[k] = v
	}
	out[k] = v
	return out
}

func onAgent[V any](set func(a *adapters.AgentConfig, v V)) func(c *Config, name string, v V) {
	return func(c *Config, name string, v V) {
		a := c.Agent[name]
		set(&a, v)
		c.Agent = withEntry(c.Agent, name, a)
	}
}

func asText(set func(c *Config, name, v string)) setter {
	return func(c *Config, name string, v any) (string, bool) {
		s, ok := v.(string)
		if !ok {
			return "is not a text", false
		}
		set(c, name, s)
		return "", false
	}
}

func asAgentName(set func(c *Config, name, v string)) setter {
	return func(c *Config, name string, v any) (string, bool) {
		s, ok := v.(string)
		if !ok || !isAgentName(s) {
			return "is not the name of an agent", false
		}
		set(c, name, s)
		return "", false
	}
}

func asChoice(field func(c *Config) *string, words ...string) setter {
	return func(c *Config, _ string, v any) (string, bool) {
		s, ok := v.(string)
		if !ok || !slices.Contains(words, s) {
			return "is none of " + strings.Join(words, ", "), false
		}
		*field(c) = s
		return "", false
	}
}

func asBool(set func(c *Config, name string, v bool)) setter {
	return func(c *Config, name string, v any) (string, bool) {
		b, ok := v.(bool)
		if !ok {
			return "is neither true nor false", false
		}
		set(c, name, b)
		return "", false
	}
}

// list takes one text for a list of one.
func asList(set func(c *Config, name string, v []string)) setter {
	return func(c *Config, name string, v any) (string, bool) {
		out, ok := stringList(v)
		if !ok {
			return "is not a list of texts", false
		}
		set(c, name, out)
		return "", false
	}
}

func stringList(v any) ([]string, bool) {
	if s, ok := v.(string); ok {
		return []string{s}, true
	}
	items, ok := v.([]any)
	out := make([]string, 0, len(items))
	for _, item := range items {
		s, text := item.(string)
		ok = ok && text
		out = append(out, s)
	}
	return out, ok
}

func asGlobs(set func(c *Config, name string, v []string)) setter {
	return func(c *Config, name string, v any) (string, bool) {
		out, ok := stringList(v)
		if !ok {
			return "is not a list of globs", false
		}
		for _, g := range out {
			if _, err := compileGlob(g); err != nil {
				return fmt.Sprintf("has a glob that cannot be read, %q: %v", g, err), false
			}
		}
		set(c, name, out)
		return "", false
	}
}

// asScope reads which sources a rule is for: true for all, false for none, or globs of paths.
func asScope(set func(c *Config, v []string)) setter {
	globs := asGlobs(func(c *Config, _ string, v []string) { set(c, v) })
	return func(c *Config, name string, v any) (string, bool) {
		switch v {
		case true:
			v = "**"
		case false:
			v = []any{}
		}
		if problem, _ := globs(c, name, v); problem != "" {
			return "is neither true, false nor a list of globs", false
		}
		return "", false
	}
}

// asRules reads ingestRules where it is no object: the words auto-on-new, auto-on-change and propose-only, some or all, else a text for the agent.
func asRules(c *Config, _ string, v any) (string, bool) {
	words, ok := stringList(v)
	if !ok {
		return "is neither a text nor a list of rules", false
	}
	_, list := v.([]any)
	for _, w := range words {
		switch {
		case w == "auto-on-new":
			c.AutoOnNew = []string{"**"}
		case w == "auto-on-change":
			c.AutoChanged = []string{"**"}
		case w == "propose-only":
			c.ProposeOnly = []string{"**"}
		case list:
			return fmt.Sprintf("has %q, which is no rule: auto-on-new, auto-on-change, propose-only", w), false
		default:
			c.IngestRules = w
		}
	}
	return "", false
}

func asFolders(set func(c *Config, name string, v []string)) setter {
	return func(c *Config, name string, v any) (string, bool) {
		out, ok := stringList(v)
		if !ok {
			return "is not a list of folders", false
		}
		for _, dir := range out {
			if !filepath.IsAbs(dir) && !strings.HasPrefix(dir, "~/") {
				return fmt.Sprintf("has %q, which is not an absolute path", dir), false
			}
		}
		set(c, name, out)
		return "", false
	}
}

func asTexts(set func(c *Config, name string, v map[string]string)) setter {
	return func(c *Config, name string, v any) (string, bool) {
		m, ok := v.(map[string]any)
		if !ok {
			return "is not an object of texts", false
		}
		out := map[string]string{}
		for k, v := range m {
			s, ok := v.(string)
			if !ok {
				return fmt.Sprintf("has %s, which is not a text", k), false
			}
			out[k] = s
		}
		set(c, name, out)
		return "", false
	}
}

// duration reads "15m" or "90s". A bare number is refused: its unit would be a guess.
func asDuration(field func(c *Config) *time.Duration) setter {
	return func(c *Config, _ string, v any) (string, bool) {
		s, ok := v.(string)
		d, err := time.ParseDuration(s)
		if !ok || err != nil || d <= 0 {
			return `is not a duration such as "15m" or "90s"`, false
		}
		raised := d > *field(c)
		*field(c) = d
		return "", raised
	}
}

func asCount(field func(c *Config) *int) setter {
	return func(c *Config, _ string, v any) (string, bool) {
		f, ok := v.(float64)
		if !ok || f < 1 || f > 1e9 || f != float64(int(f)) {
			return "is not a whole number above 0", false
		}
		raised := int(f) > *field(c)
		*field(c) = int(f)
		return "", raised
	}
}

// size reads bytes, or a text with a unit ("8 MiB", "256k").
func asSize(field func(c *Config) *int64) setter {
	return func(c *Config, _ string, v any) (string, bool) {
		n, ok := bytesOf(v)
		if !ok {
			return `is not a size in bytes such as 8388608 or "8 MiB"`, false
		}
		raised := n > *field(c)
		*field(c) = n
		return "", raised
	}
}

func bytesOf(v any) (int64, bool) {
	if f, ok := v.(float64); ok {
		return int64(f), f >= 1 && f <= 1<<50 && f == float64(int64(f))
	}
	s, ok := v.(string)
	if !ok {
		return 0, false
	}
	s = strings.ToLower(strings.TrimSpace(s))
	unit := strings.TrimLeft(s, "0123456789")
	shift, known := map[string]uint{"": 0, "b": 0, "k": 10, "kb": 10, "kib": 10, "m": 20, "mb": 20, "mib": 20, "g": 30, "gb": 30, "gib": 30}[strings.TrimSpace(unit)]
	n, err := strconv.ParseInt(strings.TrimSuffix(s, unit), 10, 32)
	return n << shift, known && err == nil && n > 0
}

// share reads 0.3, 30 or "30%".
func asShare(field func(c *Config) *float64) setter {
	return func(c *Config, _ string, v any) (string, bool) {
		f, ok := v.(float64)
		if s, isText := v.(string); isText {
			n, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(s), "%")), 64)
			f, ok = n/100, err == nil && strings.HasSuffix(strings.TrimSpace(s), "%")
		} else if f > 1 {
			f /= 100
		}
		if !ok || f < 0 || f > 1 {
			return `is not a share such as 0.3 or "30%"`, false
		}
		raised := f > *field(c)
		*field(c) = f
		return "", raised
	}
}
