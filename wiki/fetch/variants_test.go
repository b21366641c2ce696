package fetch

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
)

// TestEncodings: what a page says in any encoding, told by its header, a mark, a meta tag, a late one, or by nobody.
func TestEncodings(t *testing.T) {
	const japaneseText, chineseText, western, russian = "お茶の淹れ方を説明します。湯の温度は八十度がよい。", "窑炉的温度决定釉的颜色，也决定它的光泽。", "Über die Glasur – “Café” kostet 5 €, naïve façade.", "Глазурь для керамики обжигают при высокой температуре."
	utf16le, utf16be := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	late := "<!-- " + strings.Repeat("x", 2000) + " -->"
	for _, tt := range []struct {
		name   string
		e      encoding.Encoding
		header string // of Content-Type
		head   string // in the page
		text   string
	}{
		{"Shift_JIS by header", japanese.ShiftJIS, "text/html; charset=Shift_JIS", "", japaneseText},
		{"Shift_JIS by meta", japanese.ShiftJIS, "text/html", "<meta charset=shift_jis>", japaneseText},
		{"EUC-JP by nobody", japanese.EUCJP, "text/html", "", japaneseText},
		{"ISO-2022-JP", japanese.ISO2022JP, "text/html; charset=iso-2022-jp", "", japaneseText},
		{"GB18030", simplifiedchinese.GB18030, "text/html; charset=gb18030", "", chineseText},
		{"GBK that says gb2312", simplifiedchinese.GBK, "text/html; charset=gb2312", "", chineseText + "镕"},
		{"Big5 by meta http-equiv", traditionalchinese.Big5, "text/html", `<meta http-equiv="Content-Type" content="text/html; charset=big5">`, "窯爐的溫度決定釉的顏色。"},
		{"EUC-KR", korean.EUCKR, "text/html; charset=euc-kr", "", "가마의 온도가 유약의 색을 정한다."},
		{"windows-1252", charmap.Windows1252, "text/html; charset=windows-1252", "", western},
		{"windows-1252 that says latin1", charmap.Windows1252, "text/html; charset=iso-8859-1", "", western},
		{"KOI8-R by nobody", charmap.KOI8R, "text/html", "", russian},
		{"windows-1251 by meta", charmap.Windows1251, "text/html", "<meta charset='windows-1251'>", russian},
		{"UTF-16 little with mark", utf16le, "text/html", "", japaneseText},
		{"UTF-16 big with mark", utf16be, "text/html; charset=utf-16", "", japaneseText},
		{"UTF-16 without mark, by header", unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), "text/html; charset=utf-16le", "", japaneseText},
		{"UTF-8 with mark against its header", unicode.UTF8BOM, "text/html; charset=iso-8859-1", "", japaneseText},
		{"UTF-8 by a late meta", unicode.UTF8, "text/html", late + "<meta charset=utf-8>", japaneseText},
		{"UTF-8 that nobody says", unicode.UTF8, "text/html", "", western},
		{"Shift_JIS that says UTF-8", japanese.ShiftJIS, "text/html; charset=utf-8", "<meta charset=shift_jis>", japaneseText},
		{"an encoding that is none", unicode.UTF8, "text/html; charset=x-klingon", "", japaneseText},
	} {
		t.Run(tt.name, func(t *testing.T) {
			body, err := tt.e.NewEncoder().String("<!doctype html><html><head>" + tt.head + "<title>T</title></head><body><article><h1>H</h1>" + strings.Repeat("<p>"+tt.text+"</p>\n", 6) + "</article></body></html>")
			if err != nil {
				t.Fatal(err)
			}
			p := mustFetch(t, "https://pots.example/a", []byte(body), "Content-Type", tt.header)
			if got := plain(string(p.Text)); !strings.Contains(got, tt.text) {
				t.Errorf("got %.200q", got)
			}
		})
	}
}

// TestSpellings: a host in any spelling is what it resolves to, at the first hop and at each later one; what a redirect says besides an address is not followed.
func TestSpellings(t *testing.T) {
	for _, host := range []string{"2130706433", "0x7f.1", "127.1", "0177.0.0.1", "localhost.", "LOCALHOST", "inside.example.", "ＬＯＣＡＬＨＯＳＴ", "[::ffff:7f00:1]", "127.0.0.1.", "xn--nxasmq6b.example", "bücher.example"} {
		w := newWeb(t, func(res http.ResponseWriter, req *http.Request) {
			if strings.HasPrefix(req.Host, "start.") {
				res.Header()["Location"] = []string{"http://" + host + "/secret"}
				res.WriteHeader(http.StatusFound)
				return
			}
			fmt.Fprint(res, "# A secret\n")
		})
		for _, name := range []string{"2130706433", "0x7f.1", "127.1", "0177.0.0.1", "localhost.", "localhost", "LOCALHOST", "inside.example.", "127.0.0.1.", "xn--nxasmq6b.example", "xn--bcher-kva.example", "bücher.example", "ＬＯＣＡＬＨＯＳＴ"} {
			w.names[name] = []string{"127.0.0.1"} // as some resolvers read them
		}
		for _, at := range []string{"http://" + host + "/", "http://start.example/"} {
			if p, err := w.fetcher(Options{}).Fetch(t.Context(), at); !errors.Is(err, ErrBlocked) && !errors.Is(err, ErrAddress) {
				t.Errorf("%s by %s: %v %v", host, at, p, err)
			}
		}
		if slices.ContainsFunc(w.asked, func(a string) bool { return strings.HasSuffix(a, "/secret") }) {
			t.Errorf("%s was asked: %q", host, w.asked)
		}
	}
}

// TestOddRedirects: loops, and answers that are no page.
func TestOddRedirects(t *testing.T) {
	for name, c := range map[string]struct {
		serve http.HandlerFunc
		kind  error
	}{
		"a loop of two": {func(res http.ResponseWriter, req *http.Request) {
			to := map[string]string{"/a": "/b", "/b": "/a"}[req.URL.Path]
			http.Redirect(res, req, "http://"+req.Host+to, http.StatusMovedPermanently)
		}, ErrHops},
		"to itself by refresh": {func(res http.ResponseWriter, _ *http.Request) {
			res.Header().Set("Refresh", "0; url=/a")
			res.Header().Set("Content-Type", "text/html")
			fmt.Fprint(res, "<meta http-equiv=refresh content='0;url=/a'>")
		}, nil},
		"not modified": {func(res http.ResponseWriter, _ *http.Request) { res.WriteHeader(http.StatusNotModified) }, ErrStatus},
		"a header without end": {func(res http.ResponseWriter, _ *http.Request) {
			res.Header().Set("X-Much", strings.Repeat("y", 1<<20))
			fmt.Fprint(res, "# Text\n")
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := newWeb(t, c.serve).fetcher(Options{}).Fetch(t.Context(), "http://go.example/a")
			if err == nil || c.kind != nil && !errors.Is(err, c.kind) || strings.Contains(err.Error(), "secret") {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestPasswordInRedirect: a name and a password in a Location are neither sent nor told.
func TestPasswordInRedirect(t *testing.T) {
	w := newWeb(t, func(res http.ResponseWriter, req *http.Request) {
		if req.Host == "go.example" {
			res.Header().Set("Location", "http://ann:secret@other.example/")
			res.WriteHeader(http.StatusFound)
			return
		}
		if _, _, ok := req.BasicAuth(); ok {
			t.Error("they were sent")
		}
		fmt.Fprint(res, "# Text\n")
	})
	p, err := w.fetcher(Options{}).Fetch(t.Context(), "http://go.example/a")
	if err != nil || p.URL != "http://other.example/" {
		t.Errorf("%+v %v", p, err)
	}
}

// TestSlow: a server that drips, in its head or its body, and one whose body has no end, cost the time and the bytes that a fetch may take and no more.
func TestSlow(t *testing.T) {
	for name, c := range map[string]struct {
		drip func(res http.ResponseWriter, gone <-chan struct{})
		kind error
	}{
		"no head": {func(_ http.ResponseWriter, gone <-chan struct{}) { <-gone }, ErrTimeout},
		"a dripping body": {func(res http.ResponseWriter, gone <-chan struct{}) {
			for {
				fmt.Fprint(res, "<p>x")
				_ = http.NewResponseController(res).Flush()
				select {
				case <-gone:
					return
				case <-time.After(20 * time.Millisecond):
				}
			}
		}, ErrTimeout},
		"chunks without end": {func(res http.ResponseWriter, gone <-chan struct{}) {
			for chunk := strings.Repeat("word ", 1<<12); ; {
				if _, err := fmt.Fprint(res, chunk); err != nil {
					return
				}
			}
		}, ErrTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWeb(t, func(res http.ResponseWriter, req *http.Request) {
				res.Header().Set("Content-Type", "text/html")
				c.drip(res, req.Context().Done())
			})
			o := Options{Time: time.Second, Bytes: 1 << 20}
			if c.kind == ErrTooLarge {
				o.Time = time.Minute
			}
			if _, err := w.fetcher(o).Fetch(t.Context(), "http://slow.example/"); !errors.Is(err, c.kind) {
				t.Errorf("%v", err)
			}
		})
	}
}
