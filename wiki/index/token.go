package index

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// tokenizer takes text apart into search terms: words folded, without marks on Latin, Greek and Cyrillic letters, English plurals as
// singulars; scripts that write no blanks between words as overlapping pairs of letters (most Chinese words have two), with the last letter of
// a run on its own, so that each letter begins a term.
type tokenizer struct {
	emit  func(term []byte)
	whole bool // pairs only, no last letter: a query's run of two letters and more
	word  []byte
	joint []byte // words before, of a name such as "go:build" or "2026-02-14", with the marks between
	other bool   // word holds a letter that is not ASCII
	prev  rune   // letter before, of a run that writes no blanks; 0 outside of one
	first bool   // prev is the first of its run
	buf   [2 * utf8.UTFMax]byte
}

const maxTerm = 64 // bytes; longer words are encoded data, which nobody searches

func (t *tokenizer) run(text []byte) {
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			if isLetter(c) || isDigit(c) {
				t.endRun()
				i = t.letters(text, i)
				continue
			}
			i += t.ascii(text, i)
			continue
		}
		r, n := utf8.DecodeRune(text[i:])
		t.rune(text, i, r, n)
		i += n
	}
	if len(t.word) > 0 {
		t.join(nil)
	}
	t.joint = t.joint[:0]
	t.endWord(nil)
	t.endRun()
}

// letters takes the ASCII letters and digits from i on, and tells where they end.
func (t *tokenizer) letters(text []byte, i int) int {
	w := t.word
	for ; i < len(text); i++ {
		c := text[i]
		switch {
		case 'a' <= c && c <= 'z', isDigit(c):
		case 'A' <= c && c <= 'Z':
			c |= 0x20
		default:
			t.word = w
			return i
		}
		w = append(w, c)
	}
	t.word = w
	return i
}

// ascii takes a byte that is no letter and no digit; it tells how many bytes were passed.
func (t *tokenizer) ascii(text []byte, i int) int {
	t.endRun()
	if len(t.word) == 0 {
		t.joint = t.joint[:0]
		return 1
	}
	if text[i] == '\'' {
		return 1 + t.apostrophe(text[i+1:])
	}
	t.join(text[i:])
	t.endWord(text[i:])
	return 1
}

// join keeps the word for a name that goes on behind a mark, or emits the name that ends here: a term besides its words.
func (t *tokenizer) join(rest []byte) {
	goesOn := len(rest) > 1 && isJoint(rest[0]) && (isLetter(rest[1]) || isDigit(rest[1]))
	if !goesOn && len(t.joint) == 0 {
		return // as a rule
	}
	switch {
	case t.other || len(t.joint)+len(t.word) > maxTerm:
		t.joint = t.joint[:0]
	case goesOn:
		t.joint = append(append(t.joint, t.word...), rest[0])
	case len(t.joint) > 0:
		t.emit(append(t.joint, t.word...))
		t.joint = t.joint[:0]
	}
}

// isJoint tells the marks that join the words of a name.
func isJoint(c byte) bool { return c == ':' || c == '.' || c == '/' || c == '_' || c == '-' }

// apostrophe joins "don't" to dont and cuts the s of "page's"; it tells how many bytes behind the apostrophe were passed.
func (t *tokenizer) apostrophe(rest []byte) int {
	if len(rest) == 0 || !isLetter(rest[0]) {
		t.endWord(nil)
		return 0
	}
	if rest[0]|0x20 == 's' && (len(rest) == 1 || !isWordByte(rest[1])) {
		t.endWord(nil)
		return 1
	}
	return 0
}

func (t *tokenizer) rune(text []byte, i int, r rune, n int) {
	switch {
	case unspaced(r):
		t.endWord(nil)
		t.pair(r)
	case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
		t.endRun()
		t.word = append(t.word, text[i:i+n]...)
		t.other = true
	case r == '’' && len(t.word) > 0 && i+n < len(text) && isLetter(text[i+n]):
		if rest := text[i+n:]; rest[0]|0x20 == 's' && (len(rest) == 1 || !isWordByte(rest[1])) {
			t.endWord(nil)
		}
	default:
		t.endWord(nil)
		t.endRun()
	}
}

// unspaced tells letters of scripts that write no blanks between words: Han, kana, Hangul (whose blanks part more than words), Thai, Lao,
// Myanmar, Khmer.
func unspaced(r rune) bool {
	switch {
	case r < 0x0e00:
		return false
	case r <= 0x0eff, 0x1000 <= r && r <= 0x109f, 0x1780 <= r && r <= 0x17ff:
		return unicode.IsLetter(r) || unicode.IsMark(r)
	case r < 0x2e80:
		return false
	case r <= 0x9fff, 0xac00 <= r && r <= 0xd7af, 0xf900 <= r && r <= 0xfaff, 0xff66 <= r && r <= 0xffdc, 0x20000 <= r && r <= 0x3ffff:
		return unicode.IsLetter(r)
	}
	return false
}

func (t *tokenizer) pair(r rune) {
	if t.prev == 0 {
		t.prev, t.first = r, true
		return
	}
	n := utf8.EncodeRune(t.buf[:], t.prev)
	n += utf8.EncodeRune(t.buf[n:], r)
	t.emit(t.buf[:n])
	t.prev, t.first = r, false
}

func (t *tokenizer) endRun() {
	if t.prev != 0 && (t.first || !t.whole) {
		t.emit(t.buf[:utf8.EncodeRune(t.buf[:], t.prev)])
	}
	t.prev = 0
}

// endWord emits the word; rest is what follows it: a name such as C++ or F# is a term of its own besides.
func (t *tokenizer) endWord(rest []byte) {
	w := t.word
	if len(w) == 0 {
		return
	}
	t.word = w[:0]
	if t.other {
		t.other = false
		w = foldWord(w)
	}
	if len(w) > maxTerm || len(w) == 0 {
		return
	}
	if len(rest) > 0 && len(w) <= 3 && (rest[0] == '#' || rest[0] == '+') {
		n := 1
		if rest[0] == '+' {
			n = 2
		}
		if len(rest) >= n && rest[n-1] == rest[0] && (len(rest) == n || !isWordByte(rest[n])) {
			t.emit(append(append([]byte(nil), w...), rest[:n]...))
		}
	}
	t.emit(stemmed(singularTerm(w)))
}

// foldWord is the long way for words with letters beyond ASCII.
func foldWord(w []byte) []byte {
	out := make([]byte, 0, len(w))
	base := rune(0)
	for _, r := range string(norm.NFKD.Bytes(w)) {
		if unicode.Is(unicode.Mn, r) && base < 0x0530 {
			continue
		}
		if r = unicode.ToLower(r); r == 'ς' {
			r = 'σ'
		}
		if r == 'ß' {
			out = append(out, 's')
			r = 's'
		}
		base = r
		out = utf8.AppendRune(out, r)
	}
	return norm.NFC.Bytes(out)
}

// singularTerm takes the plural's ending from an English word (Harman's S stemmer, with -sses, -xes, -ches and -shes kept apart).
func singularTerm(w []byte) []byte {
	n := len(w)
	if n < 4 || w[n-1] != 's' {
		return w
	}
	switch {
	case bytes.HasSuffix(w, []byte("ies")) && n > 4:
		w[n-3] = 'y' // the word's buffer is ours
		return w[:n-2]
	case bytes.HasSuffix(w, []byte("sses")), bytes.HasSuffix(w, []byte("xes")), bytes.HasSuffix(w, []byte("ches")), bytes.HasSuffix(w, []byte("shes")):
		return w[:n-2]
	case w[n-2] == 's' || w[n-2] == 'u' || w[n-2] == 'i' || isDigit(w[n-2]):
		return w
	}
	return w[:n-1]
}

// stemmed takes -ing and -ed from English words, writes -our as -or and drops a final e, so that "caching", "cached" and "cache" meet.
func stemmed(w []byte) []byte {
	n := len(w)
	if n < 5 {
		return w
	}
	switch w[n-1] {
	case 'g':
		if n > 5 && w[n-3] == 'i' && w[n-2] == 'n' && hasVowel(w[:n-3]) {
			return undoubled(w[:n-3])
		}
	case 'd':
		if w[n-2] == 'e' && w[n-3] != 'e' && hasVowel(w[:n-2]) {
			return undoubled(w[:n-2])
		}
	case 'r':
		if n > 5 && w[n-3] == 'o' && w[n-2] == 'u' {
			w[n-2] = 'r'
			return w[:n-1]
		}
	case 'e':
		return w[:n-1]
	}
	return w
}

func hasVowel(w []byte) bool {
	for _, c := range w {
		if c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u' || c == 'y' {
			return true
		}
	}
	return false
}

// undoubled takes the doubled consonant's second half away ("wrapp").
func undoubled(w []byte) []byte {
	n := len(w)
	if n > 3 && w[n-1] == w[n-2] && bytes.IndexByte([]byte("lsz"), w[n-1]) < 0 {
		return w[:n-1]
	}
	if n > 4 && w[n-1] == 'e' {
		return w[:n-1]
	}
	return w
}
