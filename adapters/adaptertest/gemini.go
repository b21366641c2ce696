package adaptertest

import (
	"encoding/json"
	"net/http"
	"strings"
)

// Google's generateContent, v1beta: https://ai.google.dev/api/generate-content
func readGemini(body []byte) (query, error) {
	var in struct {
		Contents []struct {
			Role  string
			Parts []map[string]any
		}
		Tools []struct {
			FunctionDeclarations []map[string]any
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return query{}, err
	}
	q := query{model: "fake", stream: true, offer: newOffer()}
	for _, c := range in.Contents {
		for _, p := range c.Parts {
			text, isText := p["text"].(string)
			switch _, result := p["functionResponse"]; {
			case result:
				q.said = append(q.said, said{result: true})
			case isText && c.Role == "user":
				q.said = append(q.said, said{text: text})
			}
		}
	}
	for _, t := range in.Tools {
		for _, f := range t.FunctionDeclarations {
			name, _ := f["name"].(string)
			schema := f["parametersJsonSchema"]
			if schema == nil {
				schema = f["parameters"]
			}
			q.offer.add(name, schema)
		}
	}
	return q, nil
}

func writeGemini(w http.ResponseWriter, q query, t turn) {
	var parts []any
	if t.text != "" || len(t.calls) == 0 {
		parts = append(parts, object{"text": t.text})
	}
	for _, c := range t.calls {
		parts = append(parts, object{"functionCall": object{"id": id("call"), "name": c.name, "args": c.args}})
	}
	chunk := object{
		"candidates":    []any{object{"content": object{"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}},
		"usageMetadata": object{"promptTokenCount": q.size / 4, "candidatesTokenCount": 20, "totalTokenCount": q.size/4 + 20},
		"modelVersion":  "fake", "responseId": id("resp"),
	}
	if !q.stream {
		answerJSON(w, chunk)
		return
	}
	newSSE(w).send("", chunk)
}

// geminiMethod is the method of a path such as /v1beta/models/NAME:streamGenerateContent.
func geminiMethod(path string) string {
	if !strings.HasPrefix(path, "/v1beta/models/") {
		return ""
	}
	_, method, _ := strings.Cut(path, ":")
	return method
}

// isGemini tells gemini-cli by its tools.
func isGemini(o offer) bool { return o.has("read_file") && !o.has("read") && !o.has("Read") }

func renderGemini(s Step, o offer) call {
	switch s.Op {
	case "read":
		param := "file_path"
		if o.takes("read_file", "absolute_path") {
			param = "absolute_path"
		}
		return call{name: "read_file", args: object{param: s.Path}}
	case "write":
		return call{name: "write_file", args: object{"file_path": s.Path, "content": s.Content}}
	case "edit":
		return call{name: "replace", args: object{"file_path": s.Path, "instruction": "scripted edit", "old_string": s.Old, "new_string": s.New}}
	case "bash":
		return call{name: "run_shell_command", args: object{"command": s.Cmd, "description": "scripted command"}}
	case "grep":
		return call{name: "search_file_content", args: object{"pattern": s.Text}}
	}
	return call{name: s.Op, args: object{}}
}
