package board

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rigwiki/rig/adapters"
)

// raw is a request as bytes, cut into the pieces that are written one after another.
type raw struct {
	name  string
	parts []string
	want  int // status; 0: the connection is cut without one, or 400
}

const head = "POST /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"

// said is a request with a body and its length.
func said(headers, body string) string {
	return fmt.Sprintf("%s%sContent-Length: %d\r\n\r\n%s", head, headers, len(body), body)
}

// chunks is a body in transfer coding "chunked".
func chunks(bodies ...string) string {
	var b strings.Builder
	for _, c := range bodies {
		fmt.Fprintf(&b, "%x\r\n%s\r\n", len(c), c)
	}
	return head + "Transfer-Encoding: chunked\r\n\r\n" + b.String() + "0\r\n\r\n"
}

// bytesOf is s a byte at a time.
func bytesOf(s string) []string { return strings.Split(s, "") }

func padded(n int) string {
	const start, end = `{"v":1,"session":"s","kind":"edit","summary":"`, `"}`
	return start + strings.Repeat("x", n-len(start)-len(end)) + end
}

// events that must come out as they are, whatever way they came in
func variants() []raw {
	const umlaut = `{"v":1,"session":"s","kind":"edit","summary":"Grün 茶 🍵"}`
	byBytes := []string{head + "Transfer-Encoding: chunked\r\n\r\n"}
	for i := range len(umlaut) {
		byBytes = append(byBytes, fmt.Sprintf("1\r\n%s\r\n", umlaut[i:i+1]))
	}
	return []raw{
		{"a byte at a time", bytesOf(said("", `{"v":1,"session":"s","kind":"edit"}`)), 204},
		{"characters cut between chunks", append(byBytes, "0\r\n\r\n"), 204},
		{"chunks", []string{chunks(umlaut[:50], umlaut[50:])}, 204},
		{"CRLF between the fields", []string{said("", "{\r\n\"v\":1,\r\n\"session\":\"s\",\r\n\"kind\":\"edit\"\r\n}\r\n")}, 204},
		{"64 KiB", []string{said("", padded(64<<10))}, 204},
		{"64 KiB in chunks", []string{chunks(padded(64 << 10)[:40<<10], padded(64 << 10)[40<<10:])}, 204},
		{"one byte more", []string{said("", padded(64<<10+1))}, 413},
		{"one byte more in chunks", []string{chunks(padded(64<<10 + 1)[:40<<10], padded(64<<10 + 1)[40<<10:])}, 413},
		{"a host in capitals", []string{strings.Replace(said("", umlaut), "127.0.0.1", "LOCALHOST:1", 1)}, 204},
		{"the whole address", []string{strings.Replace(said("", umlaut), "/api/events", "http://127.0.0.1/api/events", 1)}, 204},
		{"the whole address of another", []string{strings.Replace(said("", umlaut), "/api/events", "http://evil.example/api/events", 1)}, 403},
		{"no host", []string{strings.Replace(said("", umlaut), "Host: 127.0.0.1\r\n", "", 1)}, 400},
		{"HTTP/1.0 without a host", []string{strings.Replace(strings.Replace(said("", umlaut), "Host: 127.0.0.1\r\n", "", 1), "HTTP/1.1", "HTTP/1.0", 1)}, 403},
		{"two hosts", []string{said("Host: evil.example\r\n", umlaut)}, 400},
		{"a host with a loopback name in it", []string{strings.Replace(said("", umlaut), "127.0.0.1", "127.0.0.1.evil.example", 1)}, 403},
		{"origin null", []string{said("Origin: null\r\n", umlaut)}, 403},
		{"origin empty", []string{said("Origin:\r\n", umlaut)}, 403},
		{"two origins", []string{said("Origin: http://localhost:1\r\nOrigin: http://evil.example\r\n", umlaut)}, 403},
		{"origin of a file", []string{said("Origin: file://\r\n", umlaut)}, 403},
		{"origin here", []string{said("Origin: http://localhost:3000\r\n", umlaut)}, 204},
		{"type with another case", []string{strings.Replace(said("", umlaut), "application/json", "Application/JSON;charset=UTF-8", 1)}, 204},
		{"no type", []string{strings.Replace(said("", umlaut), "Content-Type: application/json\r\n", "", 1)}, 415},
		{"type of a form with files", []string{strings.Replace(said("", umlaut), "application/json", "multipart/form-data; boundary=x", 1)}, 415},
		{"type that begins like ours", []string{strings.Replace(said("", umlaut), "application/json", "application/jsonp", 1)}, 415},
		{"lines of JSON", []string{strings.Replace(said("", umlaut), "application/json", "application/x-ndjson", 1)}, 415},
		{"PUT", []string{strings.Replace(said("", umlaut), "POST", "PUT", 1)}, 405},
		{"DELETE", []string{strings.Replace(said("", umlaut), "POST", "DELETE", 1)}, 405},
		{"OPTIONS", []string{strings.Replace(said("", umlaut), "POST", "OPTIONS", 1)}, 405},
		{"a method of its own", []string{strings.Replace(said("", umlaut), "POST", "BREW", 1)}, 405},
		{"GET that says it is a POST", []string{strings.Replace(said("X-HTTP-Method-Override: POST\r\n", umlaut), "POST", "GET", 1)}, 405},
		{"another run's token", []string{said("X-Rig-Token: theirs\r\n", umlaut)}, 403},
		{"a token that is empty", []string{said("X-Rig-Token:\r\n", umlaut)}, 204},
		{"two tokens", []string{said("X-Rig-Token:\r\nX-Rig-Token: x\r\n", umlaut)}, 403},
		{"no body", []string{head + "\r\n"}, 400},
		{"a length that is none", []string{head + "Content-Length: many\r\n\r\n"}, 400},
		{"a chunk that is none", []string{head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n"}, 400},
		{"no HTTP", []string{"\x00\x01\x02\r\n\r\n"}, 400},
		{"headers without end", []string{head + "X: " + strings.Repeat("x", 64<<10) + "\r\n\r\n"}, 431},
	}
}

// notEvents are bodies that are none.
func notEvents() []string {
	return []string{
		"null", "7", `"v"`, "[]", "{}", "{", "\x00", "{\x00}", `{"v":1,"session":"s","kind":"edit"}{"v":1,"session":"s","kind":"edit"}`, `{"v":1,"session":"s","kind":"edit"` + "\n",
		`{"v":1,"session":"s","kind":"edit"} x`, `{'v':1}`, `v=1&session=s`, `{"v":1,"session":null,"kind":"edit"}`, `{"v":1,"session":"s","kind":null}`, `{"v":"1","session":"s","kind":"edit"}`,
		`{"v":1.5,"session":"s","kind":"edit"}`, `{"v":-1,"session":"s","kind":"edit"}`, `{"v":1e99,"session":"s","kind":"edit"}`, `{"V":1,"Session":"s","Kind":"edit"}`,
		`{"v":1,"session":"\u0000\u001b","kind":"edit"}`, `{"v":1,"session":" ","kind":"edit"}`, `{"v":1,"session":["s"],"kind":"edit"}`, `{"v":1,"session":"s","kind":["edit"]}`,
		`{"v":1,"session":"s","kind":"edit","running":"true"}`, `{"v":1,"session":"s","kind":"edit","file":{}}`, strings.Repeat("[", 60<<10), strings.Repeat(`{"a":`, 10<<10),
		"\xff\xfe{\x00\"\x00v\x00\"\x00:\x001\x00}\x00", `{"v":1,"session":"s` + "\n" + `","kind":"edit"}`,
	}
}

// ask writes a request's pieces and reads the status; 0 where the connection ended without one.
func ask(t *testing.T, s *Server, parts []string) int {
	t.Helper()
	c, err := net.Dial("tcp", s.addr.String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	for _, p := range parts {
		if _, err := io.WriteString(c, p); err != nil {
			break // the answer may be there already
		}
	}
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return 0
	}
	defer res.Body.Close()
	return res.StatusCode
}

// Requests in every shape: those that are events come, whole, the others change nothing.
func TestShapes(t *testing.T) {
	s, got := serve(t, "")
	for _, v := range variants() {
		status := ask(t, s, v.parts)
		if status != v.want && (v.want != 431 || status != 0) && (v.want != 413 || status != 0) { // one that is still writing may miss the answer
			t.Errorf("%s: %d, want %d", v.name, status, v.want)
		}
		if came := arrived(t, s, got); came != (v.want == 204) {
			t.Errorf("%s: %d, and the event came: %v", v.name, status, came)
		}
	}
	for _, body := range notEvents() {
		before := s.Refused()
		if status := post(t, s, []byte(body)); status != 400 || s.Refused() != before+1 {
			t.Errorf("%.60q: %d, refused %d", body, status, s.Refused()-before)
		}
		if arrived(t, s, got) {
			t.Errorf("%.60q came as an event", body)
		}
	}
}

// What is shown of an event is one line, whatever was sent: no escapes, no line ends of any kind, nothing that turns the direction of writing.
func TestWhatIsShown(t *testing.T) {
	for in, want := range map[string]string{
		`a\u2028b\u2029c`: "a b c", `a\u0085b`: "a b", `a\u202eb\u2066c`: "a b c", `\u001b]0;title\u0007x`: "]0;title x", `a\r\nb`: "a  b", `\ud800x`: "\uFFFDx", `茶🍵`: "茶🍵", `e\u0301\u200d`: "e\u0301\u200d",
	} {
		e, err := Parse([]byte(`{"v":1,"session":"s","kind":"?","summary":"` + in + `","detail":"1\n2\t3\u001b[31m\u0000"}`))
		if err != nil || e.Summary != want || e.Kind != "other" || e.Detail != "1\n2\t3 [31m " {
			t.Errorf("%s: %+v %v", in, e, err)
		}
	}
}

// An emitter that dies in the middle of a request leaves no event and no harm; those that never end their request keep nobody else out.
func TestDyingEmitters(t *testing.T) {
	s, got := serve(t, "")
	whole := said("", `{"v":1,"session":"s","kind":"edit"}`)
	var open []net.Conn
	for i := range 300 {
		c, err := net.Dial("tcp", s.addr.String())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(c, whole[:1+i%(len(whole)-1)]); err != nil {
			t.Fatal(err)
		}
		if i%3 > 0 { // it hangs
			open = append(open, c)
			continue
		}
		c.Close()
	}
	if arrived(t, s, got) {
		t.Error("half a request was taken for an event")
	}
	for _, c := range open {
		defer c.Close()
	}
	if err := s.Close(); err != nil { // with all of them at the door
		t.Error(err)
	}
	select {
	case e := <-got:
		t.Errorf("%+v came of half a request", e)
	default:
	}
}

// One that sends its request too slowly is cut off, at whatever point it stopped.
func TestSlowEmitter(t *testing.T) {
	t.Parallel() // it takes as long as a request may
	s, err := Serve("", func(adapters.Event) { t.Error("it came") })
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var open []net.Conn
	for _, start := range []string{"", "POST /api/ev", head, head + "Content-Length: 40\r\n\r\n{\"v\":1", head + "Transfer-Encoding: chunked\r\n\r\n5\r\n{"} {
		c, err := net.Dial("tcp", s.addr.String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if err := c.SetDeadline(time.Now().Add(2 * time.Minute)); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(c, start); err != nil {
			t.Fatal(err)
		}
		open = append(open, c)
	}
	for i, c := range open {
		var end bytes.Buffer
		_, err := io.Copy(&end, c)
		var late net.Error
		if errors.As(err, &late) && late.Timeout() || strings.Contains(end.String(), "204") {
			t.Errorf("%d: %v %s", i, err, end.String())
		}
	}
}
