package diff

import (
	"bytes"
	"strconv"
	"strings"

	godiff "github.com/sourcegraph/go-diff/diff"
)

// body reads the hunks of a file. crlf: the diff itself was stored with CRLF line ends, which are no part of its lines.
func (p *parser) body(e *entry, crlf bool) error {
	for {
		line, ok := p.peek()
		if !ok || !bytes.HasPrefix(line, []byte("@@ -")) {
			break
		}
		if p.hunks++; p.hunks > maxHunks {
			return p.fail("more than %d hunks", maxHunks)
		}
		h, err := p.hunk(crlf)
		if err != nil {
			return err
		}
		e.hunks = append(e.hunks, h)
	}
	line, _ := p.peek()
	switch {
	case len(e.hunks) == 0 && bytes.HasPrefix(line, []byte("@@@ -")):
		return p.combined("")
	case len(e.hunks) == 0:
		return p.fail("a hunk (\"@@ -\") is missing after the names of the files")
	case !p.more(line):
		return p.flush()
	default:
		return p.fail("the hunk has more lines than its header says")
	}
}

// more tells whether a line behind a hunk looks like another line of it: not a file's name, not the "-- " of a mail's signature.
func (p *parser) more(line []byte) bool {
	if len(line) == 0 || strings.IndexByte(" +-", line[0]) < 0 {
		return false
	}
	if s := strings.TrimRight(string(line[:min(len(line), 4)]), "\r\n"); s == "-- " {
		return false
	}
	next, _ := p.after(line)
	return !bytes.HasPrefix(line, []byte("--- ")) || !strings.HasPrefix(next, "+++ ")
}

// hunk reads one hunk. The counts of its header say where it ends; then go-diff reads it alone. Handed a whole file, go-diff v0.10.0 takes
// lines of content that look like headers for headers, knows the mark of a missing LF in English only, and never counts.
func (p *parser) hunk(crlf bool) (*godiff.Hunk, error) {
	header, _ := p.peek()
	c, ok := readCounts(string(header))
	if !ok {
		return nil, p.fail("bad hunk header")
	}
	if c.old == 0 && c.new == 0 {
		return nil, p.fail("the hunk has no lines")
	}
	at := p.line
	text := append([]byte(nil), bytes.TrimRight(header, "\r\n")...)
	text = append(text, '\n')
	p.skip(header)
	var last []byte // the line before
	for old, new := c.old, c.new; old > 0 || new > 0; {
		line, ok := p.peek()
		if !ok {
			return nil, p.fail("the diff ends inside of a hunk")
		}
		content := line
		if crlf && bytes.HasSuffix(line, []byte("\r\n")) {
			content = append(line[:len(line)-2:len(line)-2], '\n')
		}
		switch content[0] {
		case '\n':
			content = []byte(" \n") // a mail program took the blank of an empty line
			old, new = old-1, new-1
		case ' ':
			old, new = old-1, new-1
		case '-':
			old--
		case '+':
			new--
		case '\\':
			if err := p.mark(last); err != nil {
				return nil, err
			}
			content = []byte(noNewline)
		default:
			return nil, p.fail("a line of a hunk starts with %q", content[:1])
		}
		if old < 0 || new < 0 {
			return nil, p.fail("the lines of the hunk do not fit its header")
		}
		p.skip(line)
		last = bytes.TrimSuffix(content, lf)
		text = append(append(text, last...), '\n')
	}
	if line, _ := p.peek(); len(line) > 0 && line[0] == '\\' {
		if err := p.mark(last); err != nil {
			return nil, err
		}
		text = append(text, noNewline...)
		p.skip(line)
	}
	return p.model(text, at)
}

// mark checks the line before a "\\ No newline" mark: there is no empty line without LF, and go-diff v0.10.0 takes a second mark for the end
// of the text before it.
func (p *parser) mark(last []byte) error {
	if len(last) < 2 || last[0] == '\\' {
		return p.fail("a mark of a missing LF without its line")
	}
	return nil
}

// model lets go-diff read one hunk that was counted.
func (p *parser) model(text []byte, at int) (*godiff.Hunk, error) {
	hunks, err := godiff.ParseHunksOptions(text, godiff.ParseOptions{KeepCR: true})
	if err != nil || len(hunks) != 1 {
		p.line = at
		return nil, p.fail("bad hunk: %v", err)
	}
	h := hunks[0]
	h.StartPosition = int32(at)
	return h, nil
}

// counts are the numbers of a hunk's header.
type counts struct{ oldStart, old, newStart, new int }

// readCounts reads "@@ -a[,b] +c[,d] @@"; a missing count is one.
func readCounts(header string) (c counts, ok bool) {
	fields := strings.SplitN(strings.TrimRight(header, "\r\n"), " ", 5)
	if len(fields) < 4 || fields[0] != "@@" || fields[3] != "@@" {
		return c, false
	}
	var ok1, ok2 bool
	c.oldStart, c.old, ok1 = readExtent(fields[1], '-')
	c.newStart, c.new, ok2 = readExtent(fields[2], '+')
	return c, ok1 && ok2
}

func readExtent(s string, sign byte) (start, lines int, ok bool) {
	if s == "" || s[0] != sign {
		return 0, 0, false
	}
	first, count, found := strings.Cut(s[1:], ",")
	start, ok = readNumber(first)
	lines = 1
	if found && ok {
		lines, ok = readNumber(count)
	}
	return start, lines, ok && (start > 0 || lines == 0)
}

// readNumber reads digits only, as large as go-diff's line numbers may be.
func readNumber(s string) (int, bool) {
	n, err := strconv.ParseUint(s, 10, 31)
	return int(n), err == nil
}
