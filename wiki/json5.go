package wiki

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/titanous/json5"
)

// A span is where one value of a JSON5 text stands: [start,end) in bytes, its key at [keyStart,keyEnd) (its own start for a value without key).
type span struct {
	key              string
	keyStart, keyEnd int
	start, end       int
	open             byte // '{', '[', '"', '\'' or 0 for a bare literal
	members          []*span
	comma            bool // a comma follows
}

// scanJSON5 finds the spans of a text that the library has found valid. It is no validator.
func scanJSON5(text []byte) (*span, error) {
	s := &scan{text: text}
	s.blank()
	root := &span{}
	s.value(root)
	if s.bad {
		return nil, fmt.Errorf("cannot be understood near byte %d", s.pos)
	}
	root.keyStart = root.start
	return root, nil
}

type scan struct {
	text []byte
	pos  int
	bad  bool
}

func (s *scan) peek() byte {
	if s.pos < len(s.text) {
		return s.text[s.pos]
	}
	s.bad = true
	return 0
}

// blank skips white space and comments.
func (s *scan) blank() {
	for s.pos < len(s.text) {
		rest := s.text[s.pos:]
		switch r, size := utf8.DecodeRune(rest); {
		case bytes.HasPrefix(rest, []byte("//")):
			if i := bytes.IndexAny(rest, "\n\r\u2028\u2029"); i >= 0 {
				s.pos += i
			} else {
				s.pos = len(s.text)
			}
		case bytes.HasPrefix(rest, []byte("/*")):
			i := bytes.Index(rest[2:], []byte("*/"))
			if i < 0 {
				s.pos, s.bad = len(s.text), true
				return
			}
			s.pos += i + 4
		case isBlank(r):
			s.pos += size
		default:
			return
		}
	}
}

func isBlank(r rune) bool {
	switch r {
	case ' ', '\t', '\n', '\r', '\v', '\f', 0xA0, 0xFEFF, 0x2028, 0x2029:
		return true
	}
	return false
}

func (s *scan) value(v *span) {
	v.start = s.pos
	switch c := s.peek(); c {
	case '{', '[':
		v.open = c
		s.list(v)
	case '"', '\'':
		v.open = c
		s.quoted(c)
	default:
		s.bare()
	}
	v.end = s.pos
}

// list reads members of an object or array up to its closing bracket.
func (s *scan) list(v *span) {
	object := v.open == '{'
	s.pos++
	for !s.bad {
		s.blank()
		if c := s.peek(); c == '}' || c == ']' {
			s.pos++
			return
		}
		m := &span{keyStart: s.pos}
		if object {
			s.key(m)
		}
		s.value(m)
		v.members = append(v.members, m)
		s.blank()
		if s.peek() == ',' {
			m.comma = true
			s.pos++
		}
	}
}

func (s *scan) key(m *span) {
	if c := s.peek(); c == '"' || c == '\'' {
		s.quoted(c)
	} else {
		s.bare()
	}
	m.keyEnd = s.pos
	raw := s.text[m.keyStart:m.keyEnd]
	m.key = string(raw)
	if c := raw[0]; c == '"' || c == '\'' {
		if err := json5.Unmarshal(raw, &m.key); err != nil {
			s.bad = true
		}
	}
	s.blank()
	if s.peek() != ':' {
		s.bad = true
	}
	s.pos++
	s.blank()
}

func (s *scan) quoted(q byte) {
	for s.pos++; s.pos < len(s.text); s.pos++ {
		switch s.text[s.pos] {
		case '\\':
			s.pos++
		case q:
			s.pos++
			return
		}
	}
	s.bad = true
}

// bare reads a number, word or unquoted key.
func (s *scan) bare() {
	start := s.pos
	for s.pos < len(s.text) && !bytes.ContainsRune([]byte("{}[],:'\"/"), rune(s.text[s.pos])) {
		r, size := utf8.DecodeRune(s.text[s.pos:])
		if isBlank(r) {
			break
		}
		s.pos += size
	}
	s.bad = s.bad || s.pos == start
}
