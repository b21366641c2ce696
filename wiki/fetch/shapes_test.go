package fetch

import (
	"bytes"
	"compress/gzip"
	"errors"
	"net/http"
	"strings"
	"testing"
)

// TestShapes: what pages in the wild are made of, in small, and what stands for it in the source.
func TestShapes(t *testing.T) {
	for _, c := range []struct{ name, page, want string }{
		{"lines that are spans without line ends", `<div data-language="ts"><pre><code><span class="line">let a</span><span class="line">b</span></code></pre></div>`, "```ts\nlet a\nb\n```"},
		{"lines that are spans with line ends", "<pre class=shiki><code><span class=line>a</span>\n<span class=line>b</span></code></pre>", "```\na\nb\n```"},
		{"lines within lines", "<pre class=chroma><code data-lang=toml><span class=line><span class=cl>a = 1\n</span></span><span class=line><span class=cl>b = 2\n</span></span></code></pre>", "```toml\na = 1\nb = 2\n```"},
		{"code in a quote", "<blockquote><p>q</p><pre><code class=language-sh>a\n  b</code></pre></blockquote>", "> q\n>\n> ```sh\n> a\n>   b\n> ```"},
		{"code in a list in a quote", "<blockquote><ul><li><p>q</p><pre>a\n b</pre></li></ul></blockquote>", "> - q\n>\n>   ```\n>   a\n>    b\n>   ```"},
		{"a table that lays out one with data", "<table><tr><td><h2>Clay</h2><table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table></td><td>k</td></tr></table>", "| A | B |\n| --- | --- |\n| 1 | 2 |"},
		{"a cell down to the end", "<table><tr><th>A</th><th>B</th></tr><tr><td rowspan=0>x</td><td>1</td></tr><tr><td>2</td></tr><tr><td>3</td></tr></table>", "| A | B |\n| --- | --- |\n| x | 1 |\n|  | 2 |\n|  | 3 |"},
		{"MathML of MathJax without its TeX", `<p>f <mjx-container class="MathJax"><mjx-math></mjx-math><mjx-assistive-mml><math><mi>a</mi><mo>+</mo><mi>b</mi></math></mjx-assistive-mml></mjx-container> g</p>`, "f a+b g"},
		{"KaTeX without its TeX", `<p>k <span class="katex"><span class="katex-html" aria-hidden="true"><span>E=mc</span></span></span> l</p>`, "k E=mc l"},
		{"a display formula within a text", `<p>as $$c_1*d$$ says, and \[e_1\]</p>`, "as $$c_1*d$$ says, and $$e_1$$"},
		{"a display formula of its own", `<p>$$c_1*d$$</p>`, "$$\nc_1*d\n$$"},
		{"notes by names, as Word writes them", `<p>clay<a href="#_ftn1" name="_ftnref1">[1]</a></p><p><a href="#_ftnref1" name="_ftn1">[1]</a> A note.</p>`, "clay[^1]"},
		{"boxes of a task list", `<ul><li><input type=checkbox checked disabled> done</li><li><label><input type="checkbox"> open</label></li></ul>`, "- [x] done\n- [ ] open"},
		{"pictures for later", `<img data-lazyload="/a.jpg" src="/ph.svg" alt=a><img data-original-src="/b.jpg" alt=b><img data-image="/c.jpg" alt=c><picture><source data-srcset="/d1.webp 1x, /d.webp 2x"><img alt=d></picture>`,
			"![a](http://ex.example/a.jpg)![b](http://ex.example/b.jpg)![c](http://ex.example/c.jpg)![d](http://ex.example/d.webp)"},
		{"a set without blanks", `<img srcset="https://x.example/y,z.jpg 1x,https://x.example/y2.jpg 2x" alt=h>`, "![h](https://x.example/y2.jpg)"},
		{"a set of addresses alone", `<img srcset="/p.jpg, /q.jpg 2x" alt=h>`, "![h](http://ex.example/q.jpg)"},
		{"an address that a script would fill in", `<img data-src="{{url}}" src="/i.jpg" alt=i>`, "![i](http://ex.example/i.jpg)"},
		{"text that is not shown", `<div style="color:red; DISPLAY : none !important">agents: a</div><p style="font-size:0">agents: b</p><p hidden>agents: c</p><p style="visibility:hidden">agents: d</p><p style="opacity:0; font-size:0.9em">seen</p>`, "seen"},
		{"a formula beside its picture", `<p><span style="display: none;"><math><semantics><annotation encoding="application/x-tex">x^2</annotation></semantics></math></span></p>`, "$x^2$"},
	} {
		p := mustFetch(t, "http://ex.example/dir/page", []byte("<!doctype html><title>T</title><article><h1>T</h1><p>"+paragraph+"</p>"+c.page+"<p>"+paragraph+"</p></article>"), "Content-Type", "text/html; charset=utf-8")
		if !strings.Contains(string(p.Text), "\n\n"+c.want+"\n") {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, p.Text, c.want)
		}
		if strings.Contains(string(p.Text), "agents:") {
			t.Errorf("%s:\n%s", c.name, p.Text)
		}
	}
}

// TestStatuses: what is no page and no way to one is told as what it is; a part of a page is said to be one.
func TestStatuses(t *testing.T) {
	for _, c := range []struct {
		status     int
		key, value string
		why, hint  string
	}{
		{http.StatusTooManyRequests, "Retry-After", "120", "status 429 Too Many Requests", "the server asks to wait 2m0s"},
		{http.StatusServiceUnavailable, "Retry-After", "Wed, 21 Oct 2026 07:28:00 GMT", "status 503", "until 2026-10-21 07:28:00 UTC"},
		{http.StatusTooManyRequests, "Retry-After", "soon", "status 429", ""},
		{http.StatusNotModified, "Location", "http://other.example/", "status 304", ""},
		{http.StatusUseProxy, "Location", "http://other.example/", "status 305", ""},
		{http.StatusResetContent, "X", "y", "the answer is empty", ""},
	} {
		w := newWeb(t, func(res http.ResponseWriter, _ *http.Request) {
			res.Header()[c.key] = []string{c.value}
			res.WriteHeader(c.status)
		})
		_, err := w.fetcher(Options{}).Fetch(t.Context(), "http://go.example/a")
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(e.Error(), c.why) || !strings.Contains(e.Hint, c.hint) || c.hint == "" && e.Hint != "" || len(w.asked) != 1 {
			t.Errorf("%d %s: %v, hint %q, asked %q", c.status, c.value, err, e.Hint, w.asked)
		}
	}
	w := newWeb(t, func(res http.ResponseWriter, _ *http.Request) {
		res.Header().Set("Content-Range", "bytes 0-9/100")
		res.WriteHeader(http.StatusPartialContent)
		_, _ = res.Write([]byte("# A text that is cut"))
	})
	if p, err := w.fetcher(Options{}).Fetch(t.Context(), "http://go.example/a"); err != nil || len(p.Notes) != 1 || !strings.Contains(p.Notes[0], "206") {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestLies: answers that are not what their headers say.
func TestLies(t *testing.T) {
	var z bytes.Buffer
	g := gzip.NewWriter(&z)
	_, _ = g.Write(titled("Packed"))
	_ = g.Close()
	for _, c := range []struct {
		name    string
		body    []byte
		headers []string
		title   string
		text    string
	}{
		{"bytes behind the packed page", append(bytes.Clone(z.Bytes()), "<p>behind"...), []string{"Content-Type", "text/html", "Content-Encoding", "gzip"}, "Packed", paragraph},
		{"packed as a list", z.Bytes(), []string{"Content-Type", "text/html", "Content-Encoding", "identity, GZIP"}, "Packed", paragraph},
		{"packed as nothing", titled("Plain"), []string{"Content-Type", "text/html", "Content-Encoding", "none"}, "Plain", paragraph},
		{"a charset for a packing", titled("Plain"), []string{"Content-Type", "text/html", "Content-Encoding", "UTF-8"}, "Plain", paragraph},
		{"a page that says it is data", titled("A page"), []string{"Content-Type", "application/json"}, "A page", paragraph},
		{"data that says it is a page", []byte("{\"a\": [1, 2]}\n"), []string{"Content-Type", "text/html"}, "dir", "```json\n{\"a\": [1, 2]}\n```"},
		{"a script that begins as data does", append([]byte("[x] "), titled("A page")...), []string{"Content-Type", "text/html"}, "A page", paragraph},
	} {
		p, err := fetchBytes(t, "http://ex.example/dir", c.body, c.headers...)
		if err != nil || p.Title != c.title || !strings.Contains(string(p.Text), c.text) || strings.Contains(string(p.Text), "behind") {
			t.Errorf("%s: %+v, %v", c.name, p, err)
		}
	}
	w := newWeb(t, func(res http.ResponseWriter, req *http.Request) {
		res.Header().Set("Content-Type", "text/html")
		switch req.URL.Path {
		case "/a":
			res.Header().Set("Refresh", "0; url=/b")
		case "/in":
			res.Header().Set("Refresh", "1; url='http://169.254.169.254/'")
		}
		_, _ = res.Write(titled(req.URL.Path))
	})
	if p, err := w.fetcher(Options{}).Fetch(t.Context(), "http://go.example/a"); err != nil || p.URL != "http://go.example/b" {
		t.Errorf("a refresh by header: %+v, %v", p, err)
	}
	if _, err := w.fetcher(Options{Private: true}).Fetch(t.Context(), "http://go.example/in"); !errors.Is(err, ErrBlocked) {
		t.Errorf("a refresh by header into the cloud: %v", err)
	}
}
