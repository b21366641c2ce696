package fetch

import (
	"net/url"
	"strings"

	"golang.org/x/net/idna"
)

// Same is the one spelling of the addresses that mean the same page: scheme and host in lower case and ASCII, without the scheme's own port, fragment and
// slashes at the end, without percent-encoding that the path does not need (RFC 3986, section 6.2). "" is no address of the web.
func Same(address string) string {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || checkScheme(u) != nil {
		return ""
	}
	u.User, u.Fragment, u.RawFragment, u.ForceQuery = nil, "", "", false
	host := strings.ToLower(strings.TrimSuffix(u.Host, ":"))
	if port := u.Port(); port == "80" && u.Scheme == "http" || port == "443" && u.Scheme == "https" {
		host = strings.TrimSuffix(host, ":"+port)
	}
	if ascii, err := idna.Lookup.ToASCII(host); err == nil { // else it is one that is no name: a literal address, a name with "_"
		host = ascii
	}
	u.Host = host
	if !strings.Contains(strings.ToLower(u.RawPath), "%2f") { // a slash that is no separator is another path
		u.RawPath = ""
	}
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), strings.TrimRight(u.RawPath, "/")
	u.RawQuery = asciiQuery(u.RawQuery)
	return u.String()
}

// asciiQuery encodes what is not ASCII: net/url leaves a query as it is.
func asciiQuery(q string) string {
	var b strings.Builder
	for i := 0; i < len(q); i++ {
		if c := q[i]; c < 0x80 {
			b.WriteByte(c)
		} else {
			b.WriteString(url.QueryEscape(string([]byte{c})))
		}
	}
	return b.String()
}
