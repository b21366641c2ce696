package diff

import (
	"bytes"
	"fmt"
	"strings"
)

// only is an "Only in" line, whose side is known when the whole diff is read.
type only struct {
	index int // in parser.out
	root  string
}

// roots are the first parts of the names of both sides, as met in the diff.
type roots struct{ old, new map[string]bool }

func (r *roots) add(old, new name) {
	if r.old == nil {
		r.old, r.new = map[string]bool{}, map[string]bool{}
	}
	if !old.null {
		r.old[root(old.path)] = true
	}
	if !new.null {
		r.new[root(new.path)] = true
	}
}

func root(path string) string {
	first, _, _ := strings.Cut(path, "/")
	return first
}

// usual are names of folders that say which side they are, for a diff in which no file was changed on both sides.
var usual = map[string]Kind{
	"a": Delete, "before": Delete, "old": Delete, "orig": Delete,
	"b": Create, "after": Create, "new": Create,
}

// side tells what "Only in root" means.
func (r *roots) side(root string) (Kind, bool) {
	switch old, new := r.old[root], r.new[root]; {
	case old && !new:
		return Delete, true
	case new && !old:
		return Create, true
	default:
		kind, ok := usual[root]
		return kind, ok && !old && !new
	}
}

// settle tells the sides of the "Only in" lines.
func (p *parser) settle() error {
	for _, o := range p.only {
		patch := &p.out[o.index]
		kind, ok := p.roots.side(o.root)
		if !ok {
			return fmt.Errorf("line %d: nothing tells whether %q is the old or the new folder", patch.Line, o.root)
		}
		patch.Kind = kind
	}
	return nil
}

// onlyIn reads "Only in dir: name", which GNU diff prints without -N.
func (p *parser) onlyIn(line string) error {
	if err := p.flush(); err != nil {
		return err
	}
	dir, file, ok := strings.Cut(strings.TrimPrefix(line, "Only in "), ": ")
	if ok {
		dir, file = bareName(dir), bareName(file)
		path := strings.TrimRight(dir, "/") + "/" + file
		p.only = append(p.only, only{len(p.out), root(dir)})
		if err := p.add(Patch{Path: strip(path), Absent: true, Line: p.line}); err != nil {
			return err
		}
	}
	p.next()
	return nil
}

// binary reads "Binary files a/x and b/x differ", and "Files … differ" of diff -q.
func (p *parser) binary(line string) error {
	defer p.next()
	names, ok := strings.CutSuffix(line, " differ")
	_, names, _ = strings.Cut(names, "iles ")
	if !ok {
		return p.flush()
	}
	if p.cur != nil && p.cur.git && len(p.cur.hunks) == 0 {
		p.cur.binary = true
		return nil
	}
	if err := p.flush(); err != nil {
		return err
	}
	old, new, ok := pair(names, " and ")
	if !ok {
		return p.fail("the names of two files that differ can not be told apart")
	}
	p.roots.add(old, new)
	e := &entry{line: p.line, binary: true, noOld: old.null, noNew: new.null}
	e.named(old, new)
	p.cur = e
	return p.flush()
}

// pair cuts two names at a separator: where both are the same but for their first part, else at the only place there is.
func pair(s, sep string) (old, new name, ok bool) {
	for i := 0; ; {
		j := strings.Index(s[i:], sep)
		if j < 0 {
			break
		}
		i += j
		first, second := bareName(s[:i]), bareName(s[i+len(sep):])
		old, new = name{path: first, null: first == nowhere}, name{path: second, null: second == nowhere}
		if strip(first) == strip(second) || old.null || new.null {
			return old, new, true
		}
		i += len(sep)
	}
	return old, new, strings.Count(s, sep) == 1
}

// swapped reads GNU diff's sentence about a name of two types: "File a/x is a regular file while file b/x is a directory". Nothing of
// either text is in the diff, nor what the folder holds.
func (p *parser) swapped(line string) error {
	defer p.next()
	if err := p.flush(); err != nil {
		return err
	}
	first, second, ok := strings.Cut(strings.TrimPrefix(line, "File "), " while file ")
	oldName, oldType, ok1 := cutLast(first, " is a ")
	newName, newType, ok2 := cutLast(second, " is a ")
	if !ok || !ok1 || !ok2 {
		return nil
	}
	oldName, newName = bareName(oldName), bareName(newName)
	p.roots.add(name{path: oldName}, name{path: newName})
	patch := Patch{Path: strip(newName), Kind: Edit, Absent: true, Line: p.line}
	switch "directory" {
	case newType:
		patch.Kind = Delete
	case oldType:
		patch.Kind = Create
	}
	return p.add(patch)
}

// cutLast is strings.Cut at the last place.
func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// gitBinary goes past git's binary form: blocks of base 85, each ended by an empty line.
func (p *parser) gitBinary(string) error {
	p.next()
	if p.cur == nil {
		return p.fail("a binary patch without the name of its file")
	}
	p.cur.binary = true
	for {
		line, ok := p.peek()
		if !ok || !bytes.HasPrefix(line, []byte("literal ")) && !bytes.HasPrefix(line, []byte("delta ")) {
			return nil
		}
		for ok && len(bytes.TrimRight(line, "\r\n")) > 0 {
			p.skip(line)
			line, ok = p.peek()
		}
		p.next()
	}
}
