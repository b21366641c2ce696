package lsp

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"go.lsp.dev/protocol"
)

var encodings = []protocol.PositionEncodingKind{protocol.PositionEncodingKindUTF8, protocol.PositionEncodingKindUTF16, protocol.PositionEncodingKindUTF32}

func input(t testing.TB, parts ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(append([]string{"testdata"}, parts...)...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestColumns is case o-ls-01: emoji, CJK and combining marks before a link, in each encoding.
func TestColumns(t *testing.T) {
	text := input(t, "o-ls-01", "page.md")
	var c struct {
		Expect struct {
			Ranges []struct {
				Line  uint32
				Text  string
				UTF8  [2]uint32 `json:"utf-8"`
				UTF16 [2]uint32 `json:"utf-16"`
				UTF32 [2]uint32 `json:"utf-32"`
			}
		}
	}
	if err := json.Unmarshal(input(t, "o-ls-01", "case.json"), &c); err != nil || len(c.Expect.Ranges) == 0 {
		t.Fatal(err)
	}
	for _, r := range c.Expect.Ranges {
		want := map[protocol.PositionEncodingKind][2]uint32{encodings[0]: r.UTF8, encodings[1]: r.UTF16, encodings[2]: r.UTF32}
		at := bytes.Index(text, []byte(r.Text))
		for enc, w := range want {
			l := newLines(text, enc)
			got := l.span(at, at+len(r.Text))
			if got.Start.Line != r.Line || got.Start.Character != w[0] || got.End.Character != w[1] {
				t.Errorf("%s in %s: %v, want line %d, %v", r.Text, enc, got, r.Line, w)
			}
			if l.offset(got.Start) != at || l.offset(got.End) != at+len(r.Text) {
				t.Errorf("%s in %s: does not come back", r.Text, enc)
			}
		}
	}
}

// TestFullRange is case o-ls-02: the range of a whole text whose last line has an emoji and no newline.
func TestFullRange(t *testing.T) {
	old := input(t, "o-ls-02", "old.md")
	for enc, want := range map[protocol.PositionEncodingKind]uint32{encodings[1]: 18, encodings[0]: 20} {
		if end := newLines(old, enc).full().End; end.Line != 0 || end.Character != want {
			t.Errorf("%s: the text ends at %v, want 0:%d", enc, end, want)
		}
	}
}

// TestLineEnds is case o-ls-10: \r\n, a lone \r, and positions beyond a line or the text.
func TestLineEnds(t *testing.T) {
	l := newLines(input(t, "o-ls-10", "mixed.md"), encodings[1])
	if len(l.starts) != 4 {
		t.Fatalf("%d lines", len(l.starts))
	}
	for i, want := range []string{"a", "bb", "ccc", "d"} {
		start, end := l.bounds(i)
		if got := string(l.text[start:end]); got != want {
			t.Errorf("line %d is %q, want %q", i, got, want)
		}
	}
	for _, c := range []struct{ line, col, want int }{{0, 0, 0}, {0, 1, 1}, {0, 99, 1}, {1, 0, 3}, {1, 2, 5}, {2, 0, 6}, {3, 1, 11}, {4, 0, 11}} {
		if got := l.offset(protocol.Position{Line: uint32(c.line), Character: uint32(c.col)}); got != c.want {
			t.Errorf("%d:%d is byte %d, want %d", c.line, c.col, got, c.want)
		}
	}
}

func TestPickEncoding(t *testing.T) {
	for _, c := range []struct {
		offered []protocol.PositionEncodingKind
		want    protocol.PositionEncodingKind
	}{
		{nil, encodings[1]},
		{[]protocol.PositionEncodingKind{"utf-16"}, encodings[1]},
		{[]protocol.PositionEncodingKind{"utf-32", "utf-8", "utf-16"}, encodings[0]},
		{[]protocol.PositionEncodingKind{"utf-32", "utf-16"}, encodings[2]},
		{[]protocol.PositionEncodingKind{"utf-7"}, encodings[1]},
	} {
		if got := pickEncoding(c.offered); got != c.want {
			t.Errorf("of %v: %s, want %s", c.offered, got, c.want)
		}
	}
}

// FuzzPosition holds that each character's start comes back, that positions grow with offsets and that nothing panics.
func FuzzPosition(f *testing.F) {
	for _, s := range []string{"", "a\r\nbb\rccc\nd", "\U0001F600é日\n\xff\xfe\r", "\ufeff# A\n", "\r\r\n\n"} {
		f.Add([]byte(s), uint32(1), uint32(2))
	}
	f.Fuzz(func(t *testing.T, text []byte, line, col uint32) {
		for _, enc := range encodings {
			l := newLines(text, enc)
			last := protocol.Position{}
			for i := 0; i <= len(text); {
				p := l.position(i)
				if before(p, last) {
					t.Fatalf("%s: byte %d is at %v, before %v", enc, i, p, last)
				}
				last = p
				back := l.offset(p)
				start, end := l.bounds(int(p.Line))
				if back < start || back > end || i <= end && back != i {
					t.Fatalf("%s: byte %d is at %v, which is byte %d", enc, i, p, back)
				}
				if i == len(text) {
					break
				}
				_, n := utf8.DecodeRune(text[i:])
				i += n
			}
			if at := l.offset(protocol.Position{Line: line, Character: col}); at < 0 || at > len(text) {
				t.Fatalf("%s: %d:%d is byte %d of %d", enc, line, col, at, len(text))
			}
		}
	})
}
