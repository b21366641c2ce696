package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// client is an HTTP client that keeps nothing, follows nothing by itself and dials checked addresses only.
func (f *Fetcher) client() *http.Client {
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext:            f.dial,
			DisableCompression:     true, // unpacked here, where it is bounded
			DisableKeepAlives:      true,
			ForceAttemptHTTP2:      true,
			TLSHandshakeTimeout:    15 * time.Second,
			MaxResponseHeaderBytes: 256 << 10,
			TLSClientConfig:        f.opts.TLS,
		},
	}
}

// blocked is an address that may not be asked for.
type blocked struct {
	host, name string
	addr       netip.Addr
	reach      reach
}

func (b *blocked) Error() string {
	if b.host == b.addr.String() {
		return fmt.Sprintf("%s is not public (%s)", b.addr, b.name)
	}
	return fmt.Sprintf("%s is %s, which is not public (%s)", b.host, b.addr, b.name)
}

func (b *blocked) Unwrap() error { return ErrBlocked }

// dial resolves a name once, checks every address that it has and dials those: a name that changes its mind afterwards is not asked again. A name
// with one address that is not public is refused as a whole, since it is no honest site's.
func (f *Fetcher) dial(ctx context.Context, network, hostport string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(hostport)
	if err != nil {
		return nil, err
	}
	addrs, err := f.resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	for _, a := range addrs {
		if err := f.check(host, port, a); err != nil {
			return nil, err
		}
	}
	var errs []error
	for _, a := range addrs {
		conn, err := f.connect(ctx, network, host, netip.AddrPortFrom(a, portOf(port)).String())
		if err == nil {
			return conn, nil
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}

func (f *Fetcher) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}, nil
	}
	look := f.opts.Resolve
	if look == nil {
		look = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	addrs, err := look(ctx, host)
	if err == nil && len(addrs) == 0 {
		err = fmt.Errorf("%s has no address", host)
	}
	return addrs, err
}

func (f *Fetcher) check(host, port string, a netip.Addr) error {
	r, name := judgeAddr(a)
	if r == public || r == private && (f.opts.Private || f.allowed(host, port)) {
		return nil
	}
	return &blocked{host: strings.Trim(host, "[]"), name: name, addr: a.Unmap(), reach: r}
}

// connect dials one address. The check is made once more on the address that the socket gets, so that no way around the one above leads out.
func (f *Fetcher) connect(ctx context.Context, network, host, address string) (net.Conn, error) {
	if f.opts.Dial != nil {
		return f.opts.Dial(ctx, network, address)
	}
	d := net.Dialer{Timeout: 15 * time.Second, Control: func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return fmt.Errorf("%w: %s", ErrBlocked, address)
		}
		return f.check(host, strconv.Itoa(int(at.Port())), at.Addr())
	}}
	return d.DialContext(ctx, network, address)
}

// allowed tells whether the user's configuration names the host. A port that it names must be the one.
func (f *Fetcher) allowed(host, port string) bool {
	return slices.ContainsFunc(f.opts.Allowed, func(a string) bool {
		if h, p, err := net.SplitHostPort(a); err == nil {
			if a = h; p != port {
				return false
			}
		}
		if tail, ok := strings.CutPrefix(a, "*"); ok {
			return strings.HasSuffix(strings.ToLower(host), strings.ToLower(tail))
		}
		return strings.EqualFold(a, host)
	})
}

func portOf(port string) uint16 {
	n, err := net.LookupPort("tcp", port)
	if err != nil {
		return 0
	}
	return uint16(n)
}
