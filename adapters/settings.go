package adapters

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// A SettingsError is a settings file of a vendor that cannot be read. Line and Column count from 1, Column in characters.
type SettingsError struct {
	File         string
	Line, Column int
	Msg          string
}

// Error is "file:line:column: message".
func (e *SettingsError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Msg)
}

// A setting is one value of a JSON text with comments: where it stands, so that an edit leaves every other byte alone.
type setting struct {
	key        string
	from       int // start of the key, or of the value where there is none
	start, end int // of the value
	open       byte
	members    []*setting
}

// member is the member of that name, nil where there is none; of equal names the last one counts, as for every reader.
func (s *setting) member(key string) *setting {
	if s == nil {
		return nil
	}
	for i := len(s.members) - 1; i >= 0; i-- {
		if s.members[i].key == key {
			return s.members[i]
		}
	}
	return nil
}

// scanSettings finds the values of a text: JSON, comments and trailing commas allowed. The error is a *SettingsError without a file.
func scanSettings(text []byte) (*setting, error) {
	plain, open := withoutComments(text)
	if open >= 0 {
		return nil, settingsError(text, open, "a comment has no end")
	}
	var all any
	if err := json.Unmarshal(plain, &all); err != nil {
		at := len(text)
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			at = max(int(syntax.Offset)-1, 0)
			if strings.HasPrefix(syntax.Error(), "unexpected end") {
				at = len(text)
			}
		}
		return nil, settingsError(text, at, strings.Replace(err.Error(), "JSON input", "file", 1))
	}
	s := settingScan{text: plain, dec: json.NewDecoder(bytes.NewReader(plain))}
	root := &setting{}
	s.value(root)
	root.from = root.start
	return root, nil
}

// settingsError names a place by line and column.
func settingsError(text []byte, at int, msg string) *SettingsError {
	before := text[:min(at, len(text))]
	line := bytes.LastIndexByte(before, '\n') + 1
	return &SettingsError{Line: bytes.Count(before, []byte("\n")) + 1, Column: utf8.RuneCount(before[line:]) + 1, Msg: msg}
}

// withoutComments makes strict JSON of the same length: comments, trailing commas and a byte order mark become blanks. open is where a comment
// without end begins, -1 where there is none.
func withoutComments(text []byte) (plain []byte, open int) {
	plain = bytes.Clone(text)
	if bytes.HasPrefix(plain, []byte("\ufeff")) {
		copy(plain, "   ")
	}
	comma := -1 // the last one with nothing but blanks behind it
	for i := 0; i < len(plain); i++ {
		switch c := plain[i]; {
		case c == '"':
			comma = -1
			i = stringEnd(plain, i)
		case c == '/' && i+1 < len(plain) && (plain[i+1] == '/' || plain[i+1] == '*'):
			end := commentEnd(plain, i)
			if end < 0 {
				return plain, i
			}
			blankOut(plain[i:end])
			i = end - 1
		case c == ',':
			comma = i
		case (c == '}' || c == ']') && comma >= 0:
			plain[comma], comma = ' ', -1
		case c != ' ' && c != '\t' && c != '\n' && c != '\r':
			comma = -1
		}
	}
	return plain, -1
}

// stringEnd is the place of the closing quote, or of the last byte.
func stringEnd(text []byte, i int) int {
	for i++; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(text) - 1
}

func commentEnd(text []byte, i int) int {
	if text[i+1] == '/' {
		if n := bytes.IndexByte(text[i:], '\n'); n >= 0 {
			return i + n
		}
		return len(text)
	}
	n := bytes.Index(text[i+2:], []byte("*/"))
	if n < 0 {
		return -1
	}
	return i + n + 4
}

func blankOut(b []byte) {
	for i := range b {
		if b[i] != '\n' && b[i] != '\r' {
			b[i] = ' '
		}
	}
}

// settingScan walks a text that was found valid.
type settingScan struct {
	text []byte
	dec  *json.Decoder
}

// next is the start of the token to come.
func (s *settingScan) next() int {
	at := int(s.dec.InputOffset())
	for at < len(s.text) && strings.IndexByte(" \t\r\n,:", s.text[at]) >= 0 {
		at++
	}
	return at
}

func (s *settingScan) value(v *setting) {
	v.start = s.next()
	token, err := s.dec.Token()
	if d, ok := token.(json.Delim); ok && err == nil {
		v.open = byte(d)
		for s.dec.More() {
			m := &setting{from: s.next()}
			if v.open == '{' {
				key, _ := s.dec.Token() // of a text that is valid
				m.key, _ = key.(string)
			}
			s.value(m)
			v.members = append(v.members, m)
		}
		_, _ = s.dec.Token() // the closing bracket
	}
	v.end = int(s.dec.InputOffset())
}

// appended adds an item, `"key": value` or a value, at the end of a list: on a line of its own where the list has lines. What stands there
// keeps every byte. dropped takes the same bytes out again.
func appended(text []byte, list *setting, item string) []byte {
	st := styleOf(text)
	closing := list.end - 1
	inside := text[list.start+1 : closing]
	empty := len(list.members) == 0
	lines := bytes.Contains(inside, []byte("\n")) || empty && st.lines
	outer := indentAt(text, list.start)
	lead, tail := " ", ""
	if lines {
		indent := outer + st.step
		if !empty {
			if at := list.members[len(list.members)-1].from; bytes.LastIndexByte(text[:at], '\n') > list.start {
				indent = indentAt(text, at)
			}
		}
		lead, item = st.newline+indent, indented(item, indent, st)
		if !bytes.Contains(inside, []byte("\n")) {
			tail = st.newline + outer
		}
	} else if empty {
		lead = ""
	}
	// Behind any comment, which must not swallow the item, before the blanks that precede the closing bracket.
	at := list.start + 1 + len(bytes.TrimRight(inside, " \t\r\n"))
	var comma []byte
	end := at
	if !empty {
		end = list.members[len(list.members)-1].end
		if trailingComma(text, end, closing) {
			item += "," // as the others have it
		} else {
			comma = []byte(",")
		}
	}
	return bytes.Join([][]byte{text[:end], comma, text[end:at], []byte(lead + item + tail), text[at:]}, nil)
}

// dropped takes a member out of a list, with the comma and the blanks that appended gave it.
func dropped(text []byte, list *setting, i int) []byte {
	m := list.members[i]
	next := list.end - 1
	if i+1 < len(list.members) {
		next = list.members[i+1].from
	}
	start := len(bytes.TrimRight(text[:m.from], " \t\r\n"))
	if trailingComma(text, m.end, next) {
		plain, _ := withoutTail(text[m.end:next])
		comma := m.end + bytes.IndexByte(plain, ',')
		return bytes.Join([][]byte{text[:start], text[m.end:comma], text[comma+1:]}, nil)
	}
	if i == 0 {
		if len(bytes.TrimSpace(text[m.end:next])) == 0 && text[start-1] == list.open {
			return bytes.Join([][]byte{text[:start], text[next:]}, nil)
		}
		return bytes.Join([][]byte{text[:start], text[m.end:]}, nil)
	}
	before := list.members[i-1].end
	plain, _ := withoutTail(text[before:m.from])
	comma := before + bytes.IndexByte(plain, ',')
	return bytes.Join([][]byte{text[:comma], text[comma+1 : max(start, comma+1)], text[m.end:]}, nil)
}

// trailingComma tells whether a comma stands between two places, comments aside.
func trailingComma(text []byte, from, to int) bool {
	plain, _ := withoutTail(text[from:to])
	return bytes.IndexByte(plain, ',') >= 0
}

// withoutTail blanks the comments between two values, and leaves commas.
func withoutTail(gap []byte) ([]byte, int) {
	plain, open := withoutComments(append(bytes.Clone(gap), '0')) // the digit keeps a last comma from being a trailing one
	return plain[:len(gap)], open
}

// A textStyle is how a text is laid out.
type textStyle struct {
	newline, step string
	lines         bool // values stand on lines of their own
}

func styleOf(text []byte) textStyle {
	st := textStyle{newline: "\n", step: "  "}
	if bytes.Contains(text, []byte("\r\n")) {
		st.newline = "\r\n"
	}
	trimmed := bytes.TrimSpace(text)
	st.lines = bytes.Contains(trimmed, []byte("\n")) || len(trimmed) <= len("{}")
	for line := range bytes.Lines(text) {
		if rest := bytes.TrimLeft(line, " \t"); len(rest) < len(line) && bytes.HasPrefix(rest, []byte(`"`)) {
			st.step = string(line[:len(line)-len(rest)])
			break
		}
	}
	return st
}

// indentAt is the white space at the start of the line of a place.
func indentAt(text []byte, at int) string {
	line := text[bytes.LastIndexByte(text[:at], '\n')+1:]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// indented lays JSON out on lines.
func indented(item, indent string, st textStyle) string {
	key, value := "", item
	if strings.HasPrefix(item, `"`) {
		k, v, ok := strings.Cut(item, ": ")
		if ok {
			key, value = k+": ", v
		}
	}
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(value), indent, st.step); err != nil {
		return item
	}
	return key + strings.ReplaceAll(b.String(), "\n", st.newline)
}
