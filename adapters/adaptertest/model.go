package adaptertest

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// A Step is one turn of the scripted model. Op is read, write, edit, bash, grep or plan (rendered to whichever tool the request offers),
// raw (a tool by Name with Args), say (a final text), or a way to fail: http (Status, Body), hang, drop (the connection is cut), junk
// (a stream that is none).
type Step struct {
	Op      string          `json:"op"`
	Path    string          `json:"path,omitempty"`
	Content string          `json:"content,omitempty"`
	Old     string          `json:"old,omitempty"`
	New     string          `json:"new,omitempty"`
	Cmd     string          `json:"cmd,omitempty"`
	Text    string          `json:"text,omitempty"` // say: the final text; tool calls: what is said before
	Name    string          `json:"name,omitempty"`
	Args    json.RawMessage `json:"args,omitempty"`
	Status  int             `json:"status,omitempty"`
	Body    string          `json:"body,omitempty"`
	DelayMS int             `json:"delay_ms,omitempty"`
	Also    []Step          `json:"also,omitempty"` // further calls in the same turn
}

// Script renders steps as a part of a prompt. They are played one for each result that follows in the conversation.
func Script(steps ...Step) string {
	b, err := json.Marshal(steps)
	if err != nil {
		panic(err) // a Step always marshals, but for Args that are no JSON: a mistake in the test
	}
	return "<<F64:" + base64.StdEncoding.EncodeToString(b) + ">>"
}

// Scripts stand between <<FAKE and FAKE>> as JSON, or as base64 where they must survive quoting.
var scriptRE = regexp.MustCompile(`(?s)<<FAKE(.*?)FAKE>>|<<F64:([A-Za-z0-9+/=]+)>>`)

// Request is what an agent asked of the model.
type Request struct {
	Path   string
	Header http.Header
	Body   []byte
}

// Model is the scripted model server. The zero value is ready.
type Model struct {
	mu  sync.Mutex
	log []Request // guarded by mu
}

// Serve starts a model on a free port of 127.0.0.1 and stops it with the test. URL has no path: the Anthropic base; the OpenAI one is URL + "/v1".
func Serve(t testing.TB) (m *Model, url string) {
	m = &Model{}
	s := httptest.NewServer(m)
	t.Cleanup(func() {
		s.CloseClientConnections() // steps that hang must not hold up the test
		s.Close()
	})
	return m, s.URL
}

// Requests are those that came so far, without probes for tokens and model lists.
func (m *Model) Requests() []Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]Request(nil), m.log...)
}

// A dialect is one protocol: how to read a request and how to answer it.
type dialect struct {
	paths []string
	read  func(body []byte) (query, error)
	write func(w http.ResponseWriter, q query, t turn)
}

var dialects = []dialect{
	{[]string{"/v1/messages", "/messages"}, readAnthropic, writeAnthropic},
	{[]string{"/v1/responses", "/responses"}, readResponses, writeResponses},
	{[]string{"/v1/chat/completions", "/chat/completions"}, readChat, writeChat},
}

// A query is a request, whatever the dialect.
type query struct {
	model  string
	stream bool
	said   []said // in order
	offer  offer
	size   int
}

// said is a text of the user, or a result of a tool.
type said struct {
	text   string
	result bool
}

// A turn is what the model answers: a text, then calls.
type turn struct {
	text  string
	calls []call
}

// ServeHTTP answers one request.
func (m *Model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 64<<20))
	if err != nil {
		return // the client went away
	}
	for _, d := range dialects {
		for _, p := range d.paths {
			if r.URL.Path == p && r.Method == http.MethodPost {
				m.mu.Lock()
				m.log = append(m.log, Request{r.URL.Path, r.Header.Clone(), body})
				m.mu.Unlock()
				m.answer(w, r, d, body)
				return
			}
		}
	}
	if method := geminiMethod(r.URL.Path); strings.HasSuffix(strings.ToLower(method), "generatecontent") {
		m.mu.Lock()
		m.log = append(m.log, Request{r.URL.Path, r.Header.Clone(), body})
		m.mu.Unlock()
		m.answer(w, r, dialect{read: func(body []byte) (query, error) {
			q, err := readGemini(body)
			q.stream = method != "generateContent"
			return q, err
		}, write: writeGemini}, body)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	switch {
	case geminiMethod(r.URL.Path) == "countTokens":
		_ = json.NewEncoder(w).Encode(object{"totalTokens": len(body) / 4})
	case strings.HasSuffix(r.URL.Path, "/count_tokens"):
		_ = json.NewEncoder(w).Encode(object{"input_tokens": len(body) / 4})
	case strings.HasSuffix(r.URL.Path, "/models"):
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"fake-model","object":"model","created":1,"owned_by":"fake"}]}`)
	default:
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"error":{"message":"no such route","type":"not_found_error"}}`)
	}
}

func (m *Model) answer(w http.ResponseWriter, r *http.Request, d dialect, body []byte) {
	q, err := d.read(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	q.size = len(body)
	step, scripted := stepOf(q.said)
	if !scripted {
		d.write(w, q, turn{text: "fake title"}) // titles and warm-ups carry no script
		return
	}
	if step.DelayMS > 0 {
		select {
		case <-time.After(time.Duration(step.DelayMS) * time.Millisecond):
		case <-r.Context().Done():
			return
		}
	}
	if fail, ok := failures[step.Op]; ok {
		fail(w, r, step)
		return
	}
	t := turn{text: step.Text}
	if step.Op != "say" {
		if step.Op == "grep" || step.Op == "plan" {
			t.text = ""
		}
		t.calls = append(t.calls, render(step, q.offer))
		for _, also := range step.Also {
			t.calls = append(t.calls, render(also, q.offer))
		}
	}
	d.write(w, q, t)
}

// failures are the steps that answer nothing.
var failures = map[string]func(http.ResponseWriter, *http.Request, Step){
	"http": func(w http.ResponseWriter, _ *http.Request, s Step) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(s.Status)
		if s.Body == "" {
			s.Body = `{"type":"error","error":{"type":"api_error","message":"fake upstream failure","code":"fake"}}`
		}
		_, _ = io.WriteString(w, s.Body)
	},
	"hang": func(w http.ResponseWriter, r *http.Request, _ Step) {
		newSSE(w)
		<-r.Context().Done()
	},
	"drop": func(w http.ResponseWriter, _ *http.Request, _ Step) {
		newSSE(w)
		panic(http.ErrAbortHandler) // net/http's way to cut a connection
	},
	"junk": func(w http.ResponseWriter, _ *http.Request, _ Step) {
		s := newSSE(w)
		_, _ = io.WriteString(s.w, "data: {\"type\":\"content_blo\n\nevent: \x00\ndata: ]]]\n\n")
		s.f.Flush()
	},
}

// stepOf finds the script in the last user text that has one, and the step that is due: a step with k calls needs k results.
func stepOf(list []said) (Step, bool) {
	at := -1
	for i, s := range list {
		if !s.result && scriptRE.MatchString(s.text) {
			at = i
		}
	}
	if at < 0 {
		return Step{}, false
	}
	found := scriptRE.FindAllStringSubmatch(list[at].text, -1)
	last := found[len(found)-1]
	raw := []byte(last[1])
	if last[2] != "" {
		b, err := base64.StdEncoding.DecodeString(last[2])
		if err != nil {
			return Step{Op: "say", Text: "bad script: " + err.Error()}, true
		}
		raw = b
	}
	var steps []Step
	if err := json.Unmarshal(raw, &steps); err != nil {
		return Step{Op: "say", Text: "bad script: " + err.Error()}, true
	}
	results := 0
	for _, s := range list[at+1:] {
		if s.result {
			results++
		}
	}
	for _, s := range steps {
		if results < 1+len(s.Also) {
			return s, true
		}
		results -= 1 + len(s.Also)
	}
	return Step{Op: "say", Text: "the script is over"}, true
}
