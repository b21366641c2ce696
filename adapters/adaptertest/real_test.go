package adaptertest

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rigwiki/rig/adapters"
)

// The real programs, where RIG_AGENTS names the folder they are in (a node_modules/.bin). RIG_REQUIRE=agents makes their absence a failure.
func agentsDir(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("RIG_AGENTS")
	if dir == "" {
		if strings.Contains(os.Getenv("RIG_REQUIRE"), "agents") {
			t.Fatal("RIG_REQUIRE asks for agents, but RIG_AGENTS names no folder")
		}
		t.Skip("RIG_AGENTS is not set: install the pinned agents and name their node_modules/.bin")
	}
	return dir
}

// core are the checks that bridges pass: what is behind them passes all.
var core = []string{"answers", "writes", "protected stays", "outside stays", "read-only cannot write", "parallel calls", "subagents", "asks back", "no login", "two at once", "hostile project config"}

// late are the checks that bridges pass too, but not at every time: what they do about a failing model is what the program behind them does, or takes
// them minutes.
var late = map[string]string{
	"server error": lateBridge, "rate limit": lateBridge, "cut connection": lateBridge, "malformed stream": lateBridge, "hanging model": lateBridge,
}

const lateBridge = "the program behind the bridge is tested for it"

// bridge names the checks of a bridge: core, those beside it and late.
func bridge(more ...string) []string {
	return slices.Concat(core, more, slices.Sorted(maps.Keys(late)))
}

// subjects are the agents with how to lead them to the model.
var subjects = []struct {
	name    string
	adapter string // where it is not the name
	program string // where it is not the name
	model   string
	setup   func(t testing.TB, home, url string) ([]string, adapters.AgentConfig)
	leaks   map[string]string
	slow    map[string]string
	only    []string
}{
	{name: "claude", setup: func(_ testing.TB, _, url string) ([]string, adapters.AgentConfig) {
		return []string{"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=sk-test"}, adapters.AgentConfig{}
	}},
	{name: "codex", model: "gpt-5.5", setup: func(_ testing.TB, _, url string) ([]string, adapters.AgentConfig) {
		return nil, adapters.AgentConfig{
			Env: map[string]string{"FAKE_API_KEY": "sk-test"},
			Args: []string{
				"-c", `model_provider="fake"`,
				"-c", `model_providers.fake={name="Fake",base_url="` + url + `/v1",env_key="FAKE_API_KEY",wire_api="responses",request_max_retries=0,stream_max_retries=0}`,
			},
		}
	}, leaks: map[string]string{
		"command outside the grant": "codex has no list of commands",
	}},
	{name: "opencode", model: "fake/fake-model", setup: func(t testing.TB, home, url string) ([]string, adapters.AgentConfig) {
		file(t, home, ".config/opencode/opencode.json", `{"provider":{"fake":{"npm":"@ai-sdk/openai-compatible","name":"Fake","options":{"baseURL":"`+url+`/v1","apiKey":"sk-test"},"models":{"fake-model":{"name":"Fake","tool_call":true,"limit":{"context":200000,"output":32000}}}}},"small_model":"fake/fake-model","enabled_providers":["fake"]}`)
		return nil, adapters.AgentConfig{}
	}, slow: map[string]string{
		"server error":   "opencode tries again for more than a minute",
		"rate limit":     "opencode tries again for more than a minute",
		"cut connection": "opencode tries again for more than a minute",
	}},
	{name: "pi", model: "fake/fake-model", setup: func(t testing.TB, home, url string) ([]string, adapters.AgentConfig) {
		file(t, home, ".pi/agent/models.json", `{"providers":{"fake":{"baseUrl":"`+url+`","api":"anthropic-messages","apiKey":"sk-test","models":[{"id":"fake-model"}]}}}`)
		return nil, adapters.AgentConfig{}
	}},
	{name: "acp", program: "opencode", model: "fake/fake-model", setup: func(t testing.TB, home, url string) ([]string, adapters.AgentConfig) {
		file(t, home, ".config/opencode/opencode.json", `{"provider":{"fake":{"npm":"@ai-sdk/openai-compatible","name":"Fake","options":{"baseURL":"`+url+`/v1","apiKey":"sk-test"},"models":{"fake-model":{"name":"Fake","tool_call":true,"limit":{"context":200000,"output":32000}}}}},"small_model":"fake/fake-model","enabled_providers":["fake"]}`)
		return nil, adapters.AgentConfig{Command: "opencode"}
	}, slow: map[string]string{
		"server error":   "opencode tries again for more than a minute",
		"rate limit":     "opencode tries again for more than a minute",
		"cut connection": "opencode tries again for more than a minute",
	}},
	{name: "acp claude", adapter: "acp", program: "claude-code-acp", setup: func(_ testing.TB, _, url string) ([]string, adapters.AgentConfig) {
		return []string{"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=sk-test"}, adapters.AgentConfig{Command: "claude-code-acp"}
	}, only: bridge(), slow: late, leaks: map[string]string{
		"hostile project config": "the bridge reads the project's permissions by itself; a run in the sandbox shows it none",
	}},
	{name: "acp codex", adapter: "acp", program: "codex-acp", setup: func(t testing.TB, home, url string) ([]string, adapters.AgentConfig) {
		file(t, home, ".codex/config.toml", "model = \"gpt-5.5\"\nmodel_provider = \"fake\"\n[model_providers.fake]\nname = \"Fake\"\nbase_url = \""+url+"/v1\"\nenv_key = \"FAKE_API_KEY\"\nwire_api = \"responses\"\nrequest_max_retries = 0\nstream_max_retries = 0\n")
		return nil, adapters.AgentConfig{Command: "codex-acp", Env: map[string]string{"FAKE_API_KEY": "sk-test"}}
	}, only: bridge("prompts"), slow: late, leaks: map[string]string{
		"writes": "in the mode in which codex asks for each edit it makes no folders; in our sandbox it has full access",
	}},
	{name: "acp gemini", adapter: "acp", program: "gemini", model: "gemini-2.5-flash", setup: func(t testing.TB, home, url string) ([]string, adapters.AgentConfig) {
		file(t, home, ".gemini/settings.json", `{"security":{"auth":{"selectedType":"gemini-api-key"}}}`)
		return []string{"GEMINI_API_KEY=sk-test", "GOOGLE_GEMINI_BASE_URL=" + url}, adapters.AgentConfig{Command: "gemini"}
	}, only: bridge(), slow: late},
}

func file(t testing.TB, dir, name, text string) {
	t.Helper()
	f := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(f), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestReal(t *testing.T) {
	dir := agentsDir(t)
	for _, s := range subjects {
		t.Run(s.name, func(t *testing.T) {
			if s.only != nil {
				t.Parallel() // bridges, beside each other: none of their checks ends by a deadline
			}
			program := cmp.Or(s.program, s.name)
			if _, err := os.Stat(filepath.Join(dir, program)); err != nil {
				if strings.Contains(os.Getenv("RIG_REQUIRE"), "agents") {
					t.Fatal(err)
				}
				t.Skipf("%s is not installed in RIG_AGENTS", program)
			}
			env := adapters.Env{Vars: []string{"PATH=" + dir + string(filepath.ListSeparator) + os.Getenv("PATH")}}
			a, err := adapters.NewRegistry(env).Find(cmp.Or(s.adapter, s.name))
			if err != nil {
				t.Fatal(err)
			}
			Run(t, Subject{Adapter: a, Env: env, Model: s.model, Setup: s.setup, Leaks: s.leaks, Slow: s.slow, Only: s.only})
		})
	}
}
