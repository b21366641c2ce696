package index

import (
	"bytes"
	"slices"
	"strings"
)

// special marks the bytes at which the inline scanner stops.
var special = [256]bool{'\\': true, '`': true, '$': true, '%': true, '[': true, ']': true, '<': true}

// inline scans one run of text for links. mask is the whole page's; codes, math, comments and escapes are passed over as they come, which
// is how they take precedence over the brackets behind them.
type inline struct {
	text    []byte // the page with code and comments blanked
	end     int
	openers []opener
	noTicks map[int]bool    // lengths of backtick runs known to have no partner ahead
	noMath  int             // a single dollar has no partner on its line before here
	noClose map[string]bool // ends of inline HTML ("-->") that are known not to come
	out     []Link
}

// opener is a "[" or "![" whose "]" has not come.
type opener struct {
	start, inner int
	image        bool
}

// links reads all links of the page's text behind the front matter.
func (s *blocks) links() []Link {
	in := inline{text: s.mask}
	for _, r := range s.runs {
		if bytes.IndexByte(s.mask[r.start:r.end], '[') < 0 {
			continue
		}
		in.run(r)
	}
	slices.SortStableFunc(in.out, func(a, b Link) int { return a.Start - b.Start })
	return in.out
}

func (in *inline) run(r run) {
	in.end, in.openers = r.end, in.openers[:0]
	clear(in.noTicks)
	clear(in.noClose)
	i := r.start
	if r.para {
		i = in.definitions(i)
	}
	for i < in.end {
		if !special[in.text[i]] {
			i++
			continue
		}
		i = in.step(i)
	}
}

// step takes what begins at i and tells where to go on.
func (in *inline) step(i int) int {
	switch in.text[i] {
	case '\\':
		return i + 2
	case '`':
		return in.code(i)
	case '$':
		return in.math(i)
	case '%':
		return in.pair(i, "%%")
	case '<':
		return in.angle(i)
	case '[':
		return in.bracket(i)
	}
	return in.closeBracket(i)
}

func (in *inline) at(i int) byte {
	if i < 0 || i >= in.end {
		return 0
	}
	return in.text[i]
}

// code passes a code span (CommonMark section 6.1): a run of backticks to the next run of the same length.
func (in *inline) code(i int) int {
	n := in.repeat(i, '`')
	if in.noTicks[n] {
		return i + n
	}
	for j := i + n; j < in.end; {
		k := bytes.IndexByte(in.text[j:in.end], '`')
		if k < 0 {
			break
		}
		m := in.repeat(j+k, '`')
		if m == n {
			return j + k + m
		}
		j += k + m
	}
	if in.noTicks == nil {
		in.noTicks = map[int]bool{}
	}
	in.noTicks[n] = true
	return i + n
}

func (in *inline) repeat(i int, c byte) int {
	n := 1
	for in.at(i+n) == c {
		n++
	}
	return n
}

// math passes $$…$$ and $…$. As in Obsidian and pandoc a single dollar opens before a non-blank, and closes on the same line behind a
// non-blank where no digit follows, so that "$5 for … and $6" is money.
func (in *inline) math(i int) int {
	if in.at(i+1) == '$' {
		return in.pair(i, "$$")
	}
	if c := in.at(i + 1); c == 0 || isBlank(c) || c == '\n' || i < in.noMath {
		return i + 1
	}
	j := i + 1
	for ; j < in.end && in.text[j] != '\n'; j++ {
		switch {
		case in.text[j] == '\\':
			j++
		case in.text[j] == '$' && !isBlank(in.text[j-1]) && !isDigit(in.at(j+1)) && j > i+1:
			return j + 1
		}
	}
	in.noMath = j
	return i + 1
}

// pair passes from a two-byte mark to its partner in the same run; a lone mark is text.
func (in *inline) pair(i int, mark string) int {
	if in.at(i+1) != mark[1] {
		return i + 1
	}
	j := bytes.Index(in.text[i+2:in.end], []byte(mark))
	if j < 0 {
		return i + 2
	}
	return i + 2 + j + 2
}

// bracket takes a wikilink, or notes an opener for a markdown link.
func (in *inline) bracket(i int) int {
	start := i
	if i > 0 && in.text[i-1] == '!' && !in.escaped(i-1) {
		start = i - 1
	}
	if in.at(i+1) == '[' && in.at(i+2) != '[' {
		if l, next, ok := parseWikilink(in.text, i, in.end); ok {
			if _, _, inlineLink := in.destination(next); !inlineLink {
				l.Start, l.Embed = start, start < i
				in.out = append(in.out, widthOf(l))
				return next
			}
		}
	}
	if len(in.openers) < 1000 {
		in.openers = append(in.openers, opener{start, i + 1, start < i})
	}
	return i + 1
}

// escaped tells whether the byte at i stands behind an odd number of backslashes.
func (in *inline) escaped(i int) bool {
	n := 0
	for i-n > 0 && in.text[i-n-1] == '\\' {
		n++
	}
	return n%2 == 1
}

// widthOf moves an embed's "300" or "300x200", the last part behind a pipe, from alias to width.
func widthOf(l Link) Link {
	if !l.Embed || l.Alias == "" {
		return l
	}
	i := strings.LastIndexByte(l.Alias, '|') + 1
	size := strings.TrimSpace(l.Alias[i:])
	w, h, both := strings.Cut(size, "x")
	if digits(w) && (!both || digits(h)) {
		l.Width, l.Alias = size, strings.TrimRight(l.Alias[:max(i-1, 0)], `\ `)
	}
	return l
}

func digits(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isDigit(s[i]) {
			return false
		}
	}
	return s != ""
}

// closeBracket ends the innermost opener; with a destination behind, it is a link (CommonMark section 6.3).
func (in *inline) closeBracket(i int) int {
	if len(in.openers) == 0 {
		return i + 1
	}
	top := in.openers[len(in.openers)-1]
	in.openers = in.openers[:len(in.openers)-1]
	l, next, ok := in.destination(i + 1)
	if !ok {
		return i + 1
	}
	l.Start, l.End, l.Embed = top.start, next, top.image
	l.Alias = strings.TrimSpace(string(in.text[top.inner:i]))
	in.out = append(in.out, widthOf(l))
	if !top.image {
		// Links hold no links: what was open around this one cannot become one.
		in.openers = slices.DeleteFunc(in.openers, func(o opener) bool { return !o.image })
	}
	return next
}

// definitions takes the reference definitions at a paragraph's start and tells where its text begins.
func (in *inline) definitions(i int) int {
	for i < in.end && in.text[i] == '[' && in.at(i+1) != '^' && in.at(i+1) != '[' {
		j := i + 1
		for j < in.end && in.text[j] != ']' && in.text[j] != '[' && in.text[j] != '\n' {
			if in.text[j] == '\\' {
				j++
			}
			j++
		}
		if in.at(j) != ']' || in.at(j+1) != ':' || len(bytes.TrimSpace(in.text[i+1:j])) == 0 {
			return i
		}
		l, next, ok := parseDest(in.text, skipSpace(in.text, j+2, in.end), in.end)
		if !ok {
			return i
		}
		next, ok = definitionEnd(in.text, next, in.end)
		if !ok {
			return i
		}
		l.Start, l.End, l.Alias = i, next, string(in.text[i+1:j])
		in.out = append(in.out, l)
		i = skipSpace(in.text, next, in.end)
	}
	return i
}
