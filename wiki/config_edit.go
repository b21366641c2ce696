package wiki

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/titanous/json5"
)

// SetDefaultAgent writes `wiki.defaultAgent` of rigHome/config.json5. Whether that agent can run is the caller's to ask.
func SetDefaultAgent(rigHome, name string) error {
	if !isAgentName(name) {
		return fmt.Errorf("%q is not the name of an agent", name)
	}
	return SetKey(filepath.Join(rigHome, "config.json5"), []string{"wiki", "defaultAgent"}, name)
}

// SetKey sets one key of a JSON5 file and leaves every other byte as it is: comments, order, indentation, quotes, line ends. value is what
// encoding/json can write. The file is made where it is missing and replaced atomically; links to it are kept. What was edited is read again before it is
// written, and an edit that would change anything else is an error. The error is a [*ConfigError] where the file is broken.
func SetKey(file string, keys []string, value any) error {
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real
	}
	old, err := readConfigFile(file)
	if err != nil {
		return err
	}
	if _, err := readJSON5(file, old); err != nil {
		return err
	}
	text, err := editJSON5(old, keys, value)
	if err != nil {
		return fmt.Errorf("edit %s: %w", file, err)
	}
	if bytes.Equal(text, old) {
		return nil
	}
	return replaceFile(file, text)
}

// editJSON5 is a valid (or empty) text with one value set.
func editJSON5(old []byte, keys []string, value any) ([]byte, error) {
	mark := []byte("\ufeff")
	bom := bytes.HasPrefix(old, mark)
	bare := bytes.TrimPrefix(old, mark)
	if len(bytes.TrimSpace(bare)) == 0 {
		bare = []byte("{}\n")
	}
	root, err := scanJSON5(bare)
	if err != nil {
		return nil, err
	}
	e := newEditor(bare, root)
	text, err := e.set(root, keys, value)
	if err != nil {
		return nil, err
	}
	if err := onlyChange(bare, text, keys, value); err != nil {
		return nil, err
	}
	if bom {
		text = append(mark, text...)
	}
	return text, nil
}

// onlyChange reads both texts and compares: the value is there and all else is as it was.
func onlyChange(old, new []byte, keys []string, value any) error {
	var was, is any
	if err := json5.Unmarshal(old, &was); err != nil {
		return err
	}
	if err := json5.Unmarshal(new, &is); err != nil {
		return fmt.Errorf("the edit would break it: %w", err)
	}
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	var want any
	if err := json.Unmarshal(text, &want); err != nil {
		return err
	}
	at, ok := was.(map[string]any)
	for i, k := range keys {
		if !ok {
			return fmt.Errorf("%s is not an object", strings.Join(keys[:i], "."))
		}
		if i == len(keys)-1 {
			at[k] = want
			break
		}
		if at[k] == nil {
			at[k] = map[string]any{}
		}
		at, ok = at[k].(map[string]any)
	}
	if !equal(was, is) {
		return errors.New("the edit would change more than the key")
	}
	return nil
}

// equal is reflect.DeepEqual, but that NaN, which JSON5 has, is itself.
func equal(a, b any) bool {
	switch a := a.(type) {
	case float64:
		b, ok := b.(float64)
		return ok && (a == b || math.IsNaN(a) && math.IsNaN(b))
	case map[string]any:
		b, ok := b.(map[string]any)
		ok = ok && len(a) == len(b)
		for k := range a {
			_, has := b[k]
			ok = ok && has && equal(a[k], b[k])
		}
		return ok
	case []any:
		b, ok := b.([]any)
		ok = ok && len(a) == len(b)
		for i := 0; ok && i < len(a); i++ {
			ok = equal(a[i], b[i])
		}
		return ok
	}
	return reflect.DeepEqual(a, b)
}

// An editor writes in the style of the text that it edits.
type editor struct {
	text    []byte
	newline string
	step    string // one level of indentation
	key     byte   // quote of keys, 0 for none
	quote   byte   // quote of texts
}

func newEditor(text []byte, root *span) *editor {
	e := &editor{text: text, newline: "\n", step: "  ", quote: '"'}
	if bytes.Contains(text, []byte("\r\n")) {
		e.newline = "\r\n"
	}
	if len(root.members) > 0 {
		if in := e.indent(root.members[0].keyStart); in != "" && e.indent(root.start) == "" {
			e.step = in
		}
	}
	e.style(root)
	return e
}

// style takes quotes from the first key and the first text that there are.
func (e *editor) style(root *span) {
	quotes := func(at int) byte {
		if c := e.text[at]; c == '"' || c == '\'' {
			return c
		}
		return 0
	}
	if len(root.members) > 0 {
		e.key = quotes(root.members[0].keyStart)
	}
	var walk func(s *span) bool
	walk = func(s *span) bool {
		if s.open == '"' || s.open == '\'' {
			e.quote = s.open
			return true
		}
		for _, m := range s.members {
			if walk(m) {
				return true
			}
		}
		return false
	}
	walk(root)
}

// indent is the white space at the start of the line of an offset, "" where something else stands before it.
func (e *editor) indent(at int) string {
	start := bytes.LastIndexByte(e.text[:at], '\n') + 1
	line := e.text[start:]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

func (e *editor) set(obj *span, keys []string, value any) ([]byte, error) {
	if obj.open != '{' {
		return nil, fmt.Errorf("%s is not an object", obj.key)
	}
	var m *span
	for _, c := range obj.members {
		if c.key == keys[0] {
			m = c // the last one counts, as for the reader
		}
	}
	null := m != nil && string(e.text[m.start:m.end]) == "null"
	switch {
	case m == nil:
		return e.insert(obj, keys, value)
	case len(keys) > 1 && !null:
		return e.set(m, keys[1:], value)
	}
	quote := e.quote
	if m.open == '"' || m.open == '\'' {
		quote = m.open
	}
	v, err := e.nested(keys[1:], value, e.indent(m.keyStart), quote)
	if err != nil {
		return nil, err
	}
	return e.splice(m.start, m.end, v), nil
}

// nested is a value within the objects that keys name.
func (e *editor) nested(keys []string, value any, indent string, quote byte) (string, error) {
	if len(keys) == 0 {
		return encode(value, quote)
	}
	inner, err := e.nested(keys[1:], value, indent+e.step, quote)
	if err != nil {
		return "", err
	}
	return "{" + e.newline + indent + e.step + e.keyText(keys[0]) + ": " + inner + "," + e.newline + indent + "}", nil
}

// insert adds a member at the end of an object: on a line of its own, unless the object stands on one line.
func (e *editor) insert(obj *span, keys []string, value any) ([]byte, error) {
	closing := obj.end - 1
	inside := e.text[obj.start+1 : closing]
	lines := bytes.ContainsAny(inside, "\n\r") || len(bytes.TrimSpace(inside)) == 0
	outer := e.indent(obj.start)
	indent := outer + e.step
	if n := len(obj.members); n > 0 {
		if at := obj.members[n-1].keyStart; bytes.LastIndexByte(e.text[:at], '\n') > obj.start {
			indent = e.indent(at)
		}
	}
	if !lines {
		indent = outer
	}
	v, err := e.nested(keys[1:], value, indent, e.quote)
	if err != nil {
		return nil, err
	}
	member := e.keyText(keys[0]) + ": " + v
	// Before the blank that precedes the closing bracket, behind any comment: a line comment must not swallow the member.
	tail := obj.start + 1 + len(bytes.TrimRight(inside, " \t\r\n"))
	out, comma := e.text, ""
	if n := len(obj.members); n > 0 {
		if last := obj.members[n-1]; last.comma {
			comma = ","
		} else {
			out = e.splice(last.end, last.end, ",")
			tail++
			closing++
		}
	} else if lines {
		comma = ","
	}
	e2 := *e
	e2.text = out
	if lines {
		return e2.splice(tail, closing, e.newline+indent+member+comma+e.newline+outer), nil
	}
	return e2.splice(tail, tail, " "+member+comma), nil
}

func (e *editor) splice(start, end int, s string) []byte {
	return bytes.Join([][]byte{e.text[:start], []byte(s), e.text[end:]}, nil)
}

var identifier = lazyRE(`^[A-Za-z_$][A-Za-z0-9_$]*$`)

func (e *editor) keyText(key string) string {
	if e.key == 0 && identifier().MatchString(key) {
		return key
	}
	quote := e.key
	if quote == 0 {
		quote = e.quote
	}
	s, _ := encode(key, quote) // a string always encodes
	return s
}

// encode writes a value as JSON, a text with the quote given.
func encode(value any, quote byte) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return "", err
	}
	s := strings.TrimSuffix(b.String(), "\n")
	if _, ok := value.(string); ok && quote == '\'' {
		inner := strings.ReplaceAll(s[1:len(s)-1], `\"`, `"`)
		s = "'" + strings.ReplaceAll(inner, "'", `\'`) + "'"
	}
	return s, nil
}

// replaceFile replaces a file atomically, its mode kept; a new one and its folder are the user's alone.
func replaceFile(file string, text []byte) error {
	mode := os.FileMode(0o600)
	if fi, err := os.Stat(file); err == nil {
		mode = fi.Mode().Perm()
	}
	dir := filepath.Dir(file)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "."+filepath.Base(file)+"-*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		os.Remove(f.Name()) // the first error is the one to tell
	}
	return err
}
