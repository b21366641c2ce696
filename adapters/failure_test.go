package adapters

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestFailureKinds is a table of what vendors say, some with the HTTP status that goes with it.
func TestFailureKinds(t *testing.T) {
	const again, not = true, false
	for _, c := range []struct {
		said   string
		status int
		kind   string
		retry  bool
		hint   string
	}{
		{"Your credit balance is too low to access the Anthropic API.", 400, "api-error", not, "top up"},
		{"You exceeded your current quota, please check your plan and billing details.", 429, "api-error", not, "top up"},
		{`{"error":{"code":"insufficient_quota"}}`, 429, "api-error", not, "top up"},
		{"Payment Required", 402, "api-error", not, "top up"},
		{"This request requires more credits", 402, "api-error", not, "top up"},
		{"Insufficient Balance", 402, "api-error", not, "top up"},
		{"You've hit your usage limit. Upgrade to Pro or try again in 3 hours 12 minutes.", 0, "rate-limit", not, "reset"},
		{"Claude AI usage limit reached|1796064320", 429, "rate-limit", not, "reset"},
		{"5-hour limit reached ∙ resets 3pm", 429, "rate-limit", not, "reset"},
		{"rate limit exceeded", 429, "rate-limit", again, "wait"},
		{"Rate limit reached for gpt-5.5 in organization org-x on tokens per min", 0, "api-error", again, "wait"},
		{"RESOURCE_EXHAUSTED", 429, "rate-limit", again, "wait"},
		{"Overloaded", 529, "api-error", again, "wait"},
		{"fake upstream failure", 500, "api-error", again, "wait"},
		{"upstream connect error", 502, "api-error", again, "wait"},
		{"request timeout", 408, "api-error", again, "wait"},
		{"Connection error.", 0, "api-error", again, "wait"},
		{"TypeError: fetch failed", 0, "api-error", again, "wait"},
		{"getaddrinfo ENOTFOUND api.example.com", 0, "api-error", again, "wait"},
		{"connect ECONNREFUSED 127.0.0.1:1", 0, "api-error", again, "wait"},
		{`{"type":"error","error":{"type":"api_error","message":"fake"}}`, 0, "api-error", again, "wait"},
		{`{"error":{"message":"it broke","type":"server_error"}}`, 0, "api-error", again, "wait"},
		{`{"error":{"code":13,"message":"it broke","status":"INTERNAL"}}`, 0, "api-error", again, "wait"},
		{"socket hang up", 0, "api-error", again, "wait"},
		{"stream disconnected before completion: Transport error", 0, "api-error", again, "wait"},
		{"Invalid API key · Please run /login", 0, "auth", not, "log in"},
		{"invalid x-api-key", 401, "auth", not, "log in"},
		{"unexpected status 401 Unauthorized: Missing bearer or basic authentication in header", 401, "auth", not, "log in"},
		{"Incorrect API key provided: sk-te**st.", 0, "auth", not, "log in"},
		{"OAuth token has expired. Please obtain a new token.", 0, "auth", not, "log in"},
		{"No API key found for anthropic.", 0, "auth", not, "log in"},
		{"Anthropic API key is missing. Pass it using the 'apiKey' parameter", 0, "auth", not, "log in"},
		{"API key not valid. Please pass a valid API key.", 400, "auth", not, "log in"},
		{"This organization has been disabled.", 400, "auth", not, "log in"},
		{"nope", 403, "auth", not, "log in"},
		{"The model `gpt-9` does not exist or you do not have access to it.", 404, "config", not, "model"},
		{"There's an issue with the selected model (claude-nope). It may not exist or you may not have access to it.", 404, "config", not, "model"},
		{"models/gemini-9 is not found for API version v1beta", 404, "config", not, "model"},
		{`{"type":"not_found_error","message":"model: claude-nope"}`, 404, "config", not, "model"},
		{"prompt is too long: 210000 tokens > 200000 maximum", 400, "api-error", not, "less"},
		{"This model's maximum context length is 128000 tokens", 400, "api-error", not, "less"},
		{"Your input exceeds the context window of this model.", 0, "api-error", not, "less"},
		{"Request is too large", 413, "api-error", not, "less"},
		{"self-signed certificate in certificate chain", 0, "config", not, "NODE_EXTRA_CA_CERTS"},
		{"unable to verify the first certificate", 0, "config", not, "NODE_EXTRA_CA_CERTS"},
		{"something else", 0, "other", not, "log"},
		{"something else", 418, "api-error", not, "log"},
		{"", 0, "other", not, "log"},
	} {
		f := newFailure("pi", c.status, c.said)
		if f.Kind != c.kind || f.Retryable != c.retry || !strings.Contains(f.Hint, c.hint) || strings.Contains(f.Hint, "%") || f.Message == "" {
			t.Errorf("%q (%d): %+v", c.said, c.status, f)
		}
	}
}

// The order of fields, further fields, blank lines and carriage returns do not matter to a verdict.
func TestOtherOrder(t *testing.T) { // o-ag-05, o-ag-06, o-ag-07
	result := func(fields map[string]any) string {
		b, err := json.Marshal(fields) // sorted: "type" comes near the end
		if err != nil {
			t.Fatal(err)
		}
		return "\r\n" + string(b) + "\r\n\r\n"
	}
	for name, c := range map[string]struct {
		a        Adapter
		stream   string
		ok       bool
		kind     string
		denials  int
		question bool
	}{
		"claude 529":      {claude{}, result(map[string]any{"type": "result", "subtype": "success", "is_error": true, "api_error_status": 529, "num_turns": 3, "result": "API Error: 529 Overloaded", "zzz": []int{1}}), false, "api-error", 0, false},
		"claude 429":      {claude{}, result(map[string]any{"type": "result", "subtype": "success", "is_error": true, "api_error_status": 429, "num_turns": 1, "result": "API Error: 429"}), false, "rate-limit", 0, false},
		"claude no login": {claude{}, result(map[string]any{"type": "result", "subtype": "success", "is_error": true, "num_turns": 1, "result": "Invalid API key · Please run /login"}), false, "auth", 0, false},
		"claude status":   {claude{}, result(map[string]any{"type": "result", "subtype": "success", "is_error": false, "api_error_status": 500, "num_turns": 1, "result": "x"}), false, "api-error", 0, false},
		"claude in work":  {claude{}, result(map[string]any{"type": "result", "subtype": "error_during_execution", "is_error": false, "num_turns": 1, "errors": []string{"it broke"}}), false, "other", 0, false},
		"claude turns":    {claude{}, result(map[string]any{"type": "result", "subtype": "error_max_turns", "num_turns": 30}), false, "other", 0, false},
		"claude denied":   {claude{}, result(map[string]any{"type": "result", "subtype": "success", "num_turns": 2, "result": "done", "permission_denials": []any{map[string]any{"tool_input": map[string]any{"file_path": "notes/x.md"}, "tool_use_id": "a", "tool_name": "Edit"}}}), true, "", 1, false},
		"claude asks":     {claude{}, result(map[string]any{"type": "result", "subtype": "success", "num_turns": 2, "result": "Two pages fit. Which one do you mean?"}), true, "", 0, true},
		"opencode 503":    {opencode{}, result(map[string]any{"type": "error", "sessionID": "s", "error": map[string]any{"data": map[string]any{"statusCode": 503, "message": "Service Unavailable"}, "name": "APIError"}}), false, "api-error", 0, false},
		"opencode 401":    {opencode{}, result(map[string]any{"type": "error", "sessionID": "s", "error": map[string]any{"data": map[string]any{"providerID": "x", "message": "no"}, "name": "ProviderAuthError"}}), false, "auth", 0, false},
		"opencode length": {opencode{}, `{"type":"step_start","sessionID":"s","part":{}}` + result(map[string]any{"type": "step_finish", "sessionID": "s", "part": map[string]any{"reason": "length"}}), false, "truncated", 0, false},
		"codex late":      {codex{}, `{"type":"thread.started","thread_id":"t"}` + "\n" + `{"type":"turn.started"}` + "\n" + `{"error":{"message":"unexpected status 503 Service Unavailable"},"type":"turn.failed"}`, false, "api-error", 0, false},
		"pi aborted":      {pi{}, `{"type":"session","id":"s"}` + "\n" + `{"type":"turn_start"}` + "\n" + `{"message":{"stopReason":"aborted","role":"assistant","content":[]},"type":"message_end"}` + "\n" + `{"type":"agent_end"}`, false, "other", 0, false},
		"pi 401":          {pi{}, `{"type":"session","id":"s"}` + "\n" + `{"type":"turn_start"}` + "\n" + `{"message":{"stopReason":"error","errorMessage":"401 {\"error\":\"bad\"}","role":"assistant","content":[]},"type":"message_end"}` + "\n" + `{"type":"agent_end"}`, false, "auth", 0, false},
	} {
		o := decode(c.a, strings.NewReader(c.stream)).Outcome
		kind := ""
		if o.Failure != nil {
			kind = o.Failure.Kind
		}
		if o.OK != c.ok || kind != c.kind || len(o.Denials) != c.denials || o.Question != c.question {
			t.Errorf("%s: %+v, failure %+v", name, o, o.Failure)
		}
	}
}

// TestVersionIn: the line that is a version counts, not the first number: notices of updates and warnings of the runtime stand above it.
func TestVersionIn(t *testing.T) {
	for said, want := range map[string]string{
		"2.1.197 (Claude Code)\n":    "2.1.197",
		"codex-cli 0.171.0\n":        "0.171.0",
		"1.18.33\r\n":                "1.18.33",
		"v1.6.0":                     "1.6.0",
		"2.1.0-beta.3 (Claude Code)": "2.1.0",
		"Update available: 2.1.300\n1.0.98 (Claude Code)\n": "1.0.98",
		"(node:7) Warning: node 18.3.0 is old\n1.18.33\n":   "1.18.33",
		"the program is of version 0.4 today":               "0.4",
		"\x00\xff garbage":                                  "",
		"":                                                  "",
	} {
		if got := versionIn(said); got != want {
			t.Errorf("%q: %q, want %q", said, got, want)
		}
	}
}

// TestToldTwice: of two lines that name the session the first counts, and one event says so.
func TestToldTwice(t *testing.T) {
	for agent, lines := range map[string][2]string{
		"claude":   {`{"type":"system","subtype":"init","session_id":"one"}`, `{"type":"assistant","session_id":"two"}`},
		"codex":    {`{"type":"thread.started","thread_id":"one"}`, `{"type":"thread.started","thread_id":"two"}`},
		"opencode": {`{"type":"step_start","sessionID":"one"}`, `{"type":"step_start","sessionID":"two"}`},
		"pi":       {`{"type":"session","id":"one"}`, `{"type":"session","id":"two"}`},
	} {
		d := decode(builtinByName(agent), strings.NewReader(strings.Join(lines[:], "\n")))
		sessions := 0
		for _, e := range d.Events {
			if e.Kind == "session" {
				sessions++
			}
		}
		if d.Outcome.Session != "one" || sessions != 1 {
			t.Errorf("%s: %d events, session %q", agent, sessions, d.Outcome.Session)
		}
	}
}

// TestClaudeStatusInWords: a status that only the sentence tells decides too, and no sentence makes a success a failure.
func TestClaudeStatusInWords(t *testing.T) {
	for line, kind := range map[string]string{
		`{"type":"result","subtype":"success","is_error":true,"num_turns":1,"result":"API Error: 500 boom"}`:        "api-error, again",
		`{"type":"result","subtype":"success","is_error":true,"num_turns":1,"result":"API Error: 401 nope"}`:        "auth",
		`{"type":"result","subtype":"success","is_error":true,"num_turns":1,"result":"API Error: it broke"}`:        "api-error",
		`{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"API Error: 500 means that"}`: "",
	} {
		got := ""
		if f := decode(builtinByName("claude"), strings.NewReader(line)).Outcome.Failure; f != nil {
			if got = f.Kind; f.Retryable {
				got += ", again"
			}
		}
		if got != kind {
			t.Errorf("%s: %q, want %q", line, got, kind)
		}
	}
}
