package lsptest

import (
	"encoding/json"
	"testing"
)

// TestModel holds that the check of messages finds what is wrong, and nothing where all is right.
func TestModel(t *testing.T) {
	m, err := loadModel()
	if err != nil {
		t.Fatal(err)
	}
	at := `{"start":{"line":0,"character":0},"end":{"line":0,"character":0}}`
	for _, c := range []struct {
		method, params string
		call, ok       bool
	}{
		{"window/showMessage", `{"type":3,"message":"x"}`, false, true},
		{"window/showMessage", `{"type":9,"message":"x"}`, false, false},
		{"window/showMessage", `{"type":3}`, false, false},
		{"window/showMessage", `{"type":3,"message":"x","more":1}`, false, false},
		{"window/showMessage", `{"type":3,"message":"x"}`, true, false},
		{"textDocument/didOpen", `{}`, false, false},
		{"no/such", `{}`, false, false},
		{"rigwiki/run", `{"any":1}`, false, true},
		{"textDocument/publishDiagnostics", `{"uri":"file:///a","diagnostics":[]}`, false, true},
		{"textDocument/publishDiagnostics", `{"uri":"file:///a","diagnostics":null}`, false, false},
		{"workspace/applyEdit", `{"edit":{"documentChanges":[{"kind":"create","uri":"file:///a"}]}}`, true, true},
		{"workspace/applyEdit", `{"edit":{"documentChanges":[{"kind":"","uri":"file:///a"}]}}`, true, false},
		{"workspace/applyEdit", `{"edit":{"documentChanges":[{"textDocument":{"uri":"file:///a","version":null},"edits":[{"range":` + at + `,"newText":"","annotationId":"g"}]}]}}`, true, true},
		{"workspace/applyEdit", `{"edit":{"documentChanges":[{"textDocument":{"uri":"file:///a"},"edits":[]}]}}`, true, false},
	} {
		if err := m.FromServer(c.method, c.call, json.RawMessage(c.params)); (err == nil) != c.ok {
			t.Errorf("%s %s: %v", c.method, c.params, err)
		}
	}
	for _, c := range []struct {
		method, result string
		ok             bool
	}{
		{"textDocument/hover", `null`, true},
		{"textDocument/hover", `{"contents":{"kind":"markdown","value":"x"}}`, true},
		{"textDocument/hover", `{"contents":{"kind":"html","value":"x"}}`, false},
		{"textDocument/codeAction", `[{"title":"x","kind":"quickfix"}]`, true},
		{"textDocument/codeAction", `[{"kind":"quickfix"}]`, false},
		{"workspace/textDocumentContent", `{"text":"x"}`, true},
	} {
		if err := m.Result(c.method, json.RawMessage(c.result)); (err == nil) != c.ok {
			t.Errorf("result of %s %s: %v", c.method, c.result, err)
		}
	}
}
