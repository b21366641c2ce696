package adaptertest

import (
	"encoding/json"
	"maps"
	"net/http"
	"strings"
)

// OpenAI Responses: https://platform.openai.com/docs/api-reference/responses
func readResponses(body []byte) (query, error) {
	var in struct {
		Model  string
		Stream bool
		Input  any
		Tools  []map[string]any
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return query{}, err
	}
	q := query{model: in.Model, stream: in.Stream, offer: newOffer()}
	switch input := in.Input.(type) {
	case string:
		q.said = append(q.said, said{text: input})
	case []any:
		for _, it := range input {
			m, _ := it.(map[string]any)
			kind, _ := m["type"].(string)
			switch {
			case strings.HasSuffix(kind, "_call_output"):
				q.said = append(q.said, said{result: true})
			case m["role"] == "user":
				q.said = append(q.said, said{text: textOf(m["content"])})
			}
		}
	}
	for _, t := range in.Tools {
		n, _ := t["name"].(string)
		if n == "" {
			n, _ = t["type"].(string)
		}
		q.offer.add(n, t["parameters"])
		if t["type"] == "custom" {
			q.offer.custom[n] = true
		}
	}
	return q, nil
}

func writeResponses(w http.ResponseWriter, q query, t turn) {
	var out []object
	if t.text != "" || len(t.calls) == 0 {
		out = append(out, object{"type": "message", "id": id("msg"), "status": "completed", "role": "assistant", "content": []any{object{"type": "output_text", "text": t.text, "annotations": []any{}}}})
	}
	for _, c := range t.calls {
		if c.custom {
			out = append(out, object{"type": "custom_tool_call", "id": id("ctc"), "status": "completed", "call_id": id("call"), "name": c.name, "input": c.input})
			continue
		}
		args, err := json.Marshal(c.args)
		if err != nil {
			panic(err) // came from JSON
		}
		out = append(out, object{"type": "function_call", "id": id("fc"), "status": "completed", "call_id": id("call"), "name": c.name, "arguments": string(args)})
	}
	usage := object{"input_tokens": q.size / 4, "input_tokens_details": object{"cached_tokens": 0}, "output_tokens": 20, "output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": q.size/4 + 20}
	rid := id("resp")
	full := func(status string, output, usage any) object {
		return object{"id": rid, "object": "response", "created_at": 1, "status": status, "model": q.model, "output": output, "usage": usage, "parallel_tool_calls": false, "tools": []any{}, "error": nil, "incomplete_details": nil}
	}
	if !q.stream {
		answerJSON(w, full("completed", out, usage))
		return
	}
	s, n := newSSE(w), 0
	send := func(kind string, m object) {
		m["type"], m["sequence_number"] = kind, n
		n++
		s.send(kind, m)
	}
	send("response.created", object{"response": full("in_progress", []any{}, nil)})
	for i, item := range out {
		streamItem(send, i, item)
	}
	send("response.completed", object{"response": full("completed", out, usage)})
}

// streamItem sends one output item: added, its parts, done.
func streamItem(send func(string, object), i int, item object) {
	begun := maps.Clone(item)
	begun["status"] = "in_progress"
	at := func(m object) object {
		m["item_id"], m["output_index"] = item["id"], i
		return m
	}
	switch item["type"] {
	case "message":
		begun["content"] = []any{}
		text := strings.TrimSuffix(textOf(item["content"]), "\n")
		send("response.output_item.added", object{"output_index": i, "item": begun})
		send("response.content_part.added", at(object{"content_index": 0, "part": object{"type": "output_text", "text": "", "annotations": []any{}}}))
		send("response.output_text.delta", at(object{"content_index": 0, "delta": text}))
		send("response.output_text.done", at(object{"content_index": 0, "text": text}))
		send("response.content_part.done", at(object{"content_index": 0, "part": object{"type": "output_text", "text": text, "annotations": []any{}}}))
	case "function_call":
		begun["arguments"] = ""
		send("response.output_item.added", object{"output_index": i, "item": begun})
		send("response.function_call_arguments.delta", at(object{"delta": item["arguments"]}))
		send("response.function_call_arguments.done", at(object{"arguments": item["arguments"]}))
	case "custom_tool_call":
		begun["input"] = ""
		send("response.output_item.added", object{"output_index": i, "item": begun})
		send("response.custom_tool_call_input.delta", at(object{"delta": item["input"]}))
		send("response.custom_tool_call_input.done", at(object{"input": item["input"]}))
	}
	send("response.output_item.done", object{"output_index": i, "item": item})
}
