package fetch

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// readBody reads an answer, unpacked, up to limit bytes; packed bytes are bounded by the same. A length that the server promised is not believed in
// either direction: cut tells where it broke off.
func readBody(res *http.Response, limit int64) (body []byte, cut string, err error) {
	packed := io.LimitReader(res.Body, limit+1)
	unpacked, err := unpack(res.Header.Get("Content-Encoding"), packed)
	if err != nil {
		return nil, "", err
	}
	body, err = readChunks(unpacked, limit)
	if errors.Is(err, io.ErrUnexpectedEOF) && len(body) > 0 {
		return body, fmt.Sprintf("the server broke off after %d bytes", len(body)), nil
	}
	if errors.Is(err, gzip.ErrHeader) && len(body) > 0 { // what comes behind the last member is no page: clients leave it out
		err = nil
	}
	return body, "", err
}

// unpack undoes Content-Encoding. Only what we asked for is expected; deflate is sent by some all the same.
func unpack(encoding string, r io.Reader) (io.Reader, error) {
	var named []string // without those that pack nothing
	for e := range strings.SplitSeq(strings.ToLower(encoding), ",") {
		if e = strings.TrimSpace(e); e != "" && e != "identity" && e != "none" && e != "utf-8" {
			named = append(named, e)
		}
	}
	switch strings.Join(named, ", ") {
	case "":
		return r, nil
	case "gzip", "x-gzip":
		z, err := gzip.NewReader(r)
		if errors.Is(err, io.EOF) {
			return bytes.NewReader(nil), nil
		}
		if err != nil {
			return nil, &Error{Kind: ErrType, Why: "the answer says gzip and is not: " + err.Error()}
		}
		return z, nil
	case "deflate": // RFC 9110 means zlib, old servers send the bare stream
		b := bufio.NewReader(r)
		if head, err := b.Peek(2); err == nil && head[0]&0x0f == 8 && (uint(head[0])<<8|uint(head[1]))%31 == 0 {
			return zlib.NewReader(b)
		}
		return flate.NewReader(b), nil
	}
	return nil, &Error{Kind: ErrType, Why: fmt.Sprintf("the answer is packed as %s, which was not asked for", quoteShort(encoding))}
}

// readChunks reads in pieces, so that an answer over the limit costs no more than the limit.
func readChunks(r io.Reader, limit int64) ([]byte, error) {
	const piece = 256 << 10
	var pieces [][]byte
	var total int64
	for {
		p := make([]byte, 0, piece)
		var err error
		for len(p) < piece && err == nil {
			var n int
			n, err = r.Read(p[len(p):piece])
			p = p[:len(p)+n]
		}
		if total += int64(len(p)); total > limit {
			return nil, &Error{Kind: ErrTooLarge, Why: fmt.Sprintf("larger than %s unpacked", megabytes(limit))}
		}
		pieces = append(pieces, p)
		if errors.Is(err, io.EOF) {
			err = nil
		} else if err == nil {
			continue
		}
		return bytes.Join(pieces, nil), err
	}
}

func megabytes(n int64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%d MB", n>>20)
}
