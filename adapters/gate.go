package adapters

import (
	"path"
	"slices"
	"strings"
)

// A gate answers an agent's requests for permission from the grant of the run.
type gate struct {
	cwd      string
	readOnly []string
	grant    Grant
}

// mayWrite judges a path by its text alone: links are the sandbox's to judge. The reason is "" where it may.
func (g gate) mayWrite(file string) string {
	if !g.grant.Write {
		return "this run may not write"
	}
	if !path.IsAbs(file) {
		file = path.Join(g.cwd, file)
	}
	rel, ok := strings.CutPrefix(path.Clean(file), strings.TrimSuffix(path.Clean(g.cwd), "/")+"/")
	if !ok {
		return "it lies outside of the folder of this run"
	}
	for _, p := range append([]string{".git", ".rig-readonly"}, g.readOnly...) {
		p = strings.TrimSuffix(p, "/")
		if strings.EqualFold(rel, p) || len(rel) > len(p) && strings.EqualFold(rel[:len(p)], p) && rel[len(p)] == '/' {
			return p + " is read-only"
		}
	}
	return ""
}

// mayRun allows plain commands that begin with a granted prefix, several of them joined. What a shell would expand, substitute or redirect
// is refused: its meaning is not on the page. (pi_gate.js says the same for pi.)
func (g gate) mayRun(command string) string {
	if strings.TrimSpace(command) == "" || strings.ContainsAny(outsideQuotes(command), "`$<>\\(){}\n\r*?~!#") {
		return "only plain commands may run"
	}
	for _, part := range strings.FieldsFunc(command, func(r rune) bool { return r == ';' || r == '|' || r == '&' }) {
		plain := strings.Join(strings.Fields(part), " ")
		if plain == "" {
			continue
		}
		if !anyPrefix(plain, g.grant.Commands) && !slices.Contains(g.grant.Exact, plain) {
			return "it is not among the commands of this run"
		}
		if anyPrefix(strings.NewReplacer(`'`, "", `"`, "").Replace(plain), g.grant.Denied) {
			return "it is denied for this run"
		}
	}
	return ""
}

// outsideQuotes empties what stands between single quotes, where a shell changes nothing.
func outsideQuotes(command string) string {
	parts := strings.Split(command, "'")
	if len(parts)%2 == 0 {
		return command // an open quote: judged as it stands
	}
	var b strings.Builder
	for i := 0; i < len(parts); i += 2 {
		b.WriteString(parts[i])
	}
	return b.String()
}

func anyPrefix(command string, prefixes []string) bool {
	for _, p := range prefixes {
		if command == p || strings.HasPrefix(command, p+" ") {
			return true
		}
	}
	return false
}
