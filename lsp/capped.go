package lsp

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
)

// maxMessage bounds a message of the client, in bytes. The library's own bound is 1 GiB, and a message takes some six times its size while it is
// decoded (jsonrpc2 v1.0.1, protocol v1.0.0).
const maxMessage = 64 << 20

// maxHeader bounds the header of a message.
const maxHeader = 8 << 10

// capped is a stream whose reading ends where a header announces more than maxMessage.
type capped struct {
	io.ReadWriteCloser
	body   int64 // bytes of the body still to come
	header []byte
}

// Read reads on and looks at the headers that pass.
func (c *capped) Read(p []byte) (int, error) {
	n, err := c.ReadWriteCloser.Read(p)
	for rest := p[:n]; len(rest) > 0; {
		if c.body > 0 {
			skip := min(c.body, int64(len(rest)))
			c.body -= skip
			rest = rest[skip:]
			continue
		}
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			c.header, rest = append(c.header, rest...), nil
		} else {
			c.header, rest = append(c.header, rest[:end+1]...), rest[end+1:]
		}
		if len(c.header) > maxHeader {
			return 0, fmt.Errorf("a message's header is longer than %d bytes", maxHeader)
		}
		if bytes.HasSuffix(c.header, []byte("\n\n")) || bytes.HasSuffix(c.header, []byte("\n\r\n")) {
			c.body = announced(c.header)
			c.header = c.header[:0]
			if c.body > maxMessage {
				return 0, fmt.Errorf("a message of %d bytes: the limit is %d", c.body, maxMessage)
			}
		}
	}
	return n, err
}

// announced is the Content-Length of a header, 0 where it has none that can be read: the library refuses that.
func announced(header []byte) int64 {
	for line := range bytes.Lines(header) {
		name, value, ok := bytes.Cut(line, []byte(":"))
		if ok && bytes.EqualFold(bytes.TrimSpace(name), []byte("content-length")) {
			n, err := strconv.ParseInt(string(bytes.TrimSpace(value)), 10, 64)
			if err == nil && n > 0 {
				return n
			}
		}
	}
	return 0
}
