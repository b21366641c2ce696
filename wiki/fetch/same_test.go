package fetch

import "testing"

// TestSame holds which addresses mean the same page, and which do not.
func TestSame(t *testing.T) {
	for _, c := range [][]string{
		{"https://e.org", "HTTPS://E.org/", "https://e.org:443/#top", "https://e.org:/", " https://user:pw@e.org "},
		{"http://e.org/a", "http://e.org:80/a/", "http://E.ORG/a#b"},
		{"http://e.org:443/a"},
		{"https://e.org/A"},
		{"https://e.org/a?b=1", "https://e.org/a/?b=1#x"},
		{"https://e.org/a?b=2"},
		{"https://e.org/x_(y)", "https://e.org/x_%28y%29"},
		{"https://e.org/知识?q=识", "https://e.org/%E7%9F%A5%E8%AF%86?q=%E8%AF%86", "https://e.org/%e7%9f%a5%e8%af%86?q=%E8%AF%86"},
		{"https://bücher.example/", "https://xn--bcher-kva.example"},
		{"https://e.org/a%2Fb"},
		{"https://e.org/a/b"},
		{"http://[::1]:8080/a", "http://[::1]:8080/a/"},
		{"http://a_b.example:8080", "http://A_B.example:8080/"},
	} {
		want := Same(c[0])
		if want == "" {
			t.Errorf("%q is no address", c[0])
		}
		for _, other := range c[1:] {
			if got := Same(other); got != want {
				t.Errorf("%q is %q, %q is %q", c[0], want, other, got)
			}
		}
		for _, d := range [][]string{{"https://e.org/a"}, {"https://e.org/other"}} {
			if Same(d[0]) == want {
				t.Errorf("%q is taken for %q", c[0], d[0])
			}
		}
	}
	for _, no := range []string{"", "e.org", "ftp://e.org/", "mailto:a@e.org", "https://", "https:// e.org", "http://%zz", "file:///etc/passwd"} {
		if got := Same(no); got != "" {
			t.Errorf("%q is the address %q", no, got)
		}
	}
}

// FuzzSame holds that one spelling is the spelling of itself.
func FuzzSame(f *testing.F) {
	for _, s := range []string{"https://e.org/a%2Fb/?q#f", "http://ü.example:80//", "http://[::1%25en0]/", "https://e.org/%"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if one := Same(s); one != "" && Same(one) != one {
			t.Errorf("%q is %q, and that is %q", s, one, Same(one))
		}
	})
}
