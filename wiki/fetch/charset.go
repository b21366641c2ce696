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
	valid := utf8.Valid(body)
	switch {
	case valid && (!certain || name == "utf-8"): // the guess looks at the beginning only
		e = unicode.UTF8
	case !certain || name == "utf-8":
		if other, otherName, ok := charset.DetermineEncoding(body, "text/html"); ok && otherName != "utf-8" { // the page against the header
			e, name = other, otherName
		} else if guess := guessed(body); guess != nil {
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
