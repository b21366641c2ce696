package sandbox

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// fetchMain is a program that talks to the network: this test binary under another name. Each argument is a URL, or "direct URL" for a client
// that ignores proxies, or "front NAME URL" for one that asks for another name inside its tunnel.
func fetchMain() bool {
	if filepath.Base(os.Args[0]) != "fetch" {
		return false
	}
	for _, what := range os.Args[1:] {
		tr := &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
		at := what
		if direct, ok := strings.CutPrefix(what, "direct "); ok {
			tr.Proxy, at = nil, direct
		}
		if front, ok := strings.CutPrefix(what, "front "); ok {
			tr.TLSClientConfig.ServerName, at, _ = strings.Cut(front, " ")
		}
		resp, err := (&http.Client{Transport: tr, Timeout: 5 * time.Second}).Get(at)
		if err != nil {
			fmt.Printf("%s: error\n", what)
			fmt.Fprintln(os.Stderr, err)
			continue
		}
		b, _ := io.ReadAll(resp.Body)
		fmt.Printf("%s: %d %s\n", what, resp.StatusCode, strings.TrimSpace(string(b)))
	}
	return true
}

// internet is two servers that answer for every public address, and names for them.
func internet(t *testing.T) Dialer {
	answer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "hello from", r.Host) })
	plain, secure := httptest.NewServer(answer), httptest.NewUnstartedServer(answer)
	secure.Config.ErrorLog = log.New(io.Discard, "", 0) // clients that are cut off are the point here
	secure.StartTLS()
	t.Cleanup(plain.Close)
	t.Cleanup(secure.Close)
	return Dialer{
		Lookup: func(_ context.Context, host string) ([]netip.Addr, error) {
			addr := map[string]string{"inner.example.com": "127.0.0.1", "meta.example.com": "169.254.169.254"}[host]
			if addr == "" {
				addr = "93.184.216.34"
			}
			return []netip.Addr{netip.MustParseAddr(addr)}, nil
		},
		Dial: func(ctx context.Context, a netip.AddrPort) (net.Conn, error) {
			to := plain
			if a.Port() == 443 {
				to = secure
			}
			return new(net.Dialer).DialContext(ctx, "tcp", to.Listener.Addr().String())
		},
	}
}

// TestNetwork: what is granted is reached, with and without a proxy; nothing else is.
func TestNetwork(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	model, other := httptest.NewServer(http.NotFoundHandler()), httptest.NewServer(http.NotFoundHandler())
	defer model.Close()
	defer other.Close()
	d := internet(t)
	for name, l := range map[string]Layer{"overlay": Overlay(OverlayOptions{Dialer: d}), "copy": Copy(CopyOptions{Dialer: d})} {
		t.Run(name, func(t *testing.T) {
			need(t, l)
			b := newBench(t, map[string]string{"a.md": "a"})
			program := filepath.Join(b.top, "fetch")
			if err := os.Symlink(self, program); err != nil {
				t.Fatal(err)
			}
			b.spec.Visible = []string{program}
			b.spec.Network = Network{
				Hosts:    []string{"api.example.com", "*.wild.example.org", "inner.example.com", "meta.example.com", "api.example.com:8443"},
				Loopback: []string{model.Listener.Addr().String()},
			}
			want := []string{
				"https://api.example.com/: 200 hello from api.example.com",
				"http://api.example.com/: 200 hello from api.example.com",
				"https://x.wild.example.org/: 200 hello from x.wild.example.org",
				"http://api.example.com:8443/: 200 hello from api.example.com:8443",
				"https://other.example.com/: error",
				"http://other.example.com/: 403 other.example.com:80: not allowed",
				"http://api.example.com:81/: 403 api.example.com:81: not allowed",
				"https://wild.example.org/: error",
				"http://inner.example.com/: 403 inner.example.com leads to 127.0.0.1: not allowed",
				"http://meta.example.com/: 403 meta.example.com leads to 169.254.169.254: not allowed",
				"http://169.254.169.254/: 403 169.254.169.254:80: not allowed",
				"http://10.0.0.1/: 403 10.0.0.1:80: not allowed",
				"front other.example.com https://api.example.com/: error",
				"direct https://other.example.com/: error",
				model.URL + "/: 404 404 page not found",
				other.URL + "/: error",
			}
			if name == "overlay" {
				want = append(want, "direct https://api.example.com/: 200 hello from api.example.com",
					"direct http://api.example.com/: 200 hello from api.example.com", "direct http://inner.example.com/: 403 inner.example.com leads to 127.0.0.1: not allowed",
					"direct https://inner.example.com/: error")
			}
			argv := []string{program}
			for _, w := range want {
				at := strings.LastIndex(w, "/: ")
				argv = append(argv, w[:at+1])
			}
			box := b.open(l)
			var out, errs strings.Builder
			e, err := box.Run(t.Context(), Command{Argv: argv, Env: []string{"HTTPS_PROXY="}, Stdout: &out, Stderr: &errs, Timeout: 50 * time.Second})
			if err != nil || e.Code != 0 {
				t.Fatal(e, err, errs.String())
			}
			got := strings.Split(strings.TrimSpace(out.String()), "\n")
			for i, w := range want {
				if i >= len(got) || got[i] != w {
					t.Errorf("got %q, want %q", got[i:min(i+1, len(got))], w)
				}
			}
			if t.Failed() {
				t.Log(errs.String())
			}
			if c := box.Confinement().Network; !strings.HasPrefix(c, "proxy (api.example.com") {
				t.Error(c)
			}
		})
	}
}

// TestUpstream: where the user has a proxy, ours goes through it.
func TestUpstream(t *testing.T) {
	var asked, auth string
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		r, err := http.ReadRequest(bufio.NewReader(c))
		if err != nil {
			return
		}
		asked, auth = r.Method+" "+r.Host, r.Header.Get("Proxy-Authorization")
		io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\nhi")
	}()
	g, err := newGate([]string{"api.example.com"}, Dialer{})
	if err != nil {
		t.Fatal(err)
	}
	g.upstream = &url.URL{Scheme: "http", Host: l.Addr().String(), User: url.UserPassword("u", "p")}
	c, err := g.dial(t.Context(), "api.example.com", "443")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	b, _ := io.ReadAll(c)
	if want := "Basic " + base64.StdEncoding.EncodeToString([]byte("u:p")); string(b) != "hi" || asked != "CONNECT api.example.com:443" || auth != want {
		t.Errorf("%q %q %q", b, asked, auth)
	}
}

func TestPublic(t *testing.T) {
	for addr, want := range map[string]bool{
		"93.184.216.34": true, "2606:2800:220:1::1": true, "127.0.0.1": false, "10.1.2.3": false, "172.16.0.1": false, "192.168.1.1": false,
		"169.254.169.254": false, "100.64.0.1": false, "0.0.0.0": false, "224.0.0.1": false, "255.255.255.255": false, "::1": false, "::": false,
		"fe80::1": false, "fd00::1": false, "::ffff:127.0.0.1": false, "64:ff9b::7f00:1": false, "2002:7f00:1::": false,
		"::7f00:1": false, "192.88.99.1": false, "3fff::1": false, "5f00::1": false,
	} {
		if got := public(netip.MustParseAddr(addr)); got != want {
			t.Errorf("%s: %v", addr, got)
		}
	}
}

// TestProxyIsPrivate: another program of this machine that guesses the proxy's port gets nowhere: in an overlay it is not there, on a copy it asks for a
// password.
func TestProxyIsPrivate(t *testing.T) {
	d := internet(t)
	b := newBench(t, map[string]string{"a.md": "a"})
	b.spec.Network = Network{Hosts: []string{"api.example.com"}}
	for name, l := range map[string]Layer{"overlay": Overlay(OverlayOptions{Dialer: d}), "copy": Copy(CopyOptions{Dialer: d})} {
		t.Run(name, func(t *testing.T) {
			need(t, l)
			box := b.open(l)
			defer box.Close()
			var out strings.Builder
			c := sh(`echo "$HTTP_PROXY"`)
			c.Stdout = &out
			asked := false
			c.Talk = func(_ context.Context, rw io.ReadWriter) {
				line, _ := bufio.NewReader(rw).ReadString('\n')
				u, err := url.Parse(strings.TrimSpace(line))
				if err != nil || u.Host == "" {
					t.Errorf("no proxy: %q", line)
					return
				}
				asked = true
				u.User = nil
				client := http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(u)}, Timeout: 5 * time.Second}
				resp, err := client.Get("http://api.example.com/")
				if err == nil && resp.StatusCode != http.StatusProxyAuthRequired {
					t.Errorf("the proxy served a stranger: %s", resp.Status)
				}
				if name == "overlay" && err == nil {
					t.Errorf("the proxy can be reached from outside: %s", resp.Status)
				}
			}
			if e, err := box.Run(t.Context(), c); err != nil || e.Code != 0 || !asked {
				t.Fatal(e, err)
			}
		})
	}
}
