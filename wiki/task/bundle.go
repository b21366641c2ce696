package task

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// bundleHead is what a bundle says before its pack (gitformat-bundle(5)).
type bundleHead struct {
	format string   // of object ids: "sha1" unless it says otherwise
	needs  []string // commits that the reader must have
	refs   map[string]string
}

// maxHead bounds a bundle's head, in lines.
const maxHead = 10_000

// readHead reads a bundle up to its pack. Anything that we would not write is an error.
func readHead(r *bufio.Reader) (bundleHead, error) {
	h := bundleHead{format: "sha1", refs: map[string]string{}}
	line, err := headLine(r)
	if err != nil {
		return h, err
	}
	if line != "# v2 git bundle" && line != "# v3 git bundle" {
		return h, fmt.Errorf("it begins with %.40q, which no bundle does", line)
	}
	for range maxHead {
		line, err := headLine(r)
		switch {
		case err != nil:
			return h, err
		case line == "":
			return h, nil
		case line[0] == '@':
			format, ok := strings.CutPrefix(line, "@object-format=")
			if !ok {
				return h, fmt.Errorf("it asks for %.40q", line)
			}
			h.format = format
		case line[0] == '-':
			oid, _, _ := strings.Cut(line[1:], " ")
			if !isObjectID(oid) {
				return h, fmt.Errorf("it needs %.80q, which names no object", oid)
			}
			h.needs = append(h.needs, oid)
		default:
			oid, ref, ok := strings.Cut(line, " ")
			if !ok || !isObjectID(oid) {
				return h, fmt.Errorf("%.80q names no ref", line)
			}
			h.refs[ref] = oid
		}
	}
	return h, fmt.Errorf("its head is longer than %d lines", maxHead)
}

func headLine(r *bufio.Reader) (string, error) {
	line, err := r.ReadSlice('\n')
	if err == io.EOF {
		return "", fmt.Errorf("it ends in its head")
	}
	if err != nil {
		return "", fmt.Errorf("read its head: %w", err)
	}
	return string(line[:len(line)-1]), nil
}

func isObjectID(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}
