package diff

import (
	"errors"
	"strings"
	"time"
)

// name is what a "---" or "+++" line says.
type name struct {
	path  string
	null  bool // /dev/null
	epoch bool // stamped with 1970-01-01 00:00 UTC, in whatever zone
}

// stamps are the forms of a time stamp in a header: GNU's, with and without a fraction. One without a zone says too little.
var stamps = [...]string{"2006-01-02 15:04:05.999999999 -0700", "2006-01-02 15:04:05 -0700"}

// readName reads the rest of a "---" or "+++" line: a C-quoted name, or a bare one that ends at the first tab. Blanks are part of it
// (go-diff v0.10.0 trims them).
func readName(s string) (n name, err error) {
	stamp := ""
	if strings.HasPrefix(s, `"`) {
		if n.path, stamp, err = unquote(s); err != nil {
			return n, err
		}
		if stamp != "" && stamp[0] != '\t' && stamp[0] != ' ' {
			return n, errQuote
		}
	} else {
		n.path, stamp, _ = strings.Cut(s, "\t")
		n.null = n.path == nowhere
	}
	if n.path == "" {
		return n, errors.New("an empty file name")
	}
	for _, layout := range &stamps {
		if t, err := time.Parse(layout, strings.TrimSpace(stamp)); err == nil {
			n.epoch = t.Unix() == 0
			break
		}
	}
	return n, nil
}

// strip takes the first part of a path, as patch -p1 does. A path of one part stays.
func strip(path string) string {
	_, rest, ok := strings.Cut(path, "/")
	if rest = strings.TrimLeft(rest, "/"); !ok || rest == "" {
		return path
	}
	return rest
}

// bareName is a name in git's rename and copy lines, quoted or not.
func bareName(s string) string {
	if strings.HasPrefix(s, `"`) {
		if name, _, err := unquote(s); err == nil {
			return name
		}
	}
	return s
}

// gitNames splits the two names of a "diff --git" line. Bare names with blanks are told apart by their being the same, which they are
// wherever no other header names the file. "", "" where they can not be told.
func gitNames(s string) (old, new string) {
	if strings.HasPrefix(s, `"`) {
		first, rest, err := unquote(s)
		if err != nil || !strings.HasPrefix(rest, " ") {
			return "", ""
		}
		return strip(first), strip(bareName(rest[1:]))
	}
	if i := strings.Index(s, ` "`); i > 0 && strings.HasSuffix(s, `"`) {
		return strip(s[:i]), strip(bareName(s[i+1:]))
	}
	for i := 0; i < len(s); i++ {
		if s[i] == ' ' && strip(s[:i]) == strip(s[i+1:]) {
			return strip(s[:i]), strip(s[i+1:])
		}
	}
	if strings.Count(s, " ") == 1 {
		first, second, _ := strings.Cut(s, " ")
		return strip(first), strip(second)
	}
	return "", ""
}
