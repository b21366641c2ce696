package index

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Fold is the form in which names are compared: NFC and Unicode case folding.
func Fold(s string) string {
	ascii, lower := true, true
	for i := 0; i < len(s); i++ {
		ascii = ascii && s[i] < 0x80
		lower = lower && (s[i] < 'A' || s[i] > 'Z')
	}
	switch {
	case ascii && lower:
		return s
	case ascii:
		return strings.ToLower(s)
	}
	return norm.NFC.String(cases.Fold().String(norm.NFC.String(s)))
}

// Loose is Fold with each run of blanks, dashes and underscores written as one dash: what a near miss of a name has in common with it.
func Loose(s string) string {
	s = Fold(s)
	if plainName(s) {
		return s
	}
	var b strings.Builder
	gap := false
	for _, r := range s {
		if isGap(r) {
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte('-')
		}
		gap = false
		b.WriteRune(r)
	}
	return b.String()
}

// plainName tells a name that Loose leaves as it is, as most slugs are: ASCII, its only gaps single dashes inside.
func plainName(s string) bool {
	gap := true
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 0x80 || c == '_' || c <= ' ' || c == '-' && gap {
			return false
		}
		gap = c == '-'
	}
	return !gap || s == ""
}

func isGap(r rune) bool {
	return r == '-' || r == '_' || unicode.IsSpace(r) || unicode.Is(unicode.Pd, r)
}

// Idea is the form in which two names count as the same idea: letters and digits only, folded, without marks on Latin, Greek and Cyrillic
// letters, and without the plural's s. It is "" for a name without letters and digits.
func Idea(s string) string {
	var b strings.Builder
	last := rune(0)
	for _, r := range norm.NFKD.String(Fold(s)) {
		switch {
		case unicode.Is(unicode.Mn, r) && (last < 0x0530):
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			b.WriteRune(r)
		default:
			continue
		}
		last = r
	}
	return singular(norm.NFC.String(b.String()))
}

// singular drops a final s where a word of at least four letters remains and it is not part of the word (-ss, -us, -is).
func singular(s string) string {
	n := len(s)
	if n < 5 || s[n-1] != 's' || strings.IndexByte("sui", s[n-2]) >= 0 || !isLetter(s[n-2]) {
		return s
	}
	return s[:n-1]
}
