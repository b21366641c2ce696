package lsp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

// awkwardPages have letters of every width before what the features point at, line endings of every kind, and marks that combine.
func awkwardPages() map[string]string {
	return map[string]string{
		"schema.md": "# S\n", "purpose.md": "# P\n", "index.md": "# 索引 \U0001F600\r\n\r\n- \U0001F600 [[茶|お茶]] [[kettle]]\r\n",
		"concepts/茶.md": "---\r\ntitle: 茶\r\naliases: [\U0001F375, Te\u0301]\r\n---\r\n# 茶\r\n\r\n\U0001F600 ## no\r\n\r\n## \U0001F468\u200D\U0001F469\u200D\U0001F467 緑茶\r\n\r\n事実 \U0001F375 ^f1\r\n",
		"concepts/a.md": "# A\r\r\U0001F468\u200D\U0001F469\u200D\U0001F467知識 [[茶]] e\u0301 [[茶#\U0001F468\u200D\U0001F469\u200D\U0001F467 緑茶|緑]]\r\n| \U0001F600 | [[茶#^f1\\|事]] |\r\n\r\n" +
			"\U0001F375\U0001F375 [m](茶.md) [n](<茶.md> \"\U0001F600\") ![[no \U0001F600.png]] [[茶碗]] \U0001F600[[ketle]]\r\n",
		"concepts/kettle.md": "# Kettle\n\n\U0001F600 [[茶]]\n",
	}
}

// inBytes writes an answer's positions as byte offsets into the texts that they are of, so that answers in different encodings can be compared.
func (d *study) inBytes(v any, uri string) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = d.inBytes(v[i], uri)
		}
	case map[string]any:
		from := uri
		line, isLine := v["line"].(float64)
		if character, ok := v["character"].(float64); ok && isLine {
			return d.byteAt(uri, int(line), int(character))
		}
		for _, key := range []string{"uri", "targetUri"} {
			if u, ok := v[key].(string); ok {
				uri = u
			}
		}
		if doc, ok := v["textDocument"].(map[string]any); ok {
			uri, _ = doc["uri"].(string)
		}
		for k, x := range v {
			if k == "originSelectionRange" {
				v[k] = d.inBytes(x, from) // of the document asked about
				continue
			}
			v[k] = d.inBytes(x, uri)
		}
		delete(v, "resultId")
	case string:
		return strings.ReplaceAll(v, d.root, "")
	}
	return v
}

// byteAt counts as the protocol says: lines end with \n, \r\n or \r, characters are units of the encoding.
func (d *study) byteAt(uri string, line, character int) string {
	text := d.now(d.rel(uri))
	at := 0
	for ; line > 0 && at < len(text); at++ {
		if text[at] == '\n' || text[at] == '\r' && (at+1 == len(text) || text[at+1] != '\n') {
			line--
		}
	}
	for _, r := range text[at:] {
		if character <= 0 {
			break
		}
		switch d.enc {
		case "utf-8":
			character -= utf8.RuneLen(r)
		case "utf-32":
			character--
		default:
			character -= utf16.RuneLen(r)
		}
		at += utf8.RuneLen(r)
	}
	if character != 0 || line != 0 {
		return fmt.Sprintf("%s: inside a letter or behind the end", d.rel(uri))
	}
	return fmt.Sprint(at)
}

// TestEveryFeatureInEveryEncoding asks each feature about the same places in each encoding: the answers point at the same bytes.
func TestEveryFeatureInEveryEncoding(t *testing.T) {
	asks := []struct{ method, rel, at, more string }{
		{"textDocument/definition", "concepts/a.md", "知識 [[‸茶]]", ""}, {"textDocument/definition", "concepts/a.md", "緑‸茶|緑", ""}, {"textDocument/definition", "concepts/a.md", "^f‸1", ""},
		{"textDocument/references", "concepts/茶.md", "# 茶‸\r", `{"context":{"includeDeclaration":true}}`}, {"textDocument/references", "concepts/茶.md", "緑茶‸", `{"context":{"includeDeclaration":true}}`},
		{"textDocument/documentLink", "concepts/a.md", "", ""}, {"textDocument/documentLink", "index.md", "", ""}, {"textDocument/documentSymbol", "concepts/茶.md", "", ""}, {"textDocument/documentSymbol", "concepts/a.md", "", ""},
		{"textDocument/hover", "concepts/a.md", "知識 [[‸茶]]", ""}, {"textDocument/hover", "concepts/a.md", "[m](‸茶", ""},
		{"textDocument/prepareRename", "concepts/a.md", "知識 [[‸茶]]", ""}, {"textDocument/prepareRename", "concepts/a.md", "緑‸茶|緑", ""}, {"textDocument/prepareRename", "concepts/茶.md", "緑‸茶", ""},
		{"textDocument/rename", "concepts/a.md", "知識 [[‸茶]]", `{"newName":"\U0001F375 tea"}`}, {"textDocument/rename", "concepts/茶.md", "緑‸茶", `{"newName":"red \U0001F600"}`},
		{"textDocument/completion", "concepts/a.md", "\U0001F600[[ketl‸e]]", ""}, {"textDocument/completion", "concepts/a.md", "知識 [[‸茶]]", ""}, {"textDocument/completion", "concepts/a.md", "[[茶#‸\U0001F468", ""},
		{"textDocument/diagnostic", "concepts/a.md", "", ""}, {"textDocument/diagnostic", "index.md", "", ""}, {"textDocument/diagnostic", "concepts/茶.md", "", ""},
		{"textDocument/codeAction", "concepts/a.md", "\U0001F600[[ketl‸e]]", ""}, {"textDocument/codeAction", "concepts/a.md", "[[茶‸碗]]", ""},
		{"workspace/symbol", "", "", `{"query":"緑茶"}`},
	}
	answers := map[string][]string{}
	for _, enc := range encodings {
		name := string(enc)
		d := newStudy(t, full(name), "", awkwardPages())
		if d.enc != name {
			t.Fatalf("%s is not taken: %s", name, d.enc)
		}
		for _, a := range asks {
			answers[name] = append(answers[name], d.answer(a.method, a.rel, a.at, a.more))
		}
	}
	for i, a := range asks {
		first := answers["utf-8"][i]
		if len(first) < 12 && !strings.Contains(a.method, "hover") || strings.Contains(first, "inside a letter") {
			t.Errorf("%s of %s at %q answers %s", a.method, a.rel, a.at, first)
		}
		for enc, list := range answers {
			if list[i] != first {
				t.Errorf("%s of %s at %q:\n in %s %s\nin utf-8 %s", a.method, a.rel, a.at, enc, list[i], first)
			}
		}
	}
}

// answer asks, and writes the answer with its positions in bytes.
func (d *study) answer(method, rel, at, more string) string {
	d.t.Helper()
	params := map[string]any{}
	if more != "" {
		if err := json.Unmarshal([]byte(strings.ReplaceAll(strings.ReplaceAll(more, `\U0001F375`, "\U0001F375"), `\U0001F600`, "\U0001F600")), &params); err != nil {
			d.t.Fatal(err)
		}
	}
	var got any
	if rel == "" {
		if err := d.e.Request(method, params, &got); err != nil {
			d.t.Fatal(err)
		}
	} else {
		d.open(rel)
		if method == "textDocument/codeAction" {
			p := d.pos(rel, at)
			params["range"], params["context"] = map[string]any{"start": p, "end": p}, map[string]any{"diagnostics": []any{}, "only": []string{"quickfix"}}
		}
		if err := d.ask(method, rel, at, params, &got); err != nil {
			d.t.Fatal(err)
		}
	}
	uri := ""
	if rel != "" {
		uri = string(d.e.Buffer(d.path(rel)).URI)
	}
	out, err := json.Marshal(d.inBytes(got, uri))
	if err != nil {
		d.t.Fatal(err)
	}
	return string(out)
}
