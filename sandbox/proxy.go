package sandbox

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"time"
)

// served is what we serve to one run over the network: from our side of the wall, through listeners that were made on its side.
type served struct {
	gate   *gate
	proxy  string // address of the HTTP proxy as the program sees it; "" where there is none
	token  string // password of the proxy, where others could reach it; "" where only the program can
	http   *http.Server
	hand   *handoff
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup
	mu     sync.Mutex // guards open
	open   map[io.Closer]bool
}

func newServed(g *gate) *served {
	s := &served{gate: g, open: map[io.Closer]bool{}, hand: &handoff{conns: make(chan net.Conn), done: make(chan struct{})}}
	s.ctx, s.cancel = context.WithCancel(context.Background()) // lives as long as the box, whose Close ends it
	quiet := log.New(io.Discard, "", 0)                        // what goes wrong is told to the client; this package does not log
	s.http = &http.Server{Handler: s.handler(quiet), ReadHeaderTimeout: dialTimeout, ErrorLog: quiet}
	s.http.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		if p, ok := c.(*portConn); ok {
			return context.WithValue(ctx, portKey{}, p.port)
		}
		return ctx
	}
	s.http.ConnState = func(c net.Conn, st http.ConnState) {
		if p, ok := c.(*portConn); ok {
			c = p.peeked.Conn
		}
		if st == http.StateClosed {
			s.drop(c)
		}
	}
	s.wg.Go(func() { s.http.Serve(s.hand) })
	return s
}

// keep notes what close must close; it is false where that has happened already.
func (s *served) keep(c io.Closer) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		c.Close()
		return false
	}
	s.open[c] = true
	return true
}

// spawn runs work that close waits for, unless that has happened already: then what the work holds is closed.
func (s *served) spawn(work func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open != nil {
		s.wg.Go(work)
	}
}

func (s *served) drop(c io.Closer) {
	c.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, c)
}

func (s *served) close() error {
	s.cancel()
	s.mu.Lock()
	open := s.open
	s.open = nil
	s.mu.Unlock()
	for c := range open {
		c.Close()
	}
	s.hand.Close()
	err := s.http.Close()
	s.wg.Wait()
	return err
}

// serve accepts connections until the listener is closed.
func (s *served) serve(l net.Listener, each func(net.Conn)) {
	if !s.keep(l) {
		return
	}
	s.wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			if !s.keep(c) {
				return
			}
			s.wg.Go(func() { each(c) })
		}
	})
}

// serveProxy serves the HTTP proxy.
func (s *served) serveProxy(l net.Listener, seenAs string) {
	s.proxy = seenAs
	s.serve(l, s.hand.take)
}

// serveHosts serves clients that ignore proxies: names of allowed hosts lead them here, and what they say first tells whom they want.
func (s *served) serveHosts(l net.Listener, port string) {
	s.serve(l, func(c net.Conn) {
		p := &peeked{Conn: c, r: bufio.NewReaderSize(c, 64<<10)}
		c.SetReadDeadline(time.Now().Add(dialTimeout))
		first, err := p.r.Peek(1)
		if err != nil {
			s.drop(c)
			return
		}
		c.SetReadDeadline(time.Time{})
		if first[0] != tlsHandshake {
			s.hand.take(&portConn{p, port})
			return
		}
		defer s.drop(c)
		name, err := p.serverName()
		if err != nil {
			return
		}
		if up, err := s.gate.dial(s.ctx, name, port); err == nil {
			s.tunnel(p, up, nil)
		}
	})
}

// serveLoopback forwards to an address of the host.
func (s *served) serveLoopback(l net.Listener, addr string) {
	s.serve(l, func(c net.Conn) {
		defer s.drop(c)
		if up, err := (&net.Dialer{Timeout: dialTimeout}).DialContext(s.ctx, "tcp", addr); err == nil {
			s.tunnel(c, up, nil)
		}
	})
}

// tunnel copies bytes both ways until both are done, and closes both. check, where given, comes before the client's first byte goes out.
func (s *served) tunnel(c, up net.Conn, check func() error) {
	defer s.drop(up)
	defer c.Close()
	if !s.keep(up) {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if check != nil && check() != nil {
			up.Close()
			return
		}
		io.Copy(up, c)
		closeWrite(up)
	}()
	io.Copy(c, up)
	closeWrite(c)
	<-done
}

func closeWrite(c net.Conn) {
	if p, ok := c.(*peeked); ok {
		c = p.Conn
	}
	if w, ok := c.(interface{ CloseWrite() error }); ok {
		w.CloseWrite()
		return
	}
	c.Close()
}

// portKey is the context key of a portConn's port.
type portKey struct{}

// handler is the proxy: tunnels, absolute requests, and requests of clients that were led here by name.
func (s *served) handler(quiet *log.Logger) http.Handler {
	forward := &httputil.ReverseProxy{
		ErrorLog: quiet,
		Rewrite:  func(r *httputil.ProxyRequest) { r.Out.Host = r.In.URL.Host },
		Transport: &http.Transport{DialContext: func(ctx context.Context, _, addr string) (net.Conn, error) {
			host, port, err := net.SplitHostPort(addr)
			if err != nil {
				return nil, err
			}
			return s.gate.dial(ctx, host, port)
		}, DisableKeepAlives: true},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) { refuse(w, err) },
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		port, led := r.Context().Value(portKey{}).(string)
		switch {
		case led && r.Method != http.MethodConnect:
			host := r.Host
			if h, _, err := net.SplitHostPort(host); err == nil {
				host = h
			}
			r.URL = &url.URL{Scheme: "http", Host: net.JoinHostPort(host, port), Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery}
			if port == "80" {
				r.URL.Host = host
			}
			forward.ServeHTTP(w, r)
		case led:
			refuse(w, errDenied)
		case !s.authorized(r):
			w.Header().Set("Proxy-Authenticate", "Basic")
			w.WriteHeader(http.StatusProxyAuthRequired)
		case r.Method == http.MethodConnect:
			s.connect(w, r)
		case r.URL.Scheme == "http" && r.URL.Host != "":
			r.Header.Del("Proxy-Authorization")
			forward.ServeHTTP(w, r)
		default:
			http.Error(w, "this is a proxy", http.StatusBadRequest)
		}
	})
}

func (s *served) authorized(r *http.Request) bool {
	if s.token == "" {
		return true
	}
	probe := http.Request{Header: http.Header{"Authorization": r.Header["Proxy-Authorization"]}}
	_, pass, _ := probe.BasicAuth()
	return pass == s.token
}

func refuse(w http.ResponseWriter, err error) {
	code := http.StatusBadGateway
	if errors.Is(err, errDenied) {
		code = http.StatusForbidden
	}
	http.Error(w, err.Error(), code)
}

// connect makes a tunnel. Where the client speaks TLS in it, the name that it asks for must be allowed as well: else an allowed name
// would be a front for others on the same servers. Plain HTTP at its own port is read request by request, for the same reason.
func (s *served) connect(w http.ResponseWriter, r *http.Request) {
	host, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	up, err := s.gate.dial(r.Context(), host, port)
	if err != nil {
		refuse(w, err)
		return
	}
	c, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		up.Close()
		return
	}
	if !s.keep(c) {
		up.Close()
		return
	}
	s.spawn(func() {
		p := &peeked{Conn: c, r: bufio.NewReaderSize(rw.Reader, 64<<10)}
		if _, err := io.WriteString(c, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
			up.Close()
			s.drop(c)
			return
		}
		if first, err := p.r.Peek(1); port == "80" && err == nil && first[0] != tlsHandshake {
			up.Close()
			s.hand.take(&portConn{p, port}) // who lets go of it
			return
		}
		defer s.drop(c)
		s.tunnel(p, up, func() error {
			if first, err := p.r.Peek(1); err != nil || first[0] != tlsHandshake {
				return err
			}
			name, err := p.serverName()
			if err == nil && name != "" && !s.gate.allows(name, port) {
				return errDenied
			}
			return nil
		})
	})
}

// environment sets the proxy variables, and takes the user's own proxy from them.
func (s *served) environment(env []string) []string {
	if s.proxy == "" {
		return env
	}
	for _, e := range env {
		name, value, _ := strings.Cut(e, "=")
		if strings.EqualFold(name, "https_proxy") && value != "" {
			if u, err := url.Parse(value); err == nil && u.Scheme == "http" && u.Host != "" {
				s.gate.upstream = u
			}
		}
	}
	u := url.URL{Scheme: "http", Host: s.proxy}
	if s.token != "" {
		u.User = url.UserPassword("rig", s.token)
	}
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"} {
		env = setenv(setenv(env, name, u.String()), strings.ToLower(name), u.String())
	}
	local := "localhost,127.0.0.1,::1"
	env = setenv(setenv(env, "NO_PROXY", local), "no_proxy", local)
	return setenv(env, "NODE_USE_ENV_PROXY", "1") // node from 22.21 and 24 honours the variables only with it
}
