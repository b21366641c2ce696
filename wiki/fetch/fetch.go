package fetch

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Options say how to fetch. The zero value asks public addresses with the default limits.
type Options struct {
	Private  bool          // this machine and private networks too; never metadata services
	Assets   bool          // images are fetched as well
	Allowed  []string      // hosts ("wiki.example", "*.example", "127.0.0.1:8080") that may be private
	Bytes    int64         // of one answer, unpacked; 20 MB
	Time     time.Duration // for the page with all its hops; 60 s
	Hops     int           // redirects; 10
	Agent    string        // User-Agent; "rig"
	Accepted string        // media types to say we take; ""
	// PDF reads a PDF's text: [ReadPDF] in a process of its own. nil: the text is not taken.
	PDF func(ctx context.Context, body []byte) (PDFText, error)
	// For tests: the resolver, the connection to a checked "address:port", certificates.
	Resolve func(ctx context.Context, host string) ([]netip.Addr, error)
	Dial    func(ctx context.Context, network, address string) (net.Conn, error)
	TLS     *tls.Config
}

// Fetcher fetches pages. It keeps nothing between two of them.
type Fetcher struct{ opts Options }

// New makes a fetcher.
func New(o Options) *Fetcher {
	o.Bytes = cmp.Or(o.Bytes, 20<<20)
	o.Time = cmp.Or(o.Time, 60*time.Second)
	o.Hops = cmp.Or(o.Hops, 10)
	o.Agent = cmp.Or(o.Agent, "rig (+https://github.com/rigwiki/rig)")
	o.Accepted = cmp.Or(o.Accepted, "text/html,application/xhtml+xml,text/markdown,text/plain;q=0.9,application/pdf;q=0.8,*/*;q=0.5")
	return &Fetcher{opts: o}
}

// answer is what a server said at the last hop.
type answer struct {
	url    *url.URL
	status int
	header http.Header
	body   []byte
	cut    string // why the body is not whole, "" where it is
}

// Fetch asks for a page, follows redirects and refreshes, and reads what it says. Errors are [*Error].
func (f *Fetcher) Fetch(ctx context.Context, address string) (*Page, error) {
	u, err := parseAddress(address)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, f.opts.Time, ErrTimeout)
	defer cancel()
	client := f.client()
	defer client.CloseIdleConnections()
	for hop := 1; ; hop++ {
		if hop > f.opts.Hops+1 {
			return nil, &Error{Kind: ErrHops, URL: show(u), Hop: hop - 1, Why: fmt.Sprintf("more than %d redirects", f.opts.Hops)}
		}
		a, next, err := f.ask(ctx, client, u)
		if err == nil && next == nil {
			var p *Page
			if p, next, err = f.read(ctx, a); err == nil && next == nil {
				if f.opts.Assets {
					f.fetchAssets(ctx, client, p)
				}
				return p, nil
			}
		}
		if err != nil {
			return nil, f.explain(ctx, err, u, hop)
		}
		if err := checkScheme(next); err != nil {
			return nil, &Error{Kind: ErrBlocked, URL: show(next), Hop: hop + 1, Why: "a redirect to " + next.Scheme + ": is not followed"}
		}
		u = next
	}
}

// parseAddress reads what the user gave.
func parseAddress(address string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil {
		return nil, &Error{Kind: ErrAddress, URL: quoteShort(address), Hop: 1, Why: "not an address"}
	}
	if err := checkScheme(u); err != nil {
		return nil, &Error{Kind: ErrAddress, URL: show(u), Hop: 1, Why: "only http: and https: are fetched"}
	}
	if u.User != nil {
		return nil, &Error{Kind: ErrAddress, URL: show(u), Hop: 1, Why: "an address with a name and a password is not fetched"}
	}
	return u, nil
}

func checkScheme(u *url.URL) error {
	if u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return ErrAddress
	}
	return nil
}

// Check says what is wrong with an address before anything is asked: its form, its scheme, or that it is not public.
func (f *Fetcher) Check(ctx context.Context, address string) error {
	u, err := parseAddress(address)
	if err != nil {
		return err
	}
	addrs, _ := f.resolve(ctx, u.Hostname()) // a name that nobody knows here is the asker's to find out
	for _, a := range addrs {
		if err := f.check(u.Hostname(), u.Port(), a); err != nil {
			return f.explain(ctx, err, u, 1)
		}
	}
	return nil
}

// ask makes one request. next is where a redirect leads.
func (f *Fetcher) ask(ctx context.Context, client *http.Client, u *url.URL) (a *answer, next *url.URL, err error) {
	to := *u
	to.Fragment, to.RawFragment, to.User = "", "", nil
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, to.String(), nil)
	if err != nil {
		return nil, nil, err
	}
	req.Header.Set("User-Agent", f.opts.Agent)
	req.Header.Set("Accept", f.opts.Accepted)
	req.Header.Set("Accept-Encoding", "gzip")
	res, err := client.Do(req)
	if err != nil {
		if strings.Contains(err.Error(), "parse Location header") { // net/http looks at it even where redirects are not its to follow
			err = &Error{Kind: ErrStatus, Why: "a redirect leads to no address: " + reason(err)}
		}
		return nil, nil, err
	}
	defer res.Body.Close()
	if at := res.Header.Get("Location"); at != "" && leadsOn(res.StatusCode) {
		next, err := to.Parse(at)
		if err != nil {
			return nil, nil, &Error{Kind: ErrStatus, Why: fmt.Sprintf("status %d leads to %s, which is no address", res.StatusCode, quoteShort(at))}
		}
		return nil, next, nil
	}
	if res.StatusCode < 200 || res.StatusCode > 299 || res.StatusCode == http.StatusNoContent {
		return nil, nil, &Error{Kind: ErrStatus, Status: res.StatusCode, Hint: later(res.Header.Get("Retry-After")), Why: strings.TrimSpace(fmt.Sprintf("status %d %s", res.StatusCode, http.StatusText(res.StatusCode)))}
	}
	a = &answer{url: &to, status: res.StatusCode, header: res.Header}
	a.body, a.cut, err = readBody(res, f.opts.Bytes)
	if a.cut == "" && res.StatusCode == http.StatusPartialContent {
		a.cut = "the server sent a part of the page only (status 206), which was not asked for"
	}
	return a, nil, err
}

// leadsOn tells the statuses whose Location is where the page is (RFC 9110, section 15.4); not modified and proxies are none.
func leadsOn(status int) bool {
	switch status {
	case http.StatusMultipleChoices, http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// later is the hint of a Retry-After, in seconds or as a date (RFC 9110, section 10.2.3); "" where it is neither.
func later(after string) string {
	if n, err := strconv.Atoi(strings.TrimSpace(after)); err == nil && n >= 0 {
		return fmt.Sprintf("the server asks to wait %s", time.Duration(min(n, 1<<30))*time.Second)
	}
	if at, err := http.ParseTime(after); err == nil {
		return "the server asks to wait until " + at.UTC().Format("2006-01-02 15:04:05") + " UTC"
	}
	return ""
}

// explain makes an *Error of whatever went wrong at a hop.
func (f *Fetcher) explain(ctx context.Context, err error, u *url.URL, hop int) error {
	out := &Error{Kind: err, URL: show(u), Hop: hop, Why: reason(err)}
	var known *Error
	var no *blocked
	var dns *net.DNSError
	switch {
	case errors.As(err, &known):
		out.Kind, out.Why, out.Hint, out.Status = known.Kind, known.Why, known.Hint, known.Status
	case errors.As(err, &no):
		out.Kind, out.Why = ErrBlocked, no.Error()
		if no.reach == private {
			out.Hint = "--allow-private fetches from this machine and private networks"
		}
	case errors.Is(err, ErrBlocked):
		out.Kind = ErrBlocked
	case errors.Is(context.Cause(ctx), ErrTimeout):
		out.Kind, out.Why = ErrTimeout, fmt.Sprintf("not done after %s", f.opts.Time)
	case ctx.Err() != nil:
		out.Kind, out.Why = context.Cause(ctx), "cancelled"
	case errors.As(err, &dns):
		out.Why = "no such host: " + dns.Name
		if !dns.IsNotFound {
			out.Why = "look up " + dns.Name + ": " + dns.Err
		}
	}
	return out
}

// reason drops what the HTTP client puts before an error: the method and the address are told already.
func reason(err error) string {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return err.Error()
}

// mediaType is the type of an answer without its parameters, lower case; "" where there is none or a broken one.
func (a *answer) mediaType() string {
	t, _, err := mime.ParseMediaType(a.header.Get("Content-Type"))
	if err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) {
		return ""
	}
	return t
}

// show is an address for messages and front matter: without password and fragment, without what a terminal would act on.
func show(u *url.URL) string {
	c := *u
	c.User, c.Fragment, c.RawFragment = nil, "", ""
	return c.String()
}

func quoteShort(s string) string {
	if r := []rune(s); len(r) > 100 {
		s = string(r[:99]) + "…"
	}
	return fmt.Sprintf("%q", s)
}
