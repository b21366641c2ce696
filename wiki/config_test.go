package wiki

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rigwiki/rig/adapters"
)

func load(t *testing.T, user, own, settings string) (Config, []string, error) {
	t.Helper()
	dir := tree(t, "home/config.json5="+user, "w/.rig/config.yml="+own)
	w, err := Find(filepath.Join(dir, "w"))
	must(t, err)
	var s Settings
	if settings != "" {
		must(t, json.Unmarshal([]byte(settings), &s))
	}
	return LoadConfig(filepath.Join(dir, "home"), w, &s)
}

func TestLoadConfigMergesWeakestFirst(t *testing.T) {
	user := `// mine
{ wiki: { defaultAgent: 'codex', agents: {query: 'pi'}, models: {claude: 'opus'}, timeout: '20m', preview: 'diff',
  agent: {claude: {command: '/opt/claude', args: ['-x'], env: {A: '1'}, network: ['h:443'], mcp: true}},
  sandbox: {network: {ingest: ['example.com']}, read: ['/srv/docs'], allowUnconfined: true},
  protect: ['legal/**'], limits: {fileBytes: '1 MiB'}, guards: {shrink: 0.4}, features: {rename: false}, }, }`
	own := "name: tea\nagents:\n  lint: builtin\ntimeout: 10m\njobs: 1\nprotect: ['plans/*.md']\nlimits:\n  files: 10\nguards:\n  shrink: 10%\nassets: 'img/*.svg'\n"
	c, warnings, err := load(t, user, own, `{"timeout":"30m","hover.questions":"any","hover":{"questions":"off"},"sandbox":{"layer":"copy"},"notifications":true}`)
	must(t, err)
	if len(warnings) > 0 {
		t.Errorf("warnings: %q", warnings)
	}
	want := Defaults()
	want.DefaultAgent, want.Agents = "codex", map[string]string{"query": "pi", "lint": "builtin"}
	want.Models = map[string]string{"claude": "opus"}
	want.Agent = map[string]adapters.AgentConfig{"claude": {Command: "/opt/claude", Args: []string{"-x"}, Env: map[string]string{"A": "1"}, Network: []string{"h:443"}, MCP: true}}
	want.Timeout, want.Jobs, want.Preview, want.HoverQuestions = 30*time.Minute, 1, "diff", "any"
	want.Sandbox = SandboxConfig{Layer: "copy", AllowUnconfined: true, Network: map[string][]string{"ingest": {"example.com"}}, Read: []string{"/srv/docs"}}
	want.Protect, want.Features = []string{"legal/**", "plans/*.md"}, map[string]bool{"rename": false}
	want.Limits.FileBytes, want.Limits.Files, want.Guards.Shrink = 1<<20, 10, 0.1
	want.Name, want.Root, want.Assets = "tea", ".", []string{"img/*.svg"}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("got  %+v\nwant %+v", c, want)
	}
	if c.AgentFor("query") != "pi" || c.AgentFor("ingest") != "codex" || c.ModelFor("claude", "ingest") != "opus" || c.Feature("rename") || !c.Feature("hover") {
		t.Error("AgentFor, ModelFor or Feature")
	}
}

// Every key that a wiki's own file may not set, or only lower, is ignored there with a warning that names it.
func TestWikisOwnFileMayNotWiden(t *testing.T) {
	tests := map[string]string{
		"models.claude":           "models: {claude: x}",
		"agent.claude.command":    "agent: {claude: {command: ./evil}}",
		"agent.claude.args":       "agent: {claude: {args: [--yolo]}}",
		"agent.claude.env":        "agent: {claude: {env: {PATH: x}}}",
		"agent.claude.network":    "agent: {claude: {network: [evil.example]}}",
		"agent.claude.mcp":        "agent: {claude: {mcp: true}}",
		"preview":                 "preview: apply",
		"hover.questions":         "hover: {questions: any}",
		"features.hover":          "features: {hover: false}",
		"sandbox.layer":           "sandbox: {layer: copy}",
		"sandbox.allowUnconfined": "sandbox: {allowUnconfined: true}",
		"sandbox.network.ingest":  "sandbox: {network: {ingest: [evil.example]}}",
		"sandbox.read":            "sandbox: {read: [/etc]}",
		"commands":                "commands: [rm -rf]",
		"setup":                   "setup: ./evil",
		"dependencies":            "dependencies: [secrets]",
		"daemon.wikis":            "daemon: {wikis: [/etc]}",
		"daemon.runsPerDay":       "daemon: {runsPerDay: 1000}",
		"timeout":                 "timeout: 16m",
		"idleTimeout":             "idleTimeout: 6m",
		"jobs":                    "jobs: 3",
		"limits.fileBytes":        "limits: {fileBytes: 9 MiB}",
		"limits.files":            "limits: {files: 2001}",
		"limits.wikiBytes":        "limits: {wikiBytes: 1 GiB}",
		"guards.shrink":           "guards: {shrink: 0.31}",
		"guards.shrinkLines":      "guards: {shrinkLines: 21}",
		"guards.manyChanges":      "guards: {manyChanges: 51}",
	}
	for name, own := range tests {
		c, warnings, err := load(t, "", own, "")
		must(t, err)
		want := Defaults()
		want.Name, want.Root = "w", "."
		if !reflect.DeepEqual(c, want) {
			t.Errorf("%s came through: %+v", name, c)
		}
		if len(warnings) != 1 || !strings.Contains(warnings[0], name+" is ignored") || !strings.Contains(warnings[0], "config.yml:1") {
			t.Errorf("%s: warnings %q", name, warnings)
		}
	}
	for _, k := range configKeys() {
		if k.own == anyone {
			continue
		}
		found := false
		for name := range tests {
			found = found || strings.HasPrefix(name, strings.TrimSuffix(strings.Split(k.name, "*")[0], ".")) && strings.Count(name, ".") == strings.Count(k.name, ".")
		}
		if !found {
			t.Errorf("%s has no test", k.name)
		}
		if k.own == never && k.why == "" {
			t.Errorf("%s is forbidden without a reason", k.name)
		}
	}
}

func TestConfigNamesUnknownKeys(t *testing.T) {
	_, warnings, err := load(t, "{defaultAgent: 'pi', other: 1,\n wiki: {defaultAgnt: 'pi', agents: {cook: 'pi'}, sandbox: {lair: 1}}}", "nmae: x\nsandbx:\n  layer: copy\nempty: {}\n", `{"previw":"diff"}`)
	must(t, err)
	all := strings.Join(warnings, "\n")
	for _, want := range []string{"config.json5:1: defaultAgent belongs under wiki", "config.json5:2: unknown key defaultAgnt", "unknown key agents.cook", "unknown key sandbox.lair", "config.yml:1: unknown key nmae", "config.yml:2: unknown key sandbx", "config.yml:4: unknown key empty", "settings: unknown key previw"} {
		if !strings.Contains(all, want) {
			t.Errorf("no warning %q in\n%s", want, all)
		}
	}
	if len(warnings) != 8 {
		t.Errorf("%d warnings:\n%s", len(warnings), all)
	}
}

func TestBrokenConfigSaysWhere(t *testing.T) {
	tests := []struct {
		name, user, own, settings string
		file                      string
		line, column              int
		msg                       string
	}{
		{name: "json5 syntax", user: "{\n  wiki: {\n    timeout: '1m'\n    jobs: 1\n  }\n}", file: "config.json5", line: 4, column: 5, msg: "invalid character 'j'"},
		{name: "json5 end", user: "{\n  wiki: {", file: "config.json5", line: 2, column: 9, msg: "unexpected end of file"},
		{name: "json5 behind a BOM", user: "\ufeff{]", file: "config.json5", line: 1, column: 2, msg: "invalid character"},
		{name: "json5 type", user: "{ // é\n  wiki: { 'timeout': 15 }\n}", file: "config.json5", line: 2, column: 11, msg: "timeout is not a duration"},
		{name: "json5 no object", user: "{wiki: 3}", file: "config.json5", line: 1, column: 2, msg: "wiki is not an object"},
		{name: "json5 agent path", user: "{wiki: {defaultAgent: './evil'}}", file: "config.json5", line: 1, column: 9, msg: "defaultAgent is not the name of an agent"},
		{name: "yaml no mapping", own: "limits: 3\n", file: "config.yml", line: 1, column: 1, msg: "limits is not an object"},
		{name: "yaml type", own: "name: x\njobs: many\n", file: "config.yml", line: 2, column: 1, msg: "jobs is not a whole number"},
		{name: "yaml glob", own: "protect: ['[z-a]']\n", file: "config.yml", line: 1, column: 1, msg: "glob"},
		{name: "settings", settings: `{"preview":"loud"}`, file: "settings", msg: "preview is none of auto, annotations, diff, apply"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := load(t, tt.user, tt.own, tt.settings)
			var c *ConfigError
			if !errors.As(err, &c) {
				t.Fatalf("err = %v", err)
			}
			if filepath.Base(c.File) != tt.file || c.Line != tt.line || c.Column != tt.column || !strings.Contains(c.Msg, tt.msg) {
				t.Errorf("got %v", c)
			}
		})
	}
	for _, own := range []string{"name: x\n\troot: y\n", "a: [1, 2\nb: 3\n", "- 1\n", "name: *gone\n"} {
		dir := tree(t, "w/.rig/config.yml="+own)
		_, err := Find(filepath.Join(dir, "w"))
		var c *ConfigError
		if !errors.As(err, &c) || c.Line == 0 || c.Column == 0 {
			t.Errorf("Find with %q: %v", own, err)
		}
	}
}

func TestMissingConfigIsTheDefault(t *testing.T) {
	c, warnings, err := LoadConfig(filepath.Join(t.TempDir(), "nowhere"), nil, nil)
	if err != nil || len(warnings) > 0 || !reflect.DeepEqual(c, Defaults()) {
		t.Errorf("%+v %q %v", c, warnings, err)
	}
	for _, text := range []string{"", "\n", "{}", "// nothing\n{}", "{wiki: null}"} {
		if _, _, err := load(t, text, "# nothing\n", ""); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestSettingsOfFlags(t *testing.T) {
	var s Settings
	s.Set("timeout", "2s")
	s.Set("sandbox.layer", "")
	s.Set("jobs", 3)
	s.Set("protect", []string{"a/**"})
	c, _, err := LoadConfig(t.TempDir(), nil, &s)
	must(t, err)
	if c.Timeout != 2*time.Second || c.Sandbox.Layer != "auto" || c.Jobs != 3 || c.Protect[0] != "a/**" {
		t.Errorf("%+v", c)
	}
}

func TestGlob(t *testing.T) {
	tests := []struct {
		glob, path string
		want       bool
	}{
		{"**", "a/b.md", true}, {"*.svg", "img/a.svg", true}, {"img/*.svg", "img/x/a.svg", false}, {"img/**/*.svg", "img/x/a.svg", true},
		{"img/**/*.svg", "img/a.svg", true}, {"legal", "legal/x.md", true}, {"legal/", "legal/x.md", true}, {"legal", "illegal/x.md", false},
		{"[a-c].md", "b.md", true}, {"[!a-c].md", "b.md", false}, {"a?.md", "ab.md", true}, {"a.md", "aXmd", false}, {"*.md", "a\nb.md", true},
	}
	for _, tt := range tests {
		re, err := compileGlob(tt.glob)
		must(t, err)
		if re.MatchString(tt.path) != tt.want {
			t.Errorf("%s on %s: %v", tt.glob, tt.path, !tt.want)
		}
	}
}

// TestIngestScopes: which sources the daemon takes by itself; a wiki's own file may add to what is only proposed, not take away.
func TestIngestScopes(t *testing.T) {
	for _, c := range []struct {
		user, own  string
		auto, only bool // for raw/papers/a.md
		text       string
	}{
		{"", "", true, false, ""},
		{"", "ingestRules: Keep quotations.\n", true, false, "Keep quotations."},
		{"", "ingestRules: propose-only\n", true, true, ""},
		{"", "ingestRules: [auto-on-new, propose-only]\n", true, true, ""},
		{"", "ingestRules:\n  text: Be brief.\n  auto-on-new: false\n", false, false, "Be brief."},
		{"", "ingestRules:\n  auto-on-new: ['raw/papers/**']\n  propose-only: ['raw/mail/**']\n", true, false, ""},
		{"", "ingestRules:\n  auto-on-new: ['raw/mail/**']\n", false, false, ""},
		{`{wiki: {ingestRules: {'propose-only': true}}}`, "ingestRules:\n  propose-only: false\n", true, true, ""},
	} {
		w := emptyWiki(t)
		home := t.TempDir()
		if err := os.MkdirAll(filepath.Join(w.Root, ".rig"), 0o755); err != nil {
			t.Fatal(err)
		}
		w.Config = filepath.Join(w.Root, ".rig", "config.yml")
		if err := errors.Join(os.WriteFile(w.Config, []byte(c.own), 0o644), os.WriteFile(filepath.Join(home, "config.json5"), []byte(c.user), 0o644)); err != nil {
			t.Fatal(err)
		}
		if c.user == "" {
			_ = os.Remove(filepath.Join(home, "config.json5"))
		}
		cfg, warnings, err := LoadConfig(home, w, nil)
		const rel = "raw/papers/a.md"
		if err != nil || len(warnings) > 0 || cfg.AutoIngest(rel) != c.auto || cfg.MayApply(rel) == c.only || cfg.IngestRules != c.text {
			t.Errorf("%q %q: %v %q, auto %v, apply %v, text %q", c.user, c.own, err, warnings, cfg.AutoIngest(rel), cfg.MayApply(rel), cfg.IngestRules)
		}
	}
}
