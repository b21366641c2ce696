package adapters

import (
	"slices"
	"strings"
	"testing"
)

// TestModelUntouched: a model's name reaches the agent byte for byte, whatever it looks like; without one there is no trace of an option.
func TestModelUntouched(t *testing.T) {
	dir := directory{dir: "/adapters/mine"}
	for _, a := range append(builtins(), dir) {
		if a.Name() == "builtin" || a.Name() == "acp" {
			continue // the one has none, the other sends it by the protocol
		}
		for _, model := range []string{"opus", "provider/model-id:free", " a name with  spaces ", "-x", "--print", "日本 'q' \"d\" $X", "a=b", "sonnet[1m]"} {
			r := planRequest(a.Name(), "query")
			r.Model = model
			inv, err := a.Plan(r)
			if err != nil {
				t.Fatal(err)
			}
			if a == Adapter(dir) {
				if !slices.Contains(inv.Env, "AGENT_MODEL="+model) {
					t.Errorf("%q: %q", model, inv.Env)
				}
				continue
			}
			at := slices.Index(inv.Argv, "--model")
			tied := slices.Contains(inv.Argv, "--model="+model)
			if !tied && (at < 0 || inv.Argv[at+1] != model) || tied != (strings.HasPrefix(model, "-") && a.Name() != "pi") {
				t.Errorf("%s, %q: %q", a.Name(), model, inv.Argv)
			}
		}
		r := planRequest(a.Name(), "query")
		r.Model = ""
		inv, err := a.Plan(r)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range slices.Concat(inv.Argv, inv.Env) {
			if strings.HasPrefix(s, "--model") || strings.HasPrefix(s, "AGENT_MODEL") {
				t.Errorf("%s without a model: %q", a.Name(), s)
			}
		}
	}
}
