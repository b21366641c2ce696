package index

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// simpleFields reads "key: value" lines whose values are plain or quoted texts of one line, or lists of such. It says false where YAML could
// mean anything else than what it read.
func simpleFields(text []byte, inner span) ([]Field, bool) {
	block := text[inner.start:inner.end]
	for i, c := range block {
		if c < ' ' && c != '\n' && !(c == '\r' && i+1 < len(block) && block[i+1] == '\n') || c == 0x7f {
			return nil, false
		}
	}
	fields, faults, sure := scanFields(text, inner)
	return fields, sure && len(faults) == 0 && utf8.Valid(block)
}

// tolerantFields reads what can be read of a block that is no YAML, with a fault for each value that explains it.
func tolerantFields(text []byte, inner span) ([]Field, []Fault) {
	fields, faults, _ := scanFields(text, inner)
	return fields, faults
}

func scanFields(text []byte, inner span) (fields []Field, faults []Fault, sure bool) {
	sure = true
	var cur *Field // the field that list items belong to
	open := false  // its own line holds no value
	for ls := inner.start; ls < inner.end; {
		le, next := lineEnd(text, ls)
		line := text[ls:le]
		at := ls
		ls = next
		trimmed := bytes.TrimSpace(line)
		if len(trimmed) == 0 || trimmed[0] == '#' {
			continue
		}
		if item, ok := bytes.CutPrefix(trimmed, []byte("-")); ok && cur != nil && (len(item) == 0 || isBlank(item[0])) {
			v, plainly := scalar(string(bytes.TrimSpace(item)))
			sure = sure && plainly && open
			cur.List, cur.End = true, at+len(bytes.TrimRight(line, " \t"))
			if v != "" {
				cur.Values = append(cur.Values, v)
			}
			continue
		}
		n := keyLength(line)
		if n == 0 {
			sure = false
			continue
		}
		f, fault, plainly := scanField(text, at, at+n, le)
		for _, other := range fields {
			plainly = plainly && other.Key != f.Key
		}
		sure = sure && plainly
		if fault.Message != "" {
			faults = append(faults, fault)
		}
		fields = append(fields, f)
		cur = &fields[len(fields)-1]
		open = !f.List && len(f.Values) == 0
	}
	return fields, faults, sure
}

// scanField reads the line of a key that ends at keyEnd.
func scanField(text []byte, start, keyEnd, le int) (Field, Fault, bool) {
	key := string(text[start:keyEnd])
	if len(key) > 1 && (key[0] == '"' || key[0] == '\'') {
		key = key[1 : len(key)-1]
	}
	colon := keyEnd + bytes.IndexByte(text[keyEnd:le], ':')
	vs, ve := trimSpan(text, colon+1, le)
	f := Field{Key: key, Start: start, End: max(ve, colon+1), ValueStart: max(vs, colon+1)}
	value := string(text[vs:ve])
	if value == "" {
		f.ValueStart = f.End
		return f, Fault{}, true
	}
	if items, ok := flowList(value); ok {
		f.Values, f.List = items, true
		return f, Fault{}, true
	}
	v, plainly := scalar(value)
	f.Values = []string{v}
	if strings.HasPrefix(value, "[") {
		f.Values, f.List = strings.FieldsFunc(strings.Trim(value, "[] "), func(r rune) bool { return r == ',' }), true
		for i, v := range f.Values {
			f.Values[i] = strings.Trim(strings.TrimSpace(v), `"'`)
		}
	}
	var fault Fault
	if !plainly && strings.IndexByte("[{&*!|>'\"%@`", value[0]) < 0 && (strings.Contains(value, ": ") || strings.HasSuffix(value, ":")) {
		fault = Fault{Start: vs, End: ve, Message: "value with a colon needs quotes", Fix: quote(value)}
	}
	return f, fault, plainly
}

// quote writes a text as a YAML scalar in double quotes.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// scalar reads a scalar of one line, and tells whether YAML reads the same.
func scalar(s string) (string, bool) {
	if s == "" {
		return "", true
	}
	if q := s[0]; q == '"' || q == '\'' {
		if len(s) < 2 || s[len(s)-1] != q {
			return strings.Trim(s, `"'`), false
		}
		in := s[1 : len(s)-1]
		return in, strings.IndexByte(in, q) < 0 && strings.IndexByte(in, '\\') < 0
	}
	plainly := strings.IndexByte("?:,[]{}#&*!|>%@`~<=", s[0]) < 0 && !(s[0] == '-' && (len(s) == 1 || isBlank(s[1]) || s[1] == '-')) &&
		!strings.Contains(s, ": ") && !strings.Contains(s, ":\t") && !strings.Contains(s, " #") && !strings.Contains(s, "\t") &&
		s[len(s)-1] != ':'
	for i := 0; plainly && i < len(s); i++ {
		plainly = s[i] >= ' ' && s[i] != 0x7f
	}
	return s, plainly
}

// flowList reads "[a, "b", c]" where no item is a list, a mapping or a text with escapes.
func flowList(s string) ([]string, bool) {
	if len(s) < 2 || s[0] != '[' || s[len(s)-1] != ']' {
		return nil, false
	}
	s = strings.TrimSpace(s[1 : len(s)-1])
	out := []string{}
	for s != "" {
		var item string
		if q := s[0]; q == '"' || q == '\'' {
			i := strings.IndexByte(s[1:], q)
			if i < 0 {
				return nil, false
			}
			item, s = s[:i+2], strings.TrimSpace(s[i+2:])
			if s != "" && s[0] != ',' {
				return nil, false
			}
			s = strings.TrimPrefix(s, ",")
		} else {
			item, s, _ = strings.Cut(s, ",")
			if strings.ContainsAny(item, "[]{}\"'") {
				return nil, false
			}
		}
		v, ok := scalar(strings.TrimSpace(item))
		if !ok || v == "" {
			return nil, false
		}
		out, s = append(out, v), strings.TrimSpace(s)
	}
	return out, true
}
