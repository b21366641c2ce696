package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/sync/errgroup"
)

const (
	namesFile      = "names"
	segmentTexts   = 384 << 20 // bytes that a builder collects before it writes a segment
	maxSegments    = 24        // more are built anew into few
	retiredGrace   = 10 * time.Minute
	segmentSuffix  = ".segment"
	textSuffix     = ".text"
	fullTextSuffix = ".full"
)

// lock holds the cache folder against other processes; with no folder there is nothing to hold.
func (x *Index) lock(ctx context.Context) (unlock func(), err error) {
	if x.o.Dir == "" {
		return func() {}, nil
	}
	if err := os.MkdirAll(x.o.Dir, 0o700); err != nil {
		return func() {}, err
	}
	l := flock.New(filepath.Join(x.o.Dir, "lock"), flock.SetPermissions(0o600))
	if ok, err := l.TryLockContext(ctx, 20*time.Millisecond); !ok {
		return func() {}, cmp.Or(err, errors.New("another process holds it"))
	}
	return func() { _ = l.Unlock() }, nil // the lock ends with the process at the latest
}

// load opens the kept index; false where there is none that can be used.
func (x *Index) load() bool {
	if x.o.Dir == "" {
		return false
	}
	m, err := mapFile(filepath.Join(x.o.Dir, namesFile))
	if errors.Is(err, os.ErrNotExist) {
		return false
	}
	n, err2 := openNames(m)
	if err = cmp.Or(err, err2); err != nil {
		m.close()
		x.warn("the kept index is built anew: %v", err)
		return false
	}
	if x.o.View == NoView && (n.meta[0] != x.o.Root || n.meta[1] != x.o.Rules) {
		m.close()
		return false
	}
	segments, err := x.openSegments(n.meta[2:])
	if err == nil && !n.counts(segments) {
		closeAll(segments)
		err = errFormat
	}
	if err != nil {
		m.close()
		x.warn("the kept index is built anew: %v", err)
		return false
	}
	x.base, x.segments = n, segments
	return true
}

func (x *Index) openSegments(names []string) ([]*segment, error) {
	var out []*segment
	for _, name := range names {
		s, err := x.openSegment(name)
		if err != nil {
			closeAll(out)
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out = append(out, s)
	}
	return out, nil
}

func closeAll(segments []*segment) {
	for _, s := range segments {
		s.close()
	}
}

func (x *Index) openSegment(name string) (*segment, error) {
	m, err := mapFile(filepath.Join(x.o.Dir, name+segmentSuffix))
	if err != nil {
		return nil, err
	}
	texts, err := mapFile(filepath.Join(x.o.Dir, name+textSuffix))
	if err != nil {
		m.close()
		return nil, err
	}
	s, err := openSegment(m, texts)
	if err != nil {
		m.close()
		texts.close()
		return nil, err
	}
	s.name = name
	full := filepath.Join(x.o.Dir, name+fullTextSuffix)
	if f := mapFullText(full, s); f != nil {
		s.full.Store(f)
	} else if _, err := os.Lstat(full); err == nil {
		x.warn("the search terms of the kept index are laid out anew: %s is %v", name+fullTextSuffix, errFormat)
	}
	return s, nil
}

// built is what one build makes: entries by path (nil is gone) and segments; an entry's at counts from the first of them.
type built struct {
	mu       sync.Mutex
	entries  map[string]*entry
	segments []*segment
	all      bool // every page was read: the segments before are no longer needed
}

// build reads pages into segments, in parallel, and lays out names anew from them, from entries and from what the index holds. Where the cache
// folder cannot be written (full, taken away), the index goes on in memory. Who calls it holds writing.
func (x *Index) build(ctx context.Context, pages []string, entries map[string]*entry, folders []folder) error {
	err := x.buildOnce(ctx, pages, entries, folders)
	if err == nil || ctx.Err() != nil || x.o.Dir == "" {
		return err
	}
	x.warn("the index is no longer kept: %v", err)
	x.o.Dir = ""
	return x.buildOnce(ctx, pages, entries, folders)
}

func (x *Index) buildOnce(ctx context.Context, pages []string, entries map[string]*entry, folders []folder) error {
	if x.o.Dir != "" {
		if err := os.MkdirAll(x.o.Dir, 0o700); err != nil {
			return err
		}
	}
	b := &built{entries: make(map[string]*entry, len(entries)+len(pages))}
	maps.Copy(b.entries, entries)
	if err := x.buildFrom(ctx, b, pages, folders); err != nil {
		return err
	}
	if x.worn() {
		return x.buildAll(ctx)
	}
	return nil
}

func (x *Index) buildFrom(ctx context.Context, b *built, pages []string, folders []folder) error {
	group, gctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	for range min(workers(), 1+len(pages)/64) {
		group.Go(func() error { return x.buildWorker(gctx, b, pages, &next) })
	}
	if err := group.Wait(); err != nil {
		return fmt.Errorf("build index: %w", err)
	}
	return x.rebase(ctx, b, folders)
}

func (x *Index) buildWorker(ctx context.Context, b *built, pages []string, next *atomic.Int64) error {
	w := segmentWriter{x: x, whole: x.base != nil || x.o.Dir == ""}
	var buf []byte
	defer w.drop()
	for {
		i := int(next.Add(1)) - 1
		if i >= len(pages) {
			return w.close(b)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if x.o.Progress != nil && i%256 == 0 {
			x.o.Progress(Names, i, len(pages))
		}
		text, st, err := readFile(x.file(pages[i]), buf)
		if err != nil {
			x.warn("%s is not read: %v", pages[i], err)
			w.entries = append(w.entries, &entry{path: pages[i]})
			continue
		}
		buf = text
		p := ParsePage(text)
		e := &entry{path: pages[i], class: pageClass, id: trusted(st.id), title: p.Title, aliases: p.Aliases}
		if err := w.add(e, &p, text); err != nil {
			return err
		}
		if w.b.size > segmentTexts {
			if err := w.close(b); err != nil {
				return err
			}
		}
	}
}

// segmentWriter writes one segment, then the next.
type segmentWriter struct {
	x       *Index
	whole   bool // with its full text, which else follows; what is in memory only has to be
	b       segmentBuilder
	full    fullTextBuilder
	name    string
	entries []*entry // class 0: gone
}

func (w *segmentWriter) add(e *entry, p *Page, text []byte) error {
	if w.b.count() == 0 && w.x.o.Dir != "" {
		f, err := os.CreateTemp(w.x.o.Dir, "s*"+textSuffix)
		if err != nil {
			return err
		}
		w.b.text.file = f
		w.name = strings.TrimSuffix(filepath.Base(f.Name()), textSuffix)
	}
	e.at.doc = w.b.add(e.path, e.id, p, text)
	if w.whole {
		w.full.add(w.b.lastCalled(), text)
	}
	w.entries = append(w.entries, e)
	return nil
}

// close finishes the segment at hand, if any, and hands it over.
func (w *segmentWriter) close(b *built) error {
	var s *segment
	if w.b.count() > 0 {
		var err error
		if s, err = w.finish(); err != nil {
			return err
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range w.entries {
		if e.class == 0 {
			b.entries[e.path] = nil
			continue
		}
		e.at.segment = uint32(len(b.segments))
		b.entries[e.path] = e
	}
	if s != nil {
		b.segments = append(b.segments, s)
	}
	*w = segmentWriter{x: w.x, whole: w.whole}
	return nil
}

func (w *segmentWriter) finish() (*segment, error) {
	s, err := w.segment()
	if err == nil && w.whole {
		var f *fullText
		if f, err = w.x.keepFullText(&w.full, s, filepath.Join(w.x.o.Dir, w.name+fullTextSuffix), w.name != ""); err == nil {
			s.full.Store(f)
		}
	}
	if err != nil && w.name != "" {
		w.x.removeSegment(w.name)
	}
	return s, err
}

func (w *segmentWriter) segment() (*segment, error) {
	parts := w.b.finish()
	if w.b.text.file == nil {
		return openSegment(mapping{data: slices.Concat(parts...)}, mapping{})
	}
	w.b.text.flush()
	err := w.b.text.err
	if e := w.b.text.file.Close(); err == nil {
		err = e
	}
	w.b.text.file = nil
	if err == nil {
		err = writeWhole(filepath.Join(w.x.o.Dir, w.name+segmentSuffix), parts...)
	}
	if err != nil {
		return nil, err
	}
	return w.x.openSegment(w.name)
}

// drop takes away what was not finished.
func (w *segmentWriter) drop() {
	if w.b.text.file != nil {
		_ = w.b.text.file.Close()
		w.x.removeSegment(w.name)
	}
}

func (x *Index) removeSegment(name string) {
	for _, suffix := range []string{textSuffix, segmentSuffix, fullTextSuffix} {
		_ = os.Remove(filepath.Join(x.o.Dir, name+suffix)) // what stays is swept by the next build
	}
}
