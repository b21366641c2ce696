package adapters

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
)

// maxLine bounds one line of a stream. A tool result with a large file is one line of megabytes (case o-ag-10); what is longer than this
// is skimmed: read and dropped.
const maxLine = 16 << 20

// A lineReader cuts a stream into lines, whole ones, so that no character is ever split (case o-ag-11).
type lineReader struct {
	r    *bufio.Reader
	buf  []byte
	max  int
	long int // lines that were skimmed
}

func newLineReader(r io.Reader) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 64<<10), max: maxLine}
}

// next returns a line without its end, valid until the next call. A skimmed line comes as nil. A last line without newline counts.
// The error is io.EOF or the reader's own.
func (l *lineReader) next() ([]byte, error) {
	part, err := l.r.ReadSlice('\n')
	if err == nil {
		return bytes.TrimRight(part, "\r\n"), nil
	}
	l.buf = append(l.buf[:0], part...)
	if cap(l.buf) > 8<<20 && len(l.buf) < 1<<20 {
		l.buf = append([]byte(nil), part...) // one large line is no reason to keep its memory
	}
	skim := false
	for errors.Is(err, bufio.ErrBufferFull) {
		part, err = l.r.ReadSlice('\n')
		if skim = skim || len(l.buf)+len(part) > l.max; !skim {
			if len(l.buf)+len(part) > cap(l.buf) { // doubled: append alone leaves five times the line behind as garbage
				l.buf = slices.Grow(l.buf, max(len(part), min(len(l.buf), l.max-len(l.buf))))
			}
			l.buf = append(l.buf, part...)
		} else {
			l.buf = nil // its memory is not kept for the rest
		}
	}
	if skim {
		l.long++
		return nil, nil
	}
	if err != nil && len(l.buf) == 0 {
		return nil, err
	}
	return bytes.TrimRight(l.buf, "\r\n"), nil // an error, if any, comes again at the next call
}

// jsonObject finds the JSON object on a line of a terminal program: escape sequences before it (case o-ag-12) and after it are dropped,
// those inside its strings are not touched. Nil where there is none.
func jsonObject(line []byte) []byte {
	line = bytes.TrimLeft(line, " \t\xef\xbb\xbf")
	if len(line) > 0 && line[0] != '{' {
		line = skipEscapes(line)
	}
	end := bytes.LastIndexByte(line, '}')
	if end < 0 {
		return nil
	}
	start := 0
	if line[0] != '{' {
		if start = bytes.Index(line, []byte(`{"`)); start < 0 {
			return nil
		}
	}
	if start > end {
		return nil
	}
	return line[start : end+1]
}

// skipEscapes drops leading CSI and OSC sequences (ECMA-48) and control bytes.
func skipEscapes(b []byte) []byte {
	for len(b) > 0 {
		switch {
		case b[0] != 0x1b && (b[0] < 0x20 || b[0] == ' '):
			b = b[1:]
		case b[0] == 0x1b && len(b) > 1 && b[1] == '[':
			i := 2
			for i < len(b) && (b[i] < 0x40 || b[i] > 0x7e) {
				i++
			}
			b = b[min(i+1, len(b)):]
		case b[0] == 0x1b && len(b) > 1 && b[1] == ']':
			i := 2
			for i < len(b) && b[i] != 0x07 && !(b[i] == 0x1b && i+1 < len(b) && b[i+1] == '\\') {
				i++
			}
			if i < len(b) && b[i] == 0x1b {
				i++
			}
			b = b[min(i+1, len(b)):]
		case b[0] == 0x1b:
			b = b[min(2, len(b)):]
		default:
			return b
		}
	}
	return b
}

// objects reads the JSON objects of a stream: one a line, or, as some programs print a single one, over several lines that begin with
// "{" and end with "}" alone. What is neither is passed over.
type objects struct {
	lines *lineReader
	multi []byte
}

func newObjects(r io.Reader) *objects { return &objects{lines: newLineReader(r)} }

// next returns an object, valid until the next call, or the error that ended the stream.
func (o *objects) next() ([]byte, error) {
	for {
		line, err := o.lines.next()
		if err != nil {
			return nil, err
		}
		if o.multi != nil {
			o.multi = append(append(o.multi, line...), '\n')
			if string(line) == "}" || len(o.multi) > maxLine {
				whole := o.multi
				o.multi = nil
				return whole, nil
			}
			if obj := jsonObject(line); obj == nil || line[0] != '{' {
				continue
			}
			o.multi = nil // a whole object on one line: what was begun before was none
		}
		if string(line) == "{" {
			o.multi = []byte("{\n")
			continue
		}
		if obj := jsonObject(line); obj != nil {
			return obj, nil
		}
	}
}
