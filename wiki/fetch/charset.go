package fetch

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gogs/chardet"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
)

// decode makes UTF-8 of a text: by its byte order mark, the header, a meta tag; where none says, or UTF-8 is said and it is none, by its letters.
func decode(body []byte, contentType string) string {
	e, name, certain := charset.DetermineEncoding(body, contentType)
	said, saidName := declared(body)
	valid := utf8.Valid(body)
	switch {
	case certain && name != "utf-8":
	case valid && saidName != "iso-2022-jp": // which is valid UTF-8 too, and says nothing as such
		e = unicode.UTF8
	case said != nil: // the page, where no header says, or against one that cannot be right
		e, name = said, saidName
	default:
		if guess := guessed(body); guess != nil {
			e, name = guess, ""
		}
	}
	if name == "gbk" { // what says gb2312 or gbk may hold letters of its successor
		e = simplifiedchinese.GB18030
	}
	text, err := e.NewDecoder().Bytes(body)
	if err != nil {
		text = bytes.ToValidUTF8(body, []byte("\uFFFD"))
	}
	return strings.TrimPrefix(string(text), "\uFEFF")
}

// declared is the encoding that a meta tag names in the first 1024 bytes (HTML, section 13.2.3.2), nil where none does, or it names UTF-8. The library
// does not tell it from a guess of its own, which is kept from it: all other letters are left out, and one is put in that is UTF-8.
func declared(body []byte) (encoding.Encoding, string) {
	const letter = "\u00e9."
	head := make([]byte, 0, 1024)
	for _, c := range body[:min(len(body), 1024-len(letter))] {
		if c < utf8.RuneSelf {
			head = append(head, c)
		}
	}
	e, name, _ := charset.DetermineEncoding(append(head, letter...), "")
	if name == "utf-8" {
		return nil, ""
	}
	return e, name
}

// guessed is the encoding that the letters speak for, nil where nothing does.
func guessed(body []byte) encoding.Encoding {
	all, err := chardet.NewHtmlDetector().DetectAll(body[:min(len(body), 256<<10)])
	if err != nil || len(all) == 0 {
		return nil
	}
	slices.SortStableFunc(all, func(a, b chardet.Result) int { return cmp.Compare(b.Confidence, a.Confidence) })
	alone := all[0].Confidence >= 15 && (len(all) == 1 || all[0].Confidence >= 2*all[1].Confidence) // a short text says little for any, but for one alone
	if all[0].Confidence < 25 && !alone {
		return nil
	}
	e, err := htmlindex.Get(all[0].Charset)
	if err != nil {
		return nil
	}
	return e
}
