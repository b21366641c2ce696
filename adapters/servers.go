package adapters

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxUserConfig bounds what is read of an agent's own config, in bytes.
const maxUserConfig = 1 << 20

// jsonServers names the servers under the key "mcp" of opencode's config files below HOME.
func jsonServers(home string, files ...string) []string {
	var names []string
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(home, filepath.FromSlash(f)))
		if err != nil || len(text) > maxUserConfig {
			continue
		}
		root, err := scanSettings(text)
		if err != nil {
			continue // the agent will say so itself
		}
		for _, m := range root.member("mcp").list() {
			if !slices.Contains(names, m.key) {
				names = append(names, m.key)
			}
		}
	}
	return names
}

var (
	// A server is named by a table, [mcp_servers.name], by a dotted key, or within an inline table.
	tomlServerRE = lazyRE(`(?m)^[ \t]*\[?[ \t]*"?mcp_servers"?[ \t]*\.[ \t]*("(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[A-Za-z0-9_-]+)`)
	tomlInlineRE = lazyRE(`(?m)^[ \t]*"?mcp_servers"?[ \t]*=[ \t]*\{`)
	tomlKeyRE    = lazyRE(`^\s*("(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[A-Za-z0-9_-]+)`)
)

// tomlServers names the servers of codex's config file: its keys are all that is read of it.
func tomlServers(file string) []string {
	text, err := os.ReadFile(file)
	if err != nil || len(text) > maxUserConfig {
		return nil
	}
	var names []string
	add := func(key string) {
		if name := tomlKey(key); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, m := range tomlServerRE().FindAllStringSubmatch(string(text), -1) {
		add(m[1])
	}
	for _, m := range tomlInlineRE().FindAllStringIndex(string(text), -1) {
		for _, key := range inlineKeys(string(text[m[1]:])) {
			add(key)
		}
	}
	return names
}

// inlineKeys are the first-level keys of an inline table, whose text begins behind its opening brace.
func inlineKeys(text string) (keys []string) {
	due := true // a key comes next
	for depth := 0; len(text) > 0; text = text[1:] {
		if due {
			m := tomlKeyRE().FindStringSubmatch(text)
			if m == nil {
				return keys
			}
			keys, text, due = append(keys, m[1]), text[len(m[0])-1:], false
			continue
		}
		switch text[0] {
		case '"', '\'':
			if m := tomlKeyRE().FindString(text); m != "" {
				text = text[len(m)-1:]
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth < 0 {
				return keys
			}
		case ',':
			due = depth == 0
		}
	}
	return keys
}

// tomlKey reads a key, quoted or not.
func tomlKey(s string) string {
	switch s[0] {
	case '\'':
		return strings.Trim(s, "'")
	case '"':
		var name string
		if json.Unmarshal([]byte(s), &name) == nil { // TOML's basic strings have JSON's escapes and some more
			return name
		}
	}
	return s
}

// serversOff is codex's option that keeps servers from starting: a table within argv, since a dotted path cannot quote a name.
func serversOff(names []string) string {
	off := make([]string, len(names))
	for i, n := range names {
		off[i] = tomlString(n) + "={enabled=false}"
	}
	return "mcp_servers={" + strings.Join(off, ",") + "}"
}
