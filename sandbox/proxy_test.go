package sandbox

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"
)

// TestTunnelIsNoFront: inside a tunnel to an allowed host, plain HTTP reaches that host and other allowed ones, and none that is not allowed.
func TestTunnelIsNoFront(t *testing.T) {
	shared := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hello from "+r.Host) }))
	defer shared.Close()
	g, err := newGate([]string{"api.example.com", "two.example.com"}, Dialer{
		Lookup: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
		},
		Dial: func(ctx context.Context, _ netip.AddrPort) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "tcp", shared.Listener.Addr().String())
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	s := newServed(g)
	defer s.close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.serveProxy(l, l.Addr().String())
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(time.Minute))
	r := bufio.NewReader(c)
	ask := func(request, want string) {
		t.Helper()
		if _, err := io.WriteString(c, request); err != nil {
			t.Fatal(err)
		}
		resp, err := http.ReadResponse(r, &http.Request{Method: strings.Fields(request)[0]})
		if err != nil {
			t.Fatal(err)
		}
		got := resp.Status
		if resp.Request.Method != http.MethodConnect {
			text, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			got = fmt.Sprintf("%d %s", resp.StatusCode, strings.TrimSpace(string(text)))
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", request, got, want)
		}
	}
	ask("CONNECT api.example.com:80 HTTP/1.1\r\nHost: api.example.com:80\r\n\r\n", "200 Connection established")
	for host, want := range map[string]string{
		"api.example.com": "200 hello from api.example.com", "two.example.com": "200 hello from two.example.com", "other.example.com": "403 other.example.com:80: not allowed",
		"169.254.169.254": "403 169.254.169.254:80: not allowed",
	} {
		ask("GET / HTTP/1.1\r\nHost: "+host+"\r\n\r\n", want)
		ask("GET http://"+host+"/ HTTP/1.1\r\nHost: api.example.com\r\n\r\n", want)
	}
}
