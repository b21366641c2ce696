package index

import (
	"bytes"
	"strings"
)

// Format says how front matter is written.
type Format string

// The formats; the zero value means that there is none.
const (
	YAML Format = "yaml"
	TOML Format = "toml"
)

// FrontMatter is the block of fields at a page's start.
type FrontMatter struct {
	Format     Format
	Start, End int // the block from its first "-" to behind the closing line; End is where the body begins (0, or behind the byte order mark, without a block)
	Fields     []Field
	Faults     []Fault
}

// Field is one key of the top level.
type Field struct {
	Key        string
	Values     []string // scalars as written, without quotes; of a list its items; none for a mapping
	List       bool
	Map        bool
	Start, End int // from the key to the end of its value, without the line ending
	ValueStart int // where the value begins on the key's line; End where there is none
}

// Fault is what is wrong in front matter, in a lint finding's words.
type Fault struct {
	Code       string // frontmatter-yaml, title-not-text, tags-not-list, aliases-not-list, toml-frontmatter
	Message    string
	Start, End int
	Fix        string // text that may replace Start to End; "" where none is known
}

// Field gives the field of a key; keys are compared without regard to ASCII case.
func (f FrontMatter) Field(key string) (Field, bool) {
	for _, x := range f.Fields {
		if strings.EqualFold(x.Key, key) {
			return x, true
		}
	}
	return Field{}, false
}

// Get is the text of a single value as written, "" where the key is missing or holds no single value.
func (f FrontMatter) Get(key string) string {
	x, ok := f.Field(key)
	if !ok || x.List || x.Map || len(x.Values) != 1 {
		return ""
	}
	return x.Values[0]
}

// List is the items of a list; of a single text, what stands between its commas ("tags: a, b").
func (f FrontMatter) List(key string) []string {
	x, ok := f.Field(key)
	if !ok {
		return nil
	}
	if x.List || len(x.Values) != 1 {
		return x.Values
	}
	var out []string
	for _, v := range strings.Split(x.Values[0], ",") {
		if v = strings.TrimSpace(v); v != "" {
			out = append(out, v)
		}
	}
	return out
}

var bom = []byte("\ufeff")

// parseFront reads the front matter of a page.
func parseFront(text []byte) FrontMatter {
	start := 0
	if bytes.HasPrefix(text, bom) {
		start = len(bom)
	}
	none := FrontMatter{Start: start, End: start}
	for _, d := range []struct {
		mark   string
		format Format
	}{{"---", YAML}, {"+++", TOML}} {
		inner, end, ok := delimited(text, start, d.mark)
		if !ok {
			continue
		}
		f := FrontMatter{Format: d.format, Start: start, End: end}
		if d.format == TOML {
			f.Fields = tomlFields(text, inner)
			f.Faults = []Fault{{Code: "toml-frontmatter", Message: "front matter is TOML; it is read, YAML is usual in a wiki", Start: start, End: start + 3}}
			return f
		}
		if !fieldLike(text, inner) {
			return none
		}
		f.Fields, f.Faults = yamlFields(text, inner)
		f.Faults = append(f.Faults, valueFaults(f)...)
		return f
	}
	return none
}

// delimited finds a block between two lines of mark (YAML's may also end with "..."); it may be closed at the end of the file.
func delimited(text []byte, start int, mark string) (inner span, end int, ok bool) {
	le, next := lineEnd(text, start)
	if string(bytes.TrimRight(text[start:le], " \t")) != mark {
		return span{}, 0, false
	}
	for ls := next; ls < len(text); {
		le, after := lineEnd(text, ls)
		line := bytes.TrimRight(text[ls:le], " \t")
		if string(line) == mark || mark == "---" && string(line) == "..." {
			return span{next, ls}, after, true
		}
		ls = after
	}
	return span{}, 0, false
}

// fieldLike tells front matter from a page that begins with a horizontal rule. Its first line is a key; where that line is blank or a
// comment (or a heading), every line at the margin has to look like YAML.
func fieldLike(text []byte, inner span) bool {
	strict := false
	for ls := inner.start; ls < inner.end; {
		le, next := lineEnd(text, ls)
		line := text[ls:le]
		ls = next
		if len(bytes.TrimSpace(line)) == 0 || line[0] == '#' {
			strict = true
			continue
		}
		if !strict {
			return keyLength(line) > 0
		}
		if keyLength(line) == 0 && !isBlank(line[0]) && !bytes.HasPrefix(line, []byte("- ")) {
			return false
		}
	}
	return !strict || hasKey(text, inner)
}

func hasKey(text []byte, inner span) bool {
	for ls := inner.start; ls < inner.end; {
		le, next := lineEnd(text, ls)
		if keyLength(text[ls:le]) > 0 {
			return true
		}
		ls = next
	}
	return false
}

// keyLength tells the length of the key at the line's start (with its quotes), 0 where the line begins no field.
func keyLength(line []byte) int {
	if len(line) == 0 {
		return 0
	}
	if q := line[0]; q == '"' || q == '\'' {
		i := bytes.IndexByte(line[1:], q)
		if i > 0 && i+2 < len(line) && line[i+2] == ':' && (i+3 == len(line) || isBlank(line[i+3])) {
			return i + 2
		}
		return 0
	}
	if !isWordByte(line[0]) {
		return 0
	}
	for i := 1; i < len(line); i++ {
		c := line[i]
		switch {
		case c == ':' && (i+1 == len(line) || isBlank(line[i+1])):
			return len(bytes.TrimRight(line[:i], " \t"))
		case isWordByte(c), c == '-', c == '.', c == '/', c == ' ', c == '@', c == '$':
		default:
			return 0
		}
	}
	return 0
}

// valueFaults tells values that were read in another way than written.
func valueFaults(f FrontMatter) []Fault {
	var out []Fault
	if x, ok := f.Field("title"); ok && (x.List || x.Map) {
		out = append(out, Fault{Code: "title-not-text", Message: "title is not a text", Start: x.Start, End: x.End})
	}
	for _, key := range []string{"tags", "aliases"} {
		if x, ok := f.Field(key); ok && !x.List && len(x.Values) == 1 && strings.Contains(x.Values[0], ",") {
			out = append(out, Fault{Code: key + "-not-list", Message: key + " is one text; read as a list between commas",
				Start: x.ValueStart, End: x.End, Fix: "[" + strings.Join(f.List(key), ", ") + "]"})
		}
	}
	return out
}
