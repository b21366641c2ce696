package sandbox

import (
	"errors"
	"io/fs"
	"strings"
)

// stat is what a folder entry is, links not followed.
type stat struct {
	id     FileID
	mode   fs.FileMode
	nlink  uint64
	blocks int64 // of 512 bytes, as far as the system tells
	rdev   uint64
	uid    uint32
	gid    uint32
}

// errKind: an entry that was to be read is no regular file.
var errKind = errors.New("not a regular file")

// errLarge: a file is larger than what may be read of it.
var errLarge = errors.New("larger than the limit")

// beneath opens the folder that holds rel, going through folders only, never through a link. The caller closes it.
func (d *dir) beneath(rel string) (parent *dir, name string, err error) {
	parent, err = d.sub(".")
	if err != nil {
		return nil, "", err
	}
	for {
		head, tail, more := strings.Cut(rel, "/")
		if !more {
			return parent, head, nil
		}
		next, err := parent.sub(head)
		parent.close()
		if err != nil {
			return nil, "", err
		}
		parent, rel = next, tail
	}
}

// folder opens the folder rel ("" is d itself) without following links.
func (d *dir) folder(rel string) (*dir, error) {
	if rel == "" {
		return d.sub(".")
	}
	p, name, err := d.beneath(rel)
	if err != nil {
		return nil, err
	}
	defer p.close()
	return p.sub(name)
}

// lstatRel is lstat for a path of several names.
func (d *dir) lstatRel(rel string) (stat, error) {
	p, name, err := d.beneath(rel)
	if err != nil {
		return stat{}, err
	}
	defer p.close()
	return p.lstat(name)
}

// readRel is read for a path of several names.
func (d *dir) readRel(rel string, limit int64) ([]byte, stat, error) {
	p, name, err := d.beneath(rel)
	if err != nil {
		return nil, stat{}, err
	}
	defer p.close()
	return p.read(name, limit)
}

// read returns the bytes and the identity of a regular file. The identity is that of the bytes: a file that changes while it is read
// is read again.
func (d *dir) read(name string, limit int64) ([]byte, stat, error) {
	for try := 0; ; try++ {
		b, before, after, err := d.readOnce(name, limit)
		if err != nil || after.id == before.id || try == 2 {
			return b, after, err
		}
	}
}

// joinRel joins a slash-separated path and a name.
func joinRel(rel, name string) string {
	if rel == "" {
		return name
	}
	return rel + "/" + name
}

// within tells whether p is dir or lies below it.
func within(dir, p string) bool { return p == dir || strings.HasPrefix(p, dir+"/") }
