package builtin

import (
	"reflect"
	"testing"
)

// Tables, crossed out words and check boxes are GitHub's (GFM 0.29), and read here by hand.
func TestParseSource(t *testing.T) {
	for name, tt := range map[string]struct {
		source string
		want   []string
	}{
		"table":            {"Before it.\n\n| a | b |\n| --- | :-: |\n| 1 | 2 |\n\nAfter it.\n", []string{"Before it.", "After it."}},
		"table, no edges":  {"a | b\n--|--\n1 | 2\n3 | 4\n\nAfter it.\n", []string{"After it."}},
		"prose above":      {"Prose above.\n| a | b |\n|---|---|\n| 1 | 2 |\n", []string{"Prose above."}},
		"at the end":       {"Before it.\n\n| a |\n|---|", []string{"Before it."}},
		"two tables":       {"| a |\n|---|\n\nBetween.\n\n| b |\n|---|\n| 1 |\n", []string{"Between."}},
		"no head":          {"|---|---|\n\nText.\n", []string{"|---|---|", "Text."}},
		"a rule, no table": {"Head | line\n\n---\n\nText.\n", []string{"Head | line", "Text."}},
		"a pipe in prose":  {"Write a | b to pipe.\nAnd go on.\n", []string{"Write a | b to pipe. And go on."}},
		"in a fence":       {"```\n| a |\n|---|\n```\n\nText.\n", []string{"Text."}},
		"boxes":            {"- [ ] open one\n- [x] done one\n- [y] no box\n", []string{"open one", "done one", "[y] no box"}},
		"crossed out":      {"It is ~~not~~ so.\n", []string{"It is not so."}},
		"carriage returns": {"| a |\r\n|---|\r\n| 1 |\r\n\r\nText.\r\n", []string{"Text."}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, p := range parseSource([]byte(tt.source)).pars {
				got = append(got, p.text)
			}
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
