package lint

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestPipesInTables is like o-wk-01, with the pipe as models write it.
func TestPipesInTables(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"| a | b |\n|---|---|\n| [[x|y]] | [[x\\|y]] |\n", "| a | b |\n|---|---|\n| [[x\\|y]] | [[x\\|y]] |\n"},
		{"| [[x|y]] | b |\n|:--|--:|\n| c | d |\n", "| [[x\\|y]] | b |\n|:--|--:|\n| c | d |\n"},
		{"a | b\r\n---|---\r\n[[x#h|y]] | ![[x|30]]\r\n", "a | b\r\n---|---\r\n[[x#h\\|y]] | ![[x\\|30]]\r\n"},
		{"> | a |\n> |---|\n> | b |\n> | [[x|y|z]] |\n", "> | a |\n> |---|\n> | b |\n> | [[x\\|y\\|z]] |\n"},
		{"- | a |\n  |---|\n  | [[x|y]] |\n", "- | a |\n  |---|\n  | [[x\\|y]] |\n"},
		{"| [[x|y]] | no table |\n", ""}, {"[[x|y]]\n\n|---|\n", ""}, {"|---|\n| [[x|y]] |\n", ""}, {"| a |\n|---|\n\n[[x|y]] | b\n", ""},
		{"| a |\n|---|\n| `[[x|y]]` |\n", ""}, {"```\n| a |\n|---|\n| [[x|y]] |\n```\n", ""}, {"a [[x|y]]\n---\n", ""},
		{"[[x|y]]", ""}, {"| a |\n|---|\n| [x](x.md) [[x]] |", ""},
	} {
		x := open(t, lay(t, map[string]string{"x.md": "# X\n\n## h\n", "t.md": tt.text}))
		got, text := "", tt.text
		var codes []string
		found := Page(x, Rules{}, "t.md")
		slices.Reverse(found)
		for _, f := range found {
			if codes = append(codes, f.Code); f.Code == "unescaped-pipe" {
				for _, e := range slices.Backward(f.Fixes[0].Edits) {
					text = text[:e.Start] + e.Text + text[e.End:]
				}
				got = text
			}
		}
		if got != tt.want {
			t.Errorf("%q:\n got %q\nwant %q", tt.text, got, tt.want)
		}
		if s := strings.Join(codes, " "); strings.Contains(s, "broken") {
			t.Errorf("%q: %s", tt.text, s)
		}
	}
}

// TestOpenConflictCopy: a sync tool's copy that is open in an editor is no page either, and says what it is.
func TestOpenConflictCopy(t *testing.T) {
	const rel = "tea.sync-conflict-20260102-030405-ABCDEFG.md"
	x := open(t, lay(t, map[string]string{"tea.md": "# Tea\n\n[[pot]]\n", "pot.md": "# Pot\n", rel: "# Tea\n\n[[gone]]\n"}))
	before := fmt.Sprint(all(t, x, rules()))
	if text, ok := x.Source(rel); !ok || len(text) == 0 {
		t.Errorf("%q", text)
	}
	if got := fmt.Sprint(all(t, x, rules())); got != before {
		t.Errorf("after it was read: %s\nbefore: %s", got, before)
	}
	x.SetBuffer(rel, []byte("# Tea\n\nsomething unusual [[pot]]\n"))
	if got := fmt.Sprint(all(t, x, rules())); got != before {
		t.Errorf("%s\nbefore: %s", got, before)
	}
	if got := lines(Page(x, rules(), rel), "sync-conflict", "duplicate-page"); got != rel+":1 sync-conflict" {
		t.Error(got)
	}
	if got := x.Search("unusual", 5); len(got) > 0 {
		t.Errorf("%+v", got)
	}
	if text, ok := x.Source(rel); !ok || !strings.Contains(string(text), "unusual") {
		t.Errorf("%q", text)
	}
}
