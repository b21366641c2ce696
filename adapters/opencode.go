package adapters

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path"
	"path/filepath"
	"strings"
)

// opencode is opencode (`opencode run`), verified with 1.18.33.
type opencode struct{}

func (opencode) Name() string { return "opencode" }

func (opencode) Detect(ctx context.Context, env Env) Detection {
	d := probe{
		name:     "opencode",
		install:  "install it with `npm install -g opencode-ai`, or choose another agent",
		floor:    "1.0",
		help:     []string{"run", "--help"},
		features: map[string]string{"dir": "--dir ", "print-logs": "--print-logs"},
		vars:     []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_PROJECT_CONFIG=1", "npm_config_offline=true"},
	}.detect(ctx, env)
	d.Hosts, d.Servers = configHosts(env.Home, opencodeConfigs()...), opencodeServers(env)
	return withDatabase(d, env)
}

// opencodeLogs has opencode tell on stderr what its stream leaves out: that its model's API failed and it tries again (1.18.33).
func opencodeLogs() []string { return []string{"--print-logs", "--log-level", "ERROR"} }

// database is the feature of an opencode that keeps sessions and accounts in HOME already.
const database = "database"

// withDatabase notes whether HOME holds a database of opencode's.
func withDatabase(d Detection, env Env) Detection {
	found, err := filepath.Glob(filepath.Join(env.Home, ".local/share/opencode", "opencode*.db"))
	d.Features = maps.Clone(d.Features)
	if d.Features == nil {
		d.Features = map[string]bool{}
	}
	d.Features[database] = err != nil || len(found) > 0
	return d
}

func opencodeServers(env Env) []string { return jsonServers(env.Home, opencodeConfigs()...) }

// opencodeConfigs are the user's config files below HOME.
func opencodeConfigs() []string {
	return []string{".config/opencode/opencode.json", ".config/opencode/opencode.jsonc", ".config/opencode/config.json"}
}

func (opencode) Plan(r Request) (Invocation, error) {
	r = withBrief(r) // it does not read the project's configuration, and AGENTS.md goes with that
	files := map[string][]byte{}
	config := ordered{
		{"$schema", "https://opencode.ai/config.json"},
		{"permission", opencodePermission(r)},
		{"snapshot", false}, {"share", "disabled"}, {"autoupdate", false}, {"lsp", false}, {"formatter", false},
	}
	if r.System != "" {
		files["system.md"] = []byte(r.System)
		config = append(config, field{"instructions", []string{"{files}/system.md"}})
	}
	if len(r.Detection.Servers) > 0 && !r.Env.Config["opencode"].MCP {
		off := ordered{}
		for _, name := range r.Detection.Servers {
			off = append(off, field{name, map[string]bool{"enabled": false}})
		}
		config = append(config, field{"mcp", off})
	}
	content, err := json.Marshal(config)
	if err != nil {
		return Invocation{}, fmt.Errorf("render opencode's config: %w", err)
	}
	argv := []string{r.Detection.Path, "run", "--format", "json", "--title", "rig " + r.Op}
	if r.Detection.has("dir") {
		argv = append(argv, "--dir", r.Cwd) // else it works at the top of whatever repository is around (case o-ag-17)
	}
	if r.Detection.has("print-logs") {
		argv = append(argv, opencodeLogs()...)
	}
	if r.Model != "" {
		argv = append(argv, option("--model", r.Model)...)
	}
	env := []string{
		"OPENCODE_CONFIG_CONTENT=" + string(content),
		"OPENCODE_DISABLE_PROJECT_CONFIG=1", "OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1",
		"npm_config_offline=true", // a plug-in of the user would hold the start for more than a minute
		"GIT_CEILING_DIRECTORIES=" + path.Dir(r.Cwd),
	}
	if !r.Detection.has(database) {
		// Two that find none set it up at once, and one of them fails (1.18.33). Nobody has sessions or accounts to lose.
		env = append(env, "OPENCODE_DB=:memory:")
	}
	env = append(append(env, pathEnv(r.Env, r.Detection.Path)...), boardEnv(r)...)
	return withConfig(Invocation{
		Argv:    argv,
		Env:     env,
		Pass:    providerPass(),
		Stdin:   []byte(r.Prompt),
		Files:   files,
		State:   []string{".config/opencode", ".local/share/opencode", ".local/state/opencode", ".cache/opencode"},
		Keep:    []string{".local/share/opencode/auth.json"},
		Visible: visible(r.Detection),
		Hosts:   providerHosts(r),
	}, r.Env.Config["opencode"]), nil
}

// A field and ordered are a JSON object whose order counts: of opencode's rules the last that matches decides.
type field struct {
	key   string
	value any
}

type ordered []field

func (o ordered) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, f := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		k, err := json.Marshal(f.key)
		if err != nil {
			return nil, err
		}
		v, err := json.Marshal(f.value)
		if err != nil {
			return nil, err
		}
		b.Write(k)
		b.WriteByte(':')
		b.Write(v)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// opencodePermission renders a grant: an allow or deny for every class, "ask" for none, since nobody can answer (case o-ag-18).
func opencodePermission(r Request) ordered {
	verdict := func(yes bool) string {
		if yes {
			return "allow"
		}
		return "deny"
	}
	edit := any("deny")
	if r.Grant.Write {
		rules := ordered{{"*", "allow"}}
		// Paths are matched from the top of the repository around, which is "/" where there is none.
		top := strings.TrimPrefix(r.Cwd, "/") + "/"
		for _, p := range append([]string{".git", ".opencode", ".rig-readonly", "opencode.json"}, r.ReadOnly...) {
			p = strings.TrimSuffix(p, "/")
			rules = append(rules, field{p, "deny"}, field{p + "/**", "deny"}, field{top + p, "deny"}, field{top + p + "/**", "deny"})
		}
		edit = rules
	}
	bash := any("deny")
	if len(r.Grant.Commands) > 0 {
		rules := ordered{{"*", "deny"}}
		for _, c := range r.Grant.Commands {
			rules = append(rules, field{c + " *", "allow"}) // matches the bare command too
		}
		for _, c := range r.Grant.Exact {
			rules = append(rules, field{c, "allow"})
		}
		for _, c := range r.Grant.Denied {
			rules = append(rules, field{c + " *", "deny"})
		}
		bash = rules
	}
	return ordered{
		{"*", "deny"},
		{"read", ordered{{"*", "allow"}, {"*.env", "deny"}, {"*.env.*", "deny"}}},
		{"grep", "allow"}, {"glob", "allow"}, {"list", "allow"}, {"todowrite", "allow"}, {"todoread", "allow"},
		{"edit", edit},
		{"bash", bash},
		{"webfetch", verdict(r.Grant.Web)}, {"websearch", verdict(r.Grant.Web)}, {"codesearch", "deny"},
		{"task", "deny"}, {"skill", "deny"}, {"question", "deny"}, {"lsp", "deny"},
		{"doom_loop", "deny"},
		{"external_directory", "deny"},
	}
}

func (opencode) Converse(_ context.Context, rw io.ReadWriter, emit func(Event)) Outcome {
	s := &opencodeStream{feed: newFeed("opencode", emit)}
	return s.read(rw)
}

// opencodeShim is the plug-in that tells our emitter what goes on.
//
//go:embed wire_opencode.js
var opencodeShim string

// Wire puts a plug-in into the project.
func (opencode) Wire(_ context.Context, w WireRequest) (WireReport, error) {
	report, err := wireFile(w, ".opencode/plugin/rig.js", shimFile{w.Env, opencodeShim})
	if err == nil && report.Status == "fixed" && !w.Remove {
		report.Lines = append(report.Lines, "opencode, when it next starts here, installs its package for plug-ins into .opencode, as for every plug-in")
	}
	return report, err
}
