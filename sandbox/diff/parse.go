package diff

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	godiff "github.com/sourcegraph/go-diff/diff"
)

// The bounds of what Parse reads.
const (
	maxInput = 64 << 20 // bytes
	maxFiles = 100_000
	maxHunks = 1_000_000
)

// Patch is what a diff says about one file.
type Patch struct {
	Path string // the new name (the old one of Delete) without its first part ("a/", "after/"), raw bytes; never checked for ".." or "/"
	From string // the old name of a rename; of a copy (Kind is Create then), the name it was copied from
	Kind Kind
	// Binary: the texts are not in the diff, or only in git's binary form, which is not read. Apply refuses it.
	Binary bool
	// Absent: the diff says that the file was created or deleted, but not with which text ("Only in b: f"). Apply refuses to create it.
	Absent   bool
	ModeOnly bool // nothing but the file mode changes
	Hunks    []*godiff.Hunk
	Line     int // 1-based line of the diff at which the file starts
}

// Parse reads a unified diff as GNU diff (-u, -r, -N), git (also with -M) and Print write it, one level of folders stripped from its
// names (-p1; git's rename lines have none to strip). Text around the files is skipped. Inside a hunk only its counts decide
// where it ends, never what a line looks like. An error names the line of the input, 1-based. At most 64 MiB are read.
func Parse(diff []byte) ([]Patch, error) {
	if len(diff) > maxInput {
		return nil, fmt.Errorf("parse a diff: it has %d bytes, %d at most are read", len(diff), maxInput)
	}
	p := &parser{rest: diff, line: 1}
	for {
		line, ok := p.peek()
		if !ok {
			break
		}
		if err := p.step(line); err != nil {
			return nil, fmt.Errorf("parse a diff: %w", err)
		}
	}
	if err := p.flush(); err != nil {
		return nil, fmt.Errorf("parse a diff: %w", err)
	}
	if err := p.settle(); err != nil {
		return nil, fmt.Errorf("parse a diff: %w", err)
	}
	return p.out, nil
}

// parser walks the lines of a diff. Lines are cut one by one: a list of them would cost many times the input.
type parser struct {
	rest  []byte
	line  int // number of the line at the start of rest
	hunks int
	cur   *entry
	out   []Patch
	only  []only
	roots roots
}

// peek gives the next line, with its LF.
func (p *parser) peek() ([]byte, bool) {
	if len(p.rest) == 0 {
		return nil, false
	}
	n := bytes.IndexByte(p.rest, '\n') + 1
	if n == 0 {
		n = len(p.rest)
	}
	return p.rest[:n], true
}

// skip goes past a line that peek gave.
func (p *parser) skip(line []byte) {
	p.rest = p.rest[len(line):]
	p.line++
}

func (p *parser) fail(format string, args ...any) error {
	return fmt.Errorf("line %d: %s", p.line, fmt.Sprintf(format, args...))
}

// readers are the lines that mean something outside of hunks. The first prefix that fits is asked.
var readers = [...]struct {
	prefix string
	read   func(p *parser, line string) error
}{
	{"diff --git ", (*parser).git},
	{"--- ", (*parser).names},
	{"@@ -", (*parser).stray},
	{"@@@ -", (*parser).combined},
	{"Binary files ", (*parser).binary},
	{"Files ", (*parser).binary},
	{"Only in ", (*parser).onlyIn},
	{"File ", (*parser).swapped},
	{"GIT binary patch", (*parser).gitBinary},
}

// step reads one line, or a whole file's header and hunks.
func (p *parser) step(raw []byte) error {
	line := strings.TrimRight(string(raw[:min(len(raw), maxHeader)]), "\r\n")
	for _, r := range &readers {
		if strings.HasPrefix(line, r.prefix) {
			if len(raw) > maxHeader {
				return p.fail("the line has %d bytes", len(raw))
			}
			return r.read(p, line)
		}
	}
	if p.cur != nil && len(raw) <= maxHeader && p.cur.extended(line) {
		p.skip(raw)
		return nil
	}
	err := p.flush()
	p.skip(raw)
	return err
}

// maxHeader is the longest line that is read outside of hunks: two quoted paths of 4096 bytes and what stands around them.
const maxHeader = 64 << 10

// next goes past the line at which the parser stands.
func (p *parser) next() {
	if line, ok := p.peek(); ok {
		p.skip(line)
	}
}

func (p *parser) git(line string) error {
	if err := p.flush(); err != nil {
		return err
	}
	e := &entry{line: p.line, git: true}
	e.old, e.new = gitNames(strings.TrimPrefix(line, "diff --git "))
	p.cur = e
	p.next()
	return nil
}

// names reads "--- old", "+++ new" and the hunks. A "--- " that no "+++ " follows is text.
func (p *parser) names(first string) error {
	raw, _ := p.peek()
	second, ok := p.after(raw)
	if !ok || !strings.HasPrefix(second, "+++ ") {
		err := p.flush()
		p.skip(raw)
		return err
	}
	if p.cur == nil || len(p.cur.hunks) > 0 {
		if err := p.flush(); err != nil {
			return err
		}
		p.cur = &entry{line: p.line}
	}
	e := p.cur
	old, err := readName(first[len("--- "):])
	if err != nil {
		return p.fail("%v", err)
	}
	p.next()
	new, err := readName(second[len("+++ "):])
	if err != nil {
		return p.fail("%v", err)
	}
	p.next()
	if !e.git {
		p.roots.add(old, new)
	}
	e.named(old, new)
	return p.body(e, bytes.HasSuffix(raw, []byte("\r\n")) && first[len("--- ")] != '"')
}

// after gives the line behind the one at which the parser stands, without its end.
func (p *parser) after(raw []byte) (string, bool) {
	q := parser{rest: p.rest[len(raw):]}
	line, ok := q.peek()
	return strings.TrimRight(string(line[:min(len(line), maxHeader)]), "\r\n"), ok
}

func (p *parser) stray(string) error { return p.fail("a hunk without the name of its file") }

func (p *parser) combined(string) error {
	return p.fail("a combined diff (of a merge) can not be read")
}

// flush ends the file that is being read.
func (p *parser) flush() error {
	e := p.cur
	p.cur = nil
	if e == nil {
		return nil
	}
	patch, ok, err := e.patch()
	if err != nil {
		return fmt.Errorf("line %d: %w", e.line, err)
	}
	if !ok {
		return nil
	}
	return p.add(patch)
}

func (p *parser) add(patch Patch) error {
	if len(p.out) == maxFiles {
		return p.fail("more than %d files", maxFiles)
	}
	p.out = append(p.out, patch)
	return nil
}

// entry is a file while its lines are read. Names have their first part stripped; "" is none.
type entry struct {
	line               int
	git                bool
	old, new           string
	noOld, noNew       bool // named /dev/null, or said by git's headers
	oldStamp, newStamp bool // stamped with the epoch, as GNU diff does for a file that is not there
	renamed, copied    bool
	binary, mode       bool
	from, to           string // of "rename from", "copy to" and so on
	hunks              []*godiff.Hunk
}

// extended reads a line of git's extended header and tells whether it was one.
func (e *entry) extended(line string) bool {
	if !e.git || len(e.hunks) > 0 {
		return false
	}
	for _, h := range &headers {
		if strings.HasPrefix(line, h.prefix) {
			h.set(e, bareName(line[len(h.prefix):]))
			return true
		}
	}
	return false
}

// headers are git's extended headers (git-diff(1), "Generating patch text with -p").
var headers = [...]struct {
	prefix string
	set    func(e *entry, value string)
}{
	{"new file mode ", func(e *entry, _ string) { e.noOld = true }},
	{"deleted file mode ", func(e *entry, _ string) { e.noNew = true }},
	{"old mode ", func(e *entry, _ string) { e.mode = true }},
	{"new mode ", func(e *entry, _ string) { e.mode = true }},
	{"rename from ", func(e *entry, v string) { e.renamed, e.from = true, v }},
	{"rename to ", func(e *entry, v string) { e.renamed, e.to = true, v }},
	{"copy from ", func(e *entry, v string) { e.copied, e.from = true, v }},
	{"copy to ", func(e *entry, v string) { e.copied, e.to = true, v }},
	{"similarity index ", func(*entry, string) {}},
	{"dissimilarity index ", func(*entry, string) {}},
	{"index ", func(*entry, string) {}},
}

// named takes the names of the "---" and "+++" lines, which win over those of the "diff --git" line.
func (e *entry) named(old, new name) {
	e.noOld, e.noNew = e.noOld || old.null, e.noNew || new.null
	e.oldStamp, e.newStamp = old.epoch, new.epoch
	if !old.null {
		e.old = strip(old.path)
	}
	if !new.null {
		e.new = strip(new.path)
	}
}

// patch is the entry's result; false where it says nothing about a file.
func (e *entry) patch() (Patch, bool, error) {
	p := Patch{Path: e.new, Kind: Edit, Binary: e.binary, Hunks: e.hunks, Line: e.line}
	if p.Path == "" || e.noNew {
		p.Path = e.old
	}
	if e.noOld && e.noNew {
		return p, false, errors.New("the file is there on neither side")
	}
	switch one := len(e.hunks) == 1; {
	case e.renamed, e.copied:
		p.Kind, p.Path, p.From = Rename, e.to, e.from
		if e.copied {
			p.Kind = Create
		}
		if e.from == "" {
			return p, false, errors.New("a rename or copy without its old name")
		}
	case e.noOld, one && e.oldStamp && e.hunks[0].OrigLines == 0 && e.hunks[0].OrigStartLine == 0:
		p.Kind = Create
		if len(e.hunks) > 1 || one && e.hunks[0].OrigLines > 0 {
			return p, false, errors.New("the diff creates the file and takes lines from it")
		}
	case e.noNew, one && e.newStamp && e.hunks[0].NewLines == 0 && e.hunks[0].NewStartLine == 0:
		p.Kind = Delete
		if len(e.hunks) > 1 || one && e.hunks[0].NewLines > 0 {
			return p, false, errors.New("the diff deletes the file and leaves lines in it")
		}
	case len(e.hunks) == 0 && !e.binary:
		if !e.mode {
			return p, false, nil
		}
		p.ModeOnly = true
	}
	if p.Path == "" {
		return p, false, errors.New("the name of the file is missing")
	}
	return p, true, nil
}
