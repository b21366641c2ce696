package guard

import (
	"net/url"
	"slices"
	"strings"
)

// judgeAPI lets the REST and GraphQL interfaces be read, of the run's repository alone.
func judgeAPI(g Grant, args []string, read func(string) ([]byte, error)) Verdict {
	const allowed = "allowed is reading this repository: `gh api repos/{owner}/{repo}/pulls/N/comments`, or a GraphQL query"
	p, err := parse(args, flags("-X: --method: -f: --raw-field: -F: --field: -q: --jq: -t: --template: --paginate --slurp -H: --header: -i --include --silent"), ghStyle)
	if err != nil {
		return denied("gh api: %s; %s", err, allowed)
	}
	if len(p.rest) != 1 {
		return denied("gh api: one endpoint is needed; %s", allowed)
	}
	call := apiCall{grant: g, method: "GET", endpoint: p.rest[0]}
	for _, o := range p.options {
		if why := call.option(o, read); why != "" {
			return denied("gh api: %s; %s", why, allowed)
		}
	}
	return call.judge(allowed)
}

// apiCall is one call of gh api as it was understood.
type apiCall struct {
	grant    Grant
	method   string
	asked    bool // a method was given
	endpoint string
	fields   [][2]string
	rest     []string // options that only form the answer
}

// option takes one option, or tells why it may not be.
func (c *apiCall) option(o given, read func(string) ([]byte, error)) string {
	switch o.name {
	case "-X", "--method":
		c.method, c.asked = strings.ToUpper(o.value), true
		return ""
	case "-f", "--raw-field", "-F", "--field":
		return c.field(o, read)
	case "-H", "--header":
		name, _, _ := strings.Cut(o.value, ":")
		if !strings.EqualFold(name, "Accept") && !strings.EqualFold(name, "X-GitHub-Api-Version") || strings.ContainsAny(o.value, "\r\n") {
			return "the header " + shown(name) + " may not be set"
		}
	case "-q", "--jq":
		if why := jqWhy(o.value); why != "" {
			return why
		}
	}
	c.rest = append(c.rest, rendered(o)...)
	return ""
}

// field takes a parameter; what "@file" names is read here, inside, never by the host.
func (c *apiCall) field(o given, read func(string) ([]byte, error)) string {
	key, v, ok := strings.Cut(o.value, "=")
	if !ok || key == "" {
		return "a field is KEY=VALUE"
	}
	if file, isFile := strings.CutPrefix(v, "@"); isFile && (o.name == "-F" || o.name == "--field") {
		text, err := read(file)
		if err != nil {
			return "read " + shown(file) + ": " + err.Error()
		}
		v = string(text)
	}
	if len(v) > maxText || strings.Contains(v, "\x00") {
		return "the field " + shown(key) + " is too long"
	}
	if o.name == "-F" || o.name == "--field" {
		v = c.places().Replace(v)
	}
	c.fields = append(c.fields, [2]string{key, v})
	return ""
}

// placeholders are the spellings that gh fills in for the owner and the name of a repository.
func placeholders() (owner, name []string) {
	return []string{"{owner}", ":owner"}, []string{"{repo}", ":repo"}
}

// places puts the names of the run's repository for gh's placeholders; where they are not known gh does it.
func (c *apiCall) places() *strings.Replacer {
	pairs := []string{"{branch}", c.grant.Branch}
	if owner, name := c.grant.ownerName(); owner != "" {
		owners, names := placeholders()
		for i := range owners {
			pairs = append(pairs, owners[i], owner, names[i], name)
		}
	}
	return strings.NewReplacer(pairs...)
}

// isPlace tells whether a value is one that gh fills in.
func isPlace(v string) bool {
	owners, names := placeholders()
	return slices.Contains(owners, v) || slices.Contains(names, v)
}

func (c *apiCall) judge(allowed string) Verdict {
	if strings.Trim(c.endpoint, "/") == "graphql" {
		return c.graphql(allowed)
	}
	if !c.asked && len(c.fields) > 0 {
		return denied("gh api: fields make it a POST; for a query string add `--method GET`; %s", allowed)
	}
	if c.method != "GET" && c.method != "HEAD" {
		return denied("gh api: %s changes something; %s", shown(c.method), allowed)
	}
	path, why := c.path()
	if why != "" {
		return denied("gh api: %s; %s", why, allowed)
	}
	args := []string{"api", path}
	if c.asked {
		args = append(args, "--method", c.method)
	}
	for _, f := range c.fields {
		args = append(args, "--raw-field", f[0]+"="+f[1])
	}
	return Verdict{Route: OnGitHub, Args: append(append(args, c.host()...), c.rest...)}
}

// host names the server where it is another than github.com.
func (c *apiCall) host() []string {
	if parts := strings.Split(c.grant.Repo, "/"); len(parts) == 3 && !strings.EqualFold(parts[0], "github.com") {
		return []string{"--hostname", parts[0]}
	}
	return nil
}

// private are parts of a repository's interface that are about its keeping, not its pull requests.
func private() []string {
	return []string{"secrets", "variables", "keys", "hooks", "environments", "runners", "codespaces", "collaborators", "invitations", "traffic", "dependabot", "secret-scanning", "code-scanning", "security-advisories", "vulnerability-alerts", "actions", "autolinks", "rulesets", "tarball", "zipball", "notifications", "subscription", "private-vulnerability-reporting", "installation", "attestations"}
}

// foreign tells why a path's repository is not the run's, or "". Where that is not known, only gh's own placeholders mean it.
func (c *apiCall) foreign(owner, name string) string {
	owners, names := placeholders()
	switch {
	case c.grant.Repo != "" && !c.grant.isRepo(owner+"/"+name):
		return shown(c.endpoint) + " is not below repos/{owner}/{repo} of this run"
	case c.grant.Repo == "" && !(slices.Contains(owners, owner) && slices.Contains(names, name)):
		return "which repository this run's is, the address of its remote does not tell: write repos/{owner}/{repo}, as it stands, and gh fills in the checkout's"
	}
	return ""
}

// path checks a REST endpoint: plain segments below the run's repository.
func (c *apiCall) path() (string, string) {
	path, query, _ := strings.Cut(strings.TrimPrefix(c.endpoint, "/"), "?")
	path = c.places().Replace(path)
	parts := strings.Split(path, "/")
	if len(parts) < 3 || parts[0] != "repos" {
		return "", shown(c.endpoint) + " is not below repos/{owner}/{repo} of this run"
	}
	if why := c.foreign(parts[1], parts[2]); why != "" {
		return "", why
	}
	for i, seg := range parts {
		if i < 3 && isPlace(seg) {
			continue
		}
		if seg == "" || seg == "." || seg == ".." || strings.IndexFunc(seg, func(r rune) bool {
			return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("._-~", r)
		}) >= 0 {
			return "", shown(c.endpoint) + " is not a plain path"
		}
		if i == 3 {
			for _, p := range private() {
				if strings.EqualFold(seg, p) {
					return "", "repos/" + parts[1] + "/" + parts[2] + "/" + p + " is not about pull requests"
				}
			}
		}
	}
	if query != "" {
		if _, err := url.ParseQuery(query); err != nil || strings.ContainsAny(query, " \t\r\n#") {
			return "", "the query string of " + shown(c.endpoint) + " cannot be read"
		}
		path += "?" + query
	}
	return path, ""
}

// graphql lets queries through whose operations only read and whose fields are those of a review.
func (c *apiCall) graphql(allowed string) Verdict {
	if c.asked && c.method != "POST" {
		return denied("gh api graphql: the method is POST; %s", allowed)
	}
	owner, name := c.grant.ownerName()
	args := append([]string{"api", "graphql"}, c.host()...)
	query, vars := "", map[string]string{}
	for _, f := range c.fields {
		switch {
		case f[0] == "query" && query != "":
			return denied("gh api graphql: one query at a time; %s", allowed)
		case f[0] == "query":
			query = f[1]
		case strings.ContainsAny(f[0], "[]."):
			return denied("gh api graphql: variables are plain here; %s", allowed)
		default:
			if _, twice := vars[f[0]]; twice {
				return denied("gh api graphql: the variable %s is given twice", shown(f[0]))
			}
			vars[f[0]] = f[1]
		}
	}
	if why := queryWhy(query, owner, name, vars); why != "" {
		return denied("gh api graphql: %s; %s", why, allowed)
	}
	for _, f := range c.fields {
		option := "--raw-field"
		if f[0] != "query" && (isNumber(f[1]) || f[1] == "true" || f[1] == "false" || f[1] == "null" || isPlace(f[1])) {
			option = "--field" // typed: an Int variable must be a number
		}
		args = append(args, option, f[0]+"="+f[1])
	}
	return Verdict{Route: OnGitHub, Args: append(args, c.rest...)}
}
