package index

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rigwiki/rig/sandbox"
)

// Options says which wiki is indexed and where the index is kept.
type Options struct {
	Root string // absolute path of the wiki
	Dir  string // cache folder, made with mode 0700; "" keeps nothing on disk
	// Hide leaves files and folders out besides the names that are never part of a wiki (dot names, node_modules, __pycache__).
	Hide func(rel string, d fs.DirEntry) bool
	// Rules names what Hide does; an index kept under other rules is built anew.
	Rules string
	// Behind are folders whose pages give way to others where a bare name could mean both, and in search; nil is raw/, which holds the
	// sources under the names that their pages have in sources/.
	Behind []string
	// View, where it is set, reads the index that another process keeps in Dir and writes nothing: Root is the same wiki seen otherwise.
	View View
	// Progress is told how far a step of a build is, in pages; it may be nil and is called from several goroutines.
	Progress func(step Step, done, total int)
}

// Step is what a build does.
type Step string

// The steps of a first build: pages are read for their names and links, then their full text is laid out.
const (
	Names    Step = "names"
	FullText Step = "full text"
)

// View says how the files of a wiki that is seen from within a sandbox compare with those that a kept index was built from.
type View string

// The views. NoView is the wiki itself.
const (
	NoView  View = ""
	Mounted View = "mounted" // the same files through another mount: device and inode numbers tell nothing
	Copied  View = "copied"  // copies of the files: their texts are compared
)

// Index is the index of one wiki. Its methods may be called from several goroutines.
type Index struct {
	o Options

	writing sync.Mutex // one refresh at a time

	mu       sync.RWMutex // guards what follows; held for memory and mapped files only
	base     *names
	segments []*segment
	over     map[string]*entry   // what changed since base; nil is gone
	buffers  map[string]*entry   // open in an editor, win over all
	keys     map[uint64][]string // paths of over and buffers by key
	masked   map[uint32]bool     // rows of base that over or buffers replace
	folders  map[string]folder   // read anew since base; an empty path in another key's value means gone
	old      oldTexts
	warnings []string

	completion derived[*nameTable] // names as they are typed
	pages      pageCache
	proof      sync.Once // of the segments' checksums

	laying   chan struct{} // holds one: who lays the full text out
	rank     ranking
	borrowed bool // base and segments are another's: they are never built anew here
}

// Open opens the index of a wiki. Where a kept one is current it costs a stat for each folder; what changed in a folder is read; a page that
// was written in place is noticed when it is asked for, or by [Index.Refresh]. Without a kept index it builds one.
func Open(ctx context.Context, o Options) (*Index, error) {
	if o.Behind == nil {
		o.Behind = []string{"raw"}
	}
	x := &Index{o: o, over: map[string]*entry{}, buffers: map[string]*entry{}, keys: map[uint64][]string{}, masked: map[uint32]bool{}, folders: map[string]folder{}, laying: make(chan struct{}, 1),
		rank: ranking{bm25K, bm25B}}
	if st, err := lstat(o.Root + "/."); err != nil {
		return nil, fmt.Errorf("open wiki: %w", err)
	} else if !st.dir {
		return nil, fmt.Errorf("open wiki: %s is not a folder", o.Root)
	}
	if o.View != NoView {
		return x.openView(ctx)
	}
	if x.load() {
		return x, x.refreshFolders(ctx)
	}
	unlock, err := x.lock(ctx)
	if err != nil {
		x.warn("the index is not kept: %v", err)
		x.o.Dir = ""
	}
	defer unlock()
	if err == nil && x.load() { // another process built it while we waited
		return x, x.refreshFolders(ctx)
	}
	if err := x.refresh(ctx); err != nil {
		x.closeFiles()
		return nil, err
	}
	return x, nil
}

// Close lets go of the files, after keeping what is worth it.
func (x *Index) Close() error {
	err := x.keepOnClose()
	x.closeFiles()
	return err
}

func (x *Index) closeFiles() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.base != nil {
		x.base.close()
	}
	closeAll(x.segments)
	x.base, x.segments = nil, nil
}

// Warnings tells what was not as it should be since the last call: an index file that was broken or from another version, files that could
// not be read.
func (x *Index) Warnings() []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	w := x.warnings
	x.warnings = nil
	return w
}

func (x *Index) warn(format string, args ...any) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if s := fmt.Sprintf(format, args...); !slices.Contains(x.warnings, s) && len(x.warnings) < 100 {
		x.warnings = append(x.warnings, s)
	}
}

func (x *Index) file(rel string) string { return filepath.Join(x.o.Root, filepath.FromSlash(rel)) }

// workers is how many goroutines read at once.
func workers() int { return min(max(runtime.GOMAXPROCS(0), 2), 8) }

// settled is how old a time stamp must be to be trusted: file systems stamp with the kernel's tick, so that a second write within it leaves
// no trace.
const settled = 50 * time.Millisecond

// ref is an entry found: a row of base, or an entry in memory.
type ref struct {
	n   *names
	row uint32
	e   *entry
}

func (r ref) path() string {
	if r.e != nil {
		return r.e.path
	}
	return r.n.path(r.row)
}

func (r ref) class() class {
	if r.e != nil {
		return r.e.class
	}
	return r.n.class(r.row)
}

func (r ref) entry() *entry {
	if r.e != nil {
		return r.e
	}
	return r.n.entry(r.row)
}

// find calls visit with what has the key. The caller holds mu.
func (x *Index) find(key uint64, visit func(ref)) {
	if x.base != nil {
		x.base.keys.find(key, func(row uint32) {
			if !x.masked[row] {
				visit(ref{n: x.base, row: row})
			}
		})
	}
	for _, rel := range x.keys[key] {
		if e := x.memory(rel); e != nil {
			visit(ref{e: e})
		}
	}
}

// memory is the entry in memory that counts for a path, nil where it is gone or none is.
func (x *Index) memory(rel string) *entry {
	if e, ok := x.buffers[rel]; ok {
		return e
	}
	return x.over[rel]
}

// lookup finds an exact path. The caller holds mu.
func (x *Index) lookup(rel string) (ref, bool) {
	if e, ok := x.buffers[rel]; ok {
		return ref{e: e}, true
	}
	return x.onDisk(rel)
}

// onDisk is lookup without buffers.
func (x *Index) onDisk(rel string) (ref, bool) {
	if e, ok := x.over[rel]; ok {
		return ref{e: e}, e != nil
	}
	row, ok := x.base.find(rel)
	return ref{n: x.base, row: row}, ok
}

// set changes what memory says of a path. The caller holds mu for writing.
func (x *Index) set(rel string, change func()) {
	if e := x.memory(rel); e != nil {
		for _, k := range e.keysOf() {
			x.keys[k] = slices.DeleteFunc(x.keys[k], func(p string) bool { return p == rel })
			if len(x.keys[k]) == 0 {
				delete(x.keys, k)
			}
		}
	}
	change()
	if e := x.memory(rel); e != nil {
		for _, k := range e.keysOf() {
			if !slices.Contains(x.keys[k], rel) {
				x.keys[k] = append(x.keys[k], rel)
			}
		}
	}
	if row, ok := x.base.find(rel); ok {
		_, inOver := x.over[rel]
		_, inBuffers := x.buffers[rel]
		if inOver || inBuffers {
			x.masked[row] = true
		} else {
			delete(x.masked, row)
		}
	}
}

// each calls visit with all that is there, until it says false. The caller holds mu.
func (x *Index) each(visit func(ref) bool) {
	for row := range uint32(x.base.count()) {
		if !x.masked[row] && !visit(ref{n: x.base, row: row}) {
			return
		}
	}
	for rel, e := range x.over {
		if _, ok := x.buffers[rel]; !ok && e != nil && !visit(ref{e: e}) {
			return
		}
	}
	for _, e := range x.buffers {
		if !visit(ref{e: e}) {
			return
		}
	}
}

// Paths gives the paths of all pages, sorted.
func (x *Index) Paths() []string {
	x.mu.RLock()
	var out []string
	x.each(func(r ref) bool {
		if r.class() == pageClass {
			out = append(out, r.path())
		}
		return true
	})
	x.mu.RUnlock()
	slices.Sort(out)
	return out
}

// Conflict is a copy that a sync tool left beside a page; it is no page.
type Conflict struct{ Path, Of string }

// ConflictOf gives the page that a file on disk is a conflict copy of; ok is false where it is none.
func (x *Index) ConflictOf(rel string) (of string, ok bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if r, there := x.onDisk(rel); !there || r.class() != conflictClass {
		return "", false
	}
	name, _ := conflictOf(path.Base(rel))
	return path.Join(path.Dir(rel), name), true
}

// Conflicts gives the conflict copies, sorted.
func (x *Index) Conflicts() []Conflict {
	x.mu.RLock()
	var out []Conflict
	x.each(func(r ref) bool {
		if r.class() == conflictClass {
			of, _ := conflictOf(path.Base(r.path()))
			out = append(out, Conflict{r.path(), path.Join(path.Dir(r.path()), of)})
		}
		return true
	})
	x.mu.RUnlock()
	slices.SortFunc(out, func(a, b Conflict) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// content is a page that is in no segment yet.
type content struct {
	page *Page
	text []byte

	once   sync.Once
	terms  map[string]uint32
	length int
	sketch []uint32
}

// counted gives the page's terms with their weights.
func (c *content) counted(rel string) map[string]uint32 {
	c.once.Do(func() {
		c.terms = map[string]uint32{}
		var t tokenizer
		var s sketch
		s.begin()
		c.length = docTerms(&t, appendCalls(nil, stem(rel), c.page), c.text, func(term []byte, w uint32) {
			c.terms[string(term)] += w
			if w == bodyWeight {
				s.add(termHash(term))
			}
		})
		c.sketch = s.end()
	})
	return c.terms
}

// fresh makes the entry of a page that was read.
func fresh(rel string, id sandbox.FileID, text []byte) *entry {
	p := ParsePage(text)
	return &entry{path: rel, class: pageClass, id: id, title: p.Title, aliases: p.Aliases, at: docRef{segment: noSegment}, content: &content{page: &p, text: text}}
}

// FileID is a file's stat identity, in the sandbox's words.
type FileID = sandbox.FileID
