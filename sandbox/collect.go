package sandbox

import (
	"bytes"
	"errors"
	"io/fs"
	"slices"
	"strings"
)

// was is what the program was given at a path.
type was struct {
	is    stat // of the lower file (a buffer's: of the file it hides, or zero)
	given bool // there was something
	drift bool // the lower file was written, replaced or removed since
	// text finds the base; false: nobody kept it. It is asked at most once.
	text func() ([]byte, bool)
}

// A collector gathers changes within limits.
type collector struct {
	limits   Limits
	list     []Change
	dirs     []string
	bytes    int64
	overflow string
}

// result sorts what was gathered. A path reported twice (a link and its target both written) is one odd change.
func (c *collector) result(warnings []string) Changes {
	slices.SortStableFunc(c.list, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	slices.Sort(c.dirs)
	return Changes{List: c.list, Overflow: c.overflow, Dirs: c.dirs, Warnings: warnings}
}

func (c *collector) add(ch Change) {
	if len(c.list) >= c.limits.Files {
		c.over("more changed files than the limit")
		return
	}
	c.bytes += int64(len(ch.New))
	if c.bytes > c.limits.Bytes {
		c.over("more changed bytes than the limit")
		return
	}
	c.list = append(c.list, ch)
}

func (c *collector) over(which string) {
	if c.overflow == "" {
		c.overflow = which
	}
}

// oddOf names what a mode is where it is no regular file or folder.
func oddOf(m fs.FileMode) Why {
	for _, t := range []struct {
		bit fs.FileMode
		why Why
	}{{fs.ModeSymlink, Symlink}, {fs.ModeNamedPipe, FIFO}, {fs.ModeSocket, Socket}} {
		if m&t.bit != 0 {
			return t.why
		}
	}
	return Device
}

func (c *collector) odd(rel string, st stat, why Why) {
	c.add(Change{Path: rel, Kind: Odd, Why: why, Size: st.id.Size, Mode: st.mode})
}

// present compares an entry of the view, which is no folder, with what was given at its path.
func (c *collector) present(rel string, view *dir, name string, st stat, w was) error {
	if c.overflow != "" {
		return nil
	}
	if !st.mode.IsRegular() {
		c.odd(rel, st, oddOf(st.mode))
		return nil
	}
	if st.id.Size > c.limits.FileBytes {
		c.odd(rel, st, TooLarge)
		return nil
	}
	text, err := readView(view, name, st, c.limits.FileBytes)
	if err != nil {
		return err
	}
	if w.given && w.is.mode.Type() != 0 { // what was there is no file, and now it is one
		c.odd(rel, st, oddOf(w.is.mode))
		return nil
	}
	ch := Change{Path: rel, Kind: Create, New: text, Size: int64(len(text)), Mode: st.mode, Drift: w.drift}
	gained := st.mode & 0o111
	if w.given {
		ch.Kind = Edit
		ch.Base, ch.HasBase = w.text()
		gained &^= w.is.mode
		if ch.HasBase && bytes.Equal(ch.Base, text) {
			if gained != 0 || st.mode&(fs.ModeSetuid|fs.ModeSetgid)&^w.is.mode != 0 {
				c.odd(rel, st, Mode)
			}
			return nil
		}
	}
	switch {
	case st.nlink > 1, w.given && w.is.nlink > 1:
		c.odd(rel, st, Hardlink)
		return nil
	case w.given && !ch.HasBase && w.is.id.Size > c.limits.FileBytes:
		c.odd(rel, st, TooLarge)
		return nil
	case gained != 0, st.mode&(fs.ModeSetuid|fs.ModeSetgid)&^w.is.mode != 0:
		ch.Why = Mode
	}
	c.add(ch)
	return nil
}

// gone reports an entry that was given and is not there any more.
func (c *collector) gone(rel string, w was) {
	if c.overflow != "" {
		return
	}
	if w.is.mode.Type() != 0 {
		c.odd(rel, w.is, oddOf(w.is.mode))
		return
	}
	ch := Change{Path: rel, Kind: Delete, Size: w.is.id.Size, Mode: w.is.mode, Drift: w.drift}
	if ch.Base, ch.HasBase = w.text(); !ch.HasBase && w.is.id.Size > c.limits.FileBytes {
		c.odd(rel, w.is, TooLarge)
		return
	}
	ch.Size = int64(len(ch.Base))
	c.add(ch)
}

// readView reads a file of the view, also where the program took away its read permission.
func readView(view *dir, name string, st stat, limit int64) ([]byte, error) {
	b, _, err := view.read(name, limit)
	if errors.Is(err, fs.ErrPermission) {
		if err = view.chmod(name, st.mode|0o400); err == nil {
			b, _, err = view.read(name, limit)
		}
	}
	return b, err
}

// subView opens a folder of the view, also where the program took away its permissions.
func subView(view *dir, name string, st stat) (*dir, error) {
	if st.mode&0o500 != 0o500 {
		if err := view.chmod(name, st.mode|0o700); err != nil {
			return nil, err
		}
	}
	return view.sub(name)
}

// mergeLinks maps changes of what lower links show to the files that the links lead to (links: rel to rel). A link that was removed, and a link
// and its target that were changed to different texts, are no edits.
func (c *collector) mergeLinks(links map[string]string) {
	at := map[string]int{}
	for i, ch := range c.list {
		at[ch.Path] = i
	}
	drop := map[int]bool{}
	for i, ch := range c.list {
		target, ok := links[ch.Path]
		if !ok || ch.Kind == Odd {
			continue
		}
		j, both := at[target]
		switch {
		case ch.Kind == Edit && !both:
			c.list[i].Path = target
			at[target] = i
		case ch.Kind == Edit && c.list[j].Kind == Edit && bytes.Equal(c.list[j].New, ch.New):
			drop[i] = true
		default:
			c.list[i] = Change{Path: ch.Path, Kind: Odd, Why: Symlink, Size: ch.Size, Mode: ch.Mode}
		}
	}
	kept := c.list[:0]
	for i, ch := range c.list {
		if !drop[i] {
			kept = append(kept, ch)
		}
	}
	c.list = kept
}
