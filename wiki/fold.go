package wiki

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// foldPath is the form in which paths are compared with protected ones: what some file system somewhere takes for the same file is
// equal in it. Backslashes are separators; "." and empty components go, ".." is resolved where it can be (a leading ".." stays); each component
// is folded by [foldName]. It is idempotent.
func foldPath(p string) string {
	for range 8 {
		next := foldPathOnce(p)
		if next == p {
			break
		}
		p = next
	}
	return p
}

// foldPathOnce normalizes before it splits: a fullwidth solidus comes to light as a separator.
func foldPathOnce(p string) string {
	var out []string
	for _, c := range strings.FieldsFunc(norm.NFKC.String(p), func(r rune) bool { return r == '/' || r == '\\' }) {
		switch c = foldName(c); {
		case c == "" || c == ".":
		case c == ".." && len(out) > 0 && out[len(out)-1] != "..":
			out = out[:len(out)-1]
		default:
			out = append(out, c)
		}
	}
	return strings.Join(out, "/")
}

// foldName folds one component: NFKC, default-ignorable runes dropped (HFS+ ignores them), case folded, cut at a colon (an NTFS stream),
// trailing dots and blanks dropped (Win32 drops them). "." and ".." stay as they are.
func foldName(c string) string {
	for range 8 {
		next := foldOnce(c)
		if next == c {
			break
		}
		c = next
	}
	return c
}

func foldOnce(c string) string {
	c = strings.Map(func(r rune) rune {
		if isIgnorable(r) {
			return -1
		}
		return r
	}, c)
	c = norm.NFKC.String(cases.Fold().String(norm.NFKC.String(c)))
	if i := strings.IndexByte(c, ':'); i > 0 {
		c = c[:i]
	}
	if c == "." || c == ".." {
		return c
	}
	if t := strings.TrimRightFunc(c, func(r rune) bool { return r == '.' || unicode.IsSpace(r) }); t != "" {
		c = t
	}
	return c
}

// isIgnorable tells runes of Unicode's Default_Ignorable_Code_Point (UAX #44, table DerivedCoreProperties), which x/text has no table for.
func isIgnorable(r rune) bool {
	switch {
	case r == 0xAD, r == 0x34F, r == 0x61C, r == 0x3164, r == 0xFFA0, r == 0xFEFF:
		return true
	case r >= 0x115F && r <= 0x1160, r >= 0x17B4 && r <= 0x17B5, r >= 0x180B && r <= 0x180F:
		return true
	case r >= 0x200B && r <= 0x200F, r >= 0x202A && r <= 0x202E, r >= 0x2060 && r <= 0x206F:
		return true
	case r >= 0xFE00 && r <= 0xFE0F, r >= 0xFFF0 && r <= 0xFFF8:
		return true
	case r >= 0x1BCA0 && r <= 0x1BCA3, r >= 0x1D173 && r <= 0x1D17A, r >= 0xE0000 && r <= 0xE0FFF:
		return true
	}
	return false
}

// cutBytes cuts s to at most n bytes at a rune's boundary.
func cutBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
