package wiki

import (
	"path"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Slug makes the file name (without .md) of a page from a source's path or title: last path part, extension dropped, lower case, NFC; letters and
// digits of every script are kept (case o-lw-08), all else becomes one "-"; at most 64 characters and 200 bytes. taken tells names in use, which get
// "-2", "-3" …; nil: none is. It is never empty.
func Slug(name string, taken func(string) bool) string {
	base := path.Base(strings.ReplaceAll(strings.TrimSpace(name), `\`, "/"))
	if ext := path.Ext(base); isExtension(ext) && ext != base {
		base = strings.TrimSuffix(base, ext)
	}
	base = norm.NFC.String(strings.ToLower(norm.NFC.String(base)))
	dash := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !(unicode.IsMark(r) && !isIgnorable(r))
	}
	slug := clip(strings.Join(strings.FieldsFunc(base, dash), "-"), 64)
	if slug == "" {
		slug = "page"
	}
	try := slug
	for n := 2; isDevice(try) || taken != nil && taken(try); n++ {
		suffix := "-" + strconv.Itoa(n)
		try = clip(slug, 64-len(suffix)) + suffix
	}
	return try
}

// isExtension keeps "v1.2 draft" whole: an extension is a dot and up to five ASCII letters or digits, one of them a letter.
func isExtension(ext string) bool {
	letter := false
	for _, r := range strings.TrimPrefix(ext, ".") {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z':
			letter = true
		case r >= '0' && r <= '9':
		default:
			return false
		}
	}
	return letter && len(ext) <= 6
}

func clip(s string, runes int) string {
	if r := []rune(s); len(r) > runes {
		s = string(r[:runes])
	}
	return strings.Trim(cutBytes(s, 200), "-")
}

// isDevice tells names that Windows keeps for devices, with or without an extension (Microsoft: Naming Files, Paths, and Namespaces).
func isDevice(name string) bool {
	stem, _, _ := strings.Cut(name, ".")
	switch stem = strings.ToLower(strings.TrimRight(stem, " ")); stem {
	case "con", "prn", "aux", "nul", "conin$", "conout$", "clock$":
		return true
	}
	port, digit := strings.CutPrefix(stem, "com")
	if !digit {
		port, digit = strings.CutPrefix(stem, "lpt")
	}
	return digit && len([]rune(port)) == 1 && strings.ContainsAny(port, "123456789¹²³")
}
