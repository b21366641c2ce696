package adaptertest

import (
	"encoding/json"
	"io"
	"net/http"
)

// OpenAI Chat Completions: https://platform.openai.com/docs/api-reference/chat
func readChat(body []byte) (query, error) {
	var in struct {
		Model    string
		Stream   bool
		Messages []map[string]any
		Tools    []map[string]any
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return query{}, err
	}
	q := query{model: in.Model, stream: in.Stream, offer: newOffer()}
	for _, m := range in.Messages {
		switch m["role"] {
		case "user":
			q.said = append(q.said, said{text: textOf(m["content"])})
		case "tool":
			q.said = append(q.said, said{result: true})
		}
	}
	for _, t := range in.Tools {
		if f, ok := t["function"].(map[string]any); ok {
			if n, ok := f["name"].(string); ok {
				q.offer.add(n, f["parameters"])
			}
		}
	}
	return q, nil
}

func writeChat(w http.ResponseWriter, q query, t turn) {
	finish := "stop"
	var calls []any
	for i, c := range t.calls {
		finish = "tool_calls"
		args, err := json.Marshal(c.args)
		if err != nil {
			panic(err) // came from JSON
		}
		calls = append(calls, object{"index": i, "id": id("call"), "type": "function", "function": object{"name": c.name, "arguments": string(args)}})
	}
	cid := id("chatcmpl")
	usage := object{"prompt_tokens": q.size / 4, "completion_tokens": 20, "total_tokens": q.size/4 + 20}
	if !q.stream {
		message := object{"role": "assistant", "content": t.text}
		if calls != nil {
			message["tool_calls"] = calls
		}
		answerJSON(w, object{"id": cid, "object": "chat.completion", "created": 1, "model": q.model, "choices": []any{object{"index": 0, "message": message, "finish_reason": finish}}, "usage": usage})
		return
	}
	s := newSSE(w)
	chunk := func(delta object, finish any) {
		s.send("", object{"id": cid, "object": "chat.completion.chunk", "created": 1, "model": q.model, "choices": []any{object{"index": 0, "delta": delta, "finish_reason": finish}}})
	}
	chunk(object{"role": "assistant", "content": ""}, nil)
	if t.text != "" {
		chunk(object{"content": t.text}, nil)
	}
	if calls != nil {
		chunk(object{"tool_calls": calls}, nil)
	}
	chunk(object{}, finish)
	s.send("", object{"id": cid, "object": "chat.completion.chunk", "created": 1, "model": q.model, "choices": []any{}, "usage": usage})
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
	s.f.Flush()
}
