package fetch

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// web is a server on loopback that stands for every host of a test: names resolve to public addresses, connections to these end here.
type web struct {
	t      *testing.T
	server *httptest.Server
	names  map[string][]string   // host -> addresses; others get one public address
	later  map[string][][]string // host -> what each look-up in turn gives
	mu     sync.Mutex
	dialed []string
	asked  []string
}

const anyPublic = "93.184.216.34"

func newWeb(t *testing.T, serve http.HandlerFunc) *web {
	w := &web{t: t, names: map[string][]string{}, later: map[string][][]string{}}
	w.server = httptest.NewServer(http.HandlerFunc(func(res http.ResponseWriter, req *http.Request) {
		w.mu.Lock()
		w.asked = append(w.asked, "http://"+req.Host+req.URL.String())
		w.mu.Unlock()
		if req.Header.Get("Cookie") != "" {
			t.Errorf("a cookie was sent to %s", req.Host)
		}
		serve(res, req)
	}))
	t.Cleanup(w.server.Close)
	return w
}

func (w *web) resolve(_ context.Context, host string) ([]netip.Addr, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	list := w.names[host]
	if turns := w.later[host]; len(turns) > 0 {
		list, w.later[host] = turns[0], turns[1:]
	}
	if list == nil {
		if host == "localhost" {
			list = []string{"127.0.0.1", "::1"}
		} else {
			list = []string{anyPublic}
		}
	}
	var out []netip.Addr
	for _, s := range list {
		out = append(out, netip.MustParseAddr(s))
	}
	return out, nil
}

func (w *web) dial(ctx context.Context, network, address string) (net.Conn, error) {
	w.mu.Lock()
	w.dialed = append(w.dialed, address)
	w.mu.Unlock()
	var d net.Dialer
	return d.DialContext(ctx, network, w.server.Listener.Addr().String())
}

func (w *web) fetcher(o Options) *Fetcher {
	o.Resolve, o.Dial = w.resolve, w.dial
	return New(o)
}

// page serves one page for every address.
func page(body []byte, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = nil // none, unless given
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		_, _ = w.Write(body)
	}
}

func caseFile(t *testing.T, id, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "cases", id, name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// fetchBytes fetches a page of these bytes from an address.
func fetchBytes(t *testing.T, at string, body []byte, headers ...string) (*Page, error) {
	t.Helper()
	at = strings.Replace(at, "https://", "http://", 1)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return newWeb(t, page(body, headers...)).fetcher(Options{}).Fetch(ctx, at)
}

func mustFetch(t *testing.T, at string, body []byte, headers ...string) *Page {
	t.Helper()
	p, err := fetchBytes(t, at, body, headers...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func asError(err error, e **Error) bool { return errors.As(err, e) }
