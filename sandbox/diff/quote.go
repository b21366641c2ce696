package diff

import (
	"errors"
	"fmt"
	"strings"
)

// escapes are the letters that stand for control characters in a C-quoted name, as in git's quote.c and GNU diff.
const escapes = "a\ab\bt\tn\nv\vf\fr\r\"\"\\\\"

// quote writes a name so that git and GNU patch read it back: as it is where it is plain, C-quoted where it holds anything but
// printable ASCII, and also where it holds a blank, at which GNU patch would end a bare name in a "diff --git" line.
func quote(name string) string {
	if strings.IndexFunc(name, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '"' || r == '\\' }) < 0 {
		return name
	}
	var s strings.Builder
	s.WriteByte('"')
	for i := range len(name) {
		c := name[i]
		if letter, ok := escape(c); ok {
			s.WriteByte('\\')
			s.WriteByte(letter)
		} else if c < ' ' || c >= 0x7f {
			fmt.Fprintf(&s, "\\%03o", c)
		} else {
			s.WriteByte(c)
		}
	}
	s.WriteByte('"')
	return s.String()
}

func escape(c byte) (letter byte, ok bool) {
	for i := 0; i < len(escapes); i += 2 {
		if escapes[i+1] == c {
			return escapes[i], true
		}
	}
	return 0, false
}

func unescape(letter byte) (c byte, ok bool) {
	for i := 0; i < len(escapes); i += 2 {
		if escapes[i] == letter {
			return escapes[i+1], true
		}
	}
	return 0, false
}

var errQuote = errors.New("bad quoted name")

// unquote reads a C-quoted name at the start of s and gives what follows it. Octal escapes are bytes.
func unquote(s string) (name, rest string, err error) {
	var out []byte
	for i := 1; i < len(s); i++ {
		switch c := s[i]; c {
		case '"':
			return string(out), s[i+1:], nil
		case '\\':
			i++
			if i == len(s) {
				return "", "", errQuote
			}
			if c, ok := unescape(s[i]); ok {
				out = append(out, c)
				continue
			}
			n, digits := 0, 0
			for ; digits < 3 && i < len(s) && '0' <= s[i] && s[i] <= '7'; digits++ {
				n = n*8 + int(s[i]-'0')
				i++
			}
			if digits == 0 || n > 0xff {
				return "", "", errQuote
			}
			i--
			out = append(out, byte(n))
		default:
			out = append(out, c)
		}
	}
	return "", "", errQuote
}
