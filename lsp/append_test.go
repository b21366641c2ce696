package lsp

import "testing"

func TestAppendToLine(t *testing.T) {
	for _, c := range []struct {
		name, old, text string
		at              int
		want            string
	}{
		{"below the last line", "a\n", "b\n", 1, "\nb"},
		{"a paragraph", "a\nb\n", "\nc\nd\n", 3, "\n\nc\nd"},
		{"carriage returns", "a\r\n", "b\r\n", 1, "\r\nb"},
		{"only line feeds added to carriage returns", "a\r\n", "b\n", 3, "b\n"},
		{"only carriage returns added to line feeds", "a\n", "b\r\n", 2, "b\r\n"},
		{"no last newline before", "a", "\nb\n", 1, "\nb\n"},
		{"no last newline after", "a\n", "b", 2, "b"},
		{"an empty page", "", "b\n", 0, "b\n"},
		{"after an edit that took the rest", "\n", "b\n", 0, "\nb"},
	} {
		t.Run(c.name, func(t *testing.T) {
			at, text := appendToLine([]byte(c.old), []byte(c.text))
			if at != c.at || string(text) != c.want {
				t.Errorf("at %d %q, want at %d %q", at, text, c.at, c.want)
			}
			if got := c.old[:at] + string(text) + c.old[at:]; got != c.old+c.text {
				t.Errorf("means %q, want %q", got, c.old+c.text)
			}
		})
	}
}
