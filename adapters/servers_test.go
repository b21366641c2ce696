package adapters

import (
	"slices"
	"testing"
)

func TestTOMLServers(t *testing.T) {
	for text, want := range map[string][]string{
		"":                                    nil,
		"[mcp_servers.mine]\ncommand=\"x\"\n": {"mine"},
		"  [ mcp_servers . \"my other\" ]\n[mcp_servers.mine.env]\nA=\"b\"\n[mcp_servers.'q']":                                                 {"my other", "mine", "q"},
		"mcp_servers.a.command = \"x\"\nmcp_servers.a.args = []":                                                                               {"a"},
		"mcp_servers = { a = { command = \"}, b = {\", env = { C = \"d\" } }, \"e f\" = { args = [\"x\", 'y'], command = \"z\" } }\n[other.g]": {"a", "e f"},
		"# [mcp_servers.off]\n[my_mcp_servers.x]\n[other]\nmcp_servers_extra = {a={}}":                                                         nil,
		"mcp_servers = {}": nil,
	} {
		dir := t.TempDir()
		put(t, dir, "config.toml", text)
		if got := tomlServers(dir + "/config.toml"); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
