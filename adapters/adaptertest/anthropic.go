package adaptertest

import (
	"encoding/json"
	"net/http"
)

// Anthropic Messages: https://docs.claude.com/en/api/messages
func readAnthropic(body []byte) (query, error) {
	var in struct {
		Model    string
		Stream   bool
		Messages []struct {
			Role    string
			Content any
		}
		Tools []map[string]any
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return query{}, err
	}
	q := query{model: in.Model, stream: in.Stream, offer: newOffer()}
	for _, m := range in.Messages {
		if m.Role != "user" {
			continue
		}
		parts, ok := m.Content.([]any)
		if !ok {
			q.said = append(q.said, said{text: textOf(m.Content)})
			continue
		}
		for _, p := range parts {
			part, _ := p.(map[string]any)
			if part["type"] == "tool_result" {
				q.said = append(q.said, said{result: true})
			} else if t, ok := part["text"].(string); ok {
				q.said = append(q.said, said{text: t})
			}
		}
	}
	for _, t := range in.Tools {
		if n, ok := t["name"].(string); ok {
			q.offer.add(n, t["input_schema"])
		}
	}
	return q, nil
}

func writeAnthropic(w http.ResponseWriter, q query, t turn) {
	usage := object{"input_tokens": q.size / 4, "output_tokens": 20, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
	var blocks []object
	if t.text != "" || len(t.calls) == 0 {
		blocks = append(blocks, object{"type": "text", "text": t.text})
	}
	for _, c := range t.calls {
		blocks = append(blocks, object{"type": "tool_use", "id": id("toolu"), "name": c.name, "input": c.args})
	}
	stop := "end_turn"
	if len(t.calls) > 0 {
		stop = "tool_use"
	}
	message := object{"id": id("msg"), "type": "message", "role": "assistant", "model": q.model, "content": blocks, "stop_reason": stop, "stop_sequence": nil, "usage": usage}
	if !q.stream {
		answerJSON(w, message)
		return
	}
	message["content"], message["stop_reason"] = []any{}, nil
	s := newSSE(w)
	s.send("message_start", object{"type": "message_start", "message": message})
	for i, b := range blocks {
		start, delta := object{"type": "text", "text": ""}, object{"type": "text_delta", "text": b["text"]}
		if b["type"] == "tool_use" {
			args, err := json.Marshal(b["input"])
			if err != nil {
				panic(err) // came from JSON
			}
			start = object{"type": "tool_use", "id": b["id"], "name": b["name"], "input": object{}}
			delta = object{"type": "input_json_delta", "partial_json": string(args)}
		}
		s.send("content_block_start", object{"type": "content_block_start", "index": i, "content_block": start})
		s.send("content_block_delta", object{"type": "content_block_delta", "index": i, "delta": delta})
		s.send("content_block_stop", object{"type": "content_block_stop", "index": i})
	}
	s.send("message_delta", object{"type": "message_delta", "delta": object{"stop_reason": stop, "stop_sequence": nil}, "usage": object{"output_tokens": 20}})
	s.send("message_stop", object{"type": "message_stop"})
}
