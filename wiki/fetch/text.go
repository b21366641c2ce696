package fetch

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// cleanText drops what a reader does not see and a program acts on: control characters, what turns the direction of the text around, tag characters
// (U+E0000 and on) that spell hidden words, marks of our own (private use). Line ends become LF.
func cleanText(s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	flag := false // within an emoji flag, which is spelled with tag characters
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t':
			flag = false
			return r
		case r == 0x1F3F4:
			flag = true
			return r
		case r >= 0xE0000 && r <= 0xE007F && flag:
			return r
		case r == markOpen, r == markClose, isHidden(r):
			return -1
		}
		flag = false
		return r
	}, s)
	return strings.ToValidUTF8(s, "\uFFFD")
}

func isHidden(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7f && r <= 0x9f:
		return true
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069: // Trojan Source, CVE-2021-42574
		return true
	case r >= 0xE0000 && r <= 0xE0FFF, r == 0xFEFF, r == 0xAD:
		return true
	}
	return false
}

// oneLine makes a value for front matter and messages: no line ends, no runs of blanks, at most so many letters.
func oneLine(s string, letters int) string {
	s = strings.Join(strings.Fields(cleanText(s)), " ")
	if utf8.RuneCountInString(s) > letters {
		s = strings.TrimSpace(string([]rune(s)[:letters-1])) + "…"
	}
	return s
}

// letters counts what can be read.
func letters(s string) (n int) {
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n
}
