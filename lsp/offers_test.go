package lsp

import (
	"encoding/json"
	"regexp"
	"testing"

	"github.com/rigwiki/rig/lsp/lsptest"
	"go.lsp.dev/protocol"
)

// TestUnusedFeatures holds that the server announces none of the features that the client in the VS Code extension was cut down by
// (editors/vscode/unused.mjs).
func TestUnusedFeatures(t *testing.T) {
	unused := regexp.MustCompile(`(?m)^  \w+: '(\w+)',$`).FindAllStringSubmatch(read(t, "../editors/vscode/unused.mjs"), -1)
	if len(unused) < 10 {
		t.Fatalf("%d features", len(unused))
	}
	e := session(t, newFakeHost(t, nil), lsptest.Options{NoHandshake: true})
	var got struct {
		Capabilities map[string]json.RawMessage `json:"capabilities"`
	}
	params := map[string]any{"processId": nil, "rootUri": lsptest.URI(newWiki(t, nil)), "capabilities": lsptest.VSCode().Capabilities}
	if err := e.Request("initialize", params, &got); err != nil {
		t.Fatal(err)
	}
	if got.Capabilities["hoverProvider"] == nil {
		t.Error("no hover either: the names are others")
	}
	for _, u := range unused {
		if said, ok := got.Capabilities[u[1]]; ok {
			t.Errorf("%s is announced (%s): take it off the list", u[1], said)
		}
	}
	e.Notify("initialized", struct{}{})
}

// TestQuestions holds which lines ask something.
func TestQuestions(t *testing.T) {
	for line, want := range map[string]string{
		"> [!question] What is wet?":   "What is wet?",
		"> [!question]- Folded?":       "Folded?",
		">[!Question]+  Unfolded 😀?\r": "Unfolded 😀?",
		"> [!questions] Not ours":      "",
		"> [!note] What?":              "",
		"## What is dry?":              "What is dry?",
		"## Dry":                       "",
		"What is dry?":                 "",
	} {
		s := &server{}
		s.caps.encoding = protocol.PositionEncodingKindUTF16
		p := place{s: s, text: []byte(line + "\nnext\n")}
		if got := p.question(); got != want {
			t.Errorf("%q asks %q, want %q", line, got, want)
		}
	}
}
