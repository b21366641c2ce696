package wiki

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/titanous/json5"
)

// ConfigError is a configuration that cannot be read (exit 30). Line and Column count from 1, Column in characters; 0: not known.
type ConfigError struct {
	File         string
	Line, Column int
	Msg          string
}

// Error is "file:line:column: message".
func (e *ConfigError) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Msg
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Msg)
}

// maxConfig bounds what is read of a configuration file, in bytes.
const maxConfig = 1 << 20

// A configNode is one value of a configuration with the place where it stands. A mapping has members, everything else a value
// (string, float64, bool, nil or []any).
type configNode struct {
	key          string
	line, column int
	mapping      bool
	members      []*configNode
	value        any
}

// find is the member of that name, nil where there is none. The last one counts.
func (n *configNode) find(key string) *configNode {
	if n == nil {
		return nil
	}
	for i := len(n.members) - 1; i >= 0; i-- {
		if n.members[i].key == key {
			return n.members[i]
		}
	}
	return nil
}

func (n *configNode) text(key string) string {
	if m := n.find(key); m != nil {
		s, _ := m.value.(string)
		return s
	}
	return ""
}

func (n *configNode) errorf(file, format string, args ...any) *ConfigError {
	return &ConfigError{File: file, Line: n.line, Column: n.column, Msg: fmt.Sprintf(format, args...)}
}

// readConfigFile reads a regular file; a missing one is nil without error. A FIFO or device in its place must not hang us.
func readConfigFile(file string) ([]byte, error) {
	fi, err := os.Stat(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &ConfigError{File: file, Msg: err.Error()}
	}
	if !fi.Mode().IsRegular() {
		return nil, &ConfigError{File: file, Msg: "is not a file"}
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, &ConfigError{File: file, Msg: err.Error()}
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	if err == nil && len(text) > maxConfig {
		err = fmt.Errorf("is over %d bytes", maxConfig)
	}
	if err != nil {
		return nil, &ConfigError{File: file, Msg: err.Error()}
	}
	return text, nil
}

func readYAMLFile(file string) (*configNode, error) {
	text, err := readConfigFile(file)
	if err != nil {
		return nil, err
	}
	return readYAML(file, text)
}

// readYAML reads the first document, which must be a mapping.
func readYAML(file string, text []byte) (*configNode, error) {
	root := &configNode{mapping: true}
	doc, err := parser.ParseBytes(bytes.TrimPrefix(text, []byte("\ufeff")), 0)
	if err != nil {
		e := &ConfigError{File: file, Msg: err.Error()}
		if y := yaml.Error(nil); errors.As(err, &y) {
			e.Msg = y.GetMessage()
			if t := y.GetToken(); t != nil && t.Position != nil {
				e.Line, e.Column = t.Position.Line, t.Position.Column
			}
		}
		return nil, e
	}
	if len(doc.Docs) == 0 || doc.Docs[0].Body == nil {
		return root, nil
	}
	n, cerr := fromYAML(file, "", doc.Docs[0].Body, map[string]*configNode{})
	if cerr != nil {
		return nil, cerr
	}
	if !n.mapping && n.value != nil {
		return nil, n.errorf(file, "is not a list of keys and values")
	}
	return n, nil
}

func fromYAML(file, key string, y ast.Node, anchors map[string]*configNode) (*configNode, *ConfigError) {
	n := &configNode{key: key}
	if t := y.GetToken(); t != nil && t.Position != nil {
		n.line, n.column = t.Position.Line, t.Position.Column
	}
	switch y := y.(type) {
	case *ast.MappingNode:
		n.mapping = true
		for _, v := range y.Values {
			if err := addYAML(file, n, v, anchors); err != nil {
				return nil, err
			}
		}
	case *ast.MappingValueNode:
		n.mapping = true
		return n, addYAML(file, n, y, anchors)
	case *ast.SequenceNode:
		list := []any{}
		for _, v := range y.Values {
			item, err := fromYAML(file, key, v, anchors)
			if err != nil {
				return nil, err
			}
			list = append(list, item.plain())
		}
		n.value = list
	case *ast.AnchorNode:
		inner, err := fromYAML(file, key, y.Value, anchors)
		if err == nil {
			anchors[y.Name.String()] = inner
		}
		return inner, err
	case *ast.AliasNode:
		to, ok := anchors[y.Value.String()]
		if !ok {
			return nil, n.errorf(file, "*%s is not defined", y.Value.String())
		}
		n.mapping, n.members, n.value = to.mapping, to.members, to.value
	default:
		v := any(nil)
		if err := yaml.NodeToValue(y, &v); err != nil {
			return nil, n.errorf(file, "%s", yaml.FormatError(err, false, false))
		}
		n.value = number(v)
	}
	return n, nil
}

func addYAML(file string, n *configNode, v *ast.MappingValueNode, anchors map[string]*configNode) *ConfigError {
	key := v.Key.String()
	if s, ok := v.Key.(ast.Node).(*ast.StringNode); ok {
		key = s.Value
	}
	m, err := fromYAML(file, key, v.Value, anchors)
	if err != nil {
		return err
	}
	if t := v.Key.GetToken(); t != nil && t.Position != nil {
		m.line, m.column = t.Position.Line, t.Position.Column
	}
	n.members = append(n.members, m)
	return nil
}

// number brings YAML's integers to the one kind of number that JSON has.
func number(v any) any {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case uint64:
		return float64(v)
	case int:
		return float64(v)
	}
	return v
}

// plain is the value without places.
func (n *configNode) plain() any {
	if !n.mapping {
		return n.value
	}
	m := map[string]any{}
	for _, c := range n.members {
		m[c.key] = c.plain()
	}
	return m
}

// readJSON5 reads config.json5. The library parses; our scanner tells where each value stands.
func readJSON5(file string, text []byte) (*configNode, error) {
	bare := bytes.TrimPrefix(text, []byte("\ufeff"))
	if len(bytes.TrimSpace(bare)) == 0 {
		return &configNode{mapping: true}, nil
	}
	var v any
	if err := json5.Unmarshal(bare, &v); err != nil {
		e := &ConfigError{File: file, Msg: strings.Replace(err.Error(), "JSON input", "file", 1)}
		if s := (*json5.SyntaxError)(nil); errors.As(err, &s) {
			e.Line, e.Column = place(bare, int(s.Offset)-1)
		}
		return nil, e
	}
	root, err := scanJSON5(bare)
	if err != nil {
		return nil, &ConfigError{File: file, Msg: err.Error()}
	}
	n := fromSpan(bare, root, v)
	if !n.mapping {
		return nil, n.errorf(file, "is not an object")
	}
	return n, nil
}

func fromSpan(text []byte, s *span, v any) *configNode {
	n := &configNode{key: s.key, value: v}
	n.line, n.column = place(text, s.keyStart)
	m, ok := v.(map[string]any)
	if !ok {
		return n
	}
	n.mapping, n.value = true, nil
	for _, c := range s.members {
		// Of a key given twice the library keeps the last value; so does find.
		n.members = append(n.members, fromSpan(text, c, m[c.key]))
	}
	return n
}

// place is the line and column (in characters) of a byte offset, from 1.
func place(text []byte, offset int) (line, column int) {
	offset = max(0, min(offset, len(text)))
	before := text[:offset]
	start := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte{'\n'}) + 1, utf8.RuneCount(before[start:]) + 1
}

// fromJSON is a node of decoded JSON, which has no places.
func fromJSON(key string, v any) *configNode {
	n := &configNode{key: key}
	switch v := v.(type) {
	case map[string]any:
		n.mapping = true
		for _, k := range sortedKeys(v) {
			n.members = append(n.members, fromJSON(k, v[k]))
		}
	case json.Number:
		n.value, _ = v.Float64()
	default:
		n.value = number(v)
	}
	return n
}
