package board

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rigwiki/rig/adapters"
)

// serve starts a server whose events come out of the channel.
func serve(t *testing.T, token string) (*Server, chan adapters.Event) {
	t.Helper()
	got := make(chan adapters.Event, 100)
	s, err := Serve(token, func(e adapters.Event) { got <- e })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, got
}

func send(t *testing.T, s *Server, method, path string, headers map[string]string, body []byte) int {
	t.Helper()
	req, err := http.NewRequest(method, "http://"+s.addr.String()+path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range headers {
		if k == "Host" {
			req.Host = v
		} else {
			req.Header.Set(k, v)
		}
	}
	c := http.Client{Timeout: time.Minute}
	res, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	io.Copy(io.Discard, res.Body)
	return res.StatusCode
}

func post(t *testing.T, s *Server, body []byte) int {
	return send(t, s, "POST", Path, map[string]string{"Content-Type": "application/json"}, body)
}

func load(t *testing.T, name string, v any) {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, v); err != nil {
		t.Fatal(err)
	}
}

func TestWhoMayPost(t *testing.T) { // o-ev-01
	var rows []struct {
		Name, Method, Path string
		Headers            map[string]string
		Body               json.RawMessage
		Want               int
		Either             []int
	}
	load(t, "requests.json", &rows)
	s, got := serve(t, "right")
	for _, r := range rows {
		if r.Headers["X-Rig-Token"] == "" {
			r.Headers["X-Rig-Token"] = "right"
		}
		status := send(t, s, r.Method, r.Path, r.Headers, r.Body)
		if status != r.Want && !slices.Contains(r.Either, status) {
			t.Errorf("%s: %d, want %d", r.Name, status, r.Want)
		}
		if (status == 204) != arrived(t, s, got) {
			t.Errorf("%s: %d, and the event is treated otherwise", r.Name, status)
		}
	}
	if status := post(t, s, []byte(`{"v":1,"session":"s","kind":"edit"}`)); status != 403 {
		t.Errorf("no token where one is required: %d", status)
	}
	open, _ := serve(t, "")
	if status := post(t, open, []byte(`{"v":1,"session":"s","kind":"edit"}`)); status != 204 {
		t.Errorf("a plain emitter where no token was set: %d", status)
	}
	if status := send(t, open, "POST", Path, map[string]string{"Content-Type": "application/json", "X-Rig-Token": "x"}, []byte(`{"v":1,"session":"s","kind":"edit"}`)); status != 403 {
		t.Errorf("a wrong token where none was set: %d", status)
	}
	if !net.ParseIP(s.addr.IP.String()).IsLoopback() {
		t.Errorf("listens on %s", s.addr)
	}
	for _, addr := range []string{"0.0.0.0:0", ":0", "192.0.2.1:0", "localhost"} {
		if _, err := Listen(addr, "", nil); err == nil {
			t.Errorf("%s was listened on", addr)
		}
	}
}

// arrived posts a mark and tells whether another event came before it.
func arrived(t *testing.T, s *Server, got chan adapters.Event) bool {
	t.Helper()
	if status := send(t, s, "POST", Path, map[string]string{"Content-Type": "application/json", "X-Rig-Token": s.token}, []byte(`{"v":1,"session":"mark","kind":"other"}`)); status != 204 {
		t.Fatalf("mark: %d", status)
	}
	seen := false
	for {
		select {
		case e := <-got:
			if e.Session == "mark" {
				return seen
			}
			seen = true
		case <-time.After(time.Minute):
			t.Fatal("the mark never came")
		}
	}
}

func TestSchema(t *testing.T) { // o-ev-02
	var rows []struct {
		Body       json.RawMessage
		Raw        *string
		Base64     string `json:"raw_base64"`
		Bytes      int    `json:"body_bytes"`
		Want       any
		StoredKind string `json:"stored_kind"`
	}
	load(t, "events.json", &rows)
	s, got := serve(t, "")
	for i, r := range rows {
		body := []byte(r.Body)
		switch {
		case r.Raw != nil:
			body = []byte(*r.Raw)
		case r.Base64 != "":
			b, err := base64.StdEncoding.DecodeString(r.Base64)
			if err != nil {
				t.Fatal(err)
			}
			body = b
		case r.Bytes > 0:
			body = []byte(`{"v":1,"session":"s1","kind":"edit","summary":"` + strings.Repeat("x", r.Bytes) + `"}`)
		}
		before := s.Refused()
		status := post(t, s, body)
		if want, ok := r.Want.(float64); ok && status != int(want) {
			t.Errorf("row %d: %d, want %v", i, status, want)
		}
		if (status == 204) != (s.Refused() == before) {
			t.Errorf("row %d: %d, refused %d", i, status, s.Refused()-before)
		}
		if status != 204 {
			continue
		}
		select {
		case e := <-got:
			if r.StoredKind != "" && e.Kind != r.StoredKind {
				t.Errorf("row %d: kind %s", i, e.Kind)
			}
			if strings.ContainsAny(e.Summary, "\n\x1b") || len([]rune(e.Summary)) > 300 || strings.ToValidUTF8(e.Summary, "") != e.Summary {
				t.Errorf("row %d: summary %q", i, e.Summary)
			}
		case <-time.After(time.Minute):
			t.Fatalf("row %d never came", i)
		}
	}
}

func TestOrderAndLiveLine(t *testing.T) { // o-ev-04
	b, err := os.ReadFile("testdata/events.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	s, got := serve(t, "")
	want := []string{"", "", "npm test", "", ""}
	var live adapters.Live
	i := 0
	for line := range strings.Lines(string(b)) {
		if status := post(t, s, []byte(line)); status != 204 {
			t.Fatalf("line %d: %d", i, status)
		}
		live.Add(<-got)
		if e, _ := live.Line("s"); e.Cmd != want[i] {
			t.Errorf("after line %d the live line is %q, want %q", i, e.Cmd, want[i])
		}
		i++
	}
}

// A reader that is slow costs events, never the emitter's time.
func TestSlowReader(t *testing.T) {
	hold := make(chan struct{})
	n := 0
	s, err := Serve("", func(adapters.Event) { <-hold; n++ })
	if err != nil {
		t.Fatal(err)
	}
	for range backlog + 50 {
		if status := post(t, s, []byte(`{"v":1,"session":"s","kind":"edit"}`)); status != 204 {
			t.Fatal(status)
		}
	}
	close(hold)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s.Lost() < 49 || int64(n)+s.Lost() != backlog+50 {
		t.Errorf("%d came, %d lost", n, s.Lost())
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"v":1,"session":"s","kind":"edit","summary":"x","ok":true}`))
	f.Add([]byte(`{"v":1,"session":"s","kind":"web","summary":"\ud800"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := Parse(b)
		if err != nil {
			return
		}
		if e.V != 1 || len([]rune(e.Summary)) > 300 || len([]rune(e.Detail)) > 900 || len([]rune(e.Cmd)) > 240 || len([]rune(e.File)) > 300 {
			t.Errorf("%q gave %+v", b, e)
		}
	})
}
