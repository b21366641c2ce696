package board

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rigwiki/rig/adapters"
)

// Path is the one path that takes events.
const Path = "/api/events"

// TokenHeader carries the token of the run.
const TokenHeader = "X-Rig-Token"

const (
	maxBody = 64 << 10
	backlog = 8192 // events that wait for a slow reader, some seconds of the busiest; what comes on top is dropped and counted
)

// A Server takes events until it is closed.
type Server struct {
	http    *http.Server
	addr    *net.TCPAddr
	token   string
	queue   chan adapters.Event
	quit    chan struct{} // closed by Close; queue never is, a late request may still hold it
	done    chan struct{} // closed when the last event was handed on
	refused atomic.Int64
	lost    atomic.Int64
	closing sync.Once
}

// Serve listens on a free port of 127.0.0.1 and calls take for each event, one at a time, in the order of arrival. A token that is not
// empty is required of every emitter.
func Serve(token string, take func(adapters.Event)) (*Server, error) {
	return Listen("127.0.0.1:0", token, take)
}

// Listen is Serve on an address of the caller's choice, which must be a loopback one.
func Listen(addr, token string, take func(adapters.Event)) (*Server, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("listen for events: %w", err)
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return nil, fmt.Errorf("listen for events: %s is not a loopback address", host)
	}
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen for events: %w", err)
	}
	s := &Server{token: token, addr: ln.Addr().(*net.TCPAddr), queue: make(chan adapters.Event, backlog), quit: make(chan struct{}), done: make(chan struct{})}
	s.http = &http.Server{
		Handler: s, ReadTimeout: 5 * time.Second, WriteTimeout: 5 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
	}
	go s.http.Serve(ln) // ends with Close, which waits for what was taken
	go s.hand(take)
	return s, nil
}

// hand gives the events to the reader until Close, and then what is left.
func (s *Server) hand(take func(adapters.Event)) {
	defer close(s.done)
	for {
		select {
		case e := <-s.queue:
			take(e)
		case <-s.quit:
			for {
				select {
				case e := <-s.queue:
					take(e)
				default:
					return
				}
			}
		}
	}
}

// Port is the port on 127.0.0.1, for BOARD_PORT.
func (s *Server) Port() int { return s.addr.Port }

// URL is where emitters post.
func (s *Server) URL() string { return fmt.Sprintf("http://%s%s", s.addr, Path) }

// Refused counts the requests that were no events or not allowed.
func (s *Server) Refused() int64 { return s.refused.Load() }

// Lost counts the events that came while the backlog was full.
func (s *Server) Lost() int64 { return s.lost.Load() }

// Close ends the endpoint and returns when the reader has seen every event that was taken.
func (s *Server) Close() error {
	var err error
	s.closing.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if err = s.http.Shutdown(ctx); err != nil {
			err = s.http.Close() // an emitter that holds its connection open is cut off
		}
		close(s.quit)
	})
	<-s.done
	return err
}

// ServeHTTP judges one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e, status, err := s.judge(w, r)
	if err != nil {
		s.refused.Add(1)
		http.Error(w, err.Error(), status)
		return
	}
	select {
	case s.queue <- e:
	default:
		s.lost.Add(1)
	}
	w.WriteHeader(http.StatusNoContent)
}

func (s *Server) judge(w http.ResponseWriter, r *http.Request) (adapters.Event, int, error) {
	var e adapters.Event
	switch {
	case !loopbackHost(r.Host):
		return e, http.StatusForbidden, errors.New("foreign Host")
	case !loopbackOrigin(r.Header):
		return e, http.StatusForbidden, errors.New("foreign Origin")
	case r.URL.Path != Path:
		return e, http.StatusNotFound, errors.New("events are posted to " + Path)
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		return e, http.StatusMethodNotAllowed, errors.New("only POST")
	case !s.mayPost(r.Header):
		return e, http.StatusForbidden, errors.New("wrong token in " + TokenHeader)
	case !isJSON(r.Header.Get("Content-Type")):
		return e, http.StatusUnsupportedMediaType, errors.New("Content-Type must be application/json")
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var tooLong *http.MaxBytesError
	if errors.As(err, &tooLong) {
		return e, http.StatusRequestEntityTooLarge, errors.New("an event has at most 64 KiB")
	}
	if err != nil {
		return e, http.StatusBadRequest, errors.New("the body ended early")
	}
	e, err = Parse(body)
	return e, http.StatusBadRequest, err
}

// Parse reads one event of schema v1: an object with v 1, a session and a kind, all of the right type. Unknown kinds become "other",
// unknown fields pass, texts are cut to their caps.
func Parse(body []byte) (adapters.Event, error) {
	var e adapters.Event
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(body, &fields); err != nil {
		return e, fmt.Errorf("not an event: %w", err)
	}
	for name, to := range map[string]any{"v": &e.V, "session": &e.Session, "kind": &e.Kind, "summary": &e.Summary, "file": &e.File, "cmd": &e.Cmd, "detail": &e.Detail,
		"ok": &e.OK, "running": &e.Running, "agent": &e.Agent, "task": &e.Task} {
		// Field by field: encoding/json takes a field in another case for ours, but it is an unknown one, which passes.
		if raw, ok := fields[name]; ok {
			if err := json.Unmarshal(raw, to); err != nil {
				return e, fmt.Errorf("not an event: %s: %w", name, err)
			}
		}
	}
	switch {
	case e.V != 1:
		return e, errors.New("not an event: v must be 1")
	case e.Session == "":
		return e, errors.New("not an event: session is missing")
	case e.Kind == "":
		return e, errors.New("not an event: kind is missing")
	}
	if e.Kind == "report" {
		e.Kind = "other" // reports are the host's own: none comes from outside
	}
	if e = e.Capped(); e.Session == "" {
		return e, errors.New("not an event: session has no character that can be shown")
	}
	return e, nil
}

// mayPost compares in constant time. A token that nobody asked for must not be there either: it was meant for another run. An empty one is none: emitters
// fill the header from a variable that may not be set.
func (s *Server) mayPost(h http.Header) bool {
	given := h.Values(TokenHeader)
	if len(given) == 0 || len(given) == 1 && given[0] == "" {
		return s.token == ""
	}
	return s.token != "" && len(given) == 1 && subtle.ConstantTimeCompare([]byte(given[0]), []byte(s.token)) == 1
}

func isJSON(contentType string) bool {
	t, _, err := mime.ParseMediaType(contentType)
	return err == nil && t == "application/json"
}

// loopbackHost keeps DNS rebinding out: the name that the client believes to talk to must be this machine's own. The port is not
// judged: in a network namespace another one may be forwarded to ours.
func loopbackHost(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	if len(host) > 1 && host[0] == '[' && host[len(host)-1] == ']' {
		host = host[1 : len(host)-1]
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

func loopbackOrigin(h http.Header) bool {
	for _, o := range h.Values("Origin") {
		u, err := url.Parse(o)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || !loopbackHost(u.Host) {
			return false
		}
	}
	return true
}
