package adapters

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// A failureRule tells a kind of failure by the words of a vendor's message; the first that matches counts.
type failureRule struct {
	kind      string
	re        func() *regexp.Regexp
	hint      string // %s is the agent's name
	retryable bool
	sure      bool // an HTTP status does not overrule it: some answer 429 where no waiting helps
}

var failureRules = []failureRule{
	{"api-error", lazyRE(`(?i)credit balance|insufficient.{0,20}(credit|quota|funds|balance)|out of credits|payment required|quota (exceeded|used up)|exceeded your (current )?quota|billing`), "top up the account that %s uses, or choose another agent", false, true},
	{"rate-limit", lazyRE(`(?i)usage limit|(hour|daily|weekly|monthly|session) limit (reached|exceeded)|limit will reset|FreeUsageLimit`), "wait until the limit is reset, or choose another agent or model", false, true},
	{"api-error", lazyRE(`(?i)(prompt|input|request|conversation) is too (long|large)|context.?(length|window)|maximum (context|prompt)|too many tokens|request_too_large`), "give it less at once: fewer or shorter sources, or choose a model with a larger context", false, true},
	{"auth", lazyRE(`(?i)/login|not logged in|(invalid|incorrect|missing|no) (x-)?api.?key|api.?key.{0,20}(missing|required|not (set|found|valid|provided)|invalid|expired)|authentication|unauthorized|unauthenticated|oauth token|token (has )?expired|forbidden|(organization|account) .{0,30}(disabled|suspended|deactivated)`), "run `%s` once in a terminal and log in, or set its API key", false, false},
	{"config", lazyRE(`(?i)self.?signed certificate|unable to (verify|get).{0,20}(certificate|issuer)|certificate (has expired|is not (yet )?valid)|CERT_|x509`), "give %s the certificate of your proxy (NODE_EXTRA_CA_CERTS in its env in config.json5)", false, false},
	{"api-error", lazyRE(`(?i)rate.?limit|too many requests|overloaded|high demand|at capacity|try again later|temporarily unavailable|timed? ?out|connection|network|ECONN|ENOTFOUND|EAI_AGAIN|getaddrinfo|fetch failed|socket hang up|EPIPE|stream (dropped|disconnected|error)|resource.?exhausted|internal server error|bad gateway|service unavailable|\b(api|server)_error\b|"(INTERNAL|UNAVAILABLE)"`), "wait a little and run it again", true, false},
	{"config", lazyRE(`(?i)model.{0,60}(not found|not exist|unknown|not supported|not available|not_found)|(unknown|invalid|unsupported) model|not_found_error.{0,20}model|ModelNotFound|config(uration)? (is )?invalid|unknown option`), "check the model and the arguments that config.json5 gives %s", false, false},
	{"api-error", lazyRE(`\bterminated\b|in JSON at position|end of JSON input|is not valid JSON|"errorName": ?"APIError"`), "wait a little and run it again", true, false}, // the words of undici and of V8 for an answer that broke off; opencode's name for what the API answered
	{"cwd-missing", lazyRE(`(?i)(working|current) directory.{0,40}(not exist|no such)`), "the folder of the run went away: run it again", true, false},
}

// newFailure judges an error: by HTTP status where the stream tells one, else by its words.
func newFailure(agent string, status int, message string) *Failure {
	if f := databaseFailure(agent, message); f != nil {
		return f // before the status: numbers in its SQL are none
	}
	message = sentence(message)
	f := &Failure{Kind: "api-error", Message: message, Hint: fmt.Sprintf("see the run's log for what %s said", agent)}
	if status == 0 {
		f.Kind = "other"
	}
	sure := false
	for _, r := range failureRules {
		if r.re().MatchString(message) {
			f.Kind, f.Hint, f.Retryable, sure = r.kind, r.hint, r.retryable, r.sure
			break
		}
	}
	switch {
	case sure:
	case status == 401 || status == 403:
		f.Kind, f.Hint, f.Retryable = "auth", "run `%s` once in a terminal and log in, or set its API key", false
	case status == 429:
		f.Kind, f.Hint, f.Retryable = "rate-limit", "wait a little and run it again", true
	case status == 402:
		f.Kind, f.Hint, f.Retryable = "api-error", "top up the account that %s uses, or choose another agent", false
	case status == 408 || status >= 500:
		f.Kind, f.Hint, f.Retryable = "api-error", "wait a little and run it again", true
	}
	if strings.Contains(f.Hint, "%s") {
		f.Hint = fmt.Sprintf(f.Hint, agent)
	}
	f.Message = unwrapped(f.Message)
	if f.Message == "" {
		f.Message = agent + " reported an error without saying which"
	}
	return f
}

// unwrapped is a message with the JSON that an API answered, at its end, as the words in it: "API Error: 500 it broke".
func unwrapped(message string) string {
	start := strings.Index(message, `{"`)
	if start < 0 {
		return message
	}
	var v map[string]any
	if json.Unmarshal([]byte(message[start:]), &v) != nil {
		return message
	}
	said := firstOf(dataText(v["error"]), dataText(v))
	if said == "" {
		return message
	}
	return sentence(message[:start] + said)
}

// sentence makes one line of at most 300 characters of a vendor's message.
func sentence(s string) string {
	return capped(strings.Join(strings.Fields(oneLine(strings.ReplaceAll(s, "\n", " "))), " "), capShort)
}

// NeverBegan gives an outcome in which the agent took no turn the reason that stderr tells (case o-ag-07 b).
func (o *Outcome) NeverBegan(agent string, stderr []byte) {
	if o.Started || o.Failure != nil && o.Failure.Kind != "no-turn" {
		return
	}
	if said := StderrFailure(agent, stderr); said != nil {
		o.Failure = said
	}
}

var ansiRE = lazyRE(`\x1b\[[0-9;]*[A-Za-z]`)

// StderrFailure judges a run whose stream told nothing by its first line on stderr that is not empty (case o-ag-07 b), or by the first two where the
// first only announces the second (opencode 1.18.33). Nil where there is none.
func StderrFailure(agent string, stderr []byte) *Failure {
	var said []string
	text := ansiRE().ReplaceAllString(string(stderr), "")
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" || logLineRE().MatchString(line) {
			continue
		}
		if said = append(said, line); !strings.HasSuffix(said[0], "Unexpected error") || len(said) == 2 {
			break
		}
	}
	if len(said) == 0 {
		return nil
	}
	if f := databaseFailure(agent, text); f != nil {
		return f // its statement and its cause are lines below
	}
	return newFailure(agent, 0, strings.Join(said, ": "))
}

var (
	// logLineRE is a line of opencode's log, of which only what is below is ours to read.
	logLineRE   = lazyRE(`^timestamp=\S+ level=`)
	streamErrRE = lazyRE(`(?m)^timestamp=\S+ level=ERROR .*message="stream error" .*error\.error="((?:[^"\\]|\\.)*)"`)
)

// StderrRetrying is the last error of the model's API that an agent told of on stderr only, while it tried again; "" for none.
func StderrRetrying(stderr []byte) string {
	all := streamErrRE().FindAllSubmatch(stderr, -1)
	if len(all) == 0 {
		return ""
	}
	said := string(all[len(all)-1][1])
	if _, after, ok := strings.Cut(said, "Error: "); ok { // AI_APICallError
		said = after
	}
	return sentence(said)
}

// rejectedRE finds what codex tells of refused patches on stderr only; its JSON stream leaves them out.
var rejectedRE = lazyRE(`(?m)patch rejected: ([^;\n]+)`)

// StderrDenials finds refused tool calls that a vendor tells of on stderr only.
func StderrDenials(stderr []byte) []Denial {
	var list []Denial
	for _, m := range rejectedRE().FindAllSubmatch(stderr, -1) {
		list = append(list, Denial{Tool: "apply_patch", Target: sentence(string(m[1]))})
	}
	return list
}

// refused tells a call that a rule stopped from one that failed, by what vendors say.
func refused(message string) bool {
	for _, sign := range []string{"unavailable tool", "prevents you from using", "rejected permission", "No such tool available", "denied by your permission settings"} {
		if strings.Contains(message, sign) {
			return true
		}
	}
	return false
}

// truncated is the failure of a stream without terminal event.
func truncated(agent string) *Failure {
	return &Failure{
		Kind: "truncated", Message: agent + "'s output ended in the middle of the run",
		Hint: "see the run's log; it may have crashed or been stopped", Retryable: true,
	}
}

// noTurn is the failure of an agent that ended well without having asked its model anything.
func noTurn(agent string) *Failure {
	return &Failure{Kind: "no-turn", Message: agent + " ended without doing anything", Hint: "see the run's log for what it made of the prompt"}
}

var statusRE = lazyRE(`\b(?:status|error|code|HTTP)[: ]+(\d{3})\b|\b(401|403|429|50\d)\b`)

// statusIn finds an HTTP status in a message; 0 where there is none.
func statusIn(message string) int {
	m := statusRE().FindStringSubmatch(message)
	if m == nil {
		return 0
	}
	n, err := strconv.Atoi(m[1] + m[2])
	if err != nil || n < 400 || n > 599 {
		return 0
	}
	return n
}
