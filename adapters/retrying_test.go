package adapters

import (
	"os"
	"strings"
	"testing"
)

// An agent that tries again and again tells so; what it waits for is what the host says when it ends the run, unless it went on since.
func TestRetrying(t *testing.T) {
	const claudeRetry = `{"type":"system","subtype":"init","session_id":"s"}` + "\n" + `{"type":"system","subtype":"api_retry","attempt":3,"max_retries":10,"retry_delay_ms":2000,"error_status":429,"error":"rate_limit"}` + "\n"
	const piRetry = `{"type":"session","id":"s"}` + "\n" + `{"type":"turn_start"}` + "\n" + `{"type":"message_end","message":{"role":"assistant","stopReason":"error","errorMessage":"529 overloaded"}}` + "\n" + `{"type":"auto_retry_start","attempt":1,"maxAttempts":3,"delayMs":2000,"errorMessage":"529 overloaded"}` + "\n"
	const codexRetry = `{"type":"thread.started","thread_id":"t"}` + "\n" + `{"type":"turn.started"}` + "\n" + `{"type":"error","message":"Reconnecting... 2/5 (stream disconnected before completion)"}` + "\n"
	for name, c := range map[string]struct {
		a      Adapter
		stream string
		says   string
	}{
		"claude":           {claude{}, claudeRetry, "rate limit"},
		"claude went on":   {claude{}, claudeRetry + `{"type":"assistant","message":{"content":[{"type":"text","text":"x"}]}}`, ""},
		"claude, no words": {claude{}, strings.ReplaceAll(claudeRetry, `,"error":"rate_limit"`, ""), "it said nothing more"},
		"pi":               {pi{}, piRetry, "529 overloaded"},
		"pi went on":       {pi{}, piRetry + `{"type":"message_end","message":{"role":"assistant","stopReason":"toolUse"}}`, ""},
		"codex":            {codex{}, codexRetry, "Reconnecting... 2/5 (stream disconnected before completion)"},
		"codex went on":    {codex{}, codexRetry + `{"type":"item.completed","item":{"id":"1","type":"agent_message","text":"x"}}`, ""},
	} {
		o := decode(c.a, strings.NewReader(c.stream)).Outcome
		if o.Retrying != c.says || o.OK {
			t.Errorf("%s: %q, %+v", name, o.Retrying, o)
		}
	}
	stderr, err := os.ReadFile("testdata/failures/opencode-retries.stderr")
	if err != nil {
		t.Fatal(err)
	}
	if got := StderrRetrying(stderr); got != "rate limit exceeded" {
		t.Errorf("opencode: %q", got)
	}
	if f := StderrFailure("opencode", stderr); f != nil {
		t.Errorf("its log is taken for a failure: %+v", f)
	}
	if f := StderrFailure("opencode", append(stderr, "Error: Model not found: fake/other.\n"...)); f == nil || f.Kind != "config" {
		t.Errorf("what stands below its log: %+v", f)
	}
}
