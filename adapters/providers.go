package adapters

import (
	"os"
	"path/filepath"
	"slices"
)

// A provider is where models come from: the variable with its key and the host of its API.
type provider struct{ key, host string }

// providers are those that agents of any vendor can be led to by a key in the environment.
var providers = []provider{
	{"ANTHROPIC_API_KEY", "api.anthropic.com"},
	{"OPENAI_API_KEY", "api.openai.com"},
	{"OPENROUTER_API_KEY", "openrouter.ai"},
	{"GEMINI_API_KEY", "generativelanguage.googleapis.com"},
	{"GOOGLE_GENERATIVE_AI_API_KEY", "generativelanguage.googleapis.com"},
	{"MISTRAL_API_KEY", "api.mistral.ai"},
	{"DEEPSEEK_API_KEY", "api.deepseek.com"},
	{"GROQ_API_KEY", "api.groq.com"},
	{"XAI_API_KEY", "api.x.ai"},
	{"CEREBRAS_API_KEY", "api.cerebras.ai"},
	{"ZAI_API_KEY", "api.z.ai"},
	{"OPENCODE_API_KEY", "opencode.ai"},
}

// providerPass are the variables of all providers: key and base URL.
func providerPass() []string {
	pass := []string{"ANTHROPIC_BASE_URL", "ANTHROPIC_OAUTH_TOKEN", "OPENAI_BASE_URL", "AZURE_OPENAI_*"}
	for _, p := range providers {
		pass = append(pass, p.key)
	}
	return pass
}

// providerHosts are the hosts of all providers (a login that was stored needs no key), of the base URLs that the user's variables name,
// and of those in the agent's own config.
func providerHosts(r Request) []string {
	var hosts []string
	for _, p := range providers {
		if !slices.Contains(hosts, p.host) {
			hosts = append(hosts, p.host)
		}
	}
	hosts = append(hosts, baseHosts(r.Env, "ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "AZURE_OPENAI_ENDPOINT", "AZURE_OPENAI_BASE_URL")...)
	return append(hosts, r.Detection.Hosts...)
}

// baseURLRE finds the base URLs in a vendor's config, whatever its format: baseURL, base_url, baseUrl, ANTHROPIC_BASE_URL.
var baseURLRE = lazyRE(`(?i)base_?url"?\s*[:=]\s*"(https?://[^"\s]+)"`)

// configHosts reads the hosts of model servers from config files below HOME. Files that are not there name none.
func configHosts(home string, files ...string) []string {
	var hosts []string
	for _, f := range files {
		b, err := os.ReadFile(filepath.Join(home, filepath.FromSlash(f)))
		if err != nil || len(b) > 1<<20 {
			continue
		}
		for _, m := range baseURLRE().FindAllSubmatch(b, -1) {
			if h := urlHost(string(m[1])); h != "" && !slices.Contains(hosts, h) {
				hosts = append(hosts, h)
			}
		}
	}
	return hosts
}

// stateDir is a folder below HOME that a variable may move, relative to HOME.
func stateDir(env Env, variable, usual string) string {
	if dir := env.Get(variable); dir != "" && env.Home != "" {
		if rel, err := filepath.Rel(env.Home, dir); err == nil && filepath.IsLocal(rel) && rel != "." {
			return filepath.ToSlash(rel)
		}
	}
	return usual
}
