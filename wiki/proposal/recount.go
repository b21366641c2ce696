package proposal

import (
	"bytes"
	"fmt"
	"regexp"
)

// recount makes the counts in the heads of hunks what their lines say, since nobody who edits a diff counts. The lines stay where they are. Where the
// diff has git's heads only these end a file, so that a removed line "-- x" is no name; a line that belongs nowhere is an error, or what follows would
// be lost unseen.
func recount(text []byte) ([]byte, error) {
	head := regexp.MustCompile(`^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,\d+)? @@`)
	lines := bytes.SplitAfter(text, []byte("\n"))
	git := bytes.HasPrefix(text, []byte("diff --git ")) || bytes.Contains(text, []byte("\ndiff --git "))
	var out bytes.Buffer
	for i := 0; i < len(lines); {
		m := head.FindSubmatch(lines[i])
		if m == nil {
			if bytes.HasPrefix(lines[i], []byte("@@ ")) {
				return nil, &DiffError{Line: i + 1, Err: fmt.Errorf("the head of a hunk is not in the form \"@@ -1,2 +1,2 @@\"")}
			}
			out.Write(lines[i])
			i++
			continue
		}
		end := hunkEnd(lines, i+1, git)
		old, new := 0, 0
		for n := i + 1; n < end; n++ {
			switch lead := lines[n][0]; lead {
			case ' ', '\n', '\r':
				old, new = old+1, new+1
			case '-':
				old++
			case '+':
				new++
			case '\\':
			default:
				return nil, &DiffError{Line: n + 1, Err: fmt.Errorf("a line of a hunk starts with %q", lead)}
			}
		}
		if old == 0 && string(m[2]) != "0" {
			return nil, &DiffError{Line: i + 1, Err: fmt.Errorf("no line of the page is left in the hunk, so its place is not known")}
		}
		fmt.Fprintf(&out, "@@ -%s,%d +%s,%d @@", m[1], old, m[3], new)
		out.Write(lines[i][len(m[0]):])
		out.Write(bytes.Join(lines[i+1:end], nil))
		i = end
	}
	return out.Bytes(), nil
}

// hunkEnd is the line behind the last one of a hunk. Empty lines before what follows are not its own.
func hunkEnd(lines [][]byte, n int, git bool) int {
	begins := func(n int, prefix string) bool { return n < len(lines) && bytes.HasPrefix(lines[n], []byte(prefix)) }
	for ; n < len(lines) && len(lines[n]) > 0 && !begins(n, "@@ ") && !begins(n, "diff --git "); n++ {
		if !git && begins(n, "--- ") && begins(n+1, "+++ ") && begins(n+2, "@@ -") {
			break
		}
	}
	for n > 0 && len(bytes.TrimRight(lines[n-1], "\r\n")) == 0 {
		n--
	}
	return n
}
