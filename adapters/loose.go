package adapters

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
)

// linesOf reads a stream's objects into values of T. What is no JSON passes; an object with a field of another type than it had counts with its other
// fields, since a terminal event must not be lost over a number that came as a text. Objects that skip names are not read, nil: all are.
func linesOf[T any](r io.Reader, skip func([]byte) bool) iter.Seq[T] {
	return func(yield func(T) bool) {
		stream := newObjects(r)
		for {
			obj, err := stream.next()
			if err != nil {
				return // EOF or a closed pipe: judged by what was seen
			}
			if skip != nil && skip(obj) {
				continue
			}
			var v T
			if loosely(obj, &v) {
				if !yield(v) {
					return
				}
				continue
			}
			for v := range several[T](obj) {
				if !yield(v) {
					return
				}
			}
		}
	}
}

// loosely reads JSON into v, which must be new, and tells whether it was JSON. What has another type than its field is left out.
func loosely(text []byte, v any) bool {
	err := json.Unmarshal(text, v)
	var other *json.UnmarshalTypeError // the rest was read all the same (encoding/json, Unmarshal)
	return err == nil || errors.As(err, &other)
}

// several reads the objects of a line that is not one: some stand on it one after the other, or with a log's words between them. After
// something that is half, nothing is read: what stands within it is not the agent's program speaking.
func several[T any](line []byte) iter.Seq[T] {
	return func(yield func(T) bool) {
		for {
			start := bytes.Index(line, []byte(`{"`))
			if start < 0 {
				return
			}
			line = line[start:]
			var raw json.RawMessage
			d := json.NewDecoder(bytes.NewReader(line))
			if d.Decode(&raw) != nil {
				return
			}
			line = line[d.InputOffset():]
			var v T
			if loosely(raw, &v) && !yield(v) {
				return
			}
		}
	}
}

// A count is a number of things: 3, 3.0 or "3". What else stands there is not known.
type count struct {
	n     int64
	known bool
}

// UnmarshalJSON reads a number that is not negative.
func (c *count) UnmarshalJSON(b []byte) error {
	f, ok := number(b)
	if ok = ok && f < 1<<53; ok {
		*c = count{int64(f), true}
	}
	return nil
}

// An amount is a number that may have a fraction, as a count; 0 where it is not known.
type amount float64

// UnmarshalJSON reads a number that is not negative.
func (a *amount) UnmarshalJSON(b []byte) error {
	if f, ok := number(b); ok {
		*a = amount(f)
	}
	return nil
}

func number(b []byte) (float64, bool) {
	f, err := strconv.ParseFloat(strings.Trim(string(b), `"`), 64)
	return f, err == nil && f >= 0 && !math.IsInf(f, 0)
}

// A fault says that something went wrong. Whatever does not clearly say no counts as yes: an error that is taken for a success is the worse mistake.
type fault bool

// UnmarshalJSON reads false, null, 0, "" and "false" as no.
func (f *fault) UnmarshalJSON(b []byte) error {
	*f = fault(!slices.Contains([]string{"false", "null", "0", `""`, `"0"`, `"false"`}, strings.ToLower(string(b))))
	return nil
}

// Words are what a field says to a person: a text, or an object or list that holds one.
type words string

// UnmarshalJSON takes a text as it is, and of what else stands there the first message.
func (w *words) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		*w = words(s)
		return nil
	}
	var v any
	if len(b) <= 64<<10 && json.Unmarshal(b, &v) == nil {
		*w = words(dataText(v))
	}
	return nil
}

// dataText is what the data of an error says to a person, by the names that agents give it.
func dataText(data any) string {
	switch v := data.(type) {
	case string:
		return v
	case []any:
		var all []string
		for _, one := range v {
			if text := dataText(one); text != "" {
				all = append(all, text)
			}
		}
		return strings.Join(all, "; ")
	case map[string]any:
		for _, name := range []string{"details", "message", "error", "reason"} {
			if text := dataText(v[name]); text != "" {
				return text
			}
		}
	}
	return ""
}

// maxText bounds a final text, in bytes; of what is longer its end counts, and maxHead of its beginning is kept with it.
const (
	maxText = 1 << 20
	maxHead = 32 << 10
)

// leftOut stands in the place of what a long text lost.
const leftOut = "[...]\n"

// A tail keeps the beginning and the end of a text of any length, in at most twice maxText and maxHead.
type tail struct {
	head, buf []byte
	cut       bool
}

func (t *tail) add(text ...byte) {
	t.head = append(t.head, text[:min(len(text), maxHead-len(t.head))]...)
	if t.buf = append(t.buf, text...); len(t.buf) > 2*maxText {
		t.buf, t.cut = append(t.buf[:0], t.buf[len(t.buf)-maxText:]...), true
	}
}

func (t *tail) reset() { t.head, t.buf, t.cut = t.head[:0], t.buf[:0], false }

// String is at most maxText: whole lines where something was left out, and UTF-8.
func (t *tail) String() string {
	text := t.buf
	if t.cut || len(text) > maxText {
		head := t.head[:bytes.LastIndexByte(t.head, '\n')+1]
		text = text[max(0, len(text)-maxText+maxHead+len(leftOut)):]
		if _, after, ok := bytes.Cut(text, []byte("\n")); ok {
			text = after
		}
		text = slices.Concat(head, []byte(leftOut), text)
	}
	return strings.ToValidUTF8(string(text), "\uFFFD")
}

// ended is the end of a text that came as a whole.
func ended(text string) string {
	if len(text) <= maxText {
		return text
	}
	var t tail
	t.add([]byte(text)...)
	return t.String()
}

// maxDenials bounds how many refused calls of a run are told.
const maxDenials = 200

// withDenial adds a refused call.
func withDenial(list []Denial, d Denial) []Denial {
	if len(list) >= maxDenials {
		return list
	}
	return append(list, d)
}
