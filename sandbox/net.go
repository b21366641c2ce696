package sandbox

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// A Dialer is how the proxy finds and reaches the hosts that a program may talk to. The zero value asks the system.
type Dialer struct {
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)
	Dial   func(ctx context.Context, addr netip.AddrPort) (net.Conn, error)
}

// dialTimeout bounds one attempt to reach a host.
const dialTimeout = 20 * time.Second

// A gate decides which hosts are reached, and reaches them.
type gate struct {
	rules    []hostRule
	dialer   Dialer
	upstream *url.URL // the user's own HTTP proxy, which then finds the host; nil: none
}

// hostRule is one entry of Network.Hosts.
type hostRule struct {
	name  string // lower case; "*.x" matches below x
	ports []string
}

// errDenied: the host is not in the allow-list, or leads where it must not.
var errDenied = errors.New("not allowed")

func newGate(hosts []string, d Dialer) (*gate, error) {
	g := &gate{dialer: d}
	for _, h := range hosts {
		r := hostRule{strings.ToLower(h), []string{"443", "80"}}
		if name, port, err := net.SplitHostPort(h); err == nil {
			r = hostRule{strings.ToLower(name), []string{port}}
			if _, err := strconv.ParseUint(port, 10, 16); err != nil {
				return nil, fmt.Errorf("host %q: bad port", h)
			}
		}
		if strings.ContainsAny(r.name, "/ \t\n@") || strings.Contains(strings.TrimPrefix(r.name, "*."), "*") || r.name == "" {
			return nil, fmt.Errorf("host %q: not a host name", h)
		}
		g.rules = append(g.rules, r)
	}
	if d.Lookup == nil {
		g.dialer.Lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	if d.Dial == nil {
		g.dialer.Dial = func(ctx context.Context, a netip.AddrPort) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "tcp", a.String())
		}
	}
	return g, nil
}

// allows tells whether a host (without port) may be reached at a port.
func (g *gate) allows(host, port string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	for _, r := range g.rules {
		match := r.name == host
		if below, ok := strings.CutPrefix(r.name, "*."); ok {
			match = strings.HasSuffix(host, "."+below)
		}
		for _, p := range r.ports {
			if match && p == port {
				return true
			}
		}
	}
	return false
}

// names are the rules that one name stands for, with their ports: what a private hosts file can hold.
func (g *gate) names() (names, ports []string) {
	seen := map[string]bool{}
	for _, r := range g.rules {
		if _, err := netip.ParseAddr(r.name); err == nil || strings.HasPrefix(r.name, "*.") {
			continue
		}
		names = append(names, r.name)
		for _, p := range r.ports {
			if !seen[p] {
				seen[p] = true
				ports = append(ports, p)
			}
		}
	}
	return names, ports
}

// dial reaches an allowed host. The name is resolved once, and what it resolved to is checked and then used: a name that leads to a private
// address is refused whole. An address that the rules name literally is the user's wish.
func (g *gate) dial(ctx context.Context, host, port string) (net.Conn, error) {
	if !g.allows(host, port) {
		return nil, fmt.Errorf("%s:%s: %w", host, port, errDenied)
	}
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return nil, err
	}
	if a, err := netip.ParseAddr(host); err == nil {
		return g.dialer.Dial(ctx, netip.AddrPortFrom(a, uint16(n)))
	}
	if g.upstream != nil {
		return g.viaUpstream(ctx, net.JoinHostPort(host, port))
	}
	addrs, err := g.dialer.Lookup(ctx, host)
	if err != nil {
		return nil, err
	}
	for _, a := range addrs {
		if !public(a) {
			return nil, fmt.Errorf("%s leads to %s: %w", host, a, errDenied)
		}
	}
	err = fmt.Errorf("%s: no address", host)
	for _, a := range addrs {
		var c net.Conn
		if c, err = g.dialer.Dial(ctx, netip.AddrPortFrom(a, uint16(n))); err == nil {
			return c, nil
		}
	}
	return nil, err
}

// viaUpstream asks the user's own proxy for a tunnel (RFC 9110, 9.3.6).
func (g *gate) viaUpstream(ctx context.Context, addr string) (net.Conn, error) {
	host := g.upstream.Host
	if g.upstream.Port() == "" {
		host = net.JoinHostPort(g.upstream.Hostname(), "80")
	}
	c, err := new(net.Dialer).DialContext(ctx, "tcp", host)
	if err != nil {
		return nil, err
	}
	if t, ok := ctx.Deadline(); ok {
		c.SetDeadline(t)
	}
	req := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: addr}, Host: addr, Header: http.Header{}}
	if u := g.upstream.User; u != nil {
		pass, _ := u.Password()
		r := http.Request{Header: http.Header{}}
		r.SetBasicAuth(u.Username(), pass)
		req.Header.Set("Proxy-Authorization", r.Header.Get("Authorization"))
	}
	if err := req.Write(c); err != nil {
		c.Close()
		return nil, err
	}
	br := bufio.NewReader(c)
	resp, err := http.ReadResponse(br, req)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("the user's proxy answers %s", resp.Status)
	}
	if err != nil {
		c.Close()
		return nil, err
	}
	c.SetDeadline(time.Time{})
	return &peeked{Conn: c, r: br}, nil
}

// public tells whether an address is one of the open internet (RFC 6890 and its registries).
func public(a netip.Addr) bool {
	a = a.Unmap()
	if !a.IsGlobalUnicast() || a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() {
		return false
	}
	for _, p := range []string{"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
		"192.88.99.0/24", "240.0.0.0/4", "::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16", "fec0::/10"} {
		if netip.MustParsePrefix(p).Contains(a) {
			return false
		}
	}
	return true
}

// loopbackAddrs refuses what is no loopback address: a forwarder leads to the host.
func loopbackAddrs(list []string) error {
	for _, a := range list {
		ap, err := netip.ParseAddrPort(a)
		if err != nil || !ap.Addr().IsLoopback() {
			return fmt.Errorf("%q is not an address of the loopback interface", a)
		}
	}
	return nil
}

// newToken is a password that nobody guesses.
func newToken() string { return rand.Text() }
