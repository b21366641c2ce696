package sandbox

import (
	"bytes"
	"slices"

	"golang.org/x/sys/unix"
)

// A stray is a file of the upper folder that began as a copy of a lower one and lies where nothing is given now: the program moved it there, or
// it was given there and the user has removed it since. Read as a create until that is known.
type stray struct {
	path   string
	origin []byte
}

// settleStrays makes edits of the strays that the program did not move: an edit of a page that moved on, whose base only the index can have. What was
// moved came from a lower file that the program touched: overlayfs keeps that file's handle with the copy. Where that says nothing (a file system
// without handles, a file that an editor replaced meanwhile), a text that nobody knows beside a page that went was moved.
func (r *upperReader) settleStrays(lower *dir) {
	if len(r.strays) == 0 {
		return
	}
	handles := map[string]bool{}
	for _, rel := range r.touched {
		if h := handleOf(lower, rel); h != nil {
			handles[string(h)] = true
		}
	}
	origins := map[string][]byte{}
	for _, s := range r.strays {
		origins[s.path] = s.origin
	}
	kept := make([]Change, 0, len(r.list))
	for _, ch := range r.list {
		origin, is := origins[ch.Path]
		if !is || ch.Kind != Create || handles[string(origin)] {
			kept = append(kept, ch)
			continue
		}
		base, known := r.baseText(ch.Path)
		switch {
		case !known && slices.ContainsFunc(r.list, func(o Change) bool { return o.Kind == Delete && (o.Drift || len(origin) == 0) }):
			kept = append(kept, ch)
		case !known || !bytes.Equal(base, ch.New):
			ch.Kind, ch.Drift, ch.Base, ch.HasBase = Edit, true, base, known
			kept = append(kept, ch)
		}
	}
	r.list = kept
}

// The head of overlayfs' own form of a file handle (fs/overlayfs/overlayfs.h, struct ovl_fb): version, magic, length, flags, type, 16 bytes of the
// file system's id.
const (
	handleMagic = 0xfb
	handleType  = 4
	handleHead  = 21
	handleBytes = 128 // linux/fs.h, MAX_HANDLE_SZ
)

// originOf is the handle of the lower file that an upper one was copied from, its type first; empty where the lower file system has none. It is
// no copy where the attribute is missing.
func originOf(up *dir, name string) (handle []byte, copied bool) {
	b := make([]byte, handleHead+handleBytes)
	n, err := unix.Lgetxattr(fdPath(up.fd())+"/"+name, "user.overlay.origin", b)
	if err != nil {
		return nil, false
	}
	if n < handleHead || b[1] != handleMagic {
		return nil, true
	}
	return append([]byte{b[handleType]}, b[handleHead:n]...), true
}

// handleOf is the handle of a lower file in the same form, nil where it has none or is gone.
func handleOf(lower *dir, rel string) []byte {
	parent, name, err := lower.beneath(rel)
	if err != nil {
		return nil
	}
	defer parent.close()
	h, _, err := unix.NameToHandleAt(parent.fd(), name, 0)
	if err != nil {
		return nil
	}
	return append([]byte{byte(h.Type())}, h.Bytes()...)
}
