package index

import (
	"bytes"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/rigwiki/rig/sandbox"
)

// pageCache keeps the pages that were asked for last, by stat identity.
type pageCache struct {
	mu    sync.Mutex
	pages map[string]cachedPage
	size  int
}

type cachedPage struct {
	id     sandbox.FileID
	page   *Page
	text   []byte
	blocks *blocks // of the text, its runs in order; nil where it is not kept
}

// size is about what a page takes in memory: its text, and that again without what holds no links.
func (p cachedPage) size() int { return 2 * len(p.text) }

const (
	cachedPages   = 512
	cachedBytes   = 32 << 20 // of all pages
	longestCached = 16 << 20 // of one; longer ones are read again
)

func (c *pageCache) get(rel string, id sandbox.FileID) (cachedPage, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, ok := c.pages[rel]
	return p, ok && p.id == id
}

func (c *pageCache) put(rel string, p cachedPage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pages == nil {
		c.pages = map[string]cachedPage{}
	}
	c.drop(rel)
	for k := range c.pages {
		if len(c.pages) < cachedPages && c.size+p.size() <= cachedBytes {
			break
		}
		c.drop(k) // any: the map's order is as good as another
	}
	c.pages[rel] = p
	c.size += p.size()
}

func (c *pageCache) drop(rel string) {
	c.size -= c.pages[rel].size()
	delete(c.pages, rel)
}

// Page gives a page as it is now: in a buffer, else on disk. It costs a stat, and reading the page where it changed since it was asked for
// last. The slices are shared: they must not be written to.
func (x *Index) Page(rel string) (Page, bool) {
	p, _, ok := x.current(rel)
	return p, ok
}

// Source gives a page's text as it is now, and whether there is such a page. The text must not be written to.
func (x *Index) Source(rel string) ([]byte, bool) {
	_, text, ok := x.current(rel)
	return text, ok
}

func (x *Index) current(rel string) (Page, []byte, bool) {
	c, ok := x.seen(rel)
	if !ok {
		return Page{}, nil, false
	}
	return *c.page, c.text, true
}

// seen is a page as it is now, its path, size and time filled in.
func (x *Index) seen(rel string) (cachedPage, bool) {
	x.mu.RLock()
	buffer := x.buffers[rel]
	r, onDisk := x.onDisk(rel)
	var was sandbox.FileID
	conflict := false
	if onDisk {
		onDisk, conflict = r.class() == pageClass, r.class() == conflictClass
		was = r.entry().id
	}
	x.mu.RUnlock()
	if buffer != nil {
		p := filled(*buffer.content.page, rel, int64(len(buffer.content.text)), time.Time{})
		return cachedPage{page: &p, text: buffer.content.text}, true
	}
	if !onDisk && !x.visible(rel) {
		return cachedPage{}, false
	}
	st, err := lstat(x.file(rel))
	if err != nil || !st.regular {
		x.note(rel, onDisk, nil)
		return cachedPage{}, false
	}
	c, ok := x.pages.get(rel, st.id)
	if !ok {
		text, st, err := readFile(x.file(rel), nil)
		if err != nil {
			return cachedPage{}, false
		}
		p, blocks := parsePage(text)
		blocks.inOrder()
		c = cachedPage{st.id, &p, text, blocks}
		if c.size() <= longestCached && trusted(st.id) == st.id {
			x.pages.put(rel, c)
		}
		if !conflict && (!onDisk || was != st.id) { // a sync tool's copy is no page for having been read
			e := fresh(rel, trusted(st.id), text)
			x.note(rel, true, e)
		}
	}
	p := filled(*c.page, rel, c.id.Size, time.Unix(0, c.id.Mtime))
	c.page = &p
	return c, true
}

// visible tells whether a path that the index does not know could be a page of the wiki.
func (x *Index) visible(rel string) bool {
	if !isPage(rel) || !localPath(rel) {
		return false
	}
	if hiddenPath(rel) {
		return false
	}
	for i := 1; i <= len(rel); i++ {
		if i < len(rel) && rel[i] != '/' {
			continue
		}
		fi, err := os.Lstat(x.file(rel[:i]))
		if err != nil || i < len(rel) && !fi.IsDir() || x.o.Hide != nil && x.o.Hide(rel[:i], fs.FileInfoToDirEntry(fi)) {
			return false // a link to a folder too: it may lead out of the wiki
		}
	}
	return true
}

// localPath tells a path that stays inside of the wiki.
func localPath(rel string) bool {
	for part := range strings.SplitSeq(rel, "/") {
		if part == ".." || part == "." {
			return false
		}
	}
	return rel != "" && rel[0] != '/'
}

// note takes what was seen of one page into the index; nil is gone.
func (x *Index) note(rel string, was bool, e *entry) {
	if !was {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if r, ok := x.onDisk(rel); ok || e != nil {
		if ok && e != nil && r.entry().id == e.id {
			return
		}
		x.replace(rel, e)
	}
}

// filled completes a parsed page with what its text does not say.
func filled(p Page, rel string, size int64, mtime time.Time) Page {
	p.Path, p.Size, p.ModTime = rel, size, mtime
	if p.Title == "" {
		p.Title = stem(rel)
	}
	return p
}

// SetBuffer lays an editor's text over the page on disk, at once and for everything that is asked; the page need not exist.
func (x *Index) SetBuffer(rel string, text []byte) {
	e := fresh(rel, sandbox.FileID{}, bytes.Clone(text))
	x.mu.Lock()
	defer x.mu.Unlock()
	if r, ok := x.onDisk(rel); ok && r.class() == conflictClass { // who looks at a sync tool's copy makes no page of it
		e.class = conflictClass
	}
	x.set(rel, func() { x.buffers[rel] = e })
}

// DropBuffer takes the text away again; the page on disk counts.
func (x *Index) DropBuffer(rel string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.set(rel, func() { delete(x.buffers, rel) })
}

// Summary is a page's first paragraph as plain text, without front matter and headings, at most 400 bytes; "" where it has none.
func (x *Index) Summary(rel string) string {
	c, ok := x.seen(rel)
	if !ok {
		return ""
	}
	return c.scanned().summary()
}

// scanned gives the page's blocks, its runs in order.
func (p cachedPage) scanned() *blocks {
	if p.blocks != nil {
		return p.blocks
	}
	s := scanBlocks(p.text, p.page.Front.End)
	s.inOrder()
	return s
}

func (s *blocks) summary() string {
	heads := map[int]bool{}
	for _, h := range s.heads {
		heads[h.inner.start] = true
	}
	for _, r := range s.runs {
		if heads[r.start] || s.text[r.start] == '|' {
			continue
		}
		// Container marks are blank in mask, code spans are not.
		if t := plain(s.mask[r.start:r.end]); t != "" && !strings.HasPrefix(t, "[!") {
			return shorten(t, 400)
		}
	}
	return ""
}

// shorten cuts a text at a word's end.
func shorten(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	cut := limit
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	if i := strings.LastIndexByte(s[:cut], ' '); i > limit/2 {
		cut = i
	}
	return s[:cut] + "…"
}

// oldTexts keeps texts that were replaced since the index was opened, newest first.
type oldTexts struct {
	list []oldText
	size int
}

type oldText struct {
	rel  string
	id   sandbox.FileID
	text []byte
}

const oldTextBytes = 32 << 20

func (o *oldTexts) add(rel string, id sandbox.FileID, text []byte) {
	o.list = slices.Insert(o.list, 0, oldText{rel, id, text})
	for o.size += len(text); o.size > oldTextBytes && len(o.list) > 1; {
		last := len(o.list) - 1
		o.size -= len(o.list[last].text)
		o.list = o.list[:last]
	}
}

// Text gives the text that a page on disk had while its stat identity was id: what the index read then, in this process or another. It is
// false where the index was not there to read it, or where it was long ago. The text is proved by checksum and must not be written to.
func (x *Index) Text(rel string, id FileID) ([]byte, bool) {
	x.ensureSound()
	x.mu.RLock()
	defer x.mu.RUnlock()
	if e := x.over[rel]; e != nil && e.id == id && e.content != nil {
		return e.content.text, true
	}
	for _, o := range x.old.list {
		if o.rel == rel && o.id == id {
			return o.text, true
		}
	}
	for _, s := range x.segments {
		var text []byte
		ok := false
		s.pathKeys.find(keyHash(pathKey, rel), func(doc uint32) {
			if !ok && s.path(doc) == rel && s.id(doc) == id {
				text, ok = s.text(doc)
			}
		})
		if ok {
			return text, true
		}
	}
	return nil, false
}
