package wiki

import (
	"os/user"
	"slices"
	"strings"
)

// allowedVars are the variables of the user's environment that every agent gets: locale, PATH, terminal, proxies and CA files.
// A name that ends in "*" is a prefix. Everything else stays out; a vendor's own variables are named by its adapter.
func allowedVars() []string {
	return []string{
		"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "COLORTERM", "TZ", "LANG", "LANGUAGE", "LC_*",
		"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
		"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE",
	}
}

// agentEnv is an agent's whole environment: what is allowed of the user's, then set, where a later "K=V" replaces an earlier one.
func agentEnv(user, pass, set []string) []string {
	names := append(allowedVars(), pass...)
	m := map[string]string{}
	for _, kv := range user {
		k, v, ok := strings.Cut(kv, "=")
		if ok && slices.ContainsFunc(names, func(n string) bool { return matchName(n, k) }) {
			m[k] = v
		}
	}
	for _, kv := range set {
		if k, v, ok := strings.Cut(kv, "="); ok {
			m[k] = v
		}
	}
	env := make([]string, 0, len(m))
	for k, v := range m {
		env = append(env, k+"="+v)
	}
	slices.Sort(env)
	return env
}

func matchName(pattern, name string) bool {
	if p, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(name, p)
	}
	return pattern == name
}

// HomeFolder is the user's home folder: HOME, else what the system's list of users has (a service may be started without HOME), else "". Without
// it our state would lie in the working folder, which is a wiki's.
func HomeFolder(env []string) string {
	if home := LookupVar(env, "HOME"); home != "" {
		return home
	}
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return u.HomeDir
}

// LookupVar finds a variable in a list of "K=V"; the last one counts, as it does for a process.
func LookupVar(env []string, name string) string {
	for _, kv := range slices.Backward(env) {
		if k, v, ok := strings.Cut(kv, "="); ok && k == name {
			return v
		}
	}
	return ""
}
