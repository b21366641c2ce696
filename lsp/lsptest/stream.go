package lsptest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// read takes the server's messages until its end.
func (e *Editor) read() {
	r := bufio.NewReader(e.conn)
	for {
		m, err := readMessage(r)
		if err != nil {
			if err != io.EOF && !strings.Contains(err.Error(), "closed pipe") {
				e.problem("read: %v", err)
			}
			return
		}
		e.take(m)
	}
}

func readMessage(r *bufio.Reader) (Message, error) {
	var m Message
	n := -1
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return m, err
		}
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			break
		}
		v, ok := strings.CutPrefix(line, "Content-Length: ")
		if !ok {
			return m, fmt.Errorf("the stream has %q between messages", line)
		}
		if n, err = strconv.Atoi(v); err != nil {
			return m, err
		}
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(r, body); err != nil {
		return m, err
	}
	if err := json.Unmarshal(body, &m); err != nil {
		return m, fmt.Errorf("%d bytes are no message: %w: %s", n, err, body)
	}
	return m, nil
}

// take books a message and answers requests, in order, as an editor's one thread does.
func (e *Editor) take(m Message) {
	isCall := len(m.ID) > 0
	e.mu.Lock()
	var check error
	switch {
	case m.Method == "":
		method := e.sent[string(m.ID)]
		if m.Error == nil {
			check = e.model.Result(method, m.Result)
		}
		e.answers[string(m.ID)] = m
	case isCall:
		check = e.model.FromServer(m.Method, true, m.Params)
		e.requests = append(e.requests, m)
	default:
		check = e.model.FromServer(m.Method, false, m.Params)
		if check == nil && m.Method == "$/progress" {
			check = e.checkProgress(m.Params)
		}
		e.notes = append(e.notes, m)
	}
	e.cond.Broadcast()
	e.mu.Unlock()
	if check != nil {
		e.problem("%v: %s%s", check, m.Params, m.Result)
	}
	if isCall && m.Method != "" {
		e.answer(m)
	}
}

func (e *Editor) answer(m Message) {
	result, ok := any(nil), false
	if e.opt.Answer != nil {
		result, ok = e.opt.Answer(m.Method, m.Params)
	}
	if !ok {
		result = e.own(m)
	}
	if result == Silent {
		return
	}
	e.Reply(m.ID, result)
}

// Reply answers a request of the server, now or late.
func (e *Editor) Reply(id json.RawMessage, result any) {
	if err, bad := result.(*Error); bad {
		e.write(map[string]any{"jsonrpc": "2.0", "id": id, "error": err})
		return
	}
	e.write(map[string]any{"jsonrpc": "2.0", "id": id, "result": result})
}

// own is the editor's own answer.
func (e *Editor) own(m Message) any {
	switch m.Method {
	case "workspace/applyEdit":
		if err := e.ApplyEdit(m.Params); err != nil {
			return map[string]any{"applied": false, "failureReason": err.Error()}
		}
		return map[string]any{"applied": true}
	case "workspace/configuration":
		return []any{nil}
	case "window/showDocument":
		return map[string]any{"success": true}
	case "window/workDoneProgress/create", "window/showMessageRequest", "client/registerCapability", "workspace/codeLens/refresh", "workspace/diagnostic/refresh":
		return nil
	}
	return &Error{-32601, "method not found: " + m.Method}
}

// checkProgress holds the order begin, report…, end of each token. e.mu is held.
func (e *Editor) checkProgress(params json.RawMessage) error {
	kind := func(raw json.RawMessage) (token, kind string) {
		var p struct {
			Token json.RawMessage `json:"token"`
			Value struct {
				Kind string `json:"kind"`
			} `json:"value"`
		}
		if err := json.Unmarshal(raw, &p); err != nil {
			return "", err.Error()
		}
		return string(p.Token), p.Value.Kind
	}
	token, now := kind(params)
	last := ""
	for _, raw := range e.pick(e.notes, "$/progress") {
		if t, k := kind(raw); t == token {
			last = k
		}
	}
	ok := map[string]bool{" begin": true, "begin report": true, "begin end": true, "report report": true, "report end": true}
	if !ok[last+" "+now] {
		return fmt.Errorf("progress %s: %q after %q", token, now, last)
	}
	return nil
}
