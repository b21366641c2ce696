package lsptest

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Model is LSP's metaModel.json: every method and type of the protocol.
type Model struct {
	requests, notifications map[string]message
	structures              map[string]structure
	enums                   map[string]enumeration
	aliases                 map[string]typ
}

type message struct {
	Method           string `json:"method"`
	MessageDirection string `json:"messageDirection"`
	Params           *typ   `json:"params"`
	Result           *typ   `json:"result"`
}

type structure struct {
	Name       string     `json:"name"`
	Extends    []typ      `json:"extends"`
	Mixins     []typ      `json:"mixins"`
	Properties []property `json:"properties"`
}

type property struct {
	Name     string `json:"name"`
	Type     typ    `json:"type"`
	Optional bool   `json:"optional"`
}

type enumeration struct {
	Name                 string `json:"name"`
	SupportsCustomValues bool   `json:"supportsCustomValues"`
	Values               []struct {
		Value any `json:"value"`
	} `json:"values"`
}

type typ struct {
	Kind    string          `json:"kind"`
	Name    string          `json:"name"`
	Element *typ            `json:"element"`
	Items   []typ           `json:"items"`
	Key     *typ            `json:"key"`
	Value   json.RawMessage `json:"value"` // a type for maps, a literal structure, or a string
}

// loadModel reads the model once from the protocol library's module: nothing is vendored.
var loadModel = sync.OnceValues(func() (*Model, error) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "go.lsp.dev/protocol").Output()
	if err != nil {
		return nil, fmt.Errorf("find the protocol module: %w", err)
	}
	data, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "internal", "genlsp", "testdata", "metaModel.json"))
	if err != nil {
		return nil, err
	}
	var raw struct {
		Requests      []message     `json:"requests"`
		Notifications []message     `json:"notifications"`
		Structures    []structure   `json:"structures"`
		Enumerations  []enumeration `json:"enumerations"`
		TypeAliases   []struct {
			Name string `json:"name"`
			Type typ    `json:"type"`
		} `json:"typeAliases"`
	}
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, fmt.Errorf("read metaModel.json: %w", err)
	}
	m := &Model{requests: map[string]message{}, notifications: map[string]message{}, structures: map[string]structure{}, enums: map[string]enumeration{}, aliases: map[string]typ{}}
	for _, r := range raw.Requests {
		m.requests[r.Method] = r
	}
	for _, n := range raw.Notifications {
		m.notifications[n.Method] = n
	}
	for _, s := range raw.Structures {
		m.structures[s.Name] = s
	}
	for _, e := range raw.Enumerations {
		m.enums[e.Name] = e
	}
	for _, a := range raw.TypeAliases {
		m.aliases[a.Name] = a.Type
	}
	return m, nil
})

// FromServer checks a request or notification that a server sent. Methods of rigwiki/ are our own.
func (m *Model) FromServer(method string, isCall bool, params json.RawMessage) error {
	if strings.HasPrefix(method, "rigwiki/") {
		return nil
	}
	table := m.notifications
	if isCall {
		table = m.requests
	}
	msg, ok := table[method]
	if !ok {
		return fmt.Errorf("%s: no such method of LSP", method)
	}
	if msg.MessageDirection == "clientToServer" {
		return fmt.Errorf("%s: goes from client to server only", method)
	}
	return m.checkRaw(method, msg.Params, params)
}

// Result checks a result that a server answered.
func (m *Model) Result(method string, result json.RawMessage) error {
	msg, ok := m.requests[method]
	if !ok {
		return nil
	}
	return m.checkRaw("result of "+method, msg.Result, result)
}

func (m *Model) checkRaw(where string, t *typ, raw json.RawMessage) error {
	if t == nil {
		if len(raw) > 0 && string(raw) != "null" {
			return fmt.Errorf("%s: has params, and takes none", where)
		}
		return nil
	}
	var v any
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &v); err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
	}
	return m.check(where, *t, v)
}

func (m *Model) check(where string, t typ, v any) error {
	switch t.Kind {
	case "base":
		return checkBase(where, t.Name, v)
	case "reference":
		return m.checkReference(where, t.Name, v)
	case "array":
		list, ok := v.([]any)
		if !ok {
			return fmt.Errorf("%s: not an array: %v", where, v)
		}
		for i, e := range list {
			if err := m.check(fmt.Sprintf("%s[%d]", where, i), *t.Element, e); err != nil {
				return err
			}
		}
		return nil
	case "map":
		return m.checkMap(where, t, v)
	case "or":
		return m.checkOr(where, t, v)
	case "and":
		var props []property
		for _, i := range t.Items {
			props = append(props, m.properties(i.Name)...)
		}
		return m.checkObject(where, props, v)
	case "literal":
		var lit structure
		if err := json.Unmarshal(t.Value, &lit); err != nil {
			return err
		}
		return m.checkObject(where, lit.Properties, v)
	case "stringLiteral":
		var want string
		if err := json.Unmarshal(t.Value, &want); err != nil {
			return err
		}
		if v != want {
			return fmt.Errorf("%s: %v, want %q", where, v, want)
		}
		return nil
	}
	return fmt.Errorf("%s: the model has an unknown kind %q", where, t.Kind)
}

func checkBase(where, name string, v any) error {
	ok := false
	switch name {
	case "string", "URI", "DocumentUri", "RegExp":
		_, ok = v.(string)
	case "boolean":
		_, ok = v.(bool)
	case "null":
		ok = v == nil
	case "integer", "uinteger":
		var f float64
		f, ok = v.(float64)
		ok = ok && f == float64(int64(f)) && (name == "integer" || f >= 0)
	case "decimal":
		_, ok = v.(float64)
	}
	if !ok {
		return fmt.Errorf("%s: %v is no %s", where, v, name)
	}
	return nil
}

func (m *Model) checkReference(where, name string, v any) error {
	switch name {
	case "LSPAny", "LSPObject", "LSPArray":
		return nil
	}
	if a, ok := m.aliases[name]; ok {
		return m.check(where, a, v)
	}
	if e, ok := m.enums[name]; ok {
		for _, x := range e.Values {
			if x.Value == v {
				return nil
			}
		}
		if e.SupportsCustomValues {
			return nil
		}
		return fmt.Errorf("%s: %v is no %s", where, v, name)
	}
	return m.checkObject(where, m.properties(name), v)
}

// properties gives all properties of a structure, its parents' included; a structure's own win.
func (m *Model) properties(name string) []property {
	s := m.structures[name]
	out := slices.Clone(s.Properties)
	for _, p := range append(slices.Clone(s.Extends), s.Mixins...) {
		for _, q := range m.properties(p.Name) {
			if !slices.ContainsFunc(out, func(o property) bool { return o.Name == q.Name }) {
				out = append(out, q)
			}
		}
	}
	return out
}

func (m *Model) checkObject(where string, props []property, v any) error {
	obj, ok := v.(map[string]any)
	if !ok {
		return fmt.Errorf("%s: not an object: %v", where, v)
	}
	known := map[string]bool{}
	for _, p := range props {
		known[p.Name] = true
		value, there := obj[p.Name]
		if !there {
			if !p.Optional {
				return fmt.Errorf("%s: %s is missing", where, p.Name)
			}
			continue
		}
		if err := m.check(where+"."+p.Name, p.Type, value); err != nil {
			return err
		}
	}
	for k := range obj {
		if !known[k] {
			return fmt.Errorf("%s: unknown property %q", where, k)
		}
	}
	return nil
}

func (m *Model) checkMap(where string, t typ, v any) error {
	obj, ok := v.(map[string]any)
	if !ok {
		return fmt.Errorf("%s: not a map: %v", where, v)
	}
	var value typ
	if err := json.Unmarshal(t.Value, &value); err != nil {
		return err
	}
	for k, e := range obj {
		if err := m.check(where+"["+k+"]", value, e); err != nil {
			return err
		}
	}
	return nil
}

func (m *Model) checkOr(where string, t typ, v any) error {
	var errs []string
	for _, i := range t.Items {
		err := m.check(where, i, v)
		if err == nil {
			return nil
		}
		errs = append(errs, err.Error())
	}
	return fmt.Errorf("%s: none of the alternatives: %s", where, strings.Join(errs, "; "))
}
